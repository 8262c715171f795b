//! [`Workspace`]: the roots, and every question that begins with a path.
//!
//! It decides nothing about permission: a path that is inside may still be one that a policy keeps from a tool.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::Dir;
use crate::open::file::OpenFile;
use crate::open::resolve::{self, Backend, Mounts, ProcFds, Resolver, Want};
use crate::open::stat::{FileKind, Links, Stat};
use crate::path::names;
use crate::path::narrow::Part;
use crate::path::protected::{Exposure, Protected};
use crate::path::root::{Root, Roots, containing};
use crate::path::{RootId, WorkspacePath};

/// The directories that may be touched, held open. Cloning it is cheap and shares the handles.
///
/// ```
/// use std::{io::Read, path::Path};
/// use toolcrib_workspace::{ErrorKind, Workspace};
///
/// # let root = tempfile::tempdir()?;
/// # let root = root.path();
/// # std::fs::write(root.join("hello.txt"), "hello")?;
/// let workspace = Workspace::open(root)?;
/// let path = workspace.path(Path::new("hello.txt"), root)?;
/// let mut text = String::new();
/// workspace.open_file(&path)?.into_file().read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
///
/// let above = workspace.path(Path::new("../secret"), root)?;
/// let error = workspace.open_file(&above).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Outside);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Workspace(pub(crate) Arc<Shared>);

/// What all clones, directories and places of a workspace share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) roots: Arc<Roots>,
    pub(crate) mounts: Mounts,
    pub(crate) backend: Arc<Backend>,
    pub(crate) part: Option<Part>,
    pub(crate) protected: Protected,
    /// For each root.
    pub(crate) exposures: Arc<[Exposure]>,
}

impl Workspace {
    /// Opens a workspace with one root and the default settings.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder().root(root).open()
    }

    /// Starts a workspace with several roots or other settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Another workspace, with one root, that follows mounts and protects files as this one does.
    pub fn beside(&self, root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder().mounts(self.mounts()).protect(self.protected().clone()).root(root).open()
    }

    /// The roots, in the order they were given.
    pub fn roots(&self) -> &[Root] {
        &self.0.roots
    }

    /// The resolver in force: [`Resolver::Openat2`] or [`Resolver::Walk`].
    pub fn resolver(&self) -> Resolver {
        match *self.0.backend {
            Backend::Openat2(_) => Resolver::Openat2,
            Backend::Walk => Resolver::Walk,
        }
    }

    /// Whether other mounts below a root are followed.
    pub fn mounts(&self) -> Mounts {
        self.0.mounts
    }

    /// Understands a path as it was given: escaped names are read (see [`names`]), a relative path starts in
    /// `working_dir`, which is absolute and lies in a root; an absolute one must lie in a root, component by component.
    ///
    /// Nothing on the disk is looked at. Where the path really leads is found out by what is done with it.
    pub fn path(&self, given: &Path, working_dir: &Path) -> Result<WorkspacePath, Error> {
        let name = names::unescape(given);
        let invalid =
            |detail| Error::new(ErrorKind::InvalidName, Doing::Look, names::escape(given)).detail(detail);
        if name.is_empty() {
            return Err(invalid("it is empty"));
        }
        if name.as_bytes().contains(&0) {
            return Err(invalid("it holds a NUL byte"));
        }
        let absolute = working_dir.join(Path::new(&name));
        let path = self.0.containing(&absolute)?;
        if path.for_kernel().as_os_str().len() >= PATH_MAX {
            return Err(self.0.error(ErrorKind::TooLong, Doing::Look, &path));
        }
        self.0.look_for_part(&path)?;
        Ok(path)
    }

    /// The absolute path, under the root as the user gave it.
    pub fn absolute(&self, path: &WorkspacePath) -> PathBuf {
        self.0.absolute(path)
    }

    /// The absolute path as text for a reader, see [`names`].
    pub fn show(&self, path: &WorkspacePath) -> String {
        self.0.show(path)
    }

    /// Opens a regular file for reading. Links that stay inside are followed; anything but a regular file is refused
    /// without being opened, so that no pipe or device can make it wait.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<OpenFile, Error> {
        resolve::open(&self.0, path, Want::File).map(OpenFile::new)
    }

    /// Opens a directory to read its entries or to step down into it.
    pub fn open_dir(&self, path: &WorkspacePath) -> Result<Dir, Error> {
        let found = resolve::open(&self.0, path, Want::Directory)?;
        Ok(Dir::readable(self.clone(), found.handle, found.reached))
    }

    /// Facts about what the path leads to; with [`Links::Keep`], about the link itself if it ends in one.
    pub fn stat(&self, path: &WorkspacePath, links: Links) -> Result<Stat, Error> {
        Ok(resolve::open(&self.0, path, Want::Look(links))?.look.stat)
    }

    /// The path after all links, as it was at this moment.
    pub fn reach(&self, path: &WorkspacePath, links: Links) -> Result<WorkspacePath, Error> {
        Ok(resolve::open(&self.0, path, Want::Look(links))?.reached)
    }

    /// What a symbolic link says, which need not be inside nor exist.
    pub fn read_link(&self, path: &WorkspacePath) -> Result<PathBuf, Error> {
        let found = resolve::open(&self.0, path, Want::Look(Links::Keep))?;
        if found.look.stat.kind != FileKind::Symlink {
            let error = self.0.error(ErrorKind::InvalidName, Doing::Look, path);
            return Err(error.detail("not a symbolic link"));
        }
        crate::open::dir::link_target(&found.handle).map_err(|errno| self.0.system(errno, Doing::Look, path))
    }
}

