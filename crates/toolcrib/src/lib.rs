//! File tools for AI agents: they never lose a byte, never leave the workspace, and answer before you notice.
//!
//! [`Toolbox::open`] gives every tool on one directory:
//!
//! ```
//! # let dir = std::env::temp_dir().join(format!("toolcrib-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! # std::fs::write(dir.join("notes.txt"), "one\ntwo\n")?;
//! use serde_json::json;
//! use toolcrib::Toolbox;
//!
//! let toolbox = Toolbox::open(&dir)?;
//! let result = toolbox.call_blocking("Read", json!({"file_path": dir.join("notes.txt")}), &toolbox.context());
//! assert_eq!(result.output, "     1\tone\n     2\ttwo");
//! assert_eq!(result.metadata["lines_read"], 2);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The names of the tools, their parameters and the form of their answers are a [`Dialect`]. What a model's provider
//! wants to know of them is [`Toolbox::schemas`]. A dialect of your own is a [table](dialects::Table). A tool of your own goes in with [`Toolbox::register`]; see
//! [`Tool`].
//!
//! The feature `formats`, on by default, brings the decoders of images and PDF documents. Without it the library is smaller, and Read
//! refuses such files.

mod bytes;
mod config;
mod config_file;
mod direct;
mod foreign;
mod log;
mod past;
mod perform;
mod toolbox;
mod undo;
mod why;

pub use bytes::WriteBytes;
pub use config::Config;
pub use config_file::ConfigFile;
pub use direct::Watched;
pub use foreign::{Bounds, ForeignCall, ForeignChange, ForeignCommand};
pub use log::{FileVersion, LogQuery, NetFile};
pub use past::{FileHunksPast, FilePast, Past, RevertsPast, UndonePast, line_counts};
pub use toolbox::{Builder, Toolbox};
pub use toolcrib_access::{
    Access, Action, ApprovalRequest, Approver, Changes as ProposedChanges, Decision, Edited, FileAccess,
    Group, HalfDone, History, InvalidEdit, Location, Opened, Origin, Page, PageSize, Pattern, Policy,
    Proposal, Proposed, ProposedChange, Replacement, Rule, Sandbox, UndoConflict, UndoOnly, UndoSelection,
    UndoWhich, Verdict, WithApprover, disk_error, in_sandbox, undo_error,
};
pub use toolcrib_desk as desk;
pub use toolcrib_dialects::{self as dialects, Dialect, Matching, ReadLimits, Settings};
pub use toolcrib_edit::{ByteHunk, HunkRow, Hunks, UnknownHunk, differing_words, reveal};
pub use toolcrib_files::{self as files, FilePath, RestoreAction, RestoredFile, UndoRequest};
pub use toolcrib_journal::{
    Changes, Conflict, Damage, Difference, Entry, FileHunks, FileRecord, Journal, JournalWatch, Kept,
    PastChange, Record, RecordId, Reversal, Reverts, Scrub, Selection, Side, State as RecordState, Texts,
    UndoError, UndoKind, Undone, UndonePart, Unrecorded, Unrepaired, nearest_journal, state_folder,
};
pub use toolcrib_search::{IndexStatus, NoIndex};
pub use toolcrib_tool::{
    Answer, Call, Category, Conventions, Descriptor, DynTool, Effect, Environment, ErrorKind,
    ExecutionContext, Executor, Format, Hints, Image, Kind, Parameter, Performed, ReceivedCall, Registry,
    Reply, State, Tool, ToolError, ToolExecution, ToolResult, erase, nearest, parameters_of,
};
pub use toolcrib_workspace::{
    Dir, Durability, Error as DiskError, FileKind, Lockdown, Mounts, Resolver, StateFolder, Subject, Version,
    Workspace, has_room_for_output, names, pass_signal_on, raise_open_files, survive_file_size_limit,
    wait_for_any_input, wait_for_input, wait_for_output,
};
pub use undo::UndoReport;
