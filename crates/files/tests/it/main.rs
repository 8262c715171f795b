//! The operations from outside, on real files, as a tool calls them.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means and fail by panicking"
)]

mod changing;
mod large;
mod line_numbers;
mod lines;
mod one_by_one;
mod support;
#[cfg(not(feature = "formats"))]
mod without_formats;
