//! Landlock holds a thread to the roots. It is given up per thread, so each test gives it up on one of its own.

use std::fs;
use std::io::ErrorKind as IoKind;
use std::path::PathBuf;

use toolcrib_workspace::{Beside, Lockdown, Resolver, Workspace};

use crate::support::{RESOLVERS, World};

/// Runs a test on a thread of its own that is locked down.
fn locked(world: &World, beside: Beside, test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lockdown = world.workspace.lock_down(&beside);
            assert!(
                !matches!(lockdown, Lockdown::Unavailable(_)),
                "this needs a kernel with Landlock: {lockdown}"
            );
            test();
        });
    });
}

#[test]
fn nothing_outside_can_be_opened_by_any_means() {
    let world = World::new(Resolver::Auto);
    let inside = world.file("a.txt", "inside");
    let secret = world.outside().join("secret");
    assert!(fs::read(&secret).is_ok(), "the control: without it, a plain open gets out");
    locked(&world, Beside::default(), || {
        assert_eq!(fs::read(&secret).unwrap_err().kind(), IoKind::PermissionDenied);
        assert_eq!(fs::read("/etc/passwd").unwrap_err().kind(), IoKind::PermissionDenied);
        assert_eq!(fs::write(&secret, "x").unwrap_err().kind(), IoKind::PermissionDenied);
        assert_eq!(fs::read(&inside).unwrap(), b"inside");
        fs::write(&inside, "changed").unwrap();
    });
    assert!(fs::read(&secret).is_ok(), "other threads are not touched");
}

#[test]
fn the_workspace_works_as_before() {
    for resolver in RESOLVERS {
        let world = World::new(resolver);
        world.file("deep/er/a.txt", "inside");
        locked(&world, Beside::default(), || {
            let path = world.workspace.path(&PathBuf::from("deep/er/a.txt"), &world.root()).unwrap();
            assert_eq!(world.workspace.snapshot(&path).unwrap().bytes(), b"inside");
            let place = world.workspace.locate(&path).unwrap();
            place.parent().create_new("b.txt".as_ref(), 0o600).unwrap();
            assert_eq!(place.parent().entries().unwrap().count(), 2);
        });
    }
}

#[test]
fn what_is_beside_the_roots_stays_open() {
    let world = World::new(Resolver::Auto);
    let (notes, state) = (world.outside().join("notes"), world.outside().join("state"));
    fs::create_dir(&notes).unwrap();
    fs::create_dir(&state).unwrap();
    fs::write(notes.join("n"), "note").unwrap();
    let absent = world.outside().join("absent");
    let listed = world.outside().join("listed");
    fs::create_dir(&listed).unwrap();
    fs::write(listed.join("l"), "secret").unwrap();
    let beside = Beside {
        writable: vec![state.clone()],
        readable: vec![notes.clone(), absent],
        listable: vec![listed.clone()],
    };
    locked(&world, beside, || {
        assert_eq!(fs::read_dir(&listed).unwrap().count(), 1);
        assert_eq!(fs::read(listed.join("l")).unwrap_err().kind(), IoKind::PermissionDenied);
        assert_eq!(fs::write(listed.join("m"), "x").unwrap_err().kind(), IoKind::PermissionDenied);
        assert_eq!(fs::read(notes.join("n")).unwrap(), b"note");
        assert_eq!(fs::write(notes.join("n"), "x").unwrap_err().kind(), IoKind::PermissionDenied);
        fs::write(state.join("s"), "x").unwrap();
        assert!(
            Workspace::open(world.outside()).is_ok(),
            "a handle on a directory is no right to what is in it"
        );
        assert!(fs::read_dir(world.outside()).is_err());
    });
}

#[test]
fn a_person_is_told_how_far_it_goes() {
    let told = [
        (Lockdown::InForce, "in force"),
        (Lockdown::Partial, "in force for the rights that this kernel knows"),
        (Lockdown::Unavailable("no Landlock".to_owned()), "not in force (no Landlock)"),
    ];
    told.iter().for_each(|(lockdown, text)| assert_eq!(lockdown.to_string(), *text));
}
