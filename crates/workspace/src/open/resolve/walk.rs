//! Resolution name by name: every step is one `openat` with `O_NOFOLLOW` from a handle that is already held.
//!
//! The kernel never follows a link here. A link is read from its own handle and its names are put in front of those
//! still to go; `..` goes back to the handle it came from, not to whatever the parent has become. So a swap between
//! two steps changes at most which inside file is found. An absolute link is text: if it lies in a root, the walk
//! starts again from that root's handle, otherwise it leaves and is refused.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, PROC_SUPER_MAGIC, fstatfs, openat, readlinkat};
use rustix::io::Errno;

use super::{Found, Want, same_mount};
use crate::error::{Doing, Error, ErrorKind};
use crate::open::stat::{FileKind, Links, Look, look};
use crate::path::WorkspacePath;
use crate::path::names;
use crate::path::root::{Root, around, containing, reached};
use crate::workspace::Shared;

/// Opens what the path leads to.
pub(crate) fn open(shared: &Shared, path: &WorkspacePath, want: Want) -> Result<Found, Error> {
    for _ in 0..ATTEMPTS {
        let mut walk = Walk::new(shared, path, want.doing());
        let end = walk.run(want.links())?;
        if let Some(found) = walk.open_end(end, want)? {
            return Ok(found);
        }
    }
    Err(shared.error(ErrorKind::Changed, want.doing(), path))
}

/// Linux itself gives up after as many.
const MOST_LINKS: usize = 40;

/// How often a file may be replaced between the look and the open before we say so.
const ATTEMPTS: usize = 64;

pub(super) struct Walk<'a> {
    shared: &'a Shared,
    asked: &'a WorkspacePath,
    doing: Doing,
    root: &'a Root,
    /// The directories from the root down to where the walk stands.
    pub(super) below: Vec<Step>,
    /// The names still to go, the next one last.
    pub(super) ahead: Vec<Ahead>,
    links: usize,
    /// What the last link said.
    target: Option<OsString>,
}

pub(super) struct Step {
    pub(super) handle: OwnedFd,
    pub(super) name: OsString,
}

pub(super) struct Ahead {
    pub(super) name: OsString,
    /// Whether a link's target put it there, rather than the path that was asked for.
    pub(super) linked: bool,
}

pub(super) enum End {
    /// The directory in which the walk stands: the path ended on the root, `.` or `..`.
    Here,
    /// An entry of that directory.
    Entry { name: OsString, handle: OwnedFd, look: Look },
    /// Nothing has this name; what was still ahead is left there.
    Missing(Ahead),
}

impl<'a> Walk<'a> {
    pub(super) fn new(shared: &'a Shared, asked: &'a WorkspacePath, doing: Doing) -> Self {
        let root = shared.root(asked.root());
        let mut walk =
            Self { shared, asked, doing, root, below: Vec::new(), ahead: Vec::new(), links: 0, target: None };
        walk.go_first(asked.for_kernel().as_os_str(), false);
        walk
    }

    pub(super) fn run(&mut self, links: Links) -> Result<End, Error> {
        while let Some(next) = self.ahead.pop() {
            match next.name.as_bytes() {
                b"." => {}
                b".." => self.up()?,
                _ => {
                    if let Some(end) = self.enter(next, links)? {
                        return Ok(end);
                    }
                }
            }
        }
        Ok(End::Here)
    }

