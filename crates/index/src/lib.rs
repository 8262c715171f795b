//! Which files of a workspace may hold a text, known without opening them; and never wrong about it.
//!
//! An [`Index`] keeps a table of all files below a root ([`Tree`]) and the trigrams of their texts. [`Index::view`] brings both up to
//! everything that was finished before the call, and gives nothing where that cannot be proved: then a search reads the files.
//! The argument why that is exact is in `docs/design/index.md`.
//!
//! This crate knows no tool, no query options and no answer. What a search leaves out ([`Rules`]) and what a file's content is
//! ([`glance`]) are here because the table must agree with the walk to the letter.

mod content;
mod events;
mod excluded;
mod gram;
mod index;
mod pending;
mod plan;
mod rules;
mod segment;
mod state;
mod store;
mod tree;

pub use content::{Glance, HEAD, IN_ONE_PIECE, glance, glance_at_head, read_whole};
pub use excluded::is_excluded;
pub use gram::{Gram, Grams};
pub use index::{Index, Options, Status, View};
pub use pending::{LeaveOut, Lost};
pub use plan::Plan;
pub use rules::{Present, Rules};
pub use state::{MOST_BYTES as INDEXED, MayRead};
pub use tree::{DirId, Directory, Entry, EntryId, Facts, Flags, LARGE, LONG_LINE, Tree};
