//! Files that are not read whole.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::time::Duration;

use toolcrib_files::{LineNumber, Part, ReadRequest};
use toolcrib_testkit::limits::Work;
use toolcrib_text::{Charset, LineEnding};

use crate::support::{Home, age, check_numbered, line, numbered, texts};

/// More than what is read whole.
const LINES: u64 = 300_000;

#[test]
fn ranges_are_found_wherever_they_are() {
    let home = Home::with("log", numbered(LINES));
    let size = std::fs::metadata(home.path("log")).unwrap().len();
    assert!(size > 8 * 1024 * 1024);
    for first in [1, 2, 6000, 6001, LINES / 2, LINES - 1, LINES] {
        let text = home.range("log", first, 5).unwrap();
        let count = 5.min(LINES - first + 1);
        check_numbered(&text, first, count);
        let at_end = first + count > LINES;
        assert_eq!(text.next, (!at_end).then_some(first + count));
        assert_eq!((text.version, text.size), (None, size));
        assert_eq!(text.line_ending, Some(LineEnding::Lf));
        // Not everything was counted, unless the end was reached.
        assert_eq!(text.total_lines.is_some(), at_end || first > LINES - 6000, "{first}");
    }
    let error = home.range("log", LINES + 1, 5).unwrap_err();
    assert_eq!(error.message(), format!("Line {} is past the end: the file has {LINES} lines", LINES + 1));
}

#[test]
fn the_last_lines_are_numbered_from_the_end_until_all_are_counted() {
    let home = Home::with("log", numbered(LINES));
    age(&home.path("log"));
    let text = home.last("log", 3).unwrap();
    assert_eq!((text.first, text.total_lines, text.next), (LineNumber::FromEnd(3), None, None));
    assert_eq!(texts(&text), [line(LINES - 2), line(LINES - 1), line(LINES)]);
    assert_eq!(text.final_newline, Some(true));

    // What was counted is remembered, also if it led to nothing.
    assert!(home.range("log", LINES + 1, 1).is_err());
    let text = home.range("log", 1, 1).unwrap();
    assert_eq!(text.total_lines, Some(LINES));
    let text = home.last("log", 3).unwrap();
    assert_eq!((text.first, text.total_lines), (LineNumber::FromStart(LINES - 2), Some(LINES)));

    // Until the file changes.
    let mut file = File::options().append(true).open(home.path("log")).unwrap();
    file.write_all(b"one more\n").unwrap();
    assert_eq!(home.range("log", 1, 1).unwrap().total_lines, None);
    assert_eq!(texts(&home.range("log", LINES + 1, 9).unwrap()), ["one more"]);
}

#[test]
fn an_encoding_that_was_given_is_not_remembered() {
    let home = Home::with("log", numbered(LINES).replace("long", "läng"));
    age(&home.path("log"));
    let end = Part::From { first: LINES, limit: 1 };
    let given = ReadRequest { part: end, encoding: Some("latin-1".into()), ..ReadRequest::new("log") };
    assert!(texts(&home.read(given).unwrap())[0].ends_with("lÃ¤ng"));
    let text = home.range("log", LINES, 1).unwrap();
    assert!(texts(&text)[0].ends_with("läng"));
    assert_eq!(text.encoding.charset, Charset::UTF_8);
}

#[test]
fn the_same_size_with_another_content_is_another_file() {
    let home = Home::with("log", numbered(LINES));
    age(&home.path("log"));
    check_numbered(&home.range("log", LINES, 1).unwrap(), LINES, 1);
    // As many bytes, half as many lines, and the old modification time.
    let before = std::fs::metadata(home.path("log")).unwrap().modified().unwrap();
    let half = numbered(LINES).replace("long\nline", "long line");
    home.write("log", &half);
    File::options().write(true).open(home.path("log")).unwrap().set_modified(before).unwrap();
    let error = home.range("log", LINES, 1).unwrap_err();
    assert_eq!(error.message(), format!("Line {LINES} is past the end: the file has 1 line"));
}