    /// Takes one name; `Some` if the path ends there.
    fn enter(&mut self, next: Ahead, links: Links) -> Result<Option<End>, Error> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match openat(self.here(), &next.name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(Some(End::Missing(next))),
            Err(errno) => return Err(self.system(errno)),
        };
        let look = look(&handle).map_err(|errno| self.system(errno))?;
        same_mount(self.shared, self.root, &look).map_err(|kind| self.fail(kind))?;
        // Here already, so that not even a name in a protected directory can be found out.
        self.shared.refuse_protected(
            &self.reached(Some(&next.name)),
            Some(&look.stat),
            self.doing,
            self.asked,
        )?;
        let last = self.ahead.is_empty();
        match look.stat.kind {
            FileKind::Symlink if !last || links == Links::Follow => self.follow(&handle)?,
            _ if last => return Ok(Some(End::Entry { name: next.name, handle, look })),
            FileKind::Directory => self.below.push(Step { handle, name: next.name }),
            _ => return Err(self.fail(ErrorKind::NotDirectory)),
        }
        Ok(None)
    }

    /// Goes on where the link points.
    fn follow(&mut self, link: &OwnedFd) -> Result<(), Error> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(self.fail(ErrorKind::LinkLoop));
        }
        self.refuse_magic(link)?;
        let target = readlinkat(link, c"", Vec::new()).map_err(|errno| self.system(errno))?;
        let target = OsString::from_vec(target.into_bytes());
        if target.as_bytes().starts_with(b"/") {
            let inside = containing(&self.shared.roots, Path::new(&target));
            let inside = inside.ok_or_else(|| self.fail(ErrorKind::Outside).detail(leads_to(&target)))?;
            self.root = self.shared.root(inside.root());
            self.below.clear();
            self.go_first(inside.for_kernel().as_os_str(), true);
        } else {
            self.go_first(&target, true);
        }
        self.target = Some(target);
        Ok(())
    }

    /// A link in `/proc` may show a text and lead elsewhere. Only those at the top of it (`self`, `mounts`) mean
    /// what they say.
    fn refuse_magic(&self, link: &OwnedFd) -> Result<(), Error> {
        let kind = fstatfs(link).map_err(|errno| self.system(errno))?.f_type;
        if kind as u64 != PROC_SUPER_MAGIC as u64 {
            return Ok(());
        }
        let directory = look(self.here()).map_err(|errno| self.system(errno))?;
        if directory.stat.ino == PROC_TOP {
            return Ok(());
        }
        Err(self.fail(ErrorKind::Outside).detail("through a link that only the kernel can follow"))
    }

    fn up(&mut self) -> Result<(), Error> {
        // The kernel asks for search permission in the directory it leaves; so do we.
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        openat(self.here(), c".", flags, Mode::empty()).map_err(|errno| self.system(errno))?;
        if self.below.pop().is_some() {
            return Ok(());
        }
        let names = self.ahead.iter().rev().map(|ahead| ahead.name.as_os_str());
        let way = std::iter::once(OsStr::new("..")).chain(names);
        let around = around(&self.shared.roots, self.root.id(), way);
        let (root, taken) = around.ok_or_else(|| self.fail(ErrorKind::Outside))?;
        self.root = self.shared.root(root);
        self.ahead.truncate(self.ahead.len() + 1 - taken);
        Ok(())
    }

    /// Puts the names of `path` in front of those still ahead.
    fn go_first(&mut self, path: &OsStr, linked: bool) {
        let bytes = path.as_bytes();
        if bytes.ends_with(b"/") {
            self.ahead.push(Ahead { name: ".".into(), linked });
        }
        let names = bytes.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).rev();
        self.ahead.extend(names.map(|name| Ahead { name: OsStr::from_bytes(name).into(), linked }));
    }

    /// Opens the end for its purpose; `None` if it was replaced since we looked.
    fn open_end(&self, end: End, want: Want) -> Result<Option<Found>, Error> {
        match end {
            End::Missing(next) => Err(self.missing(&next)),
            End::Here => self.open_here(want).map(Some),
            End::Entry { name, handle, look } => self.open_entry(&name, handle, look, want),
        }
    }

    fn open_here(&self, want: Want) -> Result<Found, Error> {
        self.shared.refuse_protected(&self.reached(None), None, self.doing, self.asked)?;
        if let Some(kind) = want.refusal(FileKind::Directory) {
            return Err(self.fail(kind));
        }
        let access = if want == Want::Directory { OFlags::RDONLY } else { OFlags::PATH };
        let flags = access | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = openat(self.here(), c".", flags, Mode::empty()).map_err(|errno| self.system(errno))?;
        let look = look(&handle).map_err(|errno| self.system(errno))?;
        Ok(Found { handle, look, reached: self.reached(None) })
    }

    fn open_entry(
        &self,
        name: &OsStr,
        seen: OwnedFd,
        look_seen: Look,
        want: Want,
    ) -> Result<Option<Found>, Error> {
        if let Some(kind) = want.refusal(look_seen.stat.kind) {
            return Err(self.fail(kind));
        }
        let reached = self.reached(Some(name));
        let access = match want {
            Want::Look(_) => return Ok(Some(Found { handle: seen, look: look_seen, reached })),
            Want::File => OFlags::NONBLOCK | OFlags::NOCTTY,
            Want::Directory => OFlags::DIRECTORY,
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | access;
        let handle = match openat(self.here(), name, flags, Mode::empty()) {
            Ok(handle) => handle,
            // It was the right kind a moment ago: another program put something else there.
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::NXIO | Errno::AGAIN) => return Ok(None),
            Err(errno) => return Err(self.system(errno)),
        };
        let now = look(&handle).map_err(|errno| self.system(errno))?;
        let same = now.same_file(&look_seen);
        Ok(same.then_some(Found { handle, look: now, reached }))
    }

    /// Nothing has this name: a dangling link if a link wanted it, else simply not found.
    pub(super) fn missing(&self, next: &Ahead) -> Error {
        if !next.linked {
            return self.fail(ErrorKind::NotFound);
        }
        let target = self.target.as_deref().unwrap_or(&next.name);
        self.fail(ErrorKind::DanglingLink).detail(format!("{}, which does not exist", leads_to(target)))
    }

    pub(super) fn here(&self) -> BorrowedFd<'_> {
        self.below.last().map_or(self.root.handle(), |step| step.handle.as_fd())
    }

    pub(super) fn reached(&self, name: Option<&OsStr>) -> WorkspacePath {
        let way: PathBuf = self.below.iter().map(|step| step.name.as_os_str()).chain(name).collect();
        reached(&self.shared.roots, self.root.id(), &way)
    }

    pub(super) fn fail(&self, kind: ErrorKind) -> Error {
        self.shared.error(kind, self.doing, self.asked)
    }

    pub(super) fn system(&self, errno: Errno) -> Error {
        self.shared.system(errno, self.doing, self.asked)
    }
}

/// The inode number of the top of every `/proc`.
const PROC_TOP: u64 = 1;

fn leads_to(target: &OsStr) -> String {
    format!("a symbolic link leads to {}", names::escape(target))
}
