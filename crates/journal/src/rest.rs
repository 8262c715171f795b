//! Whether anything is left half done, found out without opening a journal: the cost of a look for those who only read.

use std::ffi::OsStr;
use std::path::Path;

use toolcrib_workspace::{Error, StateFolder, Workspace};

use crate::elsewhere::{homes, identity};
use crate::journal::{Journal, Options};
use crate::log::unfinished;
use crate::presence::Presence;

impl Journal {
    /// Repairs what a crash has left half done in any root of the workspace. Where nothing is, no journal is opened and
    /// nothing is made in the state folder.
    ///
    /// Whoever opens a workspace does this first, also to read: between the ends of a change that was interrupted nothing
    /// should be seen.
    pub fn repair(state: &Path, workspace: &Workspace, options: Options) -> Result<(), Error> {
        let Some(state) = StateFolder::existing(state)? else { return Ok(()) };
        let Some(journals) = state.existing_folder("journals".as_ref())? else { return Ok(()) };
        for (index, root) in workspace.roots().iter().enumerate() {
            let name = identity(workspace, index)?;
            let Some(folder) = journals.existing_folder(&name)? else { continue };
            if !is_at_rest(&journals, &name)? {
                let alone = match index {
                    0 => workspace.clone(),
                    _ => Workspace::builder().mounts(workspace.mounts()).root(root.real()).open()?,
                };
                Self::open_alone(state.path(), &alone, options)?;
            }
            for (name, home) in homes(&folder, workspace)? {
                if !is_at_rest(&journals, &name)? {
                    Self::open_alone(state.path(), &home, options)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether no change in this journal waits for a repair. One that somebody makes at this moment does not.
fn is_at_rest(journals: &StateFolder, name: &OsStr) -> Result<bool, Error> {
    let Some(folder) = journals.existing_folder(name)? else { return Ok(true) };
    // Nobody knows what stands in a log of an earlier run of the machine.
    let Some(open) = unfinished(&folder)? else { return Ok(false) };
    if open.is_empty() {
        return Ok(true);
    }
    let presence = Presence::new(folder.folder("live".as_ref())?);
    for change in open {
        if !presence.is_alive(change.instance)? {
            return Ok(false);
        }
    }
    Ok(true)
}