#[test]
fn wide_characters_are_found_the_same_way() {
    for charset in [Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE] {
        let lines = 120_000;
        let home = Home::with("log", charset.encode(&numbered(lines)).unwrap());
        for first in [1, lines / 2, lines - 2] {
            let text = home.range("log", first, 3).unwrap();
            check_numbered(&text, first, 3);
            assert_eq!(text.encoding, charset.into());
        }
        assert_eq!(texts(&home.last("log", 2).unwrap()), [line(lines - 1), line(lines)]);
    }
}

#[test]
fn what_is_not_ascii_may_stand_where_nobody_looked() {
    let mut content = numbered(LINES).into_bytes();
    let at = content.len() / 3 + 5000;
    let at = at + content[at..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let foreign = b"na\xEFve caf\xE9, d\xE9j\xE0 vu \xE0 la carte\n";
    content.splice(at..at, foreign.iter().copied());
    let number = content[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let home = Home::with("log", content);
    let text = home.range("log", number - 1, 3).unwrap();
    assert_eq!(texts(&text)[1], "naïve café, déjà vu à la carte");
    assert_eq!((text.encoding.charset.name(), text.undecodable), ("windows-1252", 0));
}

#[test]
fn carriage_returns_end_lines_where_there_is_nothing_else() {
    let home = Home::with("log", numbered(LINES).replace('\n', "\r"));
    let text = home.range("log", LINES - 1, 9).unwrap();
    check_numbered(&text, LINES - 1, 2);
    assert_eq!(text.line_ending, Some(LineEnding::Cr));
}

#[test]
fn crlf_is_not_taken_for_mixed_at_the_edges_of_pieces() {
    let home = Home::with("log", "a line\r\n".repeat(2_000_000));
    assert_eq!(home.range("log", 1, 1).unwrap().line_ending, Some(LineEnding::Crlf));
}

#[test]
fn one_line_of_a_hundred_megabytes() {
    let mut content = vec![b'x'; 100 << 20];
    content.extend_from_slice(b"\nlast\n");
    let home = Home::with("line", content);
    let text = home.range("line", 1, 9).unwrap();
    assert_eq!((text.lines[0].text.len(), text.lines[0].cut, text.total_lines), (2000, true, Some(2)));
    assert_eq!(texts(&text)[1], "last");
    let text = home.last("line", 2).unwrap();
    assert_eq!((text.lines[0].text.len(), text.lines[0].cut), (2000, true));
    assert_eq!((text.first, texts(&text)[1]), (LineNumber::FromStart(1), "last"));
    assert_eq!(texts(&home.range("line", 2, 1).unwrap()), ["last"]);
}

/// As large as the file system allows, with a text in front and nothing behind.
#[test]
fn a_sparse_file_of_a_terabyte() {
    let home = Home::with("sparse", numbered(2000));
    let file = File::options().write(true).open(home.path("sparse")).unwrap();
    if file.set_len(1 << 40).is_err() {
        return;
    }
    let started = Work::begin();
    check_numbered(&home.range("sparse", 1, 10).unwrap(), 1, 10);
    check_numbered(&home.range("sparse", 1991, 10).unwrap(), 1991, 10);
    for part in [
        Part::From { first: 2001, limit: 1 },
        Part::From { first: 5000, limit: 1 },
        Part::From { first: u64::MAX, limit: 1 },
        Part::Last(10),
    ] {
        let error = home.read(ReadRequest { part, ..ReadRequest::new("sparse") }).unwrap_err();
        assert!(error.message().starts_with("Cannot read binary file"), "{error}");
    }
    let empty = File::create(home.path("empty")).unwrap();
    empty.set_len(1 << 40).unwrap();
    assert!(home.range("empty", 1, 1).unwrap_err().message().contains("binary"));
    assert!(started.so_far() < Duration::from_secs(5), "{:?}", started.so_far());
}

#[test]
fn text_after_a_hole() {
    let home = Home::with("sparse", numbered(2000));
    let mut file = File::options().write(true).open(home.path("sparse")).unwrap();
    file.seek(SeekFrom::Start(1 << 33)).unwrap();
    file.write_all(b"\nafter\nthe hole\n").unwrap();
    assert_eq!(texts(&home.last("sparse", 2).unwrap()), ["after", "the hole"]);
    assert!(home.last("sparse", 3).unwrap_err().message().contains("binary"));
}
