//! As an ordinary user: to root nothing is forbidden, so these tests drop to one by themselves.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toolcrib_workspace::{ErrorKind, Links};

use crate::support::{CHILD, World, both, run_child};

/// The whole suite once more, but for what needs to be root or takes long.
#[test]
fn everything_holds_for_an_ordinary_user() {
    let filter =
        ["--skip", "user::everything", "--skip", "mounts::", "--skip", "race::", "--skip", "without::"];
    as_ordinary_user("everything", &filter, || {});
}

#[test]
fn what_the_system_forbids_is_permission_denied() {
    let filter = ["--exact", "user::what_the_system_forbids_is_permission_denied"];
    as_ordinary_user("forbidden", &filter, || both(refusals));
}

fn refusals(world: &World) {
    let unreadable = world.file("unreadable", "");
    world.file("closed/file", "inside");
    world.file("unlisted/file", "inside");
    world.file("listed/file", "inside");
    world.dir("fixed");
    world.dir("drop");
    let modes = [
        ("unreadable", 0o000),
        ("closed", 0o000),
        ("unlisted", 0o311),
        ("listed", 0o444),
        ("fixed", 0o555),
        ("drop", 0o333),
    ];
    modes.iter().for_each(|(name, mode)| chmod(&world.root().join(name), *mode));

    let error = world.refusal("unreadable");
    assert_eq!(error.to_string(), format!("Permission denied: {}", unreadable.display()));
    assert!(std::error::Error::source(&error).is_some());
    for given in ["unreadable", "closed/file", "closed/..", "listed/file", "listed/../unreadable"] {
        assert_eq!(world.kind(given), ErrorKind::PermissionDenied, "{given}");
    }
    assert_eq!(world.read("unlisted/file").unwrap().0, "inside");

    let workspace = &world.workspace;
    assert!(workspace.stat(&world.path("unreadable"), Links::Keep).is_ok());
    for given in ["closed", "unlisted", "drop"] {
        let error = workspace.open_dir(&world.path(given)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{given}");
    }
    let listed = workspace.open_dir(&world.path("listed")).unwrap();
    assert_eq!(listed.entries().unwrap().count(), 1, "names may be read without the right to use them");

    let place = |given: &str| workspace.locate(&world.path(given));
    let fixed = place("fixed/new").unwrap();
    assert_eq!(
        fixed.parent().create_new(fixed.name(), 0o600).unwrap_err().kind(),
        ErrorKind::PermissionDenied
    );
    let drop = place("drop/new").unwrap();
    drop.parent().create_new(drop.name(), 0o600).unwrap();
    assert_eq!(place("closed/new").unwrap_err().kind(), ErrorKind::PermissionDenied);
    modes.iter().for_each(|(name, _)| chmod(&world.root().join(name), 0o755));
}

/// Runs tests of this binary as user 65534, or `inside` if that is who we are already.
fn as_ordinary_user(child: &str, filter: &[&str], inside: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() || !rustix::process::geteuid().is_root() {
        return inside();
    }
    // A copy, because the build's own directory may be closed to others.
    let copy = tempfile::tempdir().unwrap();
    chmod(copy.path(), 0o755);
    let exe = copy.path().join("it");
    fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
    chmod(&exe, 0o755);
    let wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "--chdir=/"];
    run_child(&wrapper, &exe, child, filter);
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
