//! Read, Grep and Edit count the same lines, however a file ends them.

use toolcrib_edit::Edit;
use toolcrib_files::{
    EditRequest, Edited, GrepMode, GrepRequest, MAX_GROWTH, Matching, OwnContext, QueryOptions, Refused,
    Sort, edit, grep,
};
use toolcrib_tool::ToolError;
use toolcrib_workspace::Change;

use crate::support::{Home, texts};

const WORD: &str = "needle";

fn read_lines(home: &Home) -> Vec<u64> {
    let text = home.range("file", 1, 100).unwrap();
    (1..).zip(texts(&text)).filter(|(_, line)| line.contains(WORD)).map(|(number, _)| number).collect()
}

fn grep_lines(home: &Home) -> Vec<u64> {
    let request = GrepRequest {
        pattern: WORD.to_owned(),
        query: QueryOptions::default(),
        path: "file".into(),
        include: Vec::new(),
        exclude: Vec::new(),
        types: None,
        mode: GrepMode::Content,
        context: Some((0, 0)),
        own_context: OwnContext::default(),
        sort: Sort::default(),
        offset: 0,
        limit: 100,
        hidden: false,
        ignored: false,
        max_file_size: None,
        line_length: GrepRequest::LINE_LENGTH,
    };
    let found = home.call(|sandbox| Ok(grep(sandbox, &request).unwrap())).unwrap();
    found.files.iter().flat_map(|file| &file.lines).map(|line| line.number).collect()
}

/// What an edit says and what the file would hold.
fn edited(home: &Home, edits: Vec<Edit>) -> Result<(Edited, String), ToolError> {
    let request = EditRequest {
        path: "file".into(),
        edits,
        matching: Matching::Tolerant,
        expected_version: None,
        max_growth: MAX_GROWTH,
    };
    home.call(|sandbox| match edit(sandbox, &request) {
        Ok(proposed) => {
            let Change::Write { content, .. } = &proposed.changes.proposals[0].change else {
                panic!("an edit writes")
            };
            Ok((proposed.outcome, String::from_utf8(content.clone()).unwrap()))
        }
        Err(Refused::Failed(error)) => Err(error),
        Err(refused) => panic!("{refused:?}"),
    })
}

fn edit_lines(home: &Home) -> Vec<u64> {
    let (outcome, _) = edited(home, vec![Edit::new(WORD, "pin").everywhere()]).unwrap();
    outcome.lines.iter().flat_map(|span| span.first..=span.last).map(|line| line as u64).collect()
}

#[test]
fn read_grep_and_edit_count_the_same_lines() {
    for ending in ["\n", "\r\n", "\r"] {
        let text = ["one", "a needle", "three", "needle", "five", ""].join(ending);
        let home = Home::with("file", &text);
        assert_eq!(read_lines(&home), [2, 4], "{ending:?}");
        assert_eq!(grep_lines(&home), [2, 4], "{ending:?}");
        assert_eq!(edit_lines(&home), [2, 4], "{ending:?}");
    }
    // A carriage return ends no line where there is a newline.
    let home = Home::with("file", "10%\r20% needle\nneedle\r\n");
    assert_eq!([read_lines(&home), grep_lines(&home), edit_lines(&home)], [[1, 2]; 3]);
}

/// The caller sees lines and not what ends them, so what it writes is understood as lines.
#[test]
fn an_edit_of_several_lines_keeps_their_endings() {
    for ending in ["\n", "\r\n", "\r"] {
        let home = Home::with("file", ["one", "two", "three", ""].join(ending));
        let (outcome, after) = edited(&home, vec![Edit::new("one\ntwo\n", "one\n1.5\ntwo\n")]).unwrap();
        assert_eq!(after, ["one", "1.5", "two", "three", ""].join(ending), "{ending:?}");
        let lines: Vec<_> = outcome.lines.iter().map(|span| (span.first, span.last)).collect();
        assert_eq!(lines, [(2, 2)], "{ending:?}");
    }
}

/// A text with carriage returns means them.
#[test]
fn carriage_returns_can_be_replaced_by_newlines() {
    let home = Home::with("file", "one\rtwo\r");
    let (outcome, after) = edited(&home, vec![Edit::new("\r", "\n").everywhere()]).unwrap();
    assert_eq!((after.as_str(), outcome.replacements()), ("one\ntwo\n", 2));
}

#[test]
fn a_file_that_an_edit_creates_has_the_lines_that_read_shows() {
    for text in ["one\ntwo", "one\r\ntwo\r\n", "one\rtwo\r"] {
        let home = Home::new();
        let (outcome, after) = edited(&home, vec![Edit::new("", text)]).unwrap();
        home.write("file", after);
        let shown = home.range("file", 1, 100).unwrap().lines.len();
        assert_eq!(outcome.lines.last().map(|span| span.last), Some(shown), "{text:?}");
    }
}
