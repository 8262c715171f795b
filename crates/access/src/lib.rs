//! Who may touch which file, and what becomes of the changes that tools propose.
//!
//! [`FileAccess`] is the environment of an executor: a workspace, a [`Policy`], an approver, a [`Ledger`] of what
//! sessions have read, and a [`History`] of what was changed. A tool gets a [`Sandbox`] of it, through which it opens
//! files and drafts changes; what it proposes is judged, shown to a person where a rule says ask, and committed: all of
//! it, or nothing.
//!
//! Containment is the workspace's: no path leads out of the roots. This crate decides about what is inside. It must not know
//! any tool in particular, nor how an agent speaks.

mod context;
mod directory;
mod draft;
mod edited;
mod error;
mod file_access;
mod history;
mod indexes;
mod ledger;
mod links;
mod permission;
mod policy;
mod proposal;
mod review;
mod sandbox;
mod settle;
mod subject;
mod undo;
mod verdict;
mod visibility;

pub use context::WithApprover;
pub use directory::{DirectoryDraft, DirectoryEntry, LinkDraft};
pub use draft::Draft;
pub use edited::{Edited, InvalidEdit, Replacement};
pub use error::{disk_error, undo_error};
pub use file_access::{FileAccess, FileAccessBuilder};
pub use history::{HalfDone, History};
pub use ledger::{Extent, Ledger, Parts, Seen, Standing, Unit, Written};
pub use policy::{
    Access, Action, ApprovalRequest, Approver, Decision, Group, Origin, Pattern, Policy, Rule, Subject,
    Verdict,
};
pub use proposal::{Changes, Proposal, Proposed};
pub use review::{EntryChange, Page, PageSize, ProposedChange};
pub use sandbox::{Location, Opened, Sandbox, Unread, in_sandbox};
pub use toolcrib_journal::{FileHunks, Side, Texts, UndoKind};
pub use undo::{UndoConflict, UndoOnly, UndoPlan, UndoSelection, UndoStep, UndoWhich, Undoing, digest_of};
pub use visibility::{OpenedDir, PolicyVisibility};
