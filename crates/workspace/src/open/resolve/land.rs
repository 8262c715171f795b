//! Where a walk ends for a caller that wants to put something there, whether or not something is there already.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, openat};
use rustix::io::Errno;

use super::walk::{Ahead, End, Walk};
use super::{Backend, kernel, same_mount};
use crate::error::{Doing, Error, ErrorKind};
use crate::open::stat::{FileKind, Links, Look, look, look_at};
use crate::path::WorkspacePath;
use crate::path::root::reached;
use crate::workspace::Shared;

/// No file system here takes a longer name. Some take none as long, and say so when the name is made.
const NAME_MAX: usize = 255;

/// The handle of the last directory on the way that exists, and the names from there.
#[derive(Debug)]
pub(crate) struct ResolvedTarget {
    pub(crate) parent: OwnedFd,
    pub(crate) reached: WorkspacePath,
    /// Directories that would have to be made first.
    pub(crate) missing: Vec<OsString>,
    pub(crate) name: OsString,
    pub(crate) existing: Option<Look>,
}

/// Finds the place that the path names, links followed, whether or not something is there.
pub(crate) fn land(shared: &Shared, path: &WorkspacePath) -> Result<ResolvedTarget, Error> {
    shared.refuse_protected_root(Doing::Change, path)?;
    if let Backend::Openat2(_) = shared.backend.as_ref()
        && let Some(landing) = land_at_once(shared, path)
    {
        shared.refuse_protected(
            &landing.reached.join(&landing.name),
            landing.existing.as_ref().map(|look| &look.stat),
            Doing::Change,
            path,
        )?;
        return Ok(landing);
    }
    let mut walk = Walk::new(shared, path, Doing::Change);
    let end = walk.run(Links::Follow)?;
    walk.land_at(end)
}

/// The landing in a directory that is there and that no link leads to: in one step, so that a thousand directories inside
/// each other do not take a million. `None` where the walk has to find out more.
fn land_at_once(shared: &Shared, path: &WorkspacePath) -> Option<ResolvedTarget> {
    let way = path.for_kernel();
    let mut names = way.as_os_str().as_bytes().split(|byte| *byte == b'/');
    if names.any(|name| matches!(name, b"" | b"." | b"..")) {
        return None;
    }
    let (above, name) = (way.parent()?, way.file_name()?.to_owned());
    let root = shared.root(path.root());
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let here = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let parent = kernel::step(root.handle(), here, flags, shared.mounts).ok()?;
    let existing = match look_at(&parent, &name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(look) => Some(look),
        Err(Errno::NOENT) => None,
        Err(_) => return None,
    };
    if let Some(look) = &existing {
        same_mount(shared, root, look).ok()?;
        if look.stat.kind == FileKind::Symlink {
            return None;
        }
    }
    let reached = reached(&shared.roots, root.id(), above);
    Some(ResolvedTarget { parent, reached, missing: Vec::new(), name, existing })
}

impl Walk<'_> {
    fn land_at(mut self, end: End) -> Result<ResolvedTarget, Error> {
        let (name, missing, existing) = match end {
            End::Entry { name, look, .. } => (name, Vec::new(), Some(look)),
            End::Missing(next) if next.linked => return Err(self.missing(&next)),
            End::Missing(next) => self.missing_names(next)?,
            End::Here => {
                let step = self.below.pop().ok_or_else(|| self.fail(ErrorKind::IsDirectory))?;
                let look = look(&step.handle).map_err(|errno| self.system(errno))?;
                (step.name, Vec::new(), Some(look))
            }
        };
        let reached = self.reached(None);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = openat(self.here(), c".", flags, Mode::empty()).map_err(|errno| self.system(errno))?;
        Ok(ResolvedTarget { parent, reached, missing, name, existing })
    }

    /// The names that do not exist yet: directories, then the last one. `..` cannot be taken from nowhere.
    fn missing_names(&mut self, first: Ahead) -> Result<(OsString, Vec<OsString>, Option<Look>), Error> {
        let mut names = vec![first.name];
        while let Some(next) = self.ahead.pop() {
            match next.name.as_bytes() {
                b"." if self.ahead.is_empty() => return Err(self.fail(ErrorKind::IsDirectory)),
                b"." | b".." => return Err(self.fail(ErrorKind::NotFound)),
                _ => names.push(next.name),
            }
        }
        if names.iter().any(|name| name.len() > NAME_MAX) {
            return Err(self.fail(ErrorKind::TooLong));
        }
        let name = names.pop().unwrap_or_default();
        Ok((name, names, None))
    }
}
