//! The file operations: a typed request in, a typed outcome out.
//!
//! Each operation is one file. It reads through the workspace and proposes what it would change; it cannot write, so
//! it cannot forget to ask, to record or to stay dry. This crate must not know JSON, tool names or how an answer is
//! shown: the dialects do.

mod apply_patch;
mod bounds;
mod changed;
mod edit;
mod finding;
mod glob;
mod grep;
mod list;
mod path;
mod read;
mod settings;
mod undo;
mod write;

pub use apply_patch::{FileAction, PatchRequest, Patched, PatchedFile, apply_patch};
pub use bounds::MAX_GROWTH;
pub use changed::Shown;
pub use edit::{EditRequest, Edited, Terms, edit};
pub use glob::{GlobRequest, Matches, glob};
pub use grep::{Found, GrepMode, GrepRequest, Grepped, grep};
pub use list::{EntryKind, ListRequest, Listed, Listing, list};
pub use path::FilePath;
pub use read::{
    CellImage, Chunks, Content, Document, LineNumber, Notebook, Part, Pdf, ReadLimits, ReadRequest, Text,
    read, read_chunks,
};
pub use settings::Settings;
pub use toolcrib_edit::{Edit, Level, LineSpan, Matching, Names, Step};
pub use toolcrib_formats::{RangeError, Ranges, image::Image};
pub use toolcrib_patch::HunkReport;
pub use toolcrib_search::{Case, Query, QueryOptions, Skipped, Sort};
pub use undo::{BackAction, FileBack, TakenBack, UndoRequest, difference, undo};
pub use write::{WriteRequest, Written, write};
