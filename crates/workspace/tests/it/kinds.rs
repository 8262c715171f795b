//! What is no regular file answers at once, with its kind, and is never opened.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{CWD, Mode, mkfifoat};
use toolcrib_workspace::{ErrorKind, FileKind, Mounts, Workspace};

use crate::support::{RESOLVERS, at_once, both};

#[test]
fn a_named_pipe_answers_at_once() {
    both(|world| {
        mkfifoat(CWD, world.root().join("pipe"), Mode::RWXU).unwrap();
        let error = at_once("pipe", || world.refusal("pipe"));
        assert_eq!(error.kind(), ErrorKind::NotRegular(FileKind::Fifo));
        assert!(error.to_string().starts_with("Not a regular file but a named pipe: "), "{error}");
        let directory = world.workspace.open_dir(&world.path(".")).unwrap();
        let error = at_once("pipe by name", || directory.open_file("pipe".as_ref()).unwrap_err());
        assert_eq!(error.kind(), ErrorKind::NotRegular(FileKind::Fifo));
    });
}

/// An open for reading, however short, would wake a writer that waits, and its first write would kill it.
#[test]
fn a_writer_waiting_at_a_pipe_is_not_disturbed() {
    both(|world| {
        let pipe = world.root().join("pipe");
        mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
        let (woken, was_woken) = mpsc::channel();
        let (begins, begun) = mpsc::channel();
        let waiting = pipe.clone();
        let writer = std::thread::spawn(move || {
            begins.send(rustix::thread::gettid().as_raw_nonzero()).unwrap();
            let file = File::options().write(true).open(waiting);
            woken.send(()).unwrap();
            file
        });
        wait_until_asleep(begun.recv().unwrap().get());
        assert_eq!(world.kind("pipe"), ErrorKind::NotRegular(FileKind::Fifo));
        assert!(was_woken.recv_timeout(Duration::from_millis(50)).is_err(), "the writer was let in");
        // Kept open until the writer has come through: on a busy machine that takes a while.
        let _reader = File::options().read(true).custom_flags(0o4000).open(&pipe).unwrap();
        writer.join().unwrap().unwrap();
    });
}

/// Waits for a thread of this process to sleep in a system call, see proc_pid_stat(5).
fn wait_until_asleep(thread: i32) {
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
        stat.rsplit(')').next().unwrap().trim_start().starts_with('S')
    };
    while !state() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_socket_answers_at_once() {
    both(|world| {
        let _listener = UnixListener::bind(world.root().join("socket")).unwrap();
        assert_eq!(at_once("socket", || world.kind("socket")), ErrorKind::NotRegular(FileKind::Socket));
        let directory = world.workspace.open_dir(&world.path(".")).unwrap();
        let error = directory.open_file("socket".as_ref()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotRegular(FileKind::Socket));
    });
}

#[test]
fn a_device_answers_at_once() {
    for resolver in RESOLVERS {
        let workspace = Workspace::builder().root("/dev").resolver(resolver).open().unwrap();
        for name in ["null", "zero", "tty", "full"] {
            let path = workspace.path(Path::new(name), Path::new("/dev")).unwrap();
            let error = at_once(name, || workspace.snapshot(&path).unwrap_err());
            assert_eq!(error.kind(), ErrorKind::NotRegular(FileKind::CharDevice), "{name}");
        }
    }
}

#[test]
fn a_link_into_proc_leaves_the_workspace() {
    both(|world| {
        let outside = File::open(world.outside().join("secret")).unwrap();
        world.link("root", "/proc/self/root");
        world.link("fd", format!("/proc/self/fd/{}", outside.as_raw_fd()));
        world.link("cwd", "/proc/self/cwd");
        for given in ["root/etc/passwd", "fd", "cwd/Cargo.toml"] {
            assert_eq!(at_once(given, || world.kind(given)), ErrorKind::Outside, "{given}");
        }
    });
}

/// Where `/proc` itself lies inside, its links still lead anywhere, so they are refused; its files can be read.
#[test]
fn links_of_proc_are_refused_even_if_proc_is_inside() {
    for (root, mounts) in [("/proc", Mounts::Refuse), ("/", Mounts::Follow)] {
        for resolver in RESOLVERS {
            let workspace = Workspace::builder().root(root).mounts(mounts).resolver(resolver).open().unwrap();
            let outside = tempfile::tempfile().unwrap();
            let numbered = format!("self/fd/{}", outside.as_raw_fd());
            for given in ["self/root/etc/passwd", &numbered, "self/cwd/Cargo.toml", "self/exe", "self/ns/mnt"]
            {
                let path = workspace.path(Path::new(given), Path::new("/proc")).unwrap();
                let error = at_once(given, || workspace.open_file(&path).unwrap_err());
                assert_eq!(error.kind(), ErrorKind::Outside, "{root} {given}: {error}");
            }
            for given in ["self/status", "mounts"] {
                let path = workspace.path(Path::new(given), Path::new("/proc")).unwrap();
                let snapshot = workspace.snapshot(&path).unwrap();
                assert!(!snapshot.bytes().is_empty(), "{given}");
            }
        }
    }
}
