//! The server, spoken to by a real client over a pipe in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "a test prepares files and looks at them by itself")]
#![allow(deprecated, reason = "clients of 2025-11-25 and earlier have roots")]

mod approvals;
mod clients;
mod direct;
mod limits;
mod panics;
mod roots;
mod scenarios;
mod third_dialect;
