//! What the tests stand on: a workspace in a temporary directory, with something outside it to be kept from.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolcrib_workspace::{Error, ErrorKind, Resolver, Workspace, WorkspacePath};

/// Both ways to resolve; every rule holds for both.
pub(crate) const RESOLVERS: [Resolver; 2] = [Resolver::Openat2, Resolver::Walk];

/// What no test may ever read.
pub(crate) const CANARY: &str = "canary: outside the workspace";

/// A directory `ws` that is the root, and beside it `outside` with a canary.
pub(crate) struct World {
    pub(crate) workspace: Workspace,
    pub(crate) base: TempDir,
}

impl World {
    pub(crate) fn new(resolver: Resolver) -> Self {
        let base = tempfile::Builder::new().prefix("ws").tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        fs::create_dir(base.path().join("outside")).unwrap();
        fs::write(base.path().join("outside/secret"), CANARY).unwrap();
        let workspace = Workspace::builder().root(base.path().join("ws")).resolver(resolver).open().unwrap();
        Self { workspace, base }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.base.path().join("outside")
    }

    pub(crate) fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn dir(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn link(&self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        path
    }

    /// Understands a path as given from the root.
    pub(crate) fn path(&self, given: impl AsRef<Path>) -> WorkspacePath {
        self.workspace.path(given.as_ref(), &self.root()).unwrap()
    }

    /// The content that the path leads to, and the name that was reached.
    pub(crate) fn read(&self, given: impl AsRef<Path>) -> Result<(String, String), Error> {
        let path = self.workspace.path(given.as_ref(), &self.root())?;
        let snapshot = self.workspace.snapshot(&path)?;
        let text = String::from_utf8_lossy(snapshot.bytes()).into_owned();
        assert_ne!(text, CANARY, "escaped through {path:?}");
        Ok((text, snapshot.reached().show()))
    }

    pub(crate) fn kind(&self, given: impl AsRef<Path>) -> ErrorKind {
        match self.read(given.as_ref()) {
            Err(error) => error.kind(),
            Ok(read) => panic!("{:?} was read: {read:?}", given.as_ref()),
        }
    }
}

/// Runs a check for both resolvers.
pub(crate) fn both(check: impl Fn(&World)) {
    for resolver in RESOLVERS {
        let world = World::new(resolver);
        assert_eq!(world.workspace.resolver(), resolver);
        check(&world);
    }
}

/// Text as the test expects it from `read`.
pub(crate) fn got(text: &str, reached: &str) -> (String, String) {
    (text.to_owned(), reached.to_owned())
}

/// A name of any bytes.
pub(crate) fn bytes(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}
