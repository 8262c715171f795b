//! What other programs have changed, recorded after the fact, so that it is shown and undone like every other change.
//!
//! The caller took an [`Image`] of each name before the other program ran, with a [`Mark`] of where the journal ended then,
//! and another afterwards. The difference is appended as a change that was announced and done at once: there is nothing to
//! repair, so no crash leads to a step on the files.
//!
//! This module does not know who the other program is, or how its changes were noticed.

use std::cmp::Ordering;
use std::collections::HashMap;

use toolcrib_workspace::{Attributes, Durability, Error, FileImage, Image, Subject, Version, WorkspacePath};

use crate::image::Contents;
use crate::intent::{About, FileChange, Intent, New, Old, Purpose, RecordPath};
use crate::journal::{Entry, Journal};
use crate::log::Instance;
use crate::record::{Difference, Found, RecordId, State};

/// Where a journal ended at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

impl Mark {
    /// The mark as a number, for those who store it.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The mark that was stored as this number.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }
}

/// A change by another program in the making: names are added one by one, and [finished](Self::finish) as one change.
#[derive(Debug)]
pub struct Recording<'j> {
    journal: &'j Journal,
    /// What the journal has recorded since the mark, the earliest first.
    known: Vec<Found>,
    /// For each name in there where it is: which change, which file of it, and which step.
    steps: HashMap<WorkspacePath, Vec<Step>>,
    contents: Contents,
    files: Vec<FileChange>,
}

/// What a known change did to one name.
#[derive(Debug, Clone, Copy)]
struct Step {
    found: usize,
    file: usize,
    /// Whether it is the old name of a move.
    is_old_name: bool,
}

impl Journal {
    /// Where the journal ends now. What is recorded behind it was changed later.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn mark(&self) -> Result<Mark, Error> {
        Ok(Mark(self.log.head()?.next_id))
    }

    /// Starts to record what another program has changed since the mark.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn recording(&self, since: Mark) -> Result<Recording<'_>, Error> {
        let mut recording = Recording {
            journal: self,
            known: Vec::new(),
            steps: HashMap::new(),
            contents: Contents::default(),
            files: Vec::new(),
        };
        if self.log.head()?.next_id > since.0 {
            recording.learn(since)?;
        }
        Ok(recording)
    }
}

