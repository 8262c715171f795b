//! The changes that lead back from a record, as far as what is there now allows it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use toolcrib_workspace::{
    Base, Change, ChangeSet, Error, ErrorKind, FileKind, Links, Restoration, Subject, Version, Workspace,
    WorkspacePath,
};

use super::error::{Conflict, UndoError};
use crate::intent::{FileChange, New, Old, Purpose, RecordPath};
use crate::journal::Journal;
use crate::merge::merge;
use crate::record::{Found, RecordId};

/// The changes that lead back.
pub(super) struct Reverse<'a> {
    journal: &'a Journal,
    pub(super) workspace: Workspace,
    found: &'a Found,
    pub(super) changes: ChangeSet,
    pub(super) restoration: Restoration,
    pub(super) merged: Vec<WorkspacePath>,
    /// The files that the undo removes or moves, and the directories that it removes.
    gone: BTreeSet<WorkspacePath>,
    removed: BTreeSet<WorkspacePath>,
    /// The links that the undo removes.
    gone_links: BTreeSet<WorkspacePath>,
    /// The directories that the change made, once they are asked for.
    made: OnceCell<BTreeSet<WorkspacePath>>,
}

impl<'a> Reverse<'a> {
    pub(super) fn new(journal: &'a Journal, found: &'a Found) -> Result<Self, UndoError> {
        Ok(Self {
            journal,
            workspace: found.intent.workspace(&journal.workspace)?,
            found,
            changes: ChangeSet::default(),
            restoration: Restoration::default(),
            merged: Vec::new(),
            gone: BTreeSet::new(),
            removed: BTreeSet::new(),
            gone_links: BTreeSet::new(),
            made: OnceCell::new(),
        })
    }

    /// What has to be locked: a link is changed in one step, and locks belong to what it leads to.
    pub(super) fn paths(&self) -> Result<Vec<WorkspacePath>, UndoError> {
        let files = &self.found.intent.files;
        let links: BTreeSet<_> =
            files.iter().filter(|file| file.subject == Subject::Link).map(|file| &file.path).collect();
        // What is in the place of a link, or was, has no lock of its own either.
        let leads_through_link = |path: &RecordPath| {
            let mut above = path.relative.ancestors();
            let at =
                |relative: &std::path::Path| RecordPath { root: path.root, relative: relative.to_owned() };
            !links.is_empty() && above.any(|above| links.contains(&at(above)))
        };
        files
            .iter()
            .flat_map(|file| [Some(&file.path), file.from.as_ref()])
            .flatten()
            .filter(|path| !leads_through_link(path))
            .map(|path| self.locate(path))
            .collect()
    }

    /// Everything that leads back, by what is there now.
    pub(super) fn add_all(&mut self) -> Result<(), UndoError> {
        for file in self.found.intent.files.iter().rev() {
            self.add(file)?;
        }
        for made in self.found.intent.made() {
            let path = self.locate(&made)?;
            self.restoration.empty_directories.push(path);
        }
        Ok(())
    }

    fn add(&mut self, file: &FileChange) -> Result<(), UndoError> {
        let contents = self.journal.contents(&self.found.header, file)?;
        let contents = contents.ok_or_else(|| self.not_kept(&file.path))?;
        let path = self.locate(&file.path)?;
        match file.subject {
            Subject::File => {}
            Subject::Directory => return self.add_directory(file, path),
            Subject::Link => return self.add_link(file, path, contents.before.or(contents.after)),
        }
        match (&file.before, &file.after, contents.before, contents.after) {
            (None, Some(new), _, _) => {
                self.expect(file, &path, new.version)?;
                self.gone.insert(path.clone());
                self.changes.remove(path, new.version);
            }
            (Some(old), None, Some(before), _) => self.recreate(file, path, old, before)?,
            (Some(old), Some(new), Some(before), Some(after)) => match &file.from {
                None => self.rewrite(file, path, old, new, before, &after)?,
                Some(from) => self.move_back(file, path, from, old, new, before)?,
            },
            _ => return Err(self.not_kept(&file.path)),
        }
        Ok(())
    }

