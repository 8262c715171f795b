//! A smaller workspace out of a larger one: a client may name its roots, and can only give up room by that.

use std::path::Path;

use crate::error::{Doing, Error, ErrorKind};
use crate::path::RootId;
use crate::resolve::{self, Want};
use crate::root::Root;
use crate::stat::{FileKind, Links};
use crate::workspace::Workspace;

impl Workspace {
    /// A workspace whose roots are directories inside this one, with the same settings. A root that lies outside, or is
    /// reached through a link that leaves, is refused like any other path.
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
    pub fn narrow(&self, roots: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self, Error> {
        let proc = resolve::ProcFds::open();
        let roots = roots.into_iter().enumerate();
        let roots = roots.map(|(id, path)| self.root_inside(RootId(id), path.as_ref(), proc.as_ref()));
        Self::from_roots(roots.collect::<Result<_, _>>()?, self.mounts(), self.resolver(), proc)
    }

    fn root_inside(&self, id: RootId, given: &Path, proc: Option<&resolve::ProcFds>) -> Result<Root, Error> {
        let path = self.path(given, self.roots()[0].path())?;
        let found = resolve::open(&self.0, &path, Want::Look(Links::Follow))?;
        if found.look.stat.kind != FileKind::Directory {
            return Err(self.0.error(ErrorKind::NotDirectory, Doing::ReadDirectory, &path));
        }
        Root::from_handle(id, self.absolute(&path), found.handle, proc)
    }
}
