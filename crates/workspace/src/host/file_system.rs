//! Which file system something lies on, where that decides what can be relied on.

use std::os::fd::AsFd;

const BCACHEFS: u64 = 0xCA45_1A4E;
pub(crate) const BTRFS: u64 = 0x9123_683E;
/// ext2, ext3 and ext4.
pub(crate) const EXT: u64 = 0xEF53;
pub(crate) const F2FS: u64 = 0xF2F5_2010;
pub(crate) const OVERLAY: u64 = 0x794C_7630;
pub(crate) const TMPFS: u64 = 0x0102_1994;
pub(crate) const XFS: u64 = 0x5846_5342;
const ZFS: u64 = 0x2FC1_2FC1;

/// The number by which the kernel knows it; none if it does not say.
pub(crate) fn kind(handle: impl AsFd) -> Option<u64> {
    rustix::fs::fstatfs(handle).ok().map(|file_system| file_system.f_type as u64)
}

/// Whether this machine's kernel alone decides over it: times come from its clock, and no other machine has files open.
pub(crate) fn is_local(handle: impl AsFd) -> bool {
    kind(handle)
        .is_some_and(|kind| matches!(kind, EXT | XFS | BTRFS | TMPFS | F2FS | OVERLAY | ZFS | BCACHEFS))
}