    fn add_directory(&mut self, file: &FileChange, path: WorkspacePath) -> Result<(), UndoError> {
        let is_foreign = self.found.intent.purpose == Purpose::Foreign;
        let kind = self.kind(&path)?;
        let is_there = kind == Some(FileKind::Directory);
        // A file that has the directory's place may be removed by the same undo.
        let is_free = kind.is_none() || self.gone.contains(&path);
        match (&file.before, &file.after, &file.from) {
            // It goes at the end, if nothing else is in it by then.
            (None, Some(_), _) if is_foreign => {}
            (None, Some(_), _) if is_there => self.remove_directory(path),
            (Some(old), None, _) if is_free => {
                let attributes = old.attributes.clone();
                self.restoration.attributes.insert(self.changes.changes().len(), attributes);
                self.changes.push(Change::MakeDirectory { path });
            }
            (Some(_), Some(_), Some(from)) if is_there => {
                let to = self.locate(from)?;
                self.changes.push(Change::MoveDirectory { from: path, to, inside: Vec::new() });
            }
            _ => return Err(self.conflict(file, None)),
        }
        Ok(())
    }

    fn add_link(
        &mut self,
        file: &FileChange,
        path: WorkspacePath,
        target: Option<Vec<u8>>,
    ) -> Result<(), UndoError> {
        let Some(target) = target.map(OsString::from_vec).map(PathBuf::from) else {
            return Err(self.not_kept(&file.path));
        };
        match (&file.before, self.kind(&path)?) {
            (None, Some(FileKind::Symlink)) if self.workspace.read_link(&path)? == target => {
                self.gone_links.insert(path.clone());
                self.changes.push(Change::RemoveLink { path, target });
            }
            (Some(_), None) => self.changes.push(Change::MakeLink { path, target }),
            // A file that the change put in its place is removed by the same undo, or a directory that it made.
            (Some(_), Some(_)) if self.gone.contains(&path) => {
                self.changes.push(Change::MakeLink { path, target });
            }
            (Some(_), Some(FileKind::Directory)) => {
                self.remove_made(file, &path)?;
                self.changes.push(Change::MakeLink { path, target });
            }
            _ => return Err(self.conflict(file, None)),
        }
        Ok(())
    }

