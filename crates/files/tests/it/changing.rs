//! Files that change while they are read: the answer is of one version, or says that it is not.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use toolcrib_files::Text;
use toolcrib_workspace::Version;

use crate::support::Home;

/// Runs `write` again and again until what `read` does is done.
fn while_writing(mut write: impl FnMut(usize) + Send, read: impl FnOnce()) {
    let reader = Arc::new(());
    let gone = Arc::downgrade(&reader);
    thread::scope(|scope| {
        scope.spawn(move || (0..).take_while(|_| gone.strong_count() > 0).for_each(&mut write));
        // Also a reader that panics lets go of it, and the writer ends.
        let _reading = reader;
        read();
    });
}

fn block(letter: usize) -> Vec<u8> {
    let letter = b'a' + u8::try_from(letter % 26).unwrap();
    let line = [&[letter; 63][..], b"\n"].concat();
    line.repeat(16 * 1024)
}

/// Reads so many times, and on until the writer got in between: on a busy machine it may have to wait for its turn.
fn read_until_seen(least: usize, mut saw_change: impl FnMut() -> bool) {
    let seen = (0..least).fold(false, |seen, _| saw_change() || seen);
    let until = Instant::now() + Duration::from_secs(20);
    while !seen && !saw_change() {
        assert!(Instant::now() < until, "the writer never got in between, so nothing was tested");
    }
}

/// What the file held in one piece: every line the same.
fn is_of_one_piece(text: &Text) -> bool {
    text.lines.iter().all(|line| line.text == text.lines[0].text)
}

/// Whether the file has held this while it was overwritten from the front: so far the next letter, from there on the one
/// before. A writer that the system lets wait in the middle leaves the file like that for as long.
fn was_there(content: &str) -> bool {
    let letters: Vec<u8> = content.bytes().filter(|byte| *byte != b'\n').collect();
    let mut letters = letters.chunk_by(|one, next| one == next);
    match (letters.next(), letters.next(), letters.next()) {
        (Some(_), None, None) => true,
        (Some(front), Some(rest), None) => front[0] == b'a' + (rest[0] - b'a' + 1) % 26,
        _ => false,
    }
}

#[test]
fn a_file_that_is_overwritten_in_place() {
    // Small enough to be shown whole.
    let block = |letter| block(letter)[..32 * 1024].to_vec();
    let home = Home::with("file", block(0));
    let file = File::options().write(true).open(home.path("file")).unwrap();
    let write = |round| {
        let mut file = &file;
        file.rewind().unwrap();
        file.write_all(&block(round)).unwrap();
    };
    let mut last = None;
    // Most readings are of one version, since they are tried again. That the writer works at all shows in another one.
    let read = || {
        let text = home.range("file", 1, 20_000).unwrap();
        if text.changed {
            assert_eq!(text.version, None);
            return true;
        }
        let content: String = text.lines.iter().map(|line| format!("{}\n", line.text)).collect();
        assert_eq!(text.version, Some(Version::of(content.as_bytes())));
        assert!(was_there(&content), "neither said to be changed nor ever there");
        last.replace(text.version).is_some_and(|last| last != text.version)
    };
    while_writing(write, || read_until_seen(1000, read));
}

#[test]
fn a_file_that_never_rests_says_so() {
    // Reading it takes longer than the writer sleeps, also where both share one processor.
    let home = Home::with("file", block(0).repeat(7));
    let file = File::options().write(true).open(home.path("file")).unwrap();
    let write = |round| {
        file.write_all_at(&block(round)[..64], 0).unwrap();
        thread::sleep(Duration::from_micros(20));
    };
    let read = || {
        let text = home.range("file", 1, 10).unwrap();
        assert_eq!(text.changed, text.version.is_none());
        text.changed
    };
    while_writing(write, || read_until_seen(60, read));
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
    while_writing(
        |_| {
            (&file).write_all(b"more\n").unwrap();
            thread::yield_now();
        },
        || {
            read_until_seen(60, || {
                let text = home.range("file", 150_000, 10).unwrap();
                assert_eq!(text.lines.len(), 10);
                text.changed
            });
        },
    );
}
