//! The server, spoken to by a real client over a pipe in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod scenarios;
