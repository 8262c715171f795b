//! Resolution by `openat2`: the kernel stays beneath the root, or refuses, in one step that cannot be raced.
//!
//! It answers what is clear and leaves the rest to the [walk](super::walk): the kernel says `EXDEV` for a path that
//! leaves and for another mount alike, and it refuses an absolute link even if that leads back inside.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::{Found, Mounts, ProcFds, Want};
use crate::error::Error;
use crate::open::stat::{Links, look};
use crate::path::WorkspacePath;
use crate::path::root::{Root, reached};
use crate::workspace::Shared;

/// Opens the path, `None` where the walk has to say what is the matter.
pub(crate) fn open(
    shared: &Shared,
    proc: &ProcFds,
    path: &WorkspacePath,
    want: Want,
) -> Result<Option<Found>, Error> {
    let root = shared.root(path.root());
    let fail = |errno| shared.system(errno, want.doing(), path);
    let handle = match beneath(root.handle(), &path.for_kernel(), look_flags(want), shared.mounts) {
        Ok(handle) => handle,
        Err(errno) if is_clear(errno) => return Err(fail(errno)),
        Err(_) => return Ok(None),
    };
    let seen = look(&handle).map_err(fail)?;
    let Some(name) = name(proc, root, &handle) else { return Ok(None) };
    let reached = reached(&shared.roots, root.id(), &name);
    shared.refuse_protected(&reached, Some(&seen.stat), want.doing(), path)?;
    if let Some(kind) = want.refusal(seen.stat.kind) {
        return Err(shared.error(kind, want.doing(), path));
    }
    let Some(flags) = open_flags(want) else { return Ok(Some(Found { handle, look: seen, reached })) };
    // The same file by construction, so it need not be looked at once more.
    let handle = proc.reopen(&handle, flags).map_err(fail)?;
    Ok(Some(Found { handle, look: seen, reached }))
}

/// Opens a name in a directory that is held, or a path of several, following no link.
pub(crate) fn step(
    directory: BorrowedFd<'_>,
    name: &Path,
    flags: OFlags,
    mounts: Mounts,
) -> Result<OwnedFd, Errno> {
    resolve(directory, name, flags | OFlags::NOFOLLOW, mounts, ResolveFlags::NO_SYMLINKS)
}

/// Asks once whether `openat2` is there: old kernels lack it, some sandboxes forbid it.
pub(crate) fn probe(root: BorrowedFd<'_>) -> Result<(), Errno> {
    beneath(root, Path::new("."), OFlags::PATH, Mounts::Refuse).map(drop)
}

/// Where `..` meets a rename the kernel cannot be sure and asks to try again. A program that renames without pause
/// could keep it from an answer; the walk needs no luck.
const ATTEMPTS: usize = 128;

fn beneath(directory: BorrowedFd<'_>, path: &Path, flags: OFlags, mounts: Mounts) -> Result<OwnedFd, Errno> {
    resolve(directory, path, flags, mounts, ResolveFlags::empty())
}

fn resolve(
    directory: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mounts: Mounts,
    more: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let mut how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | more;
    how.set(ResolveFlags::NO_XDEV, mounts == Mounts::Refuse);
    for _ in 0..ATTEMPTS {
        match openat2(directory, path, flags | OFlags::CLOEXEC, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            answer => return answer,
        }
    }
    Err(Errno::AGAIN)
}

/// Refusals that mean one thing only. For all others the walk looks again and says more.
fn is_clear(errno: Errno) -> bool {
    matches!(errno, Errno::ACCESS | Errno::NAMETOOLONG | Errno::MFILE | Errno::NFILE | Errno::NOMEM)
}

fn look_flags(want: Want) -> OFlags {
    match want.links() {
        Links::Follow => OFlags::PATH,
        Links::Keep => OFlags::PATH | OFlags::NOFOLLOW,
    }
}

fn open_flags(want: Want) -> Option<OFlags> {
    match want {
        Want::File => Some(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY),
        Want::Directory => Some(OFlags::RDONLY | OFlags::DIRECTORY),
        Want::Look(_) => None,
    }
}

/// The way from the root to the handle, by the names both have at this moment.
fn name(proc: &ProcFds, root: &Root, handle: &OwnedFd) -> Option<std::path::PathBuf> {
    let whole = proc.name(handle)?;
    Some(whole.strip_prefix(proc.name(root.handle())?).ok()?.to_owned())
}
