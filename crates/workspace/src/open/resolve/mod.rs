//! From a [`WorkspacePath`] to an open handle: the one place where containment is decided.
//!
//! Two resolvers give the same answers. [`kernel`] asks `openat2` to stay beneath the root, one system call.
//! [`walk`] goes name by name and never lets the kernel follow a link; it takes over where `openat2` or `/proc` is
//! missing, and it explains every refusal. There is no third way: nothing falls back to a plain open.

mod kernel;
mod land;
mod proc_fds;
mod walk;

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::stat::{FileKind, Links, Look};
use crate::path::WorkspacePath;
use crate::path::root::Root;
use crate::workspace::Shared;

pub(crate) use kernel::step;
pub(crate) use land::{ResolvedTarget, land};
pub(crate) use proc_fds::ProcFds;

/// How paths are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resolver {
    /// `openat2` where the system offers it, otherwise the walk. Decided once, when the workspace is opened.
    #[default]
    Auto,
    /// The kernel's own containment: `openat2` with `RESOLVE_BENEATH`.
    Openat2,
    /// Name by name from the root's handle, links read and followed by ourselves.
    Walk,
}

/// Whether a path may cross into another mount below a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mounts {
    /// Another mount is another place: refused.
    #[default]
    Refuse,
    /// What is mounted below a root belongs to it.
    Follow,
}

/// The resolver in force.
#[derive(Debug)]
pub(crate) enum Backend {
    Openat2(ProcFds),
    Walk,
}

impl Backend {
    /// Decides from what the system offers. A caller that insists on `openat2` gets it or an error.
    pub(crate) fn choose(wanted: Resolver, root: &Root, proc: Option<ProcFds>) -> Result<Self, Error> {
        let offered = || -> Result<Self, Errno> {
            kernel::probe(root.handle())?;
            Ok(Self::Openat2(proc.ok_or(Errno::NOSYS)?))
        };
        match wanted {
            Resolver::Walk => Ok(Self::Walk),
            Resolver::Auto => Ok(offered().unwrap_or(Self::Walk)),
            Resolver::Openat2 => offered().map_err(|errno| {
                let why = format!("the kernel or the sandbox withholds it, or /proc is missing: {errno}");
                Error::new(ErrorKind::Unsupported, Doing::Look, "openat2").detail(why)
            }),
        }
    }
}

/// What the handle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Read a regular file.
    File,
    /// Read a directory.
    Directory,
    /// Only look: a handle that gives no access to the content.
    Look(Links),
}

impl Want {
    fn links(self) -> Links {
        match self {
            Self::Look(links) => links,
            Self::File | Self::Directory => Links::Follow,
        }
    }

    pub(crate) fn doing(self) -> Doing {
        match self {
            Self::File => Doing::ReadFile,
            Self::Directory => Doing::ReadDirectory,
            Self::Look(_) => Doing::Look,
        }
    }

    /// Why something of this kind will not do.
    pub(crate) fn refusal(self, kind: FileKind) -> Option<ErrorKind> {
        match (self, kind) {
            (Self::Look(_), _) | (Self::File, FileKind::File) | (Self::Directory, FileKind::Directory) => {
                None
            }
            (Self::File, FileKind::Directory) => Some(ErrorKind::IsDirectory),
            (Self::File, other) => Some(ErrorKind::NotRegular(other)),
            (Self::Directory, _) => Some(ErrorKind::NotDirectory),
        }
    }
}

/// What was reached: the handle, the facts, and the name after all links.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) handle: OwnedFd,
    pub(crate) look: Look,
    pub(crate) reached: WorkspacePath,
}

/// Opens what the path leads to, or says why not.
pub(crate) fn open(shared: &Shared, path: &WorkspacePath, want: Want) -> Result<Found, Error> {
    shared.refuse_protected_root(want.doing(), path)?;
    let found = match shared.backend.as_ref() {
        Backend::Openat2(proc) => kernel::open(shared, proc, path, want)?,
        Backend::Walk => None,
    };
    let found = found.map_or_else(|| walk::open(shared, path, want), Ok)?;
    shared.keep_to_part(&found.reached, want.doing(), path)?;
    Ok(found)
}

/// Refuses what lies on another mount than its root, unless that is allowed.
pub(crate) fn same_mount(shared: &Shared, root: &Root, look: &Look) -> Result<(), ErrorKind> {
    if shared.mounts == Mounts::Refuse && look.mount != root.mount() {
        return Err(ErrorKind::OtherMount);
    }
    Ok(())
}
