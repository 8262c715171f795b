//! The roots: directory handles opened once, and the names under which a path may mean them.
//!
//! Names only choose the handle to start from. Whether a path stays inside is decided from the handle, at the open.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::resolve::ProcFds;
use crate::open::stat::{Mount, look, look_at};
use crate::path::names;
use crate::path::{RootId, WorkspacePath};
use crate::workspace::Workspace;

/// A directory that the workspace may use, with everything below it.
#[derive(Debug)]
pub struct Root {
    id: RootId,
    path: PathBuf,
    real: PathBuf,
    handle: OwnedFd,
    mount: Mount,
    /// Device and inode.
    identity: (u64, u64),
    checkout: bool,
}

/// The roots of a workspace, in the order they were given.
#[derive(Debug)]
pub(crate) struct Roots {
    all: Vec<Root>,
    /// By each name that a root has; if several have one, the first.
    names: HashMap<PathBuf, RootId>,
    /// How many components the longest name has.
    depth: usize,
}

impl From<Vec<Root>> for Roots {
    fn from(all: Vec<Root>) -> Self {
        let (mut names, mut depth) = (HashMap::new(), 0);
        for root in &all {
            for name in [&root.path, &root.real] {
                names.entry(name.clone()).or_insert(root.id);
                depth = depth.max(name.components().count());
            }
        }
        Self { all, names, depth }
    }
}

impl Deref for Roots {
    type Target = [Root];

    fn deref(&self) -> &[Root] {
        &self.all
    }
}

impl Root {
    /// Which root it is.
    pub fn id(&self) -> RootId {
        self.id
    }

    /// Its absolute path as the user gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its path as the kernel named it when it was opened, links resolved.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Whether it is the top of a checkout: it had an entry `.git` when it was opened.
    pub fn is_checkout(&self) -> bool {
        self.checkout
    }

    /// The path of what is called `relative` from here. It is taken as it is: it was [reached](crate::WriteTarget::reached)
    /// before.
    pub fn path_to(&self, relative: &Path) -> WorkspacePath {
        WorkspacePath::new(self.id, relative)
    }

    pub(crate) fn open(id: RootId, given: &Path, proc: Option<&ProcFds>) -> Result<Self, Error> {
        let shown = names::escape(given);
        let path =
            std::path::absolute(given).map_err(|e| Error::io(e, Doing::ReadDirectory, shown.clone()))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = openat(CWD, &path, flags, Mode::empty())
            .map_err(|errno| Error::system(errno, Doing::ReadDirectory, shown.clone()))?;
        Self::from_handle(id, path, handle, proc)
    }

    pub(crate) fn from_handle(
        id: RootId,
        path: PathBuf,
        handle: OwnedFd,
        proc: Option<&ProcFds>,
    ) -> Result<Self, Error> {
        let shown = names::escape(&path);
        let look =
            look(&handle).map_err(|errno| Error::system(errno, Doing::ReadDirectory, shown.clone()))?;
        let real = match proc.and_then(|proc| proc.name(&handle)) {
            Some(name) => name,
            None => path.canonicalize().map_err(|e| Error::io(e, Doing::ReadDirectory, shown))?,
        };
        let identity = (look.stat.dev, look.stat.ino);
        let checkout = statat(&handle, c".git", AtFlags::SYMLINK_NOFOLLOW).is_ok();
        Ok(Self { id, path, real, handle, mount: look.mount, identity, checkout })
    }

    /// Whether its path still leads to it. Where that cannot be found out, it is taken to.
    fn is_in_place(&self) -> bool {
        match look_at(CWD, self.path.as_path(), AtFlags::empty()) {
            Ok(look) => (look.stat.dev, look.stat.ino) == self.identity,
            Err(errno) => !matches!(errno, Errno::NOENT | Errno::NOTDIR),
        }
    }

    pub(crate) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    pub(crate) fn mount(&self) -> Mount {
        self.mount
    }
}

impl Workspace {
    /// Looks whether every root is still where it was opened.
    ///
    /// A root is a handle. If its directory is removed, moved or replaced under a running program, the handle goes on to
    /// lead to the old one: an empty directory, or one that has another name by now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RootGone`].
    pub fn check_roots(&self) -> Result<(), Error> {
        match self.roots().iter().find(|root| !root.is_in_place()) {
            None => Ok(()),
            Some(root) => Err(Error::new(ErrorKind::RootGone, Doing::Look, names::escape(root.path()))),
        }
    }
}

/// The root in which an absolute path lies by its components, and the rest. The deepest root wins, so that a root
/// inside another is found.
pub(crate) fn containing(roots: &Roots, absolute: &Path) -> Option<WorkspacePath> {
    let too_deep = absolute.components().count().saturating_sub(roots.depth);
    let mut above = absolute.ancestors().skip(too_deep);
    let (id, name) = above.find_map(|name| Some((*roots.names.get(name)?, name)))?;
    let rest = absolute.strip_prefix(name).ok()?;
    Some(WorkspacePath::new(id, rest).ending_as(absolute.as_os_str()))
}

/// The name for something reached under `root`. Where roots overlap one file has several names; this is the one
/// under the deepest root, so that a file is always known by the same.
pub(crate) fn reached(roots: &Roots, root: RootId, relative: &Path) -> WorkspacePath {
    let own = WorkspacePath::new(root, relative);
    if roots.len() == 1 {
        return own;
    }
    containing(roots, &roots[root.0].real.join(own.relative())).unwrap_or(own)
}

/// Follows names above a root as text, until they come down into a root again: that root, and how many names it
/// took. `None` if they never do.
///
/// A root's real path holds no links, and its text only chooses the handle that the walk restarts from.
pub(crate) fn around<'a>(
    roots: &[Root],
    from: RootId,
    names: impl Iterator<Item = &'a OsStr>,
) -> Option<(RootId, usize)> {
    let mut above = roots[from.0].real.clone();
    for (taken, name) in names.enumerate() {
        match name.as_bytes() {
            b"." => {}
            b".." => drop(above.pop()),
            _ => above.push(name),
        }
        if let Some(root) = roots.iter().find(|root| root.real == above) {
            return Some((root.id, taken + 1));
        }
        if !roots.iter().any(|root| root.real.starts_with(&above)) {
            return None;
        }
    }
    None
}
