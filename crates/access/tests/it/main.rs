//! Access to files from outside: policy, sandbox, and what becomes of proposals.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod changes;
mod paths;
mod policy;
mod sandbox;
mod visibility;