    /// What has this name now; a link is a link.
    fn kind(&self, path: &WorkspacePath) -> Result<Option<FileKind>, UndoError> {
        if self.leads_through_gone_link(path) {
            return Ok(None);
        }
        match self.workspace.stat(path, Links::Keep) {
            Ok(stat) => Ok(Some(stat.kind)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a link that this undo removes is on the way, or has the name.
    fn leads_through_gone_link(&self, path: &WorkspacePath) -> bool {
        let mut above = std::iter::successors(Some(path.clone()), WorkspacePath::parent);
        !self.gone_links.is_empty() && above.any(|above| self.gone_links.contains(&above))
    }

    /// It was removed: it is made again, as it was.
    fn recreate(
        &mut self,
        file: &FileChange,
        path: WorkspacePath,
        old: &Old,
        content: Vec<u8>,
    ) -> Result<(), UndoError> {
        if self.kind(&path)? == Some(FileKind::Directory) {
            self.remove_made(file, &path)?;
        } else if let Some(current) = self.current(&path)? {
            return Err(self.conflict(file, Some(Version::of(&current))));
        }
        self.restoration.attributes.insert(self.changes.changes().len(), old.attributes.clone());
        self.changes.push(Change::Write { path, base: Base::Absent, content, mode: None });
        Ok(())
    }

    /// A directory has the place of the file. It goes if the change made it, with those in it that the change made.
    fn remove_made(&mut self, file: &FileChange, path: &WorkspacePath) -> Result<(), UndoError> {
        let made = self.made()?;
        if !made.contains(path) {
            return Err(self.conflict(file, None));
        }
        let is_below = |made: &&WorkspacePath| {
            made.root() == path.root() && made.relative().starts_with(path.relative())
        };
        // Paths are sorted name by name, so what is in a directory follows it.
        let below: Vec<WorkspacePath> = made.range(path..).take_while(is_below).cloned().collect();
        below.into_iter().rev().for_each(|made| self.remove_directory(made));
        Ok(())
    }

    /// The directories that the change made.
    fn made(&self) -> Result<&BTreeSet<WorkspacePath>, UndoError> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = self.found.intent.made().iter().map(|made| self.locate(made)).collect::<Result<_, _>>()?;
        Ok(self.made.get_or_init(|| made))
    }

    fn remove_directory(&mut self, path: WorkspacePath) {
        if self.removed.insert(path.clone()) {
            self.changes.push(Change::RemoveDirectory { path });
        }
    }

    /// It got other content: it gets the old one, or the old one with what others have changed since.
    fn rewrite(
        &mut self,
        file: &FileChange,
        path: WorkspacePath,
        old: &Old,
        new: &New,
        before: Vec<u8>,
        after: &[u8],
    ) -> Result<(), UndoError> {
        let current = self.current(&path)?.ok_or_else(|| self.conflict(file, None))?;
        let version = Version::of(&current);
        let content = if version == new.version {
            before
        } else {
            let merged = merge(after, &before, &current);
            let merged = merged.ok_or_else(|| self.conflict(file, Some(version)))?;
            self.merged.push(path.clone());
            merged
        };
        // The mode stays as it is unless the change had set it.
        let mode = new.mode.map(|_| old.attributes.mode);
        self.changes.push(Change::Write { path, base: Base::Version(version), content, mode });
        Ok(())
    }

    /// It was moved: it goes back, and what it was moved over is made again.
    fn move_back(
        &mut self,
        file: &FileChange,
        path: WorkspacePath,
        from: &RecordPath,
        old: &Old,
        new: &New,
        before: Vec<u8>,
    ) -> Result<(), UndoError> {
        self.expect(file, &path, new.version)?;
        let over = file.over.as_ref().map(|over| Ok((over, self.journal.old(&self.found.header, over)?)));
        let over = over.transpose().map_err(|error: Error| UndoError::from(error))?;
        let to = self.locate(from)?;
        if self.kind(&to)? == Some(FileKind::Directory) {
            self.remove_made(file, &to)?;
        }
        self.gone.insert(path.clone());
        self.changes.push(Change::Move {
            from: path.clone(),
            base: new.version,
            to,
            over: Base::Absent,
            content: (old.version != new.version).then_some(before),
            mode: new.mode.map(|_| old.attributes.mode),
        });
        if let Some((over, content)) = over {
            let content = content.ok_or_else(|| self.not_kept(&file.path))?;
            self.restoration.attributes.insert(self.changes.changes().len(), over.attributes.clone());
            self.changes.push(Change::Write { path, base: Base::Absent, content, mode: None });
        }
        Ok(())
    }

    /// What is there must be what the change left.
    fn expect(&self, file: &FileChange, path: &WorkspacePath, version: Version) -> Result<(), UndoError> {
        let current = self.current(path)?.map(|current| Version::of(&current));
        if current == Some(version) { Ok(()) } else { Err(self.conflict(file, current)) }
    }

    /// What the file holds now. A link is not the file that was written, whatever it leads to.
    fn current(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, UndoError> {
        if self.leads_through_gone_link(path) {
            return Ok(None);
        }
        let place = match self.workspace.locate_new(path) {
            Ok(place) => place,
            Err(error) if matches!(error.kind(), ErrorKind::DanglingLink | ErrorKind::NotDirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if place.existing().is_none() || place.reached() != path {
            return Ok(None);
        }
        Ok(Some(self.workspace.snapshot(path)?.into_bytes()))
    }

    pub(super) fn locate(&self, path: &RecordPath) -> Result<WorkspacePath, UndoError> {
        self.found.intent.locate(&self.workspace, path).ok_or_else(|| self.not_kept(path))
    }

    fn not_kept(&self, path: &RecordPath) -> UndoError {
        UndoError::NotKept { id: RecordId(self.found.header.id), path: self.found.intent.shown(path) }
    }

    fn conflict(&self, file: &FileChange, current: Option<Version>) -> UndoError {
        UndoError::Conflict(Box::new(Conflict {
            path: self.found.intent.shown(&file.path),
            current,
            expected: file.after.as_ref().map(|new| new.version),
            before: file.before.as_ref().map(|old| old.version),
        }))
    }
}
