//! The walk itself: complete, contained, to be stopped.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use toolcrib_search::{Entry, Everything, Visibility, Visitor, WalkOptions, walk};

use crate::support::{HANDLES, Search, World, open_handles};

#[test]
fn everything_is_found_once_with_any_number_of_threads() {
    let world = World::at("ws");
    let mut expected = Vec::new();
    for directory in 0..40 {
        for file in 0..25 {
            let path = format!("d{directory}/e{}/f{file}", directory % 7);
            world.write(&path, "");
            expected.push(path);
        }
    }
    // More than one thread takes at a time.
    (0..1500).for_each(|n| expected.push(format!("many/{n}")));
    expected.iter().skip(1000).for_each(|path| world.write(path, ""));
    expected.sort();
    for threads in [1, 2, 3, 8] {
        assert_eq!(world.found_by(&Search { threads, ..Search::default() }), expected, "{threads} threads");
    }
}

#[test]
fn a_deep_tree_does_not_use_up_the_handles() {
    let _alone = HANDLES.lock();
    let world = World::at("ws");
    let mut directory = world.root().to_owned();
    for depth in 0..900 {
        fs::create_dir(directory.join("side")).unwrap();
        fs::write(directory.join("side").join("f"), "").unwrap();
        directory.push("d");
        // Long paths cannot be created in one piece, so the way there is by steps.
        if directory.as_os_str().len() > 3900 {
            panic!("the names are too long at depth {depth}");
        }
        fs::create_dir(&directory).unwrap();
    }
    let open = AtomicUsize::new(0);
    struct Handles<'a>(&'a AtomicUsize, usize);
    impl Visitor for Handles<'_> {
        fn visit(&mut self, _: &Entry<'_>) -> ControlFlow<()> {
            self.1 += 1;
            if self.1.is_multiple_of(20) {
                self.0.fetch_max(open_handles(), Ordering::Relaxed);
            }
            ControlFlow::Continue(())
        }
    }
    let start = world.start(".", 0, false).unwrap();
    let (visitors, walked) =
        walk(&start, &WalkOptions::default(), &Everything, &|| false, 2, || Handles(&open, 0));
    assert_eq!(visitors.iter().map(|visitor| visitor.1).sum::<usize>(), 900);
    assert_eq!(walked.unreadable, 0);
    let open = open.into_inner();
    assert!(open < 500, "{open} handles");
}

#[test]
fn links_are_shown_and_not_followed() {
    let world = World::with(["real/a"]);
    fs::create_dir(world.outside().join("other")).unwrap();
    fs::write(world.outside().join("other/secret"), "").unwrap();
    world.link("inside", "real");
    world.link("leaving", world.outside().join("other"));
    world.link("circle", ".");
    world.link("dangling", "nowhere");
    assert_eq!(world.found(), ["circle", "dangling", "inside", "leaving", "real/a"]);
}

#[test]
fn depth_limits_how_far_down_it_goes() {
    let world = World::with(["a", "d/b", "d/e/c"]);
    for (depth, count) in [(0, 1), (1, 2), (2, 3), (9, 3)] {
        let options = WalkOptions { depth: Some(depth), ..WalkOptions::default() };
        assert_eq!(world.found_by(&Search { options, ..Search::default() }).len(), count, "{depth}");
    }
}

#[test]
fn a_directory_that_cannot_be_read_is_counted() {
    let world = World::with(["open/a", "closed/b"]);
    fs::set_permissions(world.root().join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let (found, walked) = world.walked(&Search::default());
    fs::set_permissions(world.root().join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    // The superuser reads it all the same.
    match found.len() {
        1 => assert_eq!(walked.unreadable, 1),
        found => assert_eq!((found, walked.unreadable), (2, 0)),
    }
}

#[test]
fn it_stops_when_it_is_asked_to() {
    let world = World::at("ws");
    (0..200).for_each(|directory| (0..20).for_each(|file| world.write(&format!("{directory}/{file}"), "")));
    let stop = AtomicBool::new(false);
    struct Slow<'a>(&'a AtomicBool, usize);
    impl Visitor for Slow<'_> {
        fn visit(&mut self, _: &Entry<'_>) -> ControlFlow<()> {
            self.1 += 1;
            if self.1 == 100 {
                self.0.store(true, Ordering::Relaxed);
            }
            ControlFlow::Continue(())
        }
    }
    let start = world.start(".", 0, false).unwrap();
    let asked = || stop.load(Ordering::Relaxed);
    let (visitors, walked) = walk(&start, &WalkOptions::default(), &Everything, &asked, 2, || Slow(&stop, 0));
    assert!(walked.stopped);
    let seen: usize = visitors.iter().map(|visitor| visitor.1).sum();
    assert!((100..1000).contains(&seen), "{seen}");
}

#[test]
fn a_visitor_can_end_it_for_all() {
    let world = World::at("ws");
    (0..300).for_each(|n| world.write(&format!("{n}/x"), ""));
    struct First(usize);
    impl Visitor for First {
        fn visit(&mut self, _: &Entry<'_>) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Break(())
        }
    }
    let start = world.start(".", 0, false).unwrap();
    let (visitors, walked) = walk(&start, &WalkOptions::default(), &Everything, &|| false, 3, || First(0));
    assert!(walked.stopped);
    assert!(visitors.iter().all(|visitor| visitor.0 <= 1));
}

#[test]
fn a_visitor_that_panics_leaves_nobody_waiting() {
    let world = World::at("ws");
    (0..300).for_each(|n| world.write(&format!("{n}/x"), ""));
    struct Panics(usize);
    impl Visitor for Panics {
        fn visit(&mut self, _: &Entry<'_>) -> ControlFlow<()> {
            self.0 += 1;
            assert!(self.0 < 60, "on purpose");
            ControlFlow::Continue(())
        }
    }
    let start = world.start(".", 0, false).unwrap();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        walk(&start, &WalkOptions::default(), &Everything, &|| false, 3, || Panics(0)).1
    }));
    assert!(outcome.is_err());
}

#[test]
fn the_permit_is_asked_about_what_it_is_wary_of() {
    struct Wary;
    impl Visibility for Wary {
        fn may_hide_in(&self, directory: &Path) -> bool {
            directory.starts_with("private")
        }
        fn may_hide(&self, name: &OsStr) -> bool {
            name == "key"
        }
        fn shows(&self, path: &Path) -> bool {
            assert!(path.starts_with("private") || path.ends_with("key"), "{path:?}");
            path.ends_with("public")
        }
    }
    let world = World::with(["a", "key", "sub/key", "private/b", "private/deep/public", "private/deep/c"]);
    let found = world.found_by(&Search { visibility: &Wary, ..Search::default() });
    assert_eq!(found, ["a", "private/deep/public"]);
    let below = world.found_by(&Search { visibility: &Wary, path: "private/deep", ..Search::default() });
    assert_eq!(below, ["public"]);
}
