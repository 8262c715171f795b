//! What was changed, by whom, and how to undo it.
//!
//! [`Journal::commit`] writes down what is about to be done, lets the workspace do it, and writes down that it is done.
//! So a crash at any point is repaired by the next process to open the journal, every change has a record, and each can
//! be undone: [`Journal::undo`].
//!
//! It stands in the user's state folder, outside the workspace, and is sealed with a key of its own: a record that was
//! forged is none. It must not know tools: who calls is a name to it, and what a change means is nothing.
//!
//! Start reading at `journal.rs`; `recover.rs` is what happens after a crash, `log` where records stand.

mod codec;
mod damage;
mod folder;
mod foreign;
mod image;
mod intent;
mod journal;
mod liveness;
mod log;
mod merge;
mod needs_repair;
mod pending;
mod pieces;
mod reach;
mod record;
mod recover;
mod register;
mod scrub;
mod standing;
mod transact;
mod underway;
mod undo;
mod unrecorded;
mod unrepaired;
mod watch;

pub use damage::Damage;
pub use folder::{nearest_journal, state_folder};
pub use foreign::{Mark, Recording};
pub use journal::{Contents, Entry, Journal, Options, Recorded};
pub use needs_repair::Repairer;
pub use pending::{Pending, PendingImage};
pub use record::{Changes, Difference, FileRecord, Kept, PastChange, Record, RecordId, Reverts, State};
pub use scrub::Scrub;
pub use standing::UndonePart;
pub use underway::UnderWay;
pub use undo::{
    Conflict, FileHunks, Only, Reversal, Selection, Side, Texts, UndoError, UndoKind, Undone, Which,
};
pub use unrecorded::Unrecorded;
pub use unrepaired::Unrepaired;
pub use watch::JournalWatch;
