//! Changes that reach over several roots stand in the journal of the first. The others' journals say where, so that
//! whoever opens one of them alone finds what a crash has left half done there too.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use toolcrib_workspace::{Error, Planned, RootId, StateFolder, Workspace};

use crate::journal::Journal;

const FOLDER: &str = "elsewhere";

/// The folder of a root's journal, by the root's identity.
pub(crate) fn folder_of(
    state: &StateFolder,
    workspace: &Workspace,
    root: usize,
) -> Result<StateFolder, Error> {
    state.folder("journals".as_ref())?.folder(&identity(workspace, root)?)
}

impl Journal {
    /// Leaves word with the other roots that a change touches. Costs something only the first time.
    pub(crate) fn leave_word(&self, workspace: &Workspace, planned: &Planned<'_>) -> Result<(), Error> {
        let touched = planned.plan().directories.iter().map(|directory| directory.root());
        let others = touched.map(RootId::index).filter(|root| *root != 0);
        let mut others: Vec<usize> = others.collect();
        others.sort_unstable();
        others.dedup();
        for root in others {
            let folder = folder_of(&self.state, workspace, root)?.folder(FOLDER.as_ref())?;
            let (name, home) = (identity(workspace, 0)?, workspace.roots()[0].real());
            if folder.open_file(&name)?.is_some() {
                continue;
            }
            let mut file = folder.open_or_create(&name)?;
            let written = file.write_all(home.as_os_str().as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|error| folder.failure(&name, error))?;
            folder.sync()?;
        }
        Ok(())
    }

    /// Repairs what stands in the journals of other roots. One that is not there any more needs no repair.
    pub(crate) fn recover_elsewhere(&self) -> Result<(), Error> {
        for (_, home) in homes(&folder_of(&self.state, &self.workspace, 0)?, &self.workspace)? {
            Self::open_alone(self.state.path(), &home, self.options)?;
        }
        Ok(())
    }
}

/// The roots in whose journals changes of this one may stand, as far as they are still there.
pub(crate) fn homes(
    folder: &StateFolder,
    workspace: &Workspace,
) -> Result<Vec<(OsString, Workspace)>, Error> {
    let Some(folder) = folder.existing_folder(FOLDER.as_ref())? else { return Ok(Vec::new()) };
    let mut homes = Vec::new();
    for name in folder.names()? {
        let Some(home) = read(&folder, &name)? else { continue };
        let Ok(home) = Workspace::builder().mounts(workspace.mounts()).root(home).open() else { continue };
        if identity(&home, 0)? == name {
            homes.push((name, home));
        }
    }
    Ok(homes)
}

pub(crate) fn identity(workspace: &Workspace, root: usize) -> Result<OsString, Error> {
    let mut identity = workspace.roots()[root].identity()?.to_string();
    identity.truncate(32);
    Ok(identity.into())
}

fn read(folder: &StateFolder, name: &OsStr) -> Result<Option<PathBuf>, Error> {
    let Some(mut file) = folder.open_file(name)? else { return Ok(None) };
    let mut path = Vec::new();
    file.read_to_end(&mut path).map_err(|error| folder.failure(name, error))?;
    Ok(Some(OsString::from_vec(path).into()))
}
