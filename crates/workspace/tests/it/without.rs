//! Where the system lacks something, the walk takes over by itself and nothing is opened plainly.

use std::path::Path;

use rustix::io::Errno;
use toolcrib_testkit::{OPENAT2, refusing};
use toolcrib_workspace::{ErrorKind, Links, Resolver, Workspace};

use crate::support::{World, got, in_child, own_mounts};

#[test]
fn without_proc_the_walk_takes_over() {
    // The shell takes `/proc` away and then becomes the test.
    let wrapper: Vec<_> = own_mounts().iter().copied().chain(GONE).collect();
    in_child(&wrapper, "without::without_proc_the_walk_takes_over", || {
        assert!(!Path::new("/proc/self").exists());
        let world = World::new(Resolver::Auto);
        assert_eq!(world.workspace.resolver(), Resolver::Walk);
        refuses_openat2(&world);
        contains(&world);
    });
}

/// An old kernel says `ENOSYS`, an old container runtime `EPERM`.
#[test]
fn without_openat2_the_walk_takes_over() {
    for errno in [Errno::NOSYS, Errno::PERM] {
        without_openat2(errno, || {
            let world = World::new(Resolver::Auto);
            assert_eq!(world.workspace.resolver(), Resolver::Walk);
            refuses_openat2(&world);
            contains(&world);
        });
    }
}

#[test]
fn openat2_may_be_taken_away_later() {
    for errno in [Errno::NOSYS, Errno::PERM] {
        let world = World::new(Resolver::Openat2);
        without_openat2(errno, || contains(&world));
    }
}

const GONE: [&str; 3] = ["sh", "-c", "umount --lazy /proc && exec \"$0\" \"$@\""];

fn refuses_openat2(world: &World) {
    let insists = Workspace::builder().root(world.root()).resolver(Resolver::Openat2).open();
    assert_eq!(insists.unwrap_err().kind(), ErrorKind::Unsupported);
}

fn contains(world: &World) {
    world.file("dir/file", "inside");
    world.link("link", world.root().join("dir/file"));
    world.link("leaving", world.outside().join("secret"));
    world.link("dir/up", "../../outside");
    assert_eq!(world.read("link").unwrap(), got("inside", "dir/file"));
    for given in ["leaving", "dir/up/secret", "../outside/secret"] {
        assert_eq!(world.kind(given), ErrorKind::Outside, "{given}");
    }
    let directory = world.workspace.open_dir(&world.path("dir")).unwrap();
    assert_eq!(directory.stat("file".as_ref(), Links::Keep).unwrap().size, 6);
    assert_eq!(directory.open_dir("up".as_ref()).unwrap_err().kind(), ErrorKind::NotDirectory);
}

fn without_openat2(errno: Errno, test: impl FnOnce() + Send) {
    refusing(&[OPENAT2], errno, test);
}
