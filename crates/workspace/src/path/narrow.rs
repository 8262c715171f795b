//! A part of a workspace: a client may name roots of its own, and can only give up room by that.
//!
//! The roots stay those that the user gave: rules, records and locks go by them. What is reached in a root but outside the
//! part is refused like anything outside, on the handle that is open by then.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::Dir;
use crate::path::WorkspacePath;
use crate::path::names;
use crate::workspace::{Shared, Workspace};

/// The directories that are left of the roots: each as it was asked for, and as what was reached.
#[derive(Debug)]
pub(crate) struct Part(Vec<[WorkspacePath; 2]>);

impl Part {
    /// Whether what was reached lies in it.
    fn holds(&self, reached: &WorkspacePath) -> bool {
        self.0.iter().any(|[_, directory]| lies_in(reached, directory))
    }

    /// Whether the path could lie in it, by its text alone.
    fn may_hold(&self, path: &WorkspacePath) -> bool {
        path.relative().components().any(|name| name == Component::ParentDir)
            || self.0.iter().flatten().any(|directory| lies_in(path, directory))
    }

    pub(crate) fn directories(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.0.iter().map(|[asked, _]| asked)
    }
}

fn lies_in(path: &WorkspacePath, directory: &WorkspacePath) -> bool {
    path.root() == directory.root() && path.relative().starts_with(directory.relative())
}

impl Workspace {
    /// This workspace without what lies in none of these directories. A directory outside every root adds nothing; one
    /// that a root lies in keeps that root.
    ///
    /// # Errors
    ///
    /// If nothing would be left.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// # std::fs::create_dir(root.join("project"))?;
    /// # std::fs::write(root.join("notes.txt"), "")?;
    /// let workspace = toolcrib_workspace::Workspace::open(root)?;
    /// let narrower = workspace.narrow([root.join("project")])?;
    /// assert!(narrower.path(&root.join("notes.txt"), root).is_err());
    /// assert!(workspace.narrow(["/etc"]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn narrow(&self, directories: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self, Error> {
        let given: Vec<PathBuf> = directories.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let left: Vec<[WorkspacePath; 2]> = given.iter().flat_map(|path| self.left_by(path)).collect();
        if left.is_empty() {
            let shown: Vec<_> = given.iter().map(|path| names::escape(path)).collect();
            return Err(
                Error::new(ErrorKind::Outside, Doing::Look, shown.join(", ")).with_hint(self.0.hint())
            );
        }
        Ok(self.with_part(Some(Part(left))))
    }

    /// The directory of the root that a path lies in, whatever is left of the workspace: what holds in the whole root, as its
    /// ignore files do, holds in a part of it too.
    ///
    /// # Errors
    ///
    /// If it cannot be opened any more.
    pub fn open_root(&self, path: &WorkspacePath) -> Result<Dir, Error> {
        self.with_part(None).open_dir(&path.root_itself())
    }

    fn with_part(&self, part: Option<Part>) -> Self {
        let Shared { roots, mounts, backend, protected, exposures, .. } = self.0.as_ref();
        Self(Arc::new(Shared {
            roots: Arc::clone(roots),
            mounts: *mounts,
            backend: Arc::clone(backend),
            part,
            protected: protected.clone(),
            exposures: Arc::clone(exposures),
        }))
    }

    /// Where calls may start from: the roots, or the directories that are left of them.
    pub fn starts(&self) -> Vec<PathBuf> {
        match &self.0.part {
            Some(part) => part.directories().map(|path| self.absolute(path)).collect(),
            None => self.roots().iter().map(|root| root.path().to_owned()).collect(),
        }
    }

    /// The path as text for a reader, from the first of the [`starts`](Self::starts); what lies elsewhere in full.
    pub fn show_relative(&self, path: &WorkspacePath) -> String {
        let start = self.0.part.as_ref().and_then(|part| part.directories().next().cloned());
        let start = start.unwrap_or_else(|| self.roots()[0].path_to(Path::new("")));
        if !lies_in(path, &start) {
            return self.show(path);
        }
        let relative = path.relative().strip_prefix(start.relative()).unwrap_or(path.relative());
        if relative.as_os_str().is_empty() { ".".into() } else { names::escape(relative).into_owned() }
    }

    /// What a directory keeps of the roots.
    fn left_by(&self, directory: &Path) -> Vec<[WorkspacePath; 2]> {
        match self.path(directory, Path::new("/")) {
            Ok(asked) => match self.open_dir(&asked) {
                Ok(dir) => vec![[asked, dir.reached().clone()]],
                Err(_) => Vec::new(),
            },
            // What is there already can lie in the directory, and stays as it is.
            Err(_) => {
                let roots = || self.roots().iter().map(|root| root.path_to(Path::new("")));
                let there = match &self.0.part {
                    Some(part) => part.0.clone(),
                    None => roots().map(|root| [root.clone(), root]).collect(),
                };
                let real = |path: &WorkspacePath| self.0.root(path.root()).real().join(path.relative());
                let below = |path: PathBuf| path.starts_with(directory);
                let lies = |[asked, reached]: &[WorkspacePath; 2]| {
                    below(self.absolute(asked)) || below(self.absolute(reached)) || below(real(reached))
                };
                there.into_iter().filter(lies).collect()
            }
        }
    }
}

impl Shared {
    /// Refuses what was reached outside the part that is left.
    pub(crate) fn keep_to_part(
        &self,
        reached: &WorkspacePath,
        doing: Doing,
        path: &WorkspacePath,
    ) -> Result<(), Error> {
        match &self.part {
            Some(part) if !part.holds(reached) => Err(self.error(ErrorKind::Outside, doing, path)),
            _ => Ok(()),
        }
    }

    /// Refuses a path that cannot lie in the part that is left.
    pub(crate) fn look_for_part(&self, path: &WorkspacePath) -> Result<(), Error> {
        match &self.part {
            Some(part) if !part.may_hold(path) => Err(self.error(ErrorKind::Outside, Doing::Look, path)),
            _ => Ok(()),
        }
    }

    pub(crate) fn hint(&self) -> String {
        let starts: Vec<String> = match &self.part {
            Some(part) => part.directories().map(|path| self.show(path)).collect(),
            None => self.roots.iter().map(|root| names::escape(root.path()).into_owned()).collect(),
        };
        format!("use a path inside {}", starts.join(" or "))
    }
}
