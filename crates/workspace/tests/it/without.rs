//! Where the system lacks something, the walk takes over by itself and nothing is opened plainly.

use toolcrib_workspace::{ErrorKind, Resolver, Workspace};

use crate::support::{World, got, in_child};

#[test]
fn without_proc_the_walk_takes_over() {
    // The shell takes `/proc` away and then becomes the test.
    let wrapper: Vec<_> = crate::support::own_mounts().iter().copied().chain(GONE).collect();
    in_child(&wrapper, "without::without_proc_the_walk_takes_over", || {
        assert!(!std::path::Path::new("/proc/self").exists());
        let world = World::new(Resolver::Auto);
        assert_eq!(world.workspace.resolver(), Resolver::Walk);
        let insists = Workspace::builder().root(world.root()).resolver(Resolver::Openat2).open();
        assert_eq!(insists.unwrap_err().kind(), ErrorKind::Unsupported);

        world.file("dir/file", "inside");
        world.link("link", world.root().join("dir/file"));
        world.link("leaving", world.outside().join("secret"));
        assert_eq!(world.read("link").unwrap(), got("inside", "dir/file"));
        assert_eq!(world.kind("leaving"), ErrorKind::Outside);
    });
}

const GONE: [&str; 3] = ["sh", "-c", "umount --lazy /proc && exec \"$0\" \"$@\""];
