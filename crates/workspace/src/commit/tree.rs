//! A directory that is removed with everything in it.
//!
//! The directory gets a temporary name in one step, so it disappears as a whole or not at all. Everything in it is then
//! compared with the [entries](TreeEntry) that the plan lists, and only those are removed. A file that another program puts
//! there meanwhile is on no list: it is kept, and the directory gets its name back with it.
//!
//! Every step is relative to a directory handle and follows no link, so nothing outside the tree can be reached.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, openat, readlinkat, unlinkat};
use rustix::io::Errno;

use super::act::{Act, NameRef};
use super::exchange::{DirEntryRef, rename_new};
use super::roll_back::{Back, Handles};
use crate::open::stat::FileKind;
use crate::open::version::Version;

/// Something in a directory that is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Where, from the directory.
    pub path: PathBuf,
    /// What it is.
    pub kind: TreeEntryKind,
}

/// What an entry of a directory is, as it must be when the directory is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEntryKind {
    /// A directory.
    Directory,
    /// A file with this content.
    File(Version),
    /// A symbolic link to this.
    Link(PathBuf),
}

/// The entries as a slice in which everything in a directory directly follows the directory.
#[derive(Clone, Copy)]
struct Tree<'a>(&'a [TreeEntry]);

impl<'a> Tree<'a> {
    /// The entries at the top, each with what is in it.
    fn top(self) -> impl Iterator<Item = (&'a TreeEntry, Tree<'a>)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (first, others) = rest.split_first()?;
            let inside = others.iter().take_while(|entry| entry.path.starts_with(&first.path)).count();
            let (inside, after) = others.split_at(inside);
            rest = after;
            Some((first, Tree(inside)))
        })
    }
}

/// Sorts entries as [`Tree`] needs them: paths are compared name by name, so what is in a directory follows it.
pub(crate) fn sorted(mut entries: Vec<TreeEntry>) -> Vec<TreeEntry> {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries
}

