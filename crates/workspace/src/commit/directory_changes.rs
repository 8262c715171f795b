//! Changes of directories and links, as acts.

use std::fs::File;
use std::path::Path;

use rustix::fs::{Access, AtFlags, accessat};

use super::Outcome;
use super::act::{Act, NameRef};
use super::attributes::Attributes;
use super::change_set::{Change, Subject};
use super::exchange::DirEntryRef;
use super::finding::GONE;
use super::plan::{Before, Note};
use super::planner::{Planner, Target};
use super::tree::{TreeEntry, TreeEntryKind, below, open_directory, sorted};
use crate::error::{Doing, Error, ErrorKind};
use crate::open::stat::{FileKind, Stat};
use crate::open::version::Version;
use crate::open::write_target::WriteTarget;
use crate::path::WorkspacePath;

/// A directory that is removed with everything in it; no directory above it is.
pub(crate) struct RemovedTree {
    change: usize,
    spot: NameRef,
    temporary: NameRef,
}

impl<'a> Planner<'a> {
    /// Notes which directories are removed, so that what is in them goes with them.
    pub(crate) fn expect_removal(&mut self, change: &Change) -> Result<(), Error> {
        if let Change::RemoveDirectory { path } = change {
            let reached = self.workspace.locate_new(path)?.reached;
            self.removed.insert(reached, Vec::new());
        }
        Ok(())
    }

    pub(crate) fn make_directory(&mut self, path: &WorkspacePath) -> Result<(), Error> {
        let target = self.target(path)?;
        self.refuse_taken(path, &target)?;
        let attributes = self.attributes.remove(&self.change);
        let parent = self.make(target.base, &target.missing);
        self.touched.insert((parent, target.name.clone()), true);
        self.make(parent, std::slice::from_ref(&target.name));
        if let Some((Act::MakeDirectory { .. }, note)) = self.renamed.last_mut() {
            note.attributes = attributes;
        }
        self.outcomes.push(Outcome {
            subject: Subject::Directory,
            reached: target.reached,
            from: None,
            before: None,
            after: Some(Version::of(b"")),
            other_names: 0,
        });
        Ok(())
    }

    pub(crate) fn remove_with_contents(&mut self, path: &WorkspacePath) -> Result<(), Error> {
        let (target, stat) = self.directory(path)?;
        self.refuse_unwritable(path, &target)?;
        self.removed_outcome(Subject::Directory, target.reached.clone(), Version::of(b""));
        if self.add_to_tree(&target.reached, TreeEntryKind::Directory) {
            return Ok(());
        }
        let spot = NameRef { directory: target.base, name: target.name };
        self.touched.insert((spot.directory, spot.name.clone()), false);
        let temporary = self.temporary(path, spot.directory)?;
        let (from, to) = (spot.clone(), temporary.clone());
        self.renamed.push((Act::MoveDirectory { from, to, inode: stat.ino }, self.note()));
        self.trees.push((target.reached, RemovedTree { change: self.change, spot, temporary }));
        Ok(())
    }

    pub(crate) fn move_directory(&mut self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), Error> {
        let (source, stat) = self.directory(from)?;
        let target = self.target(to)?;
        self.refuse_taken(to, &target)?;
        if below(source.reached.relative(), target.reached.relative()).is_some()
            && source.reached.root() == target.reached.root()
        {
            let error = self.error(ErrorKind::InvalidName, to);
            return Err(error.detail("a directory cannot be moved into itself"));
        }
        if self.directories.device(source.base) != self.directories.device(target.base) {
            let error = self.error(ErrorKind::Unsupported, to);
            return Err(error.detail("a directory cannot be moved to another file system"));
        }
        let directory = self.make(target.base, &target.missing);
        let from = NameRef { directory: source.base, name: source.name };
        let to = NameRef { directory, name: target.name };
        self.touched.insert((from.directory, from.name.clone()), false);
        self.touched.insert((to.directory, to.name.clone()), true);
        self.renamed.push((Act::MoveDirectory { from, to, inode: stat.ino }, self.note()));
        self.outcomes.push(Outcome {
            subject: Subject::Directory,
            reached: target.reached,
            from: Some(source.reached),
            before: Some(Version::of(b"")),
            after: Some(Version::of(b"")),
            other_names: 0,
        });
        Ok(())
    }

    pub(crate) fn make_link(&mut self, path: &WorkspacePath, target: &Path) -> Result<(), Error> {
        let place = self.target(path)?;
        self.refuse_taken(path, &place)?;
        let directory = self.make(place.base, &place.missing);
        self.touched.insert((directory, place.name.clone()), true);
        let spot = NameRef { directory, name: place.name };
        self.renamed.push((Act::MakeLink { spot, target: target.to_owned() }, self.note()));
        self.outcomes.push(Outcome {
            subject: Subject::Link,
            reached: place.reached,
            from: None,
            before: None,
            after: Some(version_of_link(target)),
            other_names: 0,
        });
        Ok(())
    }

