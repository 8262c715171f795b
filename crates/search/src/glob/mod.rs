//! Finding files by their paths.

mod find;
mod pattern;

pub use find::{Found, GlobOptions, Globbed, glob};
pub use pattern::GlobPattern;