/// The settings of a workspace to be opened.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    roots: Vec<PathBuf>,
    mounts: Mounts,
    resolver: Resolver,
    protected: Protected,
}

impl Builder {
    /// Adds a root. The first is the one a relative path would usually start from.
    #[must_use]
    pub fn root(mut self, path: impl AsRef<Path>) -> Self {
        self.roots.push(path.as_ref().to_owned());
        self
    }

    /// Whether other mounts below a root are followed; by default they are refused.
    #[must_use]
    pub fn mounts(mut self, mounts: Mounts) -> Self {
        self.mounts = mounts;
        self
    }

    /// How paths are resolved; by default the best that the system offers.
    #[must_use]
    pub fn resolver(mut self, resolver: Resolver) -> Self {
        self.resolver = resolver;
        self
    }

    /// Keeps every tool from these files, wherever they lie; by default nothing is protected.
    #[must_use]
    pub fn protect(mut self, protected: Protected) -> Self {
        self.protected = protected;
        self
    }

    /// Opens every root and holds it.
    pub fn open(self) -> Result<Workspace, Error> {
        let proc = ProcFds::open();
        let open = |(id, path): (usize, &PathBuf)| Root::open(RootId(id), path, proc.as_ref());
        let roots = self.roots.iter().enumerate().map(open).collect::<Result<Vec<Root>, _>>()?;
        let roots = Arc::new(Roots::from(roots));
        let first = roots.first().ok_or_else(no_root)?;
        let backend = Arc::new(Backend::choose(self.resolver, first, proc)?);
        let Self { mounts, protected, .. } = self;
        let exposures = roots.iter().map(|root| Exposure::of(root, &protected, mounts)).collect();
        Ok(Workspace(Arc::new(Shared { roots, mounts, backend, part: None, protected, exposures })))
    }
}

/// The kernel takes no longer path, and the walk should not either.
const PATH_MAX: usize = 4096;

impl Shared {
    pub(crate) fn root(&self, id: RootId) -> &Root {
        &self.roots[id.0]
    }

    pub(crate) fn absolute(&self, path: &WorkspacePath) -> PathBuf {
        let root = self.root(path.root()).path();
        // Joining an empty path would add a slash.
        if path.relative().as_os_str().is_empty() { root.to_owned() } else { root.join(path.relative()) }
    }

    pub(crate) fn show(&self, path: &WorkspacePath) -> String {
        names::escape(&self.absolute(path)).into_owned()
    }

    pub(crate) fn error(&self, kind: ErrorKind, doing: Doing, path: &WorkspacePath) -> Error {
        let error = Error::new(kind, doing, self.show(path)).at(path);
        if kind == ErrorKind::Outside { error.with_hint(self.hint()) } else { error }
    }

    pub(crate) fn system(&self, errno: Errno, doing: Doing, path: &WorkspacePath) -> Error {
        Error::system(errno, doing, self.show(path)).at(path)
    }

    fn containing(&self, absolute: &Path) -> Result<WorkspacePath, Error> {
        containing(&self.roots, absolute).ok_or_else(|| {
            Error::new(ErrorKind::Outside, Doing::Look, names::escape(absolute)).with_hint(self.hint())
        })
    }
}

fn no_root() -> Error {
    Error::new(ErrorKind::InvalidName, Doing::ReadDirectory, "").detail("a workspace needs at least one root")
}
