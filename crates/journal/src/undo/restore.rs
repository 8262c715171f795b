//! A file gets back what it held before or after a change, whatever was done to it since.

use toolcrib_workspace::{Base, Change, ChangeSet, Restoration, Subject, Version};

use super::Reversal;
use super::error::UndoError;
use super::scene::{Scene, SceneFile, Thing};
use super::selection::Side;
use crate::intent::Purpose;
use crate::journal::Journal;
use crate::record::{Difference, RecordId};

impl Journal {
    /// What restoring a version of a file would do now. The file is the one that had this name then.
    pub(super) fn restoration_of(
        &self,
        id: RecordId,
        file: usize,
        side: Side,
    ) -> Result<Reversal, UndoError> {
        let found = self.find(id)?.ok_or(UndoError::Unknown(id))?;
        let Some(change) = found.intent.files.get(file).filter(|file| file.subject == Subject::File) else {
            return Err(UndoError::NoFile(id, file));
        };
        let not_kept = || UndoError::NotKept { id, path: found.intent.shown(&change.path) };
        let contents = self.contents(&found.header, change)?.ok_or_else(not_kept)?;
        let Difference { before, after } = contents;
        let workspace = found.intent.workspace(&self.workspace)?;
        let (recorded, content) = match side {
            Side::Before => (change.from.as_ref().unwrap_or(&change.path), before),
            Side::After => (&change.path, after),
        };
        let path = found.intent.locate(&workspace, recorded).ok_or_else(not_kept)?;
        let mut scene = Scene::new(workspace.clone());
        let (mut changes, mut restoration) = (ChangeSet::default(), Restoration::default());
        let now = scene.now(&path)?;
        match (now, content) {
            (Thing::Nothing, None) => return Err(UndoError::NothingToDo),
            (Thing::File(now), Some(content)) if *now.content == content => {
                return Err(UndoError::NothingToDo);
            }
            (Thing::File(now), None) => changes.remove(path, Version::of(&now.content)),
            (Thing::File(SceneFile { content: now, .. }), Some(content)) => {
                changes.update(path, Version::of(&now), content);
            }
            (Thing::Nothing, Some(content)) => {
                if let (Side::Before, Some(old)) = (side, &change.before) {
                    restoration.attributes.insert(0, old.attributes.clone());
                }
                changes.push(Change::Write { path, base: Base::Absent, content, mode: None });
            }
            _ => return Err(UndoError::OneByOne(format!("{} is not a file now", path.show()))),
        }
        let purpose = Purpose::Change;
        Ok(Reversal {
            ids: vec![id],
            workspace,
            changes,
            merged: Vec::new(),
            picked: None,
            purpose,
            restoration,
        })
    }
}
