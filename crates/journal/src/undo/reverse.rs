//! The way back from records, the newest first, as far as what is there now allows it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolcrib_workspace::{Subject, Version, Workspace, WorkspacePath};

use super::choose::{Choice, Sides, Step, StepFile};
use super::error::{Conflict, Texts, UndoError};
use super::scene::{Scene, SceneFile, Thing};
use crate::intent::{FileChange, Intent, Purpose, RecordPath};
use crate::journal::Journal;
use crate::merge::merge;
use crate::record::{Difference, Found, RecordId};

/// The way back from some records.
pub(super) struct Reverse<'a> {
    journal: &'a Journal,
    pub(super) scene: Scene,
    pub(super) merged: BTreeSet<WorkspacePath>,
    pub(super) conflicts: Vec<Conflict>,
    /// The files that a conflict is about: older steps have nothing to say about them.
    unclear: BTreeSet<WorkspacePath>,
    /// Whether it is more than one record. Then directories that go are named, so that a redo makes them again: what is left
    /// in them may not be what they were made for.
    several: bool,
}

/// A file of a record on its way back.
struct OneFile<'s> {
    found: &'s Found,
    file: &'s FileChange,
    step: &'s StepFile,
    path: WorkspacePath,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

/// Why a step cannot be made.
enum Stop {
    Conflict(Box<Conflict>),
    Error(UndoError),
}

impl<E: Into<UndoError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl<'a> Reverse<'a> {
    pub(super) fn new(journal: &'a Journal, workspace: Workspace) -> Self {
        Self {
            journal,
            scene: Scene::new(workspace),
            merged: BTreeSet::new(),
            conflicts: Vec::new(),
            unclear: BTreeSet::new(),
            several: false,
        }
    }

    /// Goes back over all of them. Conflicts are gathered.
    pub(super) fn go_back(&mut self, steps: &[Step]) -> Result<(), UndoError> {
        self.several = steps.len() > 1;
        steps.iter().try_for_each(|step| self.revert(step))
    }

