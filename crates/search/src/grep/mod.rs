//! Finding lines by what they say.
//!
//! A search goes in two steps. [`grep`] counts the matches of every file and keeps the files that come first, so that what
//! it needs of memory depends on the answer and not on the tree. [`lines`] then takes the wanted matches out of a file,
//! with the lines around them. Both look at the same text: a file in another encoding is decoded first.

mod collect;
mod count;
mod engine;
mod indexed;
mod lookaround;
mod matcher;
mod query;
mod rank;
mod required;
mod sinks;
mod source;
mod stepwise;
mod syntax;
mod types;

pub use collect::{Context, Line, Lines, Wanted, lines};
pub use count::{Enough, GrepOptions, Skipped, Tally, grep, grep_file};
pub use engine::Outcome;
pub use query::{Case, InvalidQuery, Query, QueryOptions, Remedy};
pub use rank::{FileMatches, Sort};
pub use types::{FileTypes, UnknownType};
