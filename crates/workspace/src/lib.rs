//! The only door to the disk: roots as directory handles, contained opens, snapshots with versions.
//!
//! A [`Workspace`] holds its roots open. A path that somebody gives becomes a [`WorkspacePath`]; whether it stays
//! inside is decided by the kernel when it is opened, relative to the root's handle, and never by comparing strings
//! first and opening later. What is handed out afterwards (an [`OpenFile`], a [`Dir`], a [`Place`]) is a handle too,
//! so nothing that happens to the names meanwhile can lead it elsewhere.
//!
//! This crate knows no tool, no dialect and no permission. Containment is mechanism and lives here; whether a call may
//! read or change a path inside is judgement and lives with the policy.
//!
//! Start reading at [`Workspace`]; the decision itself is in `resolve`.

#![allow(clippy::disallowed_methods, reason = "this crate is the one that touches the disk")]

mod again;
mod change_set;
mod changes;
mod commit;
mod dir;
mod entries;
mod error;
mod file;
mod file_system;
mod fingerprint;
mod identity;
mod lease;
mod limits;
mod lock;
mod lockdown;
pub mod names;
mod narrow;
mod notice;
mod path;
mod place;
mod protected;
mod resolve;
mod root;
mod snapshot;
mod stat;
mod state;
mod sys;
mod version;
mod workspace;

pub use change_set::{Base, Change, ChangeSet};
pub use changes::{Rename, set_mode, set_owner};
pub use commit::{
    Act, Attributes, Before, CommitError, Committed, Direction, Durability, InPlace, Outcome, Plan, Planned,
    Restoration, Spot, TEMPORARY_PREFIX,
};
pub use dir::{Dir, ScanBuffer};
pub use entries::{Entries, Entry};
pub use error::{Error, ErrorKind};
pub use file::OpenFile;
pub use fingerprint::{Fingerprint, InvalidFingerprint};
pub use identity::{boot, random};
pub use limits::{raise_open_files, survive_file_size_limit};
pub use lock::{Held, LockSet, Locks};
pub use lockdown::{Beside, Lockdown};
pub use notice::{Notice, NoticeBoard};
pub use path::{RootId, WorkspacePath};
pub use place::{NewPlace, Place};
pub use protected::Protected;
pub use resolve::{Mounts, Resolver};
pub use root::Root;
pub use snapshot::Snapshot;
pub use stat::{FileKind, Links, Stat};
pub use state::StateFolder;
pub use version::{InvalidVersion, Version, VersionHasher};
pub use workspace::{Builder, Workspace};