    fn revert(&mut self, step: &Step) -> Result<(), UndoError> {
        for file in step.files.iter().rev() {
            match self.revert_file(step, file) {
                Ok(()) => {}
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Conflict(conflict)) => {
                    if let Some(change) = step.found.intent.files.get(file.index) {
                        for path in [Some(&change.path), change.from.as_ref()].into_iter().flatten() {
                            self.unclear.insert(self.locate(&step.found, path)?);
                        }
                    }
                    self.conflicts.push(*conflict);
                }
            }
        }
        self.leave_directories(step)
    }

    fn revert_file(&mut self, step: &Step, chosen: &StepFile) -> Result<(), Stop> {
        let found = &step.found;
        let Some(file) = found.intent.files.get(chosen.index) else { return Ok(()) };
        let path = self.locate(found, &file.path)?;
        let from = file.from.as_ref().map(|from| self.locate(found, from)).transpose()?;
        if self.unclear.contains(&path) || from.as_ref().is_some_and(|from| self.unclear.contains(from)) {
            return Ok(());
        }
        let contents = self.journal.contents(&found.header, file).map_err(UndoError::from)?;
        let Some(Difference { before, after }) = contents else {
            return Err(not_kept(found, &file.path).into());
        };
        let one = OneFile { found, file, step: chosen, path, before, after };
        match file.subject {
            Subject::File => {}
            Subject::Directory => return self.revert_directory(&one, from),
            Subject::Link => return self.revert_link(&one),
        }
        match (&file.before, &file.after, from) {
            _ if !chosen.whole => self.rewrite(&one),
            (None, Some(_), _) => {
                self.expect(&one)?;
                Ok(self.scene.set(&one.path, Thing::Nothing)?)
            }
            (Some(_), None, _) => self.recreate(one),
            (Some(_), Some(_), None) => self.rewrite(&one),
            (Some(_), Some(_), Some(from)) => self.move_back(one, from),
            (None, None, _) => Err(not_kept(found, &file.path).into()),
        }
    }

    fn revert_directory(&mut self, one: &OneFile<'_>, from: Option<WorkspacePath>) -> Result<(), Stop> {
        let now = self.scene.now(&one.path)?;
        let is_foreign = one.found.intent.purpose == Purpose::Foreign;
        match (&one.file.before, &one.file.after, from, now) {
            // It goes at the end, if nothing else is in it by then.
            (None, Some(_), ..) if is_foreign => Ok(()),
            (None, Some(_), _, Thing::Directory(_)) => Ok(self.scene.remove_directory(&one.path, false)?),
            (Some(old), None, _, Thing::Nothing) => {
                Ok(self.scene.set(&one.path, Thing::Directory(Some(old.attributes.clone())))?)
            }
            // It is needed for something that an older step left in it.
            (Some(_), Some(_), Some(from), Thing::Directory(_)) => {
                Ok(self.scene.move_directory(one.path.clone(), from)?)
            }
            (.., now) => Err(one.conflict(&now)),
        }
    }

    fn revert_link(&mut self, one: &OneFile<'_>) -> Result<(), Stop> {
        let target = one.before.as_ref().or(one.after.as_ref()).cloned();
        let Some(target) = target.map(OsString::from_vec).map(PathBuf::from) else {
            return Err(not_kept(one.found, &one.file.path).into());
        };
        match (&one.file.before, self.scene.now(&one.path)?) {
            (None, Thing::Link(now)) if now == target => Ok(self.scene.set(&one.path, Thing::Nothing)?),
            (Some(_), Thing::Nothing) => Ok(self.scene.set(&one.path, Thing::Link(target))?),
            (Some(_), Thing::Directory(_)) => {
                self.remove_made(one, &one.path)?;
                Ok(self.scene.set(&one.path, Thing::Link(target))?)
            }
            (_, now) => Err(one.conflict(&now)),
        }
    }

    /// It was removed: it is made again, as it was.
    fn recreate(&mut self, one: OneFile<'_>) -> Result<(), Stop> {
        match self.scene.now(&one.path)? {
            Thing::Nothing => {}
            Thing::Directory(_) => self.remove_made(&one, &one.path)?,
            now => return Err(one.conflict(&now)),
        }
        let Some(old) = &one.file.before else { return Ok(()) };
        let file = SceneFile {
            content: Arc::new(one.before.unwrap_or_default()),
            from: None,
            attributes: Some(old.attributes.clone()),
            mode: None,
        };
        Ok(self.scene.set(&one.path, Thing::File(file))?)
    }

    /// A directory has the place of the file. It goes if the change made it, with those in it that the change made.
    fn remove_made(&mut self, one: &OneFile<'_>, path: &WorkspacePath) -> Result<(), Stop> {
        let made = one.found.intent.made();
        let made: BTreeSet<WorkspacePath> =
            made.iter().map(|made| self.locate(one.found, made)).collect::<Result<_, _>>()?;
        if !made.contains(path) {
            return Err(one.conflict(&Thing::Directory(None)));
        }
        let is_below = |made: &&WorkspacePath| {
            made.root() == path.root() && made.relative().starts_with(path.relative())
        };
        // Paths are sorted name by name, so what is in a directory follows it.
        let below: Vec<WorkspacePath> = made.range(path..).take_while(is_below).cloned().collect();
        for made in below.iter().rev() {
            self.scene.remove_directory(made, false)?;
        }
        Ok(())
    }

    /// It got other content: it gets the old one, or the old one with what others have changed since.
    fn rewrite(&mut self, one: &OneFile<'_>) -> Result<(), Stop> {
        let now = self.scene.now(&one.path)?;
        let Thing::File(mut file) = now else { return Err(one.conflict(&now)) };
        self.change_content(one, &mut file, &one.path)?;
        self.scene.set(&one.path, Thing::File(file))?;
        Ok(())
    }

    /// It was moved: it goes back, and what it was moved over is made again.
    fn move_back(&mut self, one: OneFile<'_>, from: WorkspacePath) -> Result<(), Stop> {
        let now = self.scene.now(&one.path)?;
        let Thing::File(mut file) = now else { return Err(one.conflict(&now)) };
        self.change_content(&one, &mut file, &from)?;
        let over = match &one.file.over {
            None => Thing::Nothing,
            Some(over) => {
                let content = self.journal.old(&one.found.header, over).map_err(UndoError::from)?;
                let content = content.ok_or_else(|| not_kept(one.found, &one.file.path))?;
                let attributes = Some(over.attributes.clone());
                Thing::File(SceneFile { content: Arc::new(content), from: None, attributes, mode: None })
            }
        };
        self.scene.set(&one.path, Thing::Nothing)?;
        match self.scene.now(&from)? {
            Thing::Nothing => {}
            Thing::Directory(_) => self.remove_made(&one, &from)?,
            now => return Err(one.conflict(&now)),
        }
        self.scene.set(&one.path, over)?;
        Ok(self.scene.set(&from, Thing::File(file))?)
    }

    /// Takes what is reverted out of what a file holds by now.
    fn change_content(
        &mut self,
        one: &OneFile<'_>,
        file: &mut SceneFile,
        ends_at: &WorkspacePath,
    ) -> Result<(), Stop> {
        let (standing, wanted) = one.sides();
        if *file.content == standing {
            file.content = Arc::new(wanted.to_vec());
        } else if *file.content != wanted {
            let merged = merge(standing, wanted, &file.content);
            file.content = Arc::new(merged.ok_or_else(|| one.conflict(&Thing::File(file.clone())))?);
            self.merged.insert(ends_at.clone());
        }
        // The mode stays as it is unless the change had set it.
        let (old, new) = (&one.file.before, &one.file.after);
        if let (true, Some(old), Some(_)) = (one.step.whole, old, new.as_ref().and_then(|new| new.mode)) {
            file.mode = Some(old.attributes.mode);
        }
        Ok(())
    }

    /// What is there must be what the change left.
    fn expect(&mut self, one: &OneFile<'_>) -> Result<(), Stop> {
        let now = self.scene.now(&one.path)?;
        match &now {
            Thing::File(file) if *file.content == one.sides().0 => Ok(()),
            now => Err(one.conflict(now)),
        }
    }

    /// Directories that the record made on the way to its files go if nothing is left in them.
    fn leave_directories(&mut self, step: &Step) -> Result<(), UndoError> {
        for made in step.found.intent.made() {
            let path = self.locate(&step.found, &made)?;
            let is_there = matches!(self.scene.now(&path), Ok(Thing::Directory(_)));
            if is_there && self.scene.is_empty(&path)? {
                self.scene.remove_directory(&path, !self.several)?;
            }
        }
        Ok(())
    }

    fn locate(&self, found: &Found, path: &RecordPath) -> Result<WorkspacePath, UndoError> {
        found.intent.locate(&self.scene.workspace, path).ok_or_else(|| not_kept(found, path))
    }
}

