//! What a path leads to: contained opens, directories, files, snapshots with versions.

pub(crate) mod dir;
pub(crate) mod file;
pub(crate) mod fingerprint;
mod image;
pub(crate) mod resolve;
mod similar_names;
pub(crate) mod snapshot;
pub(crate) mod stat;
pub(crate) mod version;
pub(crate) mod write_target;

pub use dir::entries::{Entries, Entry};
pub use dir::mutate::{Rename, set_mode, set_owner};
pub use dir::{Dir, ScanBuffer};
pub use file::OpenFile;
pub use fingerprint::{Fingerprint, InvalidFingerprint};
pub use image::{FileImage, Image};
pub use resolve::{Mounts, Resolver};
pub use snapshot::Snapshot;
pub use stat::{FileKind, Links, Stat, stat_of};
pub use version::{InvalidVersion, Version, VersionHasher};
pub use write_target::{NewWriteTarget, WriteTarget};
