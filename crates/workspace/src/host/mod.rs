//! What the process asks of the machine, beside the files of a workspace.

mod child;
pub(crate) mod file_system;
pub(crate) mod identity;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod lockdown;
pub(crate) mod notice;
mod ready;
pub(crate) mod socket;
mod spool;
pub(crate) mod state;
pub(crate) mod sys;
mod user_file;
pub(crate) mod watch;

pub use child::pass_signal_on;
pub use identity::{boot, random};
pub use limits::{raise_open_files, survive_file_size_limit};
pub use lockdown::{Beside, Lockdown};
pub use notice::{Notice, NoticeBoard};
pub use ready::{has_room_for_output, wait_for_any_input, wait_for_input, wait_for_output};
pub use socket::{NameWatch, PrivateListener, connect_private};
pub use spool::{Span, Spool};
pub use state::StateFolder;
pub use user_file::read_user_file;
pub use watch::{
    MountTable, NotWatched, Reporting, WatchEvent, WatchId, Watcher, Writers, max_user_watches, writers,
    yield_to_others,
};