/// Whether the directory contains exactly these entries.
pub(crate) fn holds_exactly(directory: DirEntryRef<'_>, entries: &[TreeEntry]) -> io::Result<bool> {
    match open_directory(directory) {
        Ok(handle) => holds(handle.as_fd(), Tree(entries)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// The first file that another program has open for writing, if one has.
pub(crate) fn held(
    directory: DirEntryRef<'_>,
    entries: &[TreeEntry],
    is_held: &dyn Fn(&File) -> bool,
) -> Option<PathBuf> {
    let handle = open_directory(directory).ok()?;
    held_in(handle.as_fd(), Tree(entries), is_held)
}

fn held_in(directory: BorrowedFd<'_>, tree: Tree<'_>, is_held: &dyn Fn(&File) -> bool) -> Option<PathBuf> {
    tree.top().find_map(|(entry, inside)| {
        let at = DirEntryRef { directory, name: entry.name() };
        match entry.kind {
            TreeEntryKind::File(_) => at.open().ok().flatten().filter(is_held).map(|_| entry.path.clone()),
            TreeEntryKind::Directory => held_in(open_directory(at).ok()?.as_fd(), inside, is_held),
            TreeEntryKind::Link(_) => None,
        }
    })
}

fn holds(directory: BorrowedFd<'_>, tree: Tree<'_>) -> io::Result<bool> {
    let mut expected: BTreeMap<&OsStr, (&TreeEntry, Tree<'_>)> =
        tree.top().map(|(entry, inside)| (entry.name(), (entry, inside))).collect();
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let Some((entry, inside)) = expected.remove(name) else { return Ok(false) };
        if !entry.is_at(DirEntryRef { directory, name }, inside)? {
            return Ok(false);
        }
    }
    Ok(expected.is_empty())
}

impl TreeEntry {
    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    fn is_at(&self, at: DirEntryRef<'_>, inside: Tree<'_>) -> io::Result<bool> {
        match &self.kind {
            TreeEntryKind::File(version) => Ok(at.see()?.is_some_and(|seen| seen.version == Some(*version))),
            TreeEntryKind::Link(target) => Ok(at.link()?.is_some_and(|link| link == *target)),
            TreeEntryKind::Directory => match open_directory(at) {
                Ok(handle) => holds(handle.as_fd(), inside),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
                Err(errno) => Err(errno.into()),
            },
        }
    }
}

impl DirEntryRef<'_> {
    /// What the symbolic link of this name says; none if there is none.
    pub(crate) fn link(self) -> Result<Option<PathBuf>, Errno> {
        match readlinkat(self.directory, self.name, Vec::new()) {
            Ok(target) => Ok(Some(PathBuf::from(OsStr::from_bytes(target.as_bytes())))),
            Err(Errno::NOENT | Errno::INVAL) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

impl<'a> Handles<'a> {
    /// Removes the directories that were displaced, and says of each what came of it.
    pub(crate) fn remove_trees(
        &self,
        acts: &'a [Act],
    ) -> impl Iterator<Item = (&'a NameRef, Result<(), Errno>)> {
        acts.iter().filter_map(|act| match act {
            Act::RemoveTree { temporary, spot, entries } => {
                let done = match (self.at(temporary), self.at(spot)) {
                    (Some(temporary), Some(spot)) => remove_tree(temporary, spot, entries),
                    _ => Ok(()),
                };
                Some((temporary, done))
            }
            _ => None,
        })
    }
}

/// Removes the entries, then the directory. If something else is in it, the directory gets its name back.
fn remove_tree(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    entries: &[TreeEntry],
) -> Result<(), Errno> {
    match open_directory(temporary) {
        Ok(handle) => remove_entries(handle.as_fd(), Tree(entries))?,
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(errno),
    }
    match unlinkat(temporary.directory, temporary.name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => rename_new(temporary, spot),
        Err(Errno::NOENT) => Ok(()),
        answer => answer,
    }
}

fn remove_entries(directory: BorrowedFd<'_>, tree: Tree<'_>) -> Result<(), Errno> {
    for (entry, inside) in tree.top() {
        let at = DirEntryRef { directory, name: entry.name() };
        match entry.kind {
            TreeEntryKind::File(_) | TreeEntryKind::Link(_) => at.remove()?,
            TreeEntryKind::Directory => {
                match open_directory(at) {
                    Ok(handle) => remove_entries(handle.as_fd(), inside)?,
                    Err(Errno::NOENT) => continue,
                    Err(errno) => return Err(errno),
                }
                at.remove_if_empty()?;
            }
        }
    }
    Ok(())
}

/// Moves a directory that is `inode` to a name that nothing has.
pub(crate) fn move_directory(
    from: DirEntryRef<'_>,
    to: DirEntryRef<'_>,
    inode: u64,
) -> Result<(), super::fault::Fault> {
    use super::fault::Fault;
    if !is_directory(from, inode)? {
        return Err(Fault::Changed);
    }
    match rename_new(from, to) {
        Err(Errno::NOENT) => return Err(Fault::Changed),
        Err(Errno::EXIST) => return Err(Fault::Taken),
        answer => answer?,
    }
    if is_directory(to, inode)? {
        return Ok(());
    }
    // Another program put something else in its place between the two looks.
    rename_new(to, from)?;
    Err(Fault::Changed)
}

/// Moves a directory back. If its old name is taken by now, it stays where it is and that is an error: only the user can
/// tell what should become of it.
pub(crate) fn move_directory_back(
    from: DirEntryRef<'_>,
    to: DirEntryRef<'_>,
    inode: u64,
) -> io::Result<Back> {
    if is_directory(from, inode)? {
        return Ok(Back::AsBefore);
    }
    if !is_directory(to, inode)? {
        return Ok(Back::SavedOver);
    }
    rename_new(to, from)?;
    Ok(Back::AsBefore)
}

/// Whether the name leads to that directory.
pub(crate) fn is_directory(at: DirEntryRef<'_>, inode: u64) -> Result<bool, Errno> {
    Ok(at.look()?.is_some_and(|seen| seen.stat.kind == FileKind::Directory && seen.stat.ino == inode))
}

/// Opens a directory for reading, never through a link.
pub(crate) fn open_directory(at: DirEntryRef<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at.directory, at.name, flags, Mode::empty())
}

/// The way from a directory to something in it.
pub(crate) fn below<'p>(directory: &Path, path: &'p Path) -> Option<&'p Path> {
    path.strip_prefix(directory).ok().filter(|rest| !rest.as_os_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_directory_follows_it_whatever_its_name() {
        let entry = |path: &str| TreeEntry { path: path.into(), kind: TreeEntryKind::Directory };
        let entries = sorted(["a.b", "a/c", "a", "a/b", "a-b", "a/b/c"].map(entry).to_vec());
        let shown = |tree: Tree<'_>| {
            tree.top().map(|(entry, inside)| (entry.path.clone(), inside.0.len())).collect::<Vec<_>>()
        };
        let expected = [("a", 3), ("a-b", 0), ("a.b", 0)].map(|(path, inside)| (PathBuf::from(path), inside));
        assert_eq!(shown(Tree(&entries)), expected);
    }
}
