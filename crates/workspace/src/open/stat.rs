//! What the kernel says about a file: kind, size, owner, identity, times.
//!
//! Asked of a handle, never of a name, so that the answer is about the very thing that was opened.

use std::fmt;
use std::os::fd::AsFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, fstat, makedev, statat, statx};
use rustix::io::Errno;

/// Facts about a file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Permission bits, with set-user-id, set-group-id and sticky.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The owning group.
    pub gid: u32,
    /// The device it lives on.
    pub dev: u64,
    /// Its number on that device.
    pub ino: u64,
    /// How many names it has; a regular file with more than one is hard-linked.
    pub nlink: u64,
    /// When its content last changed, as far as programs let it be known.
    pub mtime: SystemTime,
    /// When its content or its attributes last changed, by the kernel's own clock.
    pub ctime: SystemTime,
    /// When it was last read, as far as the mount keeps that.
    pub atime: SystemTime,
    /// When it was created, where the file system keeps that.
    pub btime: Option<SystemTime>,
}

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
}

/// What to do with a symbolic link at the end of a path. Links on the way are always followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Go on to where it points.
    Follow,
    /// Take the link itself.
    Keep,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "regular file",
            Self::Directory => "directory",
            Self::Symlink => "symbolic link",
            Self::Fifo => "named pipe",
            Self::Socket => "socket",
            Self::CharDevice => "character device",
            Self::BlockDevice => "block device",
        })
    }
}

impl FileKind {
    /// `None` where the file system did not say.
    pub(crate) fn from_type(kind: FileType) -> Option<Self> {
        Some(match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => return None,
        })
    }
}

/// The mount something lives on. The device number stands in on kernels before 5.8; it cannot tell a bind mount
/// of the same file system apart, the identifier can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mount {
    Id(u64),
    Device(u64),
}

/// A [`Stat`] with the mount it was found on, and a time at which it was not yet taken.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) stat: Stat,
    pub(crate) mount: Mount,
    pub(crate) taken: SystemTime,
}

impl Look {
    /// Whether both looked at the same file, whatever changed about it.
    pub(crate) fn same_file(&self, other: &Self) -> bool {
        (self.stat.dev, self.stat.ino, self.mount) == (other.stat.dev, other.stat.ino, other.mount)
    }
}

/// Facts about a file that is open, at this moment.
///
/// # Errors
///
/// If the kernel does not say.
pub fn stat_of(file: &std::fs::File) -> std::io::Result<Stat> {
    Ok(look(file)?.stat)
}

/// Looks at what the handle holds.
pub(crate) fn look(handle: impl AsFd) -> Result<Look, Errno> {
    look_at(handle, c"", AtFlags::EMPTY_PATH)
}

/// Looks at a name in a directory that is held, or with [`AtFlags::EMPTY_PATH`] at what the handle holds.
pub(crate) fn look_at(
    handle: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    flags: AtFlags,
) -> Result<Look, Errno> {
    let taken = SystemTime::now();
    let (stat, mount) = match statx(&handle, name, flags, WANTED) {
        // Before Linux 4.11, or in a sandbox that knows no `statx`.
        Err(Errno::NOSYS) if flags.contains(AtFlags::EMPTY_PATH) => from_stat(&fstat(&handle)?),
        Err(Errno::NOSYS) => from_stat(&statat(&handle, name, flags)?),
        answer => from_statx(&answer?),
    }?;
    Ok(Look { stat, mount, taken })
}

const WANTED: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME).union(StatxFlags::MNT_ID);

fn from_statx(raw: &Statx) -> Result<(Stat, Mount), Errno> {
    let mode = u32::from(raw.stx_mode);
    let dev = makedev(raw.stx_dev_major, raw.stx_dev_minor);
    let told = StatxFlags::from_bits_retain(raw.stx_mask);
    let stat = Stat {
        kind: kind(mode)?,
        size: raw.stx_size,
        mode: mode & PERMISSIONS,
        uid: raw.stx_uid,
        gid: raw.stx_gid,
        dev,
        ino: raw.stx_ino,
        nlink: u64::from(raw.stx_nlink),
        mtime: time(raw.stx_mtime.tv_sec, raw.stx_mtime.tv_nsec.into()),
        ctime: time(raw.stx_ctime.tv_sec, raw.stx_ctime.tv_nsec.into()),
        atime: time(raw.stx_atime.tv_sec, raw.stx_atime.tv_nsec.into()),
        btime: told
            .contains(StatxFlags::BTIME)
            .then(|| time(raw.stx_btime.tv_sec, raw.stx_btime.tv_nsec.into())),
    };
    Ok((stat, if told.contains(StatxFlags::MNT_ID) { Mount::Id(raw.stx_mnt_id) } else { Mount::Device(dev) }))
}

// The widths of these fields differ between architectures, so some of the conversions do nothing on this one.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "field widths differ by architecture")]
fn from_stat(raw: &rustix::fs::Stat) -> Result<(Stat, Mount), Errno> {
    let stat = Stat {
        kind: kind(raw.st_mode)?,
        size: raw.st_size as u64,
        mode: raw.st_mode & PERMISSIONS,
        uid: raw.st_uid,
        gid: raw.st_gid,
        dev: raw.st_dev as u64,
        ino: raw.st_ino as u64,
        nlink: raw.st_nlink as u64,
        mtime: time(raw.st_mtime as i64, raw.st_mtime_nsec as u64),
        ctime: time(raw.st_ctime as i64, raw.st_ctime_nsec as u64),
        atime: time(raw.st_atime as i64, raw.st_atime_nsec as u64),
        btime: None,
    };
    let mount = Mount::Device(stat.dev);
    Ok((stat, mount))
}

const PERMISSIONS: u32 = 0o7777;

fn kind(mode: u32) -> Result<FileKind, Errno> {
    FileKind::from_type(FileType::from_raw_mode(mode)).ok_or(Errno::INVAL)
}

fn time(seconds: i64, nanos: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    second.and_then(|second| second.checked_add(Duration::from_nanos(nanos))).unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mknodat, open, symlinkat};

    #[test]
    fn without_statx_the_facts_are_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let handle = open(dir.path(), rustix::fs::OFlags::PATH, Mode::empty()).unwrap();
        std::fs::write(dir.path().join("file"), "12345").unwrap();
        std::fs::create_dir(dir.path().join("directory")).unwrap();
        symlinkat("file", &handle, "link").unwrap();
        mknodat(&handle, "pipe", FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        for (name, words) in [
            ("file", "regular file"),
            ("directory", "directory"),
            ("link", "symbolic link"),
            ("pipe", "named pipe"),
        ] {
            let with = look_at(&handle, name, AtFlags::SYMLINK_NOFOLLOW).unwrap();
            let (stat, mount) =
                from_stat(&statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW).unwrap()).unwrap();
            // Only `statx` tells when a file was created.
            assert_eq!(stat, Stat { btime: None, ..with.stat }, "{name}");
            assert_eq!(mount, Mount::Device(with.stat.dev), "{name}");
            assert_eq!(stat.kind.to_string(), words);
        }
        let device = statat(CWD, "/dev/null", AtFlags::empty()).unwrap();
        assert_eq!(from_stat(&device).unwrap().0.kind.to_string(), "character device");
    }
}
