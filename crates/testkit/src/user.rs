//! To root nothing is forbidden. These tests drop to an ordinary user by themselves.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

/// Set in a test process that was started as the ordinary user.
const ORDINARY: &str = "TOOLCRIB_ORDINARY_USER";

/// The user `nobody`, who owns no files.
const NOBODY: u32 = 65534;

/// Does the work as user 65534, on a thread of its own: on Linux it is the thread that has a user. Where this process is an
/// ordinary user's already, does it as that one.
///
/// # Panics
///
/// If the work does, or if the user cannot be changed.
pub fn as_ordinary_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let demoted = || {
        if !is_ordinary_user() {
            set_thread_groups(&[]).unwrap();
            set_thread_gid(Gid::from_raw(NOBODY)).unwrap();
            set_thread_uid(Uid::from_raw(NOBODY)).unwrap();
        }
        work()
    };
    thread::scope(|scope| scope.spawn(demoted).join().unwrap())
}

/// Whether this process is an ordinary user's.
#[must_use]
pub fn is_ordinary_user() -> bool {
    std::env::var_os(ORDINARY).is_some() || !rustix::process::geteuid().is_root()
}

/// Runs the tests of this binary that `filter` chooses once more, as user 65534. Does nothing if this is such a run.
///
/// # Panics
///
/// If one of them fails, or none was run.
pub fn once_more_as_ordinary_user(filter: &[&str]) {
    if is_ordinary_user() {
        return;
    }
    // A copy, because the build's own directory may be closed to others.
    let copy = tempfile::tempdir().unwrap();
    let exe = copy.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
    for path in [copy.path(), &exe] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let output = Command::new("setpriv")
        .args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()])
        .arg(exe)
        .args(filter)
        .arg("--nocapture")
        .current_dir("/")
        .env(ORDINARY, "1")
        .output()
        .unwrap_or_else(|error| panic!("setpriv is needed to become an ordinary user: {error}"));
    let told = String::from_utf8_lossy(&output.stdout);
    let ran = told.contains("test result: ok.") && !told.contains(" 0 passed");
    assert!(
        output.status.success() && ran,
        "as an ordinary user:\n{told}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let figures = told.lines().filter(|line| !line.starts_with("test ") && !line.starts_with("running "));
    figures.filter(|line| !line.is_empty()).for_each(|line| println!("as user 65534: {line}"));
}
