//! What the tests stand on: a workspace in a temporary directory, with something outside it to be kept from.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolcrib_workspace::{Error, ErrorKind, Mounts, Resolver, Workspace, WorkspacePath};

/// Both ways to resolve; every rule holds for both.
pub(crate) const RESOLVERS: [Resolver; 2] = [Resolver::Openat2, Resolver::Walk];

/// What no test may ever read.
pub(crate) const CANARY: &str = "canary: outside the workspace";

/// A directory `ws` that is the root, and beside it `outside` with a canary.
pub(crate) struct World {
    pub(crate) workspace: Workspace,
    base: TempDir,
}

impl World {
    pub(crate) fn new(resolver: Resolver) -> Self {
        Self::with_mounts(resolver, Mounts::Refuse)
    }

    pub(crate) fn with_mounts(resolver: Resolver, mounts: Mounts) -> Self {
        let base = tempfile::Builder::new().prefix("ws").tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        fs::create_dir(base.path().join("outside")).unwrap();
        fs::write(base.path().join("outside/secret"), CANARY).unwrap();
        let builder = Workspace::builder().root(base.path().join("ws"));
        let workspace = builder.resolver(resolver).mounts(mounts).open().unwrap();
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

    /// Why the path cannot be read.
    pub(crate) fn refusal(&self, given: impl AsRef<Path>) -> Error {
        match self.read(given.as_ref()) {
            Err(error) => error,
            Ok(read) => panic!("{:?} was read: {read:?}", given.as_ref()),
        }
    }

    pub(crate) fn kind(&self, given: impl AsRef<Path>) -> ErrorKind {
        self.refusal(given).kind()
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

/// Fails if the answer takes so long that something must have waited.
pub(crate) fn at_once<T>(what: &str, ask: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = ask();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
    answer
}

/// Runs the named test again in a process of its own, started through `wrapper`, and there runs `inside`.
///
/// A wrapper that cannot be started fails the test: what was not tested must not look tested.
pub(crate) fn in_child(wrapper: &[&str], test: &str, inside: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some_and(|child| child == test) {
        return inside();
    }
    run_child(wrapper, &std::env::current_exe().unwrap(), test, &["--exact", test]);
}

/// Runs this test binary, at `exe`, through `wrapper` and insists that every test it ran has passed.
pub(crate) fn run_child(wrapper: &[&str], exe: &Path, child: &str, filter: &[&str]) {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg(exe).args(filter).arg("--nocapture").env(CHILD, child);
    let output = command.output().unwrap_or_else(|error| panic!("cannot run {wrapper:?}: {error}"));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let ran = stdout.contains("test result: ok.") && !stdout.contains(" 0 passed");
    assert!(output.status.success() && ran, "{wrapper:?} {filter:?}\n{stdout}\n{stderr}");
    eprint!("{stderr}");
}

pub(crate) const CHILD: &str = "TOOLCRIB_TEST_CHILD";

/// Tells another thread to stop, also when the test fails: a scope waits for its threads.
pub(crate) struct Stop<'a>(pub(crate) &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A new mount namespace; an ordinary user needs a user namespace for it.
pub(crate) fn own_mounts() -> &'static [&'static str] {
    if rustix::process::geteuid().is_root() { &["unshare", "-m"] } else { &["unshare", "-r", "-m"] }
}
