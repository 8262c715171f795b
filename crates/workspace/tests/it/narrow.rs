//! Roots that a client names can only narrow what the user allowed.

use std::path::Path;

use toolcrib_workspace::ErrorKind;

use crate::support::both;

#[test]
fn a_narrower_workspace_keeps_to_its_own_roots() {
    both(|world| {
        world.file("a/file", "a");
        world.file("b/file", "b");
        world.link("a/across", "../b/file");
        let narrow = world.workspace.narrow([world.root().join("a")]).unwrap();
        assert_eq!(narrow.resolver(), world.workspace.resolver());
        let read = |given: &str| {
            let path =
                narrow.path(Path::new(given), &world.root().join("a")).map_err(|error| error.kind())?;
            let snapshot = narrow.snapshot(&path).map_err(|error| error.kind())?;
            Ok(String::from_utf8(snapshot.into_bytes()).unwrap())
        };
        assert_eq!(read("file"), Ok("a".into()));
        assert_eq!(read("across"), Err(ErrorKind::Outside), "inside the larger one, outside of this");
        assert_eq!(read("../b/file"), Err(ErrorKind::Outside));
        let both = world.workspace.narrow([world.root().join("a"), world.root().join("b")]).unwrap();
        let path = both.path(Path::new("across"), &world.root().join("a")).unwrap();
        assert_eq!(both.snapshot(&path).unwrap().bytes(), b"b");
    });
}

#[test]
fn a_root_outside_cannot_be_added() {
    both(|world| {
        world.file("file", "");
        world.link("leaving", world.outside());
        let kind = |given: &Path| world.workspace.narrow([given]).unwrap_err().kind();
        assert_eq!(kind(&world.outside()), ErrorKind::Outside);
        assert_eq!(kind(&world.root().join("..")), ErrorKind::Outside);
        assert_eq!(kind(&world.root().join("leaving")), ErrorKind::Outside);
        assert_eq!(kind(&world.root().join("file")), ErrorKind::NotDirectory);
        assert_eq!(kind(&world.root().join("missing")), ErrorKind::NotFound);
        let none: [&Path; 0] = [];
        assert_eq!(world.workspace.narrow(none).unwrap_err().kind(), ErrorKind::InvalidName);
    });
}
