//! Results that are handed over one by one: all of them, whatever room an answer would have.

use std::fs;
use std::ops::ControlFlow;

use toolcrib_files::{
    Found, GrepMode, GrepRequest, ListRequest, OwnContext, QueryOptions, Sort, grep_each, list_each,
};

use crate::support::Home;

fn request(limit: usize) -> GrepRequest {
    GrepRequest {
        pattern: "word".to_owned(),
        query: QueryOptions::default(),
        path: ".".into(),
        include: Vec::new(),
        exclude: Vec::new(),
        types: None,
        mode: GrepMode::Content,
        context: Some((0, 0)),
        own_context: OwnContext::default(),
        sort: Sort::Path,
        offset: 0,
        limit,
        hidden: false,
        ignored: false,
        max_file_size: None,
        line_length: usize::MAX,
    }
}

/// The pieces of a search that has room for so many bytes at once.
fn pieces(home: &Home, room: usize, request: &GrepRequest) -> Vec<Found> {
    let mut pieces = Vec::new();
    home.call_with(room, |sandbox| {
        let mut keep = |found| {
            pieces.push(found);
            ControlFlow::Continue(())
        };
        let found = grep_each(sandbox, request, &mut keep).unwrap();
        assert_eq!((found.files.len(), found.next.is_some()), (0, request.limit != usize::MAX));
        Ok(())
    })
    .unwrap();
    pieces
}

fn home() -> Home {
    let home = Home::new();
    for name in ["a", "b"] {
        let lines: String = (0..500).map(|line| format!("word {line} {}\n", "x".repeat(line))).collect();
        fs::write(home.path(name), lines).unwrap();
    }
    fs::write(home.path("c"), "nothing\n").unwrap();
    home
}

#[test]
fn a_long_file_comes_in_pieces_and_nothing_is_lost() {
    let home = home();
    let whole = pieces(&home, usize::MAX, &request(usize::MAX));
    assert_eq!(whole.iter().map(|file| file.lines.len()).collect::<Vec<_>>(), [500, 500]);
    let small = pieces(&home, 4096, &request(usize::MAX));
    assert!(small.len() > 20, "{}", small.len());
    for (nth, name) in ["a", "b"].into_iter().enumerate() {
        let mine = small.iter().filter(|piece| piece.path.relative == name);
        let lines: Vec<_> = mine.flat_map(|piece| piece.lines.clone()).collect();
        assert_eq!(lines, whole[nth].lines);
    }
    let few = pieces(&home, 4096, &GrepRequest { offset: 498, ..request(4) });
    let numbers: Vec<u64> = few.iter().flat_map(|piece| &piece.lines).map(|line| line.number).collect();
    assert_eq!(numbers, [499, 500, 1, 2]);
}

#[test]
fn files_without_a_match_are_found() {
    let home = home();
    let without = GrepRequest { mode: GrepMode::FilesWithout, ..request(usize::MAX) };
    let found = pieces(&home, usize::MAX, &without);
    assert_eq!(found.iter().map(|file| file.path.relative.as_str()).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn entries_are_handed_over_until_the_caller_has_enough() {
    let home = home();
    let request = ListRequest {
        path: ".".into(),
        depth: Some(1),
        ignore: Vec::new(),
        ignored: false,
        offset: 0,
        limit: usize::MAX,
    };
    for (most, expected) in [(2, &["a", "b"][..]), (usize::MAX, &["a", "b", "c"])] {
        let mut names = Vec::new();
        home.call_with(64, |sandbox| {
            list_each(sandbox, &request, &mut |entry| {
                assert!(entry.mode.is_some());
                names.push(entry.name);
                if names.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })
        .unwrap();
        assert_eq!(names, expected);
    }
}
