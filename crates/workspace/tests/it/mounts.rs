//! Another mount below the root: refused, unless the user allows it.
//!
//! The tests mount things in a mount namespace of their own, so they need `unshare` and `mount`.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolcrib_workspace::{ErrorKind, Links, Mounts};

use crate::support::{CANARY, RESOLVERS, World, at_once, in_child, own_mounts};

#[test]
fn a_mount_below_the_root_is_refused() {
    in_child(own_mounts(), "mounts::a_mount_below_the_root_is_refused", || {
        for resolver in RESOLVERS {
            let world = mounted(World::new(resolver));
            for given in
                ["bound/secret", "bound-file", "tmp/new", "link/secret", "dir/../bound/secret", "bound/inner"]
            {
                let kind = at_once(given, || world.kind(given));
                assert_eq!(kind, ErrorKind::OtherMount, "{resolver:?} {given}");
            }
            refused_for_all_else(&world);
            assert_eq!(world.read("dir/file").unwrap().0, "inside");
        }
    });
}

#[test]
fn a_mount_below_the_root_is_followed_if_that_is_allowed() {
    in_child(own_mounts(), "mounts::a_mount_below_the_root_is_followed_if_that_is_allowed", || {
        for resolver in RESOLVERS {
            let world = mounted(World::with_mounts(resolver, Mounts::Follow));
            for (given, reached) in [("bound/secret", "bound/secret"), ("link/secret", "bound/secret")] {
                let snapshot = world.workspace.snapshot(&world.path(given)).unwrap();
                assert_eq!(
                    (snapshot.bytes(), snapshot.reached().show()),
                    (CANARY.as_bytes(), reached.to_owned())
                );
            }
            assert_eq!(world.kind("bound/../../outside/secret"), ErrorKind::Outside);
            let place = world.workspace.locate(&world.path("tmp/new")).unwrap();
            place.parent().create_new(place.name(), 0o600).unwrap();
        }
    });
}

fn refused_for_all_else(world: &World) {
    let workspace = &world.workspace;
    let bound = world.path("bound");
    assert_eq!(workspace.open_dir(&bound).unwrap_err().kind(), ErrorKind::OtherMount);
    assert_eq!(workspace.stat(&bound, Links::Keep).unwrap_err().kind(), ErrorKind::OtherMount);
    assert_eq!(workspace.locate(&world.path("tmp/new")).unwrap_err().kind(), ErrorKind::OtherMount);
    let root = workspace.open_dir(&world.path(".")).unwrap();
    assert_eq!(root.open_dir("bound".as_ref()).unwrap_err().kind(), ErrorKind::OtherMount);
    assert_eq!(root.open_file("bound-file".as_ref()).unwrap_err().kind(), ErrorKind::OtherMount);
    assert_eq!(root.stat("bound-file".as_ref(), Links::Keep).unwrap_err().kind(), ErrorKind::OtherMount);
}

/// A bound directory of the same file system, a bound file, and a file system of its own.
fn mounted(world: World) -> Mounted {
    world.file("dir/file", "inside");
    world.file("bound-file", "covered");
    world.link("link", "bound");
    let [bound, tmp] = ["bound", "tmp"].map(|name| world.dir(name));
    mount(&["--bind"], &world.outside(), &bound);
    mount(&["--bind"], &world.outside().join("secret"), &world.root().join("bound-file"));
    mount(&["-t", "tmpfs"], Path::new("tmpfs"), &tmp);
    Mounted(world)
}

/// Takes the mounts away again, so that the temporary directory can be removed.
struct Mounted(World);

impl std::ops::Deref for Mounted {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let names = ["bound", "bound-file", "tmp"].map(|name| self.0.root().join(name));
        unmount(&names);
    }
}

/// Ordinary cleaning up: what cannot be unmounted is gone with the namespace.
pub(crate) fn unmount(places: &[PathBuf]) {
    let _ = Command::new("umount").arg("--lazy").args(places).status();
}

pub(crate) fn mount(how: &[&str], what: &Path, at: &Path) {
    let status = Command::new("mount").args(how).args([what, at]).status().unwrap();
    assert!(status.success(), "mount {how:?} {what:?} {at:?}");
}
