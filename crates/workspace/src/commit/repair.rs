//! After a crash: a plan that was written down is taken back, or cleaned up after.

use super::act::waiting;
use super::plan::Plan;
use super::take_back::{Back, Handles};
use crate::dir::Dir;
use crate::error::{Doing, Error, ErrorKind};
use crate::path::WorkspacePath;
use crate::resolve::{self, Want};
use crate::stat::{FileKind, Links};
use crate::workspace::Workspace;

/// Where a repair goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the state after: everything was in place, only the old files may still wait under their temporary names.
    Forward,
    /// To the state before.
    Back,
}

impl Plan {
    /// Brings the files of this plan to one of its ends. It can be interrupted and repeated at any point.
    ///
    /// Returns the files on which somebody has saved meanwhile; these stay as they are.
    pub fn repair(&self, workspace: &Workspace, direction: Direction) -> Result<Vec<WorkspacePath>, Error> {
        let handles = self.open_directories(workspace)?;
        let handles = Handles(&handles);
        let fail =
            |path: &WorkspacePath, error| Error::io(error, Doing::Change, workspace.show(path)).at(path);
        let mut left = Vec::new();
        if direction == Direction::Forward {
            for spot in waiting(&self.acts) {
                let removed = handles.at(spot).map_or(Ok(()), |at| at.remove());
                removed.map_err(|errno| fail(&self.path(spot), errno.into()))?;
            }
            return Ok(left);
        }
        for act in self.acts.iter().rev() {
            let path = self.path(act.spot());
            match handles.take_back(act) {
                Ok(Back::AsBefore) => {}
                Ok(Back::SavedOver) => left.push(path),
                Err(error) => return Err(fail(&path, error)),
            }
        }
        Ok(left)
    }

    pub(crate) fn path(&self, spot: &super::Spot) -> WorkspacePath {
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