impl Choice {
    /// The workspace that all of it is in: where the roots of the records are by now.
    pub(super) fn workspace(&self, own: &Workspace) -> Result<Workspace, UndoError> {
        let mut widest: Option<Workspace> = None;
        for step in &self.steps {
            let workspace = step.found.intent.workspace(own)?;
            if widest.as_ref().is_none_or(|widest| widest.roots().len() < workspace.roots().len()) {
                widest = Some(workspace);
            }
        }
        Ok(widest.unwrap_or_else(|| own.clone()))
    }

    /// What has to be locked: a link is changed in one step, and locks belong to what it leads to.
    pub(super) fn paths(&self, workspace: &Workspace) -> Result<Vec<WorkspacePath>, UndoError> {
        let mut paths = BTreeSet::new();
        for Step { found, files } in &self.steps {
            let links = Links::of(&found.intent);
            for file in files.iter().filter_map(|file| found.intent.files.get(file.index)) {
                let names = [Some(&file.path), file.from.as_ref()].into_iter().flatten();
                for path in names.filter(|path| !links.lead_to(path)) {
                    let located = found.intent.locate(workspace, path);
                    paths.insert(located.ok_or_else(|| not_kept(found, path))?);
                }
            }
        }
        Ok(paths.into_iter().collect())
    }
}

impl OneFile<'_> {
    /// What stands of the change, and what is to stand.
    fn sides(&self) -> (&[u8], &[u8]) {
        match &self.step.sides {
            Some(Sides { standing, wanted }) => (standing, wanted),
            None => (self.after.as_deref().unwrap_or_default(), self.before.as_deref().unwrap_or_default()),
        }
    }

    fn conflict(&self, now: &Thing) -> Stop {
        let ours = match now {
            Thing::File(file) => Some(file.content.to_vec()),
            _ => None,
        };
        let (standing, wanted) = self.sides();
        Stop::Conflict(Box::new(Conflict {
            id: RecordId(self.found.header.id),
            path: self.found.intent.shown(&self.file.path),
            later: Vec::new(),
            current: ours.as_deref().map(Version::of),
            expected: self.file.after.as_ref().map(|new| new.version),
            before: self.file.before.as_ref().map(|old| old.version),
            texts: Texts {
                base: self.after.as_ref().map(|_| standing.to_vec()),
                theirs: self.before.as_ref().map(|_| wanted.to_vec()),
                ours,
            },
            also: Vec::new(),
        }))
    }
}

/// The links of a record.
struct Links<'i>(BTreeSet<&'i RecordPath>);

impl<'i> Links<'i> {
    fn of(intent: &'i Intent) -> Self {
        let links = intent.files.iter().filter(|file| file.subject == Subject::Link);
        Self(links.map(|file| &file.path).collect())
    }

    /// Whether one is on the way, or has the name: what is in the place of a link, or was, has no lock of its own.
    fn lead_to(&self, path: &RecordPath) -> bool {
        let at = |relative: &Path| RecordPath { root: path.root, relative: relative.to_owned() };
        !self.0.is_empty() && path.relative.ancestors().any(|above| self.0.contains(&at(above)))
    }
}

fn not_kept(found: &Found, path: &RecordPath) -> UndoError {
    UndoError::NotKept { id: RecordId(found.header.id), path: found.intent.shown(path) }
}
