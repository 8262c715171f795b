//! A second look for a path that was not found: the same name spelt otherwise, and names that come near.
//!
//! An agent copies a name from text, where `é` may be one character or two and a space may be a no-break one. If
//! exactly one entry is the same name in another spelling, that is the one. What merely looks similar is for the
//! error message and is never opened instead.

use std::ffi::{OsStr, OsString};
use std::path::Component;

use crate::error::ErrorKind;
use crate::open::stat::Links;
use crate::path::WorkspacePath;
use crate::path::names;
use crate::workspace::Workspace;

impl Workspace {
    /// Looks once more for a path that was not found, with every name also in its other spellings: composed and
    /// decomposed Unicode, odd spaces for ordinary ones. `None` unless there is exactly one such path.
    ///
    /// ```
    /// # use std::path::Path;
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// # std::fs::write(root.join("Cafe\u{301}.txt"), "decomposed")?;
    /// let workspace = toolcrib_workspace::Workspace::open(root)?;
    /// let composed = workspace.path(Path::new("Caf\u{e9}.txt"), root)?;
    /// assert!(workspace.open_file(&composed).is_err());
    /// let found = workspace.find_again(&composed).unwrap();
    /// assert_eq!(found.relative(), Path::new("Cafe\u{301}.txt"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_again(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        let mut found = path.root_itself();
        for part in path.relative().components() {
            let exact = found.join(part);
            found = match (part, self.stat(&exact, Links::Keep)) {
                (_, Ok(_)) => exact,
                (Component::Normal(name), Err(error)) if error.kind() == ErrorKind::NotFound => {
                    found.join(self.other_spelling(&found, name)?)
                }
                _ => return None,
            };
        }
        (found.relative() != path.relative()).then_some(found)
    }

    /// At most three names in the directory of this path that come near to its last name, the nearest first, as
    /// text (see [`names`]). Empty if the directory does not exist or nothing comes near.
    pub fn near_names(&self, path: &WorkspacePath) -> Vec<String> {
        let Some(wanted) = path.file_name().map(comparable) else { return Vec::new() };
        let Some(directory) = path.parent() else { return Vec::new() };
        let (entries, _) = self.some_names(&directory);
        let mut near: Vec<_> = entries
            .iter()
            .map(|name| (likeness(&wanted, &comparable(name)), names::escape(name)))
            .filter(|(likeness, _)| *likeness >= NEAR)
            .collect();
        near.sort_by(|(a, name_a), (b, name_b)| b.total_cmp(a).then_with(|| name_a.cmp(name_b)));
        near.into_iter().take(MOST_NEAR).map(|(_, name)| name.into_owned()).collect()
    }

    fn other_spelling(&self, directory: &WorkspacePath, name: &OsStr) -> Option<OsString> {
        let name = name.to_str()?;
        // An ordinary name has no other spelling, so that a new file costs no look at what else is in its directory.
        if name.is_ascii() && !name.contains(' ') {
            return None;
        }
        let wanted = names::fold(name);
        let (entries, complete) = self.some_names(directory);
        let mut same =
            entries.into_iter().filter(|entry| entry.to_str().is_some_and(|e| names::fold(e) == wanted));
        let only = same.next()?;
        // A directory that was not read to its end may hold another one.
        (complete && same.next().is_none()).then_some(only)
    }

    /// The names in a directory, up to a bound, and whether these are all. What cannot be read has none.
    fn some_names(&self, directory: &WorkspacePath) -> (Vec<OsString>, bool) {
        let Ok(directory) = self.open_dir(directory) else { return (Vec::new(), true) };
        let Ok(mut entries) = directory.entries() else { return (Vec::new(), true) };
        let names = entries.by_ref().take(MOST_SCANNED).filter_map(|entry| Some(entry.ok()?.name)).collect();
        (names, entries.next().is_none())
    }
}

/// A second look must stay cheap in a directory with a million entries.
const MOST_SCANNED: usize = 10_000;

/// And with names of any length: as many characters of each are compared.
const MOST_COMPARED: usize = 80;

const MOST_NEAR: usize = 3;

/// How alike two names must be, from 0 to 1: two slips in five letters, four in ten.
const NEAR: f64 = 0.6;

fn comparable(name: &OsStr) -> String {
    names::fold(&names::escape(name)).to_lowercase().chars().take(MOST_COMPARED).collect()
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let longer = wanted.chars().count().max(name.chars().count()).max(1);
    1.0 - strsim::osa_distance(wanted, name) as f64 / longer as f64
}
