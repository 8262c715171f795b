//! A difference between two contents as the page shows it: hunks of rows, with the words marked that differ.
//!
//! Everything is bounded: the rows of one answer, the length of a line, the size of what is compared. It must not know where the
//! contents come from, nor who may see them.

mod line;

use serde::Serialize;
use serde_json::{Value, json};
use toolcrib::{HunkRow, Hunks};

use crate::answer::Refusal;
use crate::query::Query;
use line::{Coding, Shown};

/// How many rows stand in one answer, and how much text.
const MOST_ROWS: usize = 2000;
const MOST_TEXT: usize = 2 * 1024 * 1024;
/// The largest content that is compared.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The context that is shown around a change.
const CONTEXT: usize = 3;

/// The contents that are compared; none if there was no file.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'c> {
    pub(crate) before: Option<&'c [u8]>,
    pub(crate) after: Option<&'c [u8]>,
}

/// Which rows of a difference are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    from: usize,
    context: usize,
}

impl Window {
    pub(crate) fn of(query: &Query) -> Result<Self, Refusal> {
        Ok(Self {
            from: query.parse("from_row")?.unwrap_or(0),
            context: query.parse("context")?.unwrap_or(CONTEXT),
        })
    }

    /// The beginning.
    pub(crate) fn first() -> Self {
        Self { from: 0, context: CONTEXT }
    }
}

#[derive(Serialize)]
struct ShownHunk {
    id: String,
    n: usize,
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    /// Its first rows were in an answer before.
    continued: bool,
    rows: Vec<ShownRow>,
}

#[derive(Serialize)]
struct ShownRow {
    t: char,
    #[serde(skip_serializing_if = "Option::is_none")]
    o: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<usize>,
    #[serde(flatten)]
    line: Shown,
}

impl Sides<'_> {
    /// The difference as the page gets it.
    pub(crate) fn compared(self, window: Window) -> Value {
        let (before, after) = (self.before.unwrap_or_default(), self.after.unwrap_or_default());
        let sizes = json!([self.before.map(<[u8]>::len), self.after.map(<[u8]>::len)]);
        if before.len().max(after.len()) > MOST_BYTES {
            return json!({"binary": false, "denied": false, "too_large": true, "sizes": sizes, "hunks": []});
        }
        let Some(coding) = Coding::of(before, after) else {
            return json!({"binary": true, "denied": false, "sizes": sizes, "hunks": []});
        };
        let hunks = Hunks::between(before, after);
        let mut page = Page { coding, window, at: 0, rows: 0, text: 0, hunks: Vec::new(), next: None };
        for (n, hunk) in hunks.as_slice().iter().enumerate() {
            if !page.take(n, hunk, &hunks) {
                break;
            }
        }
        let differing = || hunks.as_slice().iter().flat_map(|hunk| &hunk.differing);
        json!({
            "binary": false,
            "denied": false,
            "sizes": sizes,
            "lossy": coding == Coding::Lossy,
            "hunk_count": hunks.as_slice().len(),
            "added": differing().map(|(_, new)| new.len()).sum::<usize>(),
            "removed": differing().map(|(old, _)| old.len()).sum::<usize>(),
            "hunks": page.hunks,
            "more": page.next.map(|next| json!({"next": next})),
        })
    }
}

/// The rows of one answer.
struct Page {
    coding: Coding,
    window: Window,
    /// The number of the next row, counted through all hunks.
    at: usize,
    rows: usize,
    text: usize,
    hunks: Vec<ShownHunk>,
    next: Option<usize>,
}

impl Page {
    /// Adds the rows of a hunk that are wanted. No if there is no room for more.
    fn take(&mut self, n: usize, hunk: &toolcrib::ByteHunk, hunks: &Hunks<'_>) -> bool {
        let first = self.at;
        // Without reading the lines: what comes before the window is only counted.
        let rows = hunks.rows(hunk, self.window.context);
        self.at += rows.len();
        if self.at <= self.window.from {
            return true;
        }
        if self.next.is_some() {
            return false;
        }
        let skipped = self.window.from.saturating_sub(first);
        let mut shown = ShownHunk::of(n, hunk, &rows, skipped > 0);
        let marks = line::Marks::of(&rows, skipped..skipped + MOST_ROWS, self.coding);
        for (number, row) in rows.iter().enumerate().skip(skipped) {
            if self.rows == MOST_ROWS || self.text >= MOST_TEXT {
                self.next = Some(first + number);
                break;
            }
            let row = ShownRow::of(*row, marks.of_row(number), self.coding);
            self.rows += 1;
            self.text += row.line.len();
            shown.rows.push(row);
        }
        if !shown.rows.is_empty() {
            self.hunks.push(shown);
        }
        self.next.is_none()
    }
}