impl Recording<'_> {
    /// Adds a name: what it led to before the other program ran, and what it leads to now. `keep` says whether the contents
    /// may be kept. Says whether anything has changed that the journal does not know already.
    ///
    /// If the journal knows of changes of the name since, they are not recorded again: what is recorded is what they leave
    /// unexplained.
    ///
    /// # Errors
    ///
    /// If the contents of a known change cannot be read.
    pub fn add(
        &mut self,
        path: &WorkspacePath,
        before: Image,
        after: &Image,
        keep: bool,
    ) -> Result<bool, Error> {
        let (before, overtaken) = self.unexplained(path, before, after)?;
        let after = overtaken.as_ref().unwrap_or(after);
        if before.is_same(after) {
            return Ok(false);
        }
        let path = record_path(path);
        match (&before, after) {
            (Image::File(old), Image::File(new)) => {
                let change = self.rewritten(path, old, new, keep);
                self.files.push(change);
            }
            _ => {
                let (gone, made) = (self.removed(&path, &before, keep), self.made(&path, after, keep));
                self.files.extend(gone.into_iter().chain(made));
            }
        }
        Ok(true)
    }

    /// Adds a file that got another name, and kept its content.
    pub fn add_moved(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        before: &FileImage,
        after: &FileImage,
        keep: bool,
    ) {
        let from = record_path(from);
        let change = self.rewritten(record_path(to), before, after, keep);
        self.files.push(FileChange { from: Some(from), ..change });
    }

    /// How many names have changed so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether nothing has changed so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Appends it to the journal as one change; none if nothing has changed.
    ///
    /// # Errors
    ///
    /// If the log cannot be written, or the contents are more than it may hold.
    pub fn finish(mut self, durability: Durability, entry: &Entry<'_>) -> Result<Option<RecordId>, Error> {
        if self.files.is_empty() {
            return Ok(None);
        }
        self.files.sort_by(in_order);
        let Entry { tool, session, agent, .. } = *entry;
        // No process has to be asked whether it still makes this change.
        let instance = Instance::default();
        let about = About { instance, tool, session, agent, purpose: &Purpose::Foreign };
        let intent = Intent::foreign(about, &self.journal.workspace, self.files);
        let begun = self.journal.log.add_done(&intent.encode(), &self.contents.into_bytes())?;
        begun.settle(durability)?;
        Ok(Some(RecordId(begun.id)))
    }

    /// Reads what was recorded since the mark.
    fn learn(&mut self, since: Mark) -> Result<(), Error> {
        for change in self.journal.changes()? {
            let found = change?.into_found();
            if found.header.id < since.0 {
                break;
            }
            if matches!(found.state, State::Done | State::Undone(_) | State::Unknown) {
                self.known.push(found);
            }
        }
        self.known.reverse();
        for (number, found) in self.known.iter().enumerate() {
            for (file, change) in found.intent.files.iter().enumerate() {
                let names = [Some((&change.path, false)), change.from.as_ref().map(|from| (from, true))];
                for (path, is_old_name) in names.into_iter().flatten() {
                    if let Some(path) = found.intent.locate(&self.journal.workspace, path) {
                        self.steps.entry(path).or_default().push(Step { found: number, file, is_old_name });
                    }
                }
            }
        }
        Ok(())
    }

    /// What the name led to before the last change that the journal does not know. If a known change came after that one,
    /// also what it led to then.
    fn unexplained(
        &self,
        path: &WorkspacePath,
        before: Image,
        after: &Image,
    ) -> Result<(Image, Option<Image>), Error> {
        let (mut current, mut overtaken) = (before, None);
        for step in self.steps.get(path).map_or(&[][..], Vec::as_slice) {
            let (was, is) = self.images(*step)?;
            if was.version() != current.version() {
                overtaken = Some((current, was));
            }
            current = is;
        }
        Ok(match overtaken {
            Some((before, was)) if current.is_same(after) => (before, Some(was)),
            _ => (current, None),
        })
    }

    /// What the name led to before and after a known change.
    fn images(&self, step: Step) -> Result<(Image, Image), Error> {
        let found = &self.known[step.found];
        let change = &found.intent.files[step.file];
        let contents = self.journal.contents(&found.header, change)?;
        let Difference { before, after } = contents.unwrap_or(Difference { before: None, after: None });
        let attributes = change.before.as_ref().map_or_else(plain, |old| old.attributes.clone());
        let mode = change.after.as_ref().and_then(|new| new.mode).unwrap_or(attributes.mode);
        let new = Attributes { mode, ..attributes.clone() };
        let image = |version: Option<Version>, content, attributes| {
            image(change.subject, version, content, attributes)
        };
        let was = image(change.before.as_ref().map(|old| old.version), before, attributes);
        let is = image(change.after.as_ref().map(|new| new.version), after, new);
        Ok(match (step.is_old_name, &change.from, &change.over) {
            (true, ..) => (was, Image::Absent),
            (false, Some(_), Some(over)) => {
                let content = self.journal.old(&found.header, over)?;
                (image(Some(over.version), content, over.attributes.clone()), is)
            }
            (false, Some(_), None) => (Image::Absent, is),
            (false, None, _) => (was, is),
        })
    }

    fn rewritten(&mut self, path: RecordPath, old: &FileImage, new: &FileImage, keep: bool) -> FileChange {
        let contents = old.content.as_deref().zip(new.content.as_deref()).filter(|_| keep);
        let mode = (old.attributes.mode != new.attributes.mode).then_some(new.attributes.mode);
        let before = Old {
            version: old.version,
            attributes: old.attributes.clone(),
            content: contents.map(|(old, _)| self.contents.keep(old)),
        };
        let content = contents.map(|(old, new)| self.contents.keep_difference(old, new));
        let after = New { version: new.version, mode, content };
        FileChange {
            subject: Subject::File,
            path,
            from: None,
            before: Some(before),
            over: None,
            after: Some(after),
        }
    }

    /// The name led to something, and does not any more.
    fn removed(&mut self, path: &RecordPath, image: &Image, keep: bool) -> Option<FileChange> {
        let (subject, version, content, attributes) = parts(image)?;
        let content = content.filter(|_| keep).map(|content| self.contents.keep(content));
        let before = Some(Old { version, attributes, content });
        Some(FileChange { subject, path: path.clone(), from: None, before, over: None, after: None })
    }

    /// The name leads to something now.
    fn made(&mut self, path: &RecordPath, image: &Image, keep: bool) -> Option<FileChange> {
        let (subject, version, content, _) = parts(image)?;
        let content = content.filter(|_| keep).map(|content| self.contents.keep_difference(&[], content));
        let after = Some(New { version, mode: None, content });
        Some(FileChange { subject, path: path.clone(), from: None, before: None, over: None, after })
    }
}

