//! Text in memory: what a line is, and how a range of lines is taken out of a stream of bytes.
//!
//! This crate must not know files, paths, JSON or tools. Bytes come in, values go out, so everything here can be
//! tested without a disk.

mod lines;

pub use lines::{Collector, Line, LineRange, Lines};