impl ShownHunk {
    fn of(n: usize, hunk: &toolcrib::ByteHunk, rows: &[HunkRow<'_>], continued: bool) -> Self {
        let old = rows.iter().filter_map(|row| old_line(*row));
        let new = rows.iter().filter_map(|row| new_line(*row));
        let (old_lines, new_lines) = (old.clone().count(), new.clone().count());
        // As in a unified diff: of a side without lines, the line before.
        let old_start = old.min().map_or(hunk.old.start, |line| line + 1);
        let new_start = new.min().map_or(hunk.new.start, |line| line + 1);
        Self {
            id: hunk.id.clone(),
            n,
            old_start,
            old_lines,
            new_start,
            new_lines,
            continued,
            rows: Vec::new(),
        }
    }
}

impl ShownRow {
    fn of(row: HunkRow<'_>, marks: &[std::ops::Range<usize>], coding: Coding) -> Self {
        let (t, bytes) = match row {
            HunkRow::Context(_, _, bytes) => (' ', bytes),
            HunkRow::Removed(_, bytes) => ('-', bytes),
            HunkRow::Added(_, bytes) => ('+', bytes),
        };
        let number = |line: Option<usize>| line.map(|line| line + 1);
        Self { t, o: number(old_line(row)), n: number(new_line(row)), line: Shown::of(bytes, marks, coding) }
    }
}

fn old_line(row: HunkRow<'_>) -> Option<usize> {
    match row {
        HunkRow::Context(old, ..) | HunkRow::Removed(old, _) => Some(old),
        HunkRow::Added(..) => None,
    }
}

fn new_line(row: HunkRow<'_>) -> Option<usize> {
    match row {
        HunkRow::Context(_, new, _) | HunkRow::Added(new, _) => Some(new),
        HunkRow::Removed(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(diff: &Value) -> [u64; 4] {
        let hunk = &diff["hunks"][0];
        ["old_start", "old_lines", "new_start", "new_lines"].map(|field| hunk[field].as_u64().unwrap())
    }

    fn compared(before: &[u8], after: &[u8], query: &str) -> Value {
        let window = Window::of(&Query::of(Some(query))).unwrap();
        Sides { before: Some(before), after: Some(after) }.compared(window)
    }

    #[test]
    fn rows_have_numbers_and_marks() {
        let diff = compared(b"one\ntwo = 2\nthree\n", b"one\ntwo = 22\nthree\nfour", "");
        let rows = diff["hunks"][0]["rows"].as_array().unwrap();
        assert_eq!(rows[0], json!({"t": " ", "o": 1, "n": 1, "s": "one"}));
        assert_eq!(rows[1], json!({"t": "-", "o": 2, "s": "two = 2", "marks": [[6, 7]]}));
        assert_eq!(rows[2], json!({"t": "+", "n": 2, "s": "two = 22", "marks": [[6, 8]]}));
        assert_eq!(rows[4], json!({"t": "+", "n": 4, "s": "four", "eol": "none"}));
        assert_eq!(range(&diff), [1, 3, 1, 4]);
        assert_eq!((&diff["added"], &diff["removed"]), (&json!(2), &json!(1)));
    }

    #[test]
    fn a_file_that_is_new_starts_at_no_line() {
        let diff = Sides { before: None, after: Some(b"a\n") }.compared(Window::first());
        assert_eq!(range(&diff), [0, 0, 1, 1]);
    }

    #[test]
    fn a_long_difference_comes_in_pages_without_gaps() {
        let before: String = (0..9000).map(|line| format!("{line}\n")).collect();
        let after: String = (0..9000)
            .map(|line| if line % 20 < 9 { format!("new {line}\n") } else { format!("{line}\n") })
            .collect();
        let (mut from, mut seen, mut pages) = (0, Vec::new(), 0);
        loop {
            let diff = compared(before.as_bytes(), after.as_bytes(), &format!("from_row={from}"));
            let mut count = 0;
            for hunk in diff["hunks"].as_array().unwrap() {
                for row in hunk["rows"].as_array().unwrap() {
                    count += 1;
                    seen.push((row["o"].as_u64(), row["n"].as_u64()));
                }
            }
            assert!(count <= MOST_ROWS);
            pages += 1;
            match diff["more"]["next"].as_u64() {
                Some(next) => from = next,
                None => break,
            }
        }
        let olds: Vec<_> = seen.iter().filter_map(|(old, _)| *old).collect();
        let news: Vec<_> = seen.iter().filter_map(|(_, new)| *new).collect();
        assert!(pages > 3 && olds.is_sorted() && news.is_sorted());
        let hunks = Hunks::between(before.as_bytes(), after.as_bytes());
        let all: usize = hunks.as_slice().iter().map(|hunk| hunks.rows(hunk, 3).len()).sum();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn what_is_no_text_is_only_measured() {
        let diff = compared(b"\x7fELF\0\x01", b"\x7fELF\0\x02!", "");
        assert_eq!((&diff["binary"], &diff["sizes"]), (&json!(true), &json!([6, 7])));
        let diff = compared(b"caf\xe9\n", b"caf\xe8\n", "");
        assert_eq!(
            (&diff["lossy"], &diff["hunks"][0]["rows"][0]["s"]),
            (&json!(true), &json!("caf\u{fffd}"))
        );
    }
}
