//! The file operations: a typed request in, a typed outcome out.
//!
//! Each operation is one file. It reads through the workspace and proposes what it would change; it cannot write, so
//! it cannot forget to ask, to record or to stay dry. This crate must not know JSON, tool names or how an answer is
//! shown: the dialects do.

mod apply_patch;
mod bounds;
mod changed;
mod delete;
mod edit;
mod finding;
mod glob;
mod grep;
mod insert;
mod list;
mod make_directory;
mod move_file;
mod notebook_edit;
mod path;
mod read;
mod read_many;
mod refused;
mod settings;
mod stat;
mod undo;
mod write;

pub use apply_patch::{FileAction, PatchRequest, Patched, PatchedFile, apply_patch};
pub use bounds::MAX_GROWTH;
pub use changed::{Excerpt, Shown};
pub use delete::{DeleteRequest, Deleted, delete};
pub use edit::{EditRequest, Edited, edit};
pub use finding::FoundBy;
pub use glob::{GlobRequest, Matches, glob};
pub use grep::{Found, GrepMode, GrepRequest, Grepped, OwnContext, grep, grep_each};
pub use insert::{InsertRequest, Inserted, insert};
pub use list::{EntryKind, ListRequest, Listed, Listing, list, list_each};
pub use make_directory::{MadeDirectory, MakeDirectoryRequest, make_directory};
pub use move_file::{MoveRequest, Moved, move_file};
pub use notebook_edit::{NotebookEditRequest, NotebookEdited, notebook_edit};
pub use path::FilePath;
pub use read::{
    CellImage, Content, Document, LineNumber, Media, Notebook, Part, Pdf, ReadLimits, ReadRequest,
    ReadTextRequest, Text, TextPart, VerbatimText, read, read_media, read_text,
};
pub use read_many::{ManyRead, ReadManyRequest, read_many};
pub use refused::{EditRefused, Refused};
pub use settings::Settings;
pub use stat::{FileStat, StatRequest, stat};
pub use toolcrib_edit::{Edit, Error as EditError, Level, LineSpan, Matching, Names, Step};
pub use toolcrib_formats::notebook::{CellEdit, CellKind};
pub use toolcrib_formats::{RangeError, Ranges, image::Image};
pub use toolcrib_patch::{HunkReport, NamedFile};
pub use toolcrib_search::{Case, FileTypes, Line, Query, QueryOptions, Remedy, Skipped, Sort};
pub use toolcrib_workspace::Version;
pub use undo::{
    RestoreAction, RestoredFile, UndoRequest, UndoneChange, difference, undo, undo_file, whole_difference,
};
pub use write::{WriteRequest, Written, create, write};
