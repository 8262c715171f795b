//! Files that change while they are read: the answer is of one version, or says that it is not.

use std::fs::File;
use std::io::{Seek, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use toolcrib_files::Text;
use toolcrib_workspace::Version;

use crate::support::Home;

/// Runs `write` again and again until what `read` does is done.
fn while_writing(mut write: impl FnMut(usize) + Send, read: impl FnOnce()) {
    let done = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let over = done.clone();
        scope.spawn(move || {
            for round in 0.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                write(round);
            }
        });
        read();
        done.store(true, Ordering::Relaxed);
    });
}

fn block(letter: usize) -> Vec<u8> {
    let letter = b'a' + u8::try_from(letter % 26).unwrap();
    let line = [&[letter; 63][..], b"\n"].concat();
    line.repeat(16 * 1024)
}

/// What the file held in one piece: every line the same.
fn is_of_one_piece(text: &Text) -> bool {
    text.lines.iter().all(|line| line.text == text.lines[0].text)
}

#[test]
fn a_file_that_is_overwritten_in_place() {
    let home = Home::with("file", block(0));
    let file = File::options().write(true).open(home.path("file")).unwrap();
    let (mut torn, mut whole) = (0, 0);
    let write = |round| {
        let mut file = &file;
        file.rewind().unwrap();
        file.write_all(&block(round)).unwrap();
    };
    while_writing(write, || {
        for _ in 0..60 {
            let text = home.range("file", 1, 10_000).unwrap();
            if text.changed {
                assert_eq!(text.version, None);
                torn += 1;
            } else {
                assert!(is_of_one_piece(&text));
                let letter = usize::from(text.lines[0].text.as_bytes()[0] - b'a');
                assert_eq!(text.version, Some(Version::of(&block(letter))));
                whole += 1;
            }
        }
    });
    assert!(torn + whole == 60);
    assert!(torn > 0, "the writer never got in between, so nothing was tested");
}

#[test]
fn a_file_that_is_replaced_is_read_as_it_was_opened() {
    let home = Home::with("file", block(0));
    let write = |round| {
        home.write("new", block(round));
        std::fs::rename(home.path("new"), home.path("file")).unwrap();
    };
    while_writing(write, || {
        for _ in 0..60 {
            let text = home.range("file", 1, 10_000).unwrap();
            assert!(is_of_one_piece(&text));
        }
    });
}

#[test]
fn a_file_that_grows_and_shrinks() {
    let home = Home::with("file", block(0));
    let file = File::options().append(true).open(home.path("file")).unwrap();
    let write = |round| match round % 3 {
        0 => file.set_len(1000).unwrap(),
        _ => (&file).write_all(&block(round)).unwrap(),
    };
    while_writing(write, || {
        for round in 0..60 {
            // A line that is gone is past the end, whichever end that was.
            let text = if round % 2 == 0 { home.last("file", 10) } else { home.range("file", 5, 10) };
            if let Ok(text) = text {
                assert!(text.changed || text.version.is_some());
                assert!(text.lines.len() <= 10);
            }
        }
    });
}

#[test]
fn a_large_file_that_grows_says_so() {
    let home = Home::with("file", block(0).repeat(10));
    let file = File::options().append(true).open(home.path("file")).unwrap();
    let mut changed = 0;
    while_writing(
        |_| {
            (&file).write_all(b"more\n").unwrap();
            thread::yield_now();
        },
        || {
            for _ in 0..40 {
                let text = home.range("file", 150_000, 10).unwrap();
                assert_eq!(text.lines.len(), 10);
                changed += usize::from(text.changed);
            }
        },
    );
    assert!(changed > 0, "the writer never got in between, so nothing was tested");
}
