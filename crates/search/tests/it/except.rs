//! Matches that a second pattern leaves out.

use std::path::Path;

use toolcrib_search::{Case, Context, Query, QueryOptions, Wanted, grep_file, lines};

use crate::support::World;

const TEXT: &[u8] = b"line 1\r\nline 2\r\nother\r\nline 3\r\nLINE 2\r\nline 4\r\n";

/// The numbers of the lines that match, those of the lines beside them, and how many matches are counted.
fn found(options: QueryOptions, wanted: Wanted) -> (Vec<u64>, Vec<u64>, u64) {
    let query = Query::new("line", options).unwrap();
    let world = World::at("ws");
    world.write("file", TEXT);
    let path = world.workspace.path(Path::new("file"), world.root()).unwrap();
    let counted = grep_file(&world.workspace.open_file(&path).unwrap(), &query, u64::MAX, false, &|| false);
    let file = std::fs::File::open(world.root().join("file")).unwrap();
    let found = lines(&file, &query, wanted, &|| false).unwrap();
    let numbers = |matches: bool| {
        found.lines.iter().filter(|line| line.matches == matches).map(|line| line.number).collect()
    };
    (numbers(true), numbers(false), counted.matches)
}

fn except(pattern: &str) -> QueryOptions {
    QueryOptions { except: Some(pattern.to_owned()), ..QueryOptions::default() }
}

fn wanted(context: usize) -> Wanted {
    let context = Context::new(context, context);
    Wanted { context, skip: 0, most: 100, room: 10_000, line_cost: 16, line_length: 500 }
}

#[test]
fn a_line_that_is_left_out_is_no_match() {
    assert_eq!(found(except("2$"), wanted(0)), (vec![1, 4, 6], vec![], 3));
    assert_eq!(found(except("(?<!3)$"), wanted(0)), (vec![4], vec![], 1));
    assert_eq!(found(except("."), wanted(0)), (vec![], vec![], 0));
}

#[test]
fn it_may_stand_beside_one() {
    assert_eq!(found(except("[23]$"), wanted(1)), (vec![1, 6], vec![2, 5], 2));
}

#[test]
fn it_is_neither_skipped_nor_counted() {
    assert_eq!(found(except("1$"), Wanted { skip: 1, most: 1, ..wanted(0) }).0, [4]);
    let options = QueryOptions { max_count: Some(2), ..except("2$") };
    assert_eq!(found(options, wanted(0)).2, 2);
}

#[test]
fn it_is_understood_in_the_same_case_and_as_an_expression() {
    let any_case = QueryOptions { case: Case::Insensitive, literal: true, ..except("LINE [1-3]") };
    assert_eq!(found(any_case, wanted(0)).0, [6]);
    assert_eq!(found(except("LINE [1-3]"), wanted(0)).0, [1, 2, 4, 6]);
}
