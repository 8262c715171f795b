//! The frame from outside: tools that users could write, called as users would call them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod environment;
mod execution;
mod registry;
mod schemas;
mod stopping;
mod tools;
