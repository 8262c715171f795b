//! Which paths are understood, where they lead, and what is refused.

use toolcrib_workspace::ErrorKind;

use crate::support::{both, got};

#[test]
fn relative_and_absolute_paths_reach_the_same_file() {
    both(|world| {
        let file = world.file("src/main.rs", "main");
        world.dir("src/inner");
        for given in ["src/main.rs", "./src/./main.rs", "src//main.rs", "src/inner/../main.rs"] {
            assert_eq!(world.read(given).unwrap(), got("main", "src/main.rs"));
        }
        assert_eq!(world.read(file).unwrap(), got("main", "src/main.rs"));
    });
}

#[test]
fn a_link_that_stays_inside_is_followed_and_one_that_leaves_is_refused() {
    both(|world| {
        world.file("real/file", "inside");
        world.link("relative", "real/file");
        world.link("absolute", world.root().join("real/file"));
        world.link("leaving", "../outside/secret");
        world.link("leaving-absolute", world.outside().join("secret"));
        world.link("directory", world.outside());
        assert_eq!(world.read("relative").unwrap(), got("inside", "real/file"));
        assert_eq!(world.read("absolute").unwrap(), got("inside", "real/file"));
        for given in ["leaving", "leaving-absolute", "directory/secret", "../outside/secret"] {
            assert_eq!(world.kind(given), ErrorKind::Outside, "{given}");
        }
    });
}
