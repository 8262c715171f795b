//! The frame from outside: tools that users could write, called as users would call them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod changes;
mod execution;
mod paths;
mod policy;
mod registry;
mod sandbox;
mod schemas;
mod screen;
mod stopping;
mod tools;
