//! Finding things in a workspace: walking, matching names, matching lines.
//!
//! [`walk`] goes over a tree by directory handles and shows what it finds to a [`Visitor`]; ignore files, hidden names and
//! excluded directories are left out on the way. It can be [stopped](Stop) at any moment. [`glob()`] and
//! [`grep()`] stand on it.
//!
//! This crate must not know tools, JSON, or why something may not be shown: a [`Visibility`] says that it may not.

mod best;
mod glob;
mod grep;
mod patterns;
mod visibility;
mod walk;

pub use glob::{Found, GlobOptions, GlobPattern, Globbed, glob};
pub use grep::{
    Case, Context, Enough, FileMatches, FileTypes, GrepOptions, InvalidQuery, Line, Lines, Outcome, Query,
    QueryOptions, Remedy, Skipped, Sort, Tally, UnknownType, Wanted, grep, grep_file, lines,
};
pub use patterns::{Exclude, Include, InvalidPattern};
pub use toolcrib_index::{
    Index, Lost as NoIndex, Options as IndexOptions, Status as IndexStatus, is_excluded,
};
pub use toolcrib_text::Stop;
pub use visibility::{Everything, Visibility};
pub use walk::{
    Blocked, Brief, Entry, Sorted, Start, Step, Visitor, WalkOptions, Walked, threads, walk, walk_known,
    walk_sorted,
};
