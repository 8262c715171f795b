//! The page's server from outside: what a browser, a hostile web page and another program of the machine get.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod auth;
mod client;
mod contents;
mod events;
mod hostile;
mod many;
mod questions;
mod rules;
mod served;
mod undo;