/// What is recorded of an image; none if there is nothing to record.
fn parts(image: &Image) -> Option<(Subject, Version, Option<&[u8]>, Attributes)> {
    let version = image.version()?;
    Some(match image {
        Image::File(file) => (Subject::File, version, file.content.as_deref(), file.attributes.clone()),
        Image::Link(target) => (Subject::Link, version, Some(target.as_os_str().as_encoded_bytes()), plain()),
        Image::Directory(attributes) => (Subject::Directory, version, Some(&[]), attributes.clone()),
        Image::Absent | Image::Other(_) => return None,
    })
}

fn image(
    subject: Subject,
    version: Option<Version>,
    content: Option<Vec<u8>>,
    attributes: Attributes,
) -> Image {
    let Some(version) = version else { return Image::Absent };
    match subject {
        Subject::File => Image::File(FileImage { version, attributes, content }),
        Subject::Directory => Image::Directory(attributes),
        Subject::Link => Image::Link(crate::codec::path_of(content.unwrap_or_default())),
    }
}

fn plain() -> Attributes {
    Attributes { mode: 0o644, uid: 0, gid: 0, extended: Vec::new(), flags: 0 }
}

pub(crate) fn record_path(path: &WorkspacePath) -> RecordPath {
    RecordPath { root: path.root().index(), relative: path.relative().to_owned() }
}

fn in_order(one: &FileChange, other: &FileChange) -> Ordering {
    let by_path = || match rank(one) {
        REMOVED_DIRECTORY => other.path.cmp(&one.path),
        _ => one.path.cmp(&other.path),
    };
    rank(one).cmp(&rank(other)).then_with(by_path)
}

/// An undo goes through the files from the last to the first: what was made goes away first, the deepest names before the
/// directories that they are in; then directories come back, and then what was in them.
fn rank(file: &FileChange) -> u8 {
    match (&file.before, &file.after, file.subject) {
        (Some(_), Some(_), _) if file.from.is_some() => 0,
        (_, None, Subject::File | Subject::Link) => 0,
        (_, None, Subject::Directory) => REMOVED_DIRECTORY,
        (Some(_), Some(_), _) => 2,
        (None, Some(_), Subject::Directory) => 3,
        (None, Some(_), _) => 4,
    }
}

/// The deepest come first.
const REMOVED_DIRECTORY: u8 = 1;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means"
)]
mod tests {
    use std::fs;
    use std::path::Path;

    use toolcrib_workspace::Workspace;

    use super::*;
    use crate::log::Announcement;

    /// The process died after it had appended the announcement, and before the end.
    #[test]
    fn one_that_was_not_finished_is_finished_without_touching_a_file() {
        let base = tempfile::tempdir().unwrap();
        let (root, state) = (base.path().join("ws"), base.path().join("state"));
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a"), "after").unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let path = workspace.path(Path::new("a"), &root).unwrap();
        let id = {
            let journal = Journal::open(&state, &workspace).unwrap();
            let mut recording = journal.recording(journal.mark().unwrap()).unwrap();
            let attributes = plain();
            let old =
                FileImage { version: Version::of(b"before"), attributes, content: Some(b"before".to_vec()) };
            let now = workspace.image(&path, u64::MAX).unwrap();
            assert!(recording.add(&path, Image::File(old), &now, true).unwrap());
            let instance = Instance::default();
            let about =
                About { instance, tool: "Edit", session: None, agent: None, purpose: &Purpose::Foreign };
            let said = Intent::foreign(about, &workspace, recording.files).encode();
            let kept = recording.contents.into_bytes();
            journal.log.begin(Announcement { instance, said: &said, kept: &kept, seen_in: None }).unwrap().id
        };
        let journal = Journal::open(&state, &workspace).unwrap();
        let record = journal.record(RecordId(id)).unwrap().unwrap();
        assert_eq!(record.state, State::Done);
        assert_eq!(fs::read(root.join("a")).unwrap(), b"after");
        journal.undo(record.id, Durability::Fast, &Entry::new("undo")).unwrap();
        assert_eq!(fs::read(root.join("a")).unwrap(), b"before");
    }
}
