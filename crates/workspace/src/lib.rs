//! The only door to the disk: roots as directory handles, contained opens, snapshots with versions.
//!
//! A [`Workspace`] holds its roots open. A path that a caller gives becomes a [`WorkspacePath`]; whether it stays
//! inside is decided by the kernel when it is opened, relative to the root's handle, and never by comparing strings
//! first and opening later. What is handed out afterwards (an [`OpenFile`], a [`Dir`], a [`WriteTarget`]) is a handle too,
//! so nothing that happens to the names meanwhile can lead it elsewhere.
//!
//! This crate knows no tool, no dialect and no permission. Containment is mechanism and lives here; whether a call may
//! read or change a path inside is judgement and lives with the policy.
//!
//! Start reading at [`Workspace`]; the decision itself is in `open/resolve`. The rooms:
//!
//! - `path`: how places inside are named: roots, paths, names, and what no path may reach.
//! - `open`: what a path leads to: contained opens, directories, snapshots with versions.
//! - `commit`: how files change: all of a set of changes, or none.
//! - `host`: what the process asks of the machine beside files of a workspace: limits, Landlock, leases, its own folder.

#![allow(clippy::disallowed_methods, reason = "this crate is the one that touches the disk")]

mod commit;
mod error;
mod host;
mod open;
mod path;
mod workspace;

pub use commit::{
    Act, Attributes, Base, Before, Change, ChangeSet, CommitError, Committed, Direction, Durability, Held,
    InPlace, LockSet, Locks, NameRef, Outcome, Plan, Planned, Restoration, Subject, TEMPORARY_PREFIX,
    TreeEntry, TreeEntryKind, is_temporary,
};
pub use error::{Error, ErrorKind};
pub use host::{
    Beside, Lockdown, MountTable, NameWatch, NotWatched, Notice, NoticeBoard, PrivateListener, Reporting,
    Span, Spool, StateFolder, WatchEvent, WatchId, Watcher, Writers, boot, connect_private,
    has_room_for_output, max_user_watches, pass_signal_on, raise_open_files, random, read_user_file,
    survive_file_size_limit, wait_for_any_input, wait_for_input, wait_for_output, writers, yield_to_others,
};
pub use open::{
    Dir, Entries, Entry, FileImage, FileKind, Fingerprint, Image, InvalidFingerprint, InvalidVersion, Links,
    Mounts, NewWriteTarget, OpenFile, Rename, Resolver, ScanBuffer, Snapshot, Stat, Version, VersionHasher,
    WriteTarget, set_mode, set_owner, stat_of,
};
pub use path::{Protected, Root, RootId, WorkspacePath, names};
pub use workspace::{Builder, Workspace};
