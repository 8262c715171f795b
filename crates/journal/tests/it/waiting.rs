//! What waits under a temporary name: new content that is not to be read before its time, old content that is not given
//! up before it was looked at twice.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::thread;

use crate::support::{Node, temporary_names, tree};
use crate::victim::{Scene, Task};

/// The rights that a file is made with are the widest it has before its own are set, and they are seen in the call.
#[test]
fn what_waits_is_never_more_readable_than_the_file() {
    for task in [Task::Commit, Task::CommitByWalk] {
        let calls = Scene::new(10).calls(task);
        let has_a_name = |line: &str| line.contains("O_EXCL") && line.contains(".toolcrib-");
        let ahead = calls.iter().filter(|call| call.line.contains("O_TMPFILE")).count();
        assert_eq!(ahead > 5, task == Task::Commit, "{ahead} were written before they had a name");
        let made: Vec<&str> = calls
            .iter()
            .filter(|call| call.line.contains("O_TMPFILE") || has_a_name(&call.line))
            // Another thread may have come in between, so the call need not be shown to its end.
            .map(|call| call.line.rsplit_once(", ").unwrap().1)
            .map(|mode| mode.split(|c: char| !c.is_ascii_digit()).next().unwrap())
            .collect();
        // One is new and gets what every new file gets; the others stand for files that some may not read.
        let new = made.iter().filter(|mode| **mode == "0666").count();
        let private = made.iter().filter(|mode| **mode == "0600").count();
        assert!(private > 5, "{task:?}: {made:?}");
        assert_eq!((new, private), (1, made.len() - 1), "{task:?}: {made:?}");
    }
}

/// A program has found the file when it is displaced, and opens and writes it a moment later.
#[test]
fn who_writes_into_the_old_file_is_heard() {
    let scene = Scene::new(10);
    let path = scene.root().join("sub/005");
    let found = File::open(&path).unwrap();
    // The directories are synced after the exchange; that takes long here.
    let slowly = "--inject=fsync:delay_enter=400000".to_owned();
    let ended = thread::scope(|scope| {
        let commit = scope.spawn(|| scene.run(Task::Commit, &[slowly]));
        while fs::read(&path).unwrap() == b"old 5" {}
        fs::write(format!("/proc/self/fd/{}", found.as_raw_fd()), "theirs").unwrap();
        commit.join().unwrap()
    });
    assert!(ended.said.contains("another program saved it at the same moment"), "{ended:?}");
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    let mut expected = scene.before.clone();
    if let Some(Node::File { content, .. }) = expected.get_mut("sub/005".as_ref() as &std::path::Path) {
        *content = b"theirs".to_vec();
    }
    assert_eq!(tree(&scene.root()), expected);
    assert!(temporary_names(&scene.root()).is_empty());
}
