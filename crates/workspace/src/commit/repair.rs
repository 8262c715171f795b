//! After a crash: a plan that was written down is rolled back, or cleaned up after.

use super::act::Act;
use super::plan::Plan;
use super::roll_back::{Back, Handles};
use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::Dir;
use crate::open::resolve::{self, Want};
use crate::open::stat::{FileKind, Links};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// Where a repair goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the state after: everything was in place, only the old files may still wait under their temporary names.
    Forward,
    /// The same for a plan that was completed as far as anybody knows, maybe long ago: only what has a temporary name is
    /// removed. A directory that has the name of one that was removed may be another by now.
    Completed,
    /// To the state before.
    Back,
}

impl Plan {
    /// Brings the files of this plan to one of its ends. It can be interrupted and repeated at any point.
    ///
    /// Returns the files that another program has saved meanwhile; these stay as they are.
    pub fn repair(&self, workspace: &Workspace, direction: Direction) -> Result<Vec<WorkspacePath>, Error> {
        let directories = self.open_directories(workspace)?;
        let left = self.repair_names(workspace, &Handles(&directories), direction)?;
        // What a repair has decided must not be undone by a power cut.
        self.open_directories(workspace)?.iter().flatten().try_for_each(Dir::sync)?;
        Ok(left)
    }

    fn repair_names(
        &self,
        workspace: &Workspace,
        handles: &Handles<'_>,
        direction: Direction,
    ) -> Result<Vec<WorkspacePath>, Error> {
        let fail =
            |path: &WorkspacePath, error| Error::io(error, Doing::Change, workspace.show(path)).at(path);
        let mut left = Vec::new();
        if direction != Direction::Back {
            let with_directories = direction == Direction::Forward;
            handles
                .clean_up(&self.acts, with_directories)
                .map_err(|(spot, errno)| fail(&self.path(spot), errno.into()))?;
            return Ok(left);
        }
        for act in self.acts.iter().rev() {
            let path = self.path(act.spot());
            match handles.roll_back(act) {
                Ok(Back::AsBefore) => {}
                Ok(Back::SavedOver) => left.push(path),
                Err(error) => return Err(fail(&path, error)),
            }
        }
        Ok(left)
    }

    /// Whether all of it is done, judged by what is there now: then a repair should go forward, and otherwise back.
    ///
    /// Where another program has changed a file since, nothing tells whether that was after this plan or instead of it.
    /// It is taken for done then: a plan is written down to be carried out.
    pub fn is_in_place(&self, workspace: &Workspace) -> Result<bool, Error> {
        let handles = self.open_directories(workspace)?;
        let handles = Handles(&handles);
        for act in &self.acts {
            let fail = |error| Error::io(error, Doing::Change, workspace.show(&self.path(act.spot())));
            if !handles.is_done(act, &self.acts).map_err(fail)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether anything still has one of its temporary names. While a commit is between its two ends, something has: the
    /// content that is still to get its place, or the old file. Afterwards nothing has.
    pub fn has_leftovers(&self, workspace: &Workspace) -> Result<bool, Error> {
        let handles = self.open_directories(workspace)?;
        let handles = Handles(&handles);
        for spot in self.acts.iter().filter_map(Act::temporary) {
            let fail = |errno| Error::system(errno, Doing::Look, workspace.show(&self.path(spot)));
            if handles.is_left_over(spot).map_err(fail)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn path(&self, spot: &super::NameRef) -> WorkspacePath {
        self.directories[spot.directory].join(&spot.name)
    }

    fn open_directories(&self, workspace: &Workspace) -> Result<Vec<Option<Dir>>, Error> {
        self.directories.iter().map(|path| open_directory(workspace, path)).collect()
    }
}

/// None if it does not exist any more, or is something else by now.
fn open_directory(workspace: &Workspace, path: &WorkspacePath) -> Result<Option<Dir>, Error> {
    let found = match resolve::open(&workspace.0, path, Want::Look(Links::Keep)) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let is_directory = found.look.stat.kind == FileKind::Directory;
    Ok(is_directory.then(|| Dir::standing(workspace.clone(), found.handle, found.reached)))
}
