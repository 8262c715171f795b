//! What the tests of several crates share.
//!
//! It knows no tool and no door, so that every crate may use it in its tests.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "it is used by tests only: it makes the files that they work on, and a fault is a panic"
)]

mod attack;
#[cfg(feature = "formats")]
pub mod formats;
pub mod growth;
pub mod languages;
pub mod limits;
mod make;
pub mod measured;
mod names;
mod random;
mod refuse;
mod scenario;
mod tree;
mod user;

pub use attack::{Arena, Attack, CANARY, INSIDE};
pub use names::{ordinary_names, spellings};
pub use random::Random;
pub use refuse::{LINKAT, OPENAT2, RENAMEAT2, UNLINKAT, refusing};
pub use scenario::{Answer, Case, run_scenarios};
pub use tree::{Tree, copy_tree, quick_dir, set_times};
pub use user::{as_ordinary_user, is_ordinary_user, once_more_as_ordinary_user};
