//! Where a walk begins, and which rules it inherits from the directories above.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolcrib_workspace::{Dir, Error, Workspace};

use toolcrib_index::{Index, Present, Rules, is_excluded};

/// With fewer files, or if they are walked in less time, an index would save nothing that anyone notices.
const WORTH_FILES: u64 = 1_000;
const WORTH_TIME: Duration = Duration::from_millis(20);

/// A directory to walk, with the rules that hold in it.
#[derive(Debug)]
pub struct Start {
    dir: Arc<Dir>,
    rules: Rules,
    index: Option<Arc<Index>>,
}

/// A directory on the way that is left out, so that a search below it finds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked(
    /// Its path from the root.
    pub PathBuf,
);

impl Start {
    /// Begins at a directory that was opened.
    ///
    /// `named` is how many names of its path were asked for as they are; what the rules say about these does not
    /// count, for rules are about finding. Further names come from a pattern, and if the rules leave one of them out,
    /// there is nothing to be found.
    ///
    /// # Errors
    ///
    /// If the directories above it cannot be opened any more.
    pub fn new(
        workspace: &Workspace,
        dir: Dir,
        named: usize,
        ignored: bool,
    ) -> Result<Result<Self, Blocked>, Error> {
        if ignored {
            return Ok(Ok(Self { dir: Arc::new(dir), rules: Rules::none(), index: None }));
        }
        let mut above = workspace.open_root(dir.reached())?;
        let mut rules = Rules::global();
        let mut path = PathBuf::new();
        let names: Vec<OsString> = dir.reached().relative().iter().map(OsStr::to_owned).collect();
        for (index, name) in names.iter().enumerate() {
            rules = rules.enter(&above, path.as_os_str().len(), Present::UNKNOWN);
            path.push(name);
            if is_excluded(name) || rules.ignore(path.as_os_str().as_bytes(), true) {
                if index >= named {
                    return Ok(Err(Blocked(path)));
                }
                rules = rules.without_levels();
            }
            if index + 1 < names.len() {
                above = above.open_dir(name)?;
            }
        }
        Ok(Ok(Self { dir: Arc::new(dir), rules, index: None }))
    }

    /// Uses an index of the root where it can answer.
    #[must_use]
    pub fn with_index(mut self, index: Option<Arc<Index>>) -> Self {
        self.index = index;
        self
    }

    /// After a walk over so many files that took so long: if that is worth it, the next one has an index.
    pub(crate) fn walked(&self, files: u64, took: Duration) {
        if let Some(index) = self.index().filter(|_| files >= WORTH_FILES && took >= WORTH_TIME) {
            index.build_in_background();
        }
    }

    /// For everything below. What ignore rules leave out is in no index.
    pub(crate) fn index(&self) -> Option<&Index> {
        self.names().filter(|_| !self.rules.show_ignored())
    }

    /// For the names in a directory, of which an index has all.
    pub(crate) fn names(&self) -> Option<&Index> {
        self.index.as_deref()
    }

    /// Opens a file below, by its path from here. No link is followed on the way.
    ///
    /// # Errors
    ///
    /// If it is not there any more, or cannot be read.
    pub fn open_file(&self, path: &Path) -> Result<File, Error> {
        let mut dir = Arc::clone(&self.dir);
        for name in path.parent().into_iter().flatten() {
            dir = Arc::new(dir.open_dir(name)?);
        }
        Ok(dir.open_unnamed(path.file_name().unwrap_or_default())?.0)
    }

    pub(crate) fn dir(&self) -> &Arc<Dir> {
        &self.dir
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The path from the root.
    pub(crate) fn path(&self) -> &[u8] {
        self.dir.reached().relative().as_os_str().as_bytes()
    }

    /// How many bytes of a path from the root lead to what is below.
    pub(crate) fn skip(&self) -> usize {
        let length = self.path().len();
        if length == 0 { 0 } else { length + 1 }
    }
}
