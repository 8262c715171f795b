//! Finding files by their paths.

mod find;
mod globs;
mod indexed;
mod pattern;

pub use find::{Found, GlobOptions, Globbed, glob};
pub(crate) use globs::Globs;
pub use pattern::GlobPattern;
