//! The attacks once more, as an ordinary user, and what the system refuses to one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use toolcrib::Toolbox;
use toolcrib_testkit::{is_ordinary_user, once_more_as_ordinary_user};

use crate::probes::read;

#[test]
fn the_attacks_as_an_ordinary_user() {
    once_more_as_ordinary_user(&["race::", "matrix::", "protected::"]);
}

#[test]
fn what_the_system_refuses_is_permission_denied() {
    once_more_as_ordinary_user(&["user::what_the_system_refuses_is_permission_denied"]);
    if !is_ordinary_user() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("closed.txt");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let result = toolbox.call_blocking("Read", read(&file), &toolbox.context());
    assert_eq!(result.error.unwrap(), format!("Permission denied: {}", file.display()));
    assert_eq!(result.metadata["error_kind"], "permission_denied");
}
