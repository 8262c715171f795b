//! From changes to acts: which names change hands, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use super::act::{Act, NameRef};
use super::attributes::Attributes;
use super::directories::Directories;
use super::directory_changes::RemovedTree;
use super::expected::Expected;
use super::finding::GONE;
use super::in_parallel::both;
use super::plan::{Before, Note, Plan, Planned};
use super::stage::Staging;
use super::tree::{TreeEntry, TreeEntryKind};
use super::{Outcome, Subject, temporary};
use crate::commit::change_set::{Base, Change};
use crate::error::{Doing, Error};
use crate::open::stat::{FileKind, Stat};
use crate::open::version::Version;
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

pub(crate) struct Planner<'a> {
    pub(crate) workspace: Workspace,
    /// For changes that create a file, the attributes it is to get.
    pub(crate) attributes: BTreeMap<usize, Attributes>,
    pub(crate) change: usize,
    pub(crate) directories: Directories,
    /// The names touched so far, and whether something has them afterwards.
    pub(crate) touched: BTreeMap<(usize, OsString), bool>,
    /// Staging comes first for all changes: that is where a full disk shows, before any name has changed.
    staged: Vec<(Act, Note<'a>)>,
    pub(crate) renamed: Vec<(Act, Note<'a>)>,
    pub(crate) before: Vec<Before>,
    /// How many of the old files are leased.
    pub(crate) leases: usize,
    pub(crate) outcomes: Vec<Outcome>,
    /// The directories that are removed, each with what is in it if no directory above it is removed too.
    pub(crate) removed: BTreeMap<WorkspacePath, Vec<TreeEntry>>,
    pub(crate) trees: Vec<(WorkspacePath, RemovedTree)>,
    /// The files that lose their names, so that a directory can have them.
    pub(crate) gone: BTreeSet<WorkspacePath>,
    /// The links that do, so that a path does not lead through them any more.
    pub(crate) gone_links: BTreeSet<WorkspacePath>,
}

/// Where a change goes.
pub(crate) struct Target {
    /// The deepest directory that exists; what is staged for the target waits there.
    pub(crate) base: usize,
    pub(crate) missing: Vec<OsString>,
    pub(crate) name: OsString,
    pub(crate) reached: WorkspacePath,
    pub(crate) existing: Option<Stat>,
}

/// A file that is there, as it was read.
pub(crate) struct Old {
    pub(crate) version: Version,
    pub(crate) expected: Expected,
    pub(crate) attributes: Attributes,
    /// Which of the planner's [`Before`]s it is.
    pub(crate) before: usize,
}

impl Old {
    /// How many other names the file has, which keep it.
    fn other_names(&self) -> u64 {
        self.expected.stat.nlink.saturating_sub(1)
    }
}

impl<'a> Planner<'a> {
    pub(crate) fn new(workspace: &Workspace, attributes: BTreeMap<usize, Attributes>) -> Self {
        Self {
            workspace: workspace.clone(),
            attributes,
            change: 0,
            directories: Directories::default(),
            touched: BTreeMap::new(),
            staged: Vec::new(),
            renamed: Vec::new(),
            before: Vec::new(),
            leases: 0,
            outcomes: Vec::new(),
            removed: BTreeMap::new(),
            trees: Vec::new(),
            gone: BTreeSet::new(),
            gone_links: BTreeSet::new(),
        }
    }

    pub(crate) fn add(&mut self, index: usize, change: &'a Change) -> Result<(), Error> {
        self.change = index;
        match change {
            Change::Write { path, base, content, mode } => self.write(path, *base, content, *mode),
            Change::Remove { path, base } => self.remove(path, *base),
            Change::Move { from, base, to, over, content, mode } => {
                self.rename(from, *base, to, *over, content.as_deref(), *mode)
            }
            Change::MakeDirectory { path } => self.make_directory(path),
            Change::RemoveDirectory { path } => self.remove_with_contents(path),
            Change::MoveDirectory { from, to, .. } => self.move_directory(from, to),
            Change::MakeLink { path, target } => self.make_link(path, target),
            Change::RemoveLink { path, target } => self.remove_link(path, target),
        }
    }

    /// A directory that is removed at the end if it is empty. One that is not there any more needs no removing.
    pub(crate) fn remove_directory(&mut self, path: &WorkspacePath) -> Result<(), Error> {
        let target = self.target(path)?;
        if target.existing.is_some_and(|stat| stat.kind == FileKind::Directory) {
            let spot = NameRef { directory: target.base, name: target.name };
            self.renamed.push((Act::RemoveDirectory { spot }, self.note()));
        }
        Ok(())
    }

    pub(crate) fn planned(mut self) -> Planned<'a> {
        self.remove_trees();
        let (acts, notes) = self.staged.into_iter().chain(self.renamed).unzip();
        let (directories, handles) = self.directories.into_parts();
        Planned {
            workspace: self.workspace,
            plan: Plan { directories, acts },
            handles,
            notes,
            before: self.before,
            outcomes: self.outcomes,
        }
    }

    fn write(
        &mut self,
        path: &WorkspacePath,
        base: Base,
        content: &'a [u8],
        mode: Option<u32>,
    ) -> Result<(), Error> {
        let target = self.target(path)?;
        let is_large = content.len() >= LARGE;
        let (old, version) = both(is_large, || self.check(path, &target, base), || Version::of(content));
        let old = old?;
        if old.is_some() {
            self.refuse_read_only(path, &target)?;
        }
        let given = self.attributes.remove(&self.change);
        let attributes = old.as_ref().map(|old| old.attributes.clone()).or(given);
        let staging = Staging::new(content, version, attributes, mode);
        let temporary = self.stage(path, target.base, staging)?;
        self.outcomes.push(Outcome {
            subject: Subject::File,
            reached: target.reached.clone(),
            from: None,
            before: old.as_ref().map(|old| old.version),
            after: Some(version),
            other_names: old.as_ref().map_or(0, Old::other_names),
        });
        self.place(target, temporary, version, old);
        Ok(())
    }

    fn remove(&mut self, path: &WorkspacePath, base: Version) -> Result<(), Error> {
        let target = self.target(path)?;
        let old = self.check(path, &target, Base::Version(base))?.map(|old| old.expected);
        let Target { base: directory, name, reached, .. } = target;
        self.gone.insert(reached.clone());
        self.removed_outcome(Subject::File, reached.clone(), base);
        if self.add_to_tree(&reached, TreeEntryKind::File(base)) {
            return Ok(());
        }
        let temporary = self.temporary(path, directory)?;
        self.take(NameRef { directory, name }, temporary, base, old);
        Ok(())
    }

    fn rename(
        &mut self,
        from: &WorkspacePath,
        base: Version,
        to: &WorkspacePath,
        over: Base,
        content: Option<&'a [u8]>,
        mode: Option<u32>,
    ) -> Result<(), Error> {
        let source = self.target(from)?;
        let old = self.check(from, &source, Base::Version(base))?;
        let Some(old) = old else { return Err(self.changed(from, GONE)) };
        let spot = NameRef { directory: source.base, name: source.name };
        self.touched.insert((spot.directory, spot.name.clone()), false);
        self.gone.insert(source.reached.clone());
        let mut target = self.target(to)?;
        if is_same_file(&target.existing, &old.expected.stat) && target.base == spot.directory {
            // Only the spelling changes, on a file system that takes both for one name.
            target.existing = None;
        }
        let overwritten = self.check(to, &target, over)?;
        if overwritten.is_some() {
            self.refuse_read_only(to, &target)?;
        }
        let same_device = self.directories.device(spot.directory) == self.directories.device(target.base);
        // It only gets another name, and so do the names that it has beside this one keep their file.
        let is_kept = content.is_none() && mode.is_none() && same_device;
        let after = content.map_or(base, Version::of);
        self.outcomes.push(Outcome {
            subject: Subject::File,
            reached: target.reached.clone(),
            from: Some(source.reached),
            before: Some(base),
            after: Some(after),
            other_names: if is_kept { 0 } else { old.other_names() },
        });
        let waiting = self.temporary(from, spot.directory)?;
        if is_kept {
            self.take(spot, waiting.clone(), base, Some(old.expected));
            self.place(target, waiting, after, overwritten);
            return Ok(());
        }
        let staging = match content {
            Some(content) => Staging::new(content, after, Some(old.attributes), mode),
            None => Staging::copy(self.before[old.before].content.clone(), old.attributes, mode),
        };
        let temporary = self.stage(to, target.base, staging)?;
        self.take(spot, waiting, base, Some(old.expected));
        self.place(target, temporary, after, overwritten);
        Ok(())
    }

    /// The last act for a content that waits: it gets its name.
    fn place(&mut self, target: Target, temporary: NameRef, version: Version, old: Option<Old>) {
        let directory = self.make(target.base, &target.missing);
        self.touched.insert((directory, target.name.clone()), true);
        let spot = NameRef { directory, name: target.name };
        let (act, expected) = match old {
            Some(old) => (
                Act::Swap { temporary, spot, old: old.version, new: version, inode: old.expected.stat.ino },
                Some(old.expected),
            ),
            None => (Act::Put { temporary, spot, version }, None),
        };
        self.renamed.push((act, Note { expected, ..self.note() }));
    }

    fn take(&mut self, spot: NameRef, temporary: NameRef, version: Version, expected: Option<Expected>) {
        self.touched.insert((spot.directory, spot.name.clone()), false);
        self.renamed.push((Act::Take { spot, temporary, version }, Note { expected, ..self.note() }));
    }

    fn stage(
        &mut self,
        path: &WorkspacePath,
        directory: usize,
        staging: Staging<'a>,
    ) -> Result<NameRef, Error> {
        let temporary = self.temporary(path, directory)?;
        let act = Act::Stage { temporary: temporary.clone(), version: staging.version() };
        self.staged.push((act, Note { staging: Some(staging), ..self.note() }));
        Ok(temporary)
    }

    pub(crate) fn make(&mut self, base: usize, missing: &[OsString]) -> usize {
        missing.iter().fold(base, |parent, name| {
            let (becomes, is_new) = self.directories.missing(parent, name);
            if is_new {
                let spot = NameRef { directory: parent, name: name.clone() };
                self.renamed.push((Act::MakeDirectory { spot, becomes }, self.note()));
            }
            becomes
        })
    }

    pub(crate) fn note(&self) -> Note<'a> {
        Note { change: self.change, expected: None, staging: None, ahead: None, attributes: None }
    }

    pub(crate) fn temporary(&self, path: &WorkspacePath, directory: usize) -> Result<NameRef, Error> {
        let name =
            temporary::name().map_err(|error| Error::io(error, Doing::Change, self.workspace.show(path)))?;
        Ok(NameRef { directory, name })
    }
}

/// What is worth a thread to hash it.
const LARGE: usize = 8 << 20;

fn is_same_file(existing: &Option<Stat>, stat: &Stat) -> bool {
    existing.as_ref().is_some_and(|existing| (existing.dev, existing.ino) == (stat.dev, stat.ino))
}
