//! What a change finds: where its path leads, what is there now, and whether it may be changed. Reads, and changes nothing.

use std::io;

use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::Errno;

use super::attributes::Attributes;
use super::exchange::DirEntryRef;
use super::expected::Expected;
use super::plan::Before;
use super::planner::{Old, Planner, Target};
use crate::commit::change_set::Base;
use crate::error::{Doing, Error, ErrorKind};
use crate::host::lease::Lease;
use crate::open::stat::{FileKind, look};
use crate::open::version::{Version, read_hashed};
use crate::open::write_target::NewWriteTarget;
use crate::path::WorkspacePath;

impl Planner<'_> {
    pub(crate) fn target(&mut self, path: &WorkspacePath) -> Result<Target, Error> {
        let NewWriteTarget { base, missing, name, reached, existing } = match self.gone_link_on(path) {
            Some(link) => self.workspace.locate_in_place_of(link, path)?,
            None => self.workspace.locate_through(path, &|file| self.gone.contains(file))?,
        };
        let base = self
            .directories
            .existing(base)
            .map_err(|errno| self.workspace.0.system(errno, Doing::Change, path))?;
        Ok(Target { base, missing, name, reached, existing })
    }

    /// The link on the way of a path, or at its end, that this set removes.
    fn gone_link_on(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        if self.gone_links.is_empty() {
            return None;
        }
        let above = std::iter::successors(Some(path.clone()), WorkspacePath::parent);
        above.filter_map(|above| self.gone_links.get(&above)).last()
    }

    /// Looks whether the target holds what the change is based on, and reads it.
    pub(crate) fn check(
        &mut self,
        path: &WorkspacePath,
        target: &Target,
        base: Base,
    ) -> Result<Option<Old>, Error> {
        let touched =
            self.touched.get(&(target.base, target.name.clone())).filter(|_| target.missing.is_empty());
        let there = match touched {
            Some(true) => return Err(self.twice(path)),
            Some(false) => None,
            None => target.existing.as_ref(),
        };
        match (there, base) {
            (None, Base::Absent) => Ok(None),
            (None, Base::Version(_)) => Err(self.changed(path, GONE)),
            (Some(stat), _) if stat.kind == FileKind::Directory => {
                Err(self.error(ErrorKind::IsDirectory, path))
            }
            (Some(stat), _) if stat.kind != FileKind::File => {
                Err(self.error(ErrorKind::NotRegular(stat.kind), path))
            }
            (Some(_), Base::Absent) => Err(self.error(ErrorKind::AlreadyExists, path)),
            (Some(_), Base::Version(version)) => self.read(path, target, version).map(Some),
        }
    }

    fn read(&mut self, path: &WorkspacePath, target: &Target, version: Version) -> Result<Old, Error> {
        let fail = |error: io::Error| Error::io(error, Doing::Change, self.workspace.show(path)).at(path);
        let file = match self.at(target).map(DirEntryRef::open).transpose() {
            Ok(file) => file.flatten(),
            Err(errno) => return Err(fail(errno.into())),
        };
        let Some(file) = file else { return Err(self.changed(path, GONE)) };
        let facts = || look(&file).map(|look| look.stat).map_err(|errno| fail(errno.into()));
        let mut stat = facts()?;
        let mut lease = None;
        if stat.size >= LARGE && self.leases < MOST_LEASES {
            lease = file.try_clone().ok().and_then(Lease::take);
            self.leases += usize::from(lease.is_some());
            stat = facts()?;
        }
        let attributes = Attributes::of(&file, &stat).map_err(fail)?;
        let mut content = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0));
        if read_hashed(&file, u64::MAX, &mut content).map_err(fail)? != version {
            return Err(self.changed(path, "another program has saved it since"));
        }
        let reached = target.reached.clone();
        self.before.push(Before { reached, content, version, attributes: attributes.clone() });
        Ok(Old { version, expected: Expected { stat, lease }, attributes, before: self.before.len() - 1 })
    }

    fn at<'t>(&'t self, target: &'t Target) -> Option<DirEntryRef<'t>> {
        let directory = self.directories.handle(target.base)?.handle();
        Some(DirEntryRef { directory, name: &target.name })
    }

    /// A file can be replaced by any user who may write to its directory. Who marked it read-only did not mean that.
    pub(crate) fn refuse_read_only(&self, path: &WorkspacePath, target: &Target) -> Result<(), Error> {
        let Some(at) = self.at(target) else { return Ok(()) };
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        match accessat(at.directory, at.name, Access::WRITE_OK, flags) {
            Ok(()) => Ok(()),
            Err(Errno::NOENT) => Err(self.changed(path, GONE)),
            Err(errno) => Err(self.workspace.0.system(errno, Doing::Change, path)),
        }
    }

    pub(crate) fn changed(&self, path: &WorkspacePath, detail: &str) -> Error {
        self.error(ErrorKind::Changed, path).detail(detail)
    }

    pub(crate) fn twice(&self, path: &WorkspacePath) -> Error {
        self.error(ErrorKind::InvalidName, path)
            .detail("changed twice in one set")
            .with_hint("make one change of both")
    }

    pub(crate) fn error(&self, kind: ErrorKind, path: &WorkspacePath) -> Error {
        self.workspace.0.error(kind, Doing::Change, path)
    }
}

/// What takes longer to hash than a lease takes to be had and looked at.
const LARGE: u64 = 1 << 20;
/// Each keeps a file open.
const MOST_LEASES: usize = 64;

pub(crate) const GONE: &str = "it is not there any more";
