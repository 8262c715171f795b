//! The crate from outside: what must hold for any text in any encoding.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod any;
mod document;
mod encodings;
mod lines;
mod stopped;
mod tail;
