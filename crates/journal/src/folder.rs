//! Where the user keeps what programs remember.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolcrib_workspace::{Error, StateFolder, Workspace};

use crate::journal::{JOURNALS, identity};
use crate::log::has_records;

/// `$XDG_STATE_HOME/toolcrib`, or `~/.local/state/toolcrib`. None for a user without a home.
///
/// The caller decides whether to use it; a [`Journal`](crate::Journal) opens what it is given.
pub fn state_folder() -> Option<PathBuf> {
    from(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"))
}

/// The nearest directory that has a journal with something in it: this one, or one above.
///
/// # Errors
///
/// If the state folder cannot be read. A directory that cannot be opened has none.
pub fn nearest_journal(state: &Path, directory: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(journals) =
        StateFolder::existing(state)?.map(|folder| folder.existing_folder(JOURNALS.as_ref()))
    else {
        return Ok(None);
    };
    let Some(journals) = journals? else { return Ok(None) };
    for directory in directory.ancestors() {
        let Ok(workspace) = Workspace::open(directory) else { continue };
        let name = identity(&workspace, 0)?;
        if let Some(folder) = journals.existing_folder(&name)?
            && has_records(&folder)?
        {
            return Ok(Some(directory.to_owned()));
        }
    }
    Ok(None)
}

/// A path that is not absolute is no answer: it would mean another folder in every directory.
fn from(state: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let state = state.and_then(absolute);
    let state = state.or_else(|| Some(home.and_then(absolute)?.join(".local/state")));
    Some(state?.join("toolcrib"))
}

#[cfg(test)]
mod tests {
    use super::from;

    #[test]
    fn the_state_folder_is_where_the_user_says_or_in_the_home() {
        let folder = |state: &str, home: &str| {
            let given = |path: &str| (!path.is_empty()).then(|| path.into());
            from(given(state), given(home)).map(|path| path.display().to_string())
        };
        assert_eq!(folder("/s", "/h").as_deref(), Some("/s/toolcrib"));
        assert_eq!(folder("", "/h").as_deref(), Some("/h/.local/state/toolcrib"));
        assert_eq!(folder("relative", "/h").as_deref(), Some("/h/.local/state/toolcrib"));
        assert_eq!(folder("", "relative"), None);
        assert_eq!(folder("", ""), None);
    }
}