    pub(crate) fn remove_link(&mut self, path: &WorkspacePath, target: &Path) -> Result<(), Error> {
        let WriteTarget { parent, name, reached, .. } = self.workspace.locate_link(path)?;
        if self.workspace.read_link(path)? != target {
            return Err(self.changed(path, "it is another link by now"));
        }
        if !self.add_to_tree(&reached, TreeEntryKind::Link(target.to_owned())) {
            let fail = |errno| self.workspace.0.system(errno, Doing::Change, path);
            let directory = self.directories.existing(parent).map_err(fail)?;
            if self.touched.insert((directory, name.clone()), false).is_some() {
                return Err(self.twice(path));
            }
            let temporary = self.temporary(path, directory)?;
            let spot = NameRef { directory, name };
            let act = Act::TakeLink { spot, temporary, target: target.to_owned() };
            self.renamed.push((act, self.note()));
        }
        self.gone_links.insert(reached.clone());
        let content = target.as_os_str().as_encoded_bytes().to_vec();
        let attributes = Attributes { mode: 0o777, uid: 0, gid: 0, extended: Vec::new(), flags: 0 };
        let version = version_of_link(target);
        self.before.push(Before { reached: reached.clone(), content, version, attributes });
        self.removed_outcome(Subject::Link, reached, version);
        Ok(())
    }

    /// Takes something off with the directory above it that is removed. False if none is.
    pub(crate) fn add_to_tree(&mut self, reached: &WorkspacePath, kind: TreeEntryKind) -> bool {
        let mut top = None;
        let mut above = reached.parent();
        while let Some(path) = above {
            above = path.parent();
            if self.removed.contains_key(&path) {
                top = Some(path);
            }
        }
        let Some((entries, way)) = top.and_then(|top| {
            let way = below(top.relative(), reached.relative())?.to_owned();
            Some((self.removed.get_mut(&top)?, way))
        }) else {
            return false;
        };
        entries.push(TreeEntry { path: way, kind });
        true
    }

    /// The last acts for directories that are removed.
    pub(crate) fn remove_trees(&mut self) {
        for (reached, RemovedTree { change, spot, temporary }) in std::mem::take(&mut self.trees) {
            let entries = sorted(self.removed.remove(&reached).unwrap_or_default());
            let note = Note { change, expected: None, staging: None, ahead: None, attributes: None };
            self.renamed.push((Act::RemoveTree { temporary, spot, entries }, note));
        }
    }

    pub(crate) fn removed_outcome(&mut self, subject: Subject, reached: WorkspacePath, before: Version) {
        let outcome =
            Outcome { subject, reached, from: None, before: Some(before), after: None, other_names: 0 };
        self.outcomes.push(outcome);
    }

    /// A directory that is there, and may go.
    fn directory(&mut self, path: &WorkspacePath) -> Result<(Target, Stat), Error> {
        let target = self.target(path)?;
        let Some(stat) = target.existing.clone() else { return Err(self.changed(path, GONE)) };
        if stat.kind != FileKind::Directory {
            return Err(self.error(ErrorKind::NotDirectory, path));
        }
        if self.workspace.0.has_protected_below(&stat) {
            return Err(self.error(ErrorKind::Protected, path));
        }
        let fail = |error| Error::io(error, Doing::Change, self.workspace.show(path)).at(path);
        let handle = self.directories.handle(target.base).map(|parent| parent.handle());
        let Some(parent) = handle else { return Err(self.changed(path, GONE)) };
        let opened = open_directory(DirEntryRef { directory: parent, name: &target.name });
        let file = File::from(opened.map_err(|errno| fail(errno.into()))?);
        let attributes = Attributes::of(&file, &stat).map_err(fail)?;
        let (reached, version) = (target.reached.clone(), Version::of(b""));
        self.before.push(Before { reached, content: Vec::new(), version, attributes });
        Ok((target, stat))
    }

    fn refuse_taken(&self, path: &WorkspacePath, target: &Target) -> Result<(), Error> {
        let touched = self.touched.get(&(target.base, target.name.clone()));
        match touched.filter(|_| target.missing.is_empty()) {
            Some(true) => Err(self.twice(path)),
            None if target.existing.is_some() => Err(self.error(ErrorKind::AlreadyExists, path)),
            _ => Ok(()),
        }
    }

    /// What is in a directory can be removed only by those who may write to it.
    fn refuse_unwritable(&self, path: &WorkspacePath, target: &Target) -> Result<(), Error> {
        let Some(parent) = self.directories.handle(target.base) else { return Ok(()) };
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        accessat(parent.handle(), &target.name, Access::WRITE_OK | Access::EXEC_OK, flags)
            .map_err(|errno| self.workspace.0.system(errno, Doing::Change, path))
    }
}

/// The version of a link is that of the path it says.
fn version_of_link(target: &Path) -> Version {
    Version::of(target.as_os_str().as_encoded_bytes())
}
