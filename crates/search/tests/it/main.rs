//! Searching from outside, on real directories.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means and fail loudly"
)]

mod except;
mod first;
mod fresh;
mod kept;
mod rules;
mod sorted;
mod stopped;
mod support;
mod walk;
