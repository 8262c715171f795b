//! The formats from outside: files of each kind, whole, broken and hostile.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests fail loudly and print their figures"
)]

mod images;
mod mutated;
mod notebooks;
mod pdfs;
mod properties;
