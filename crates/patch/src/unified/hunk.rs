//! The hunks of a diff, also those whose counts are wrong or missing.

use crate::error::{Error, ErrorKind};
use crate::patch::{Hunk, Line, Location};
use crate::rows::{Row, Rows};

use super::header::names_begin_at as names_begin;

pub(super) fn begins(rows: &Rows<'_>) -> bool {
    rows.peek().is_some_and(|row| row.text == "@@" || row.text.starts_with("@@ "))
}

pub(super) fn read(rows: &mut Rows<'_>) -> Result<Hunk, Error> {
    let line = rows.number();
    let (location, counts) = rows.next().map_or((Location::After(Vec::new()), None), |row| head(row.text));
    let mut body = Body { rows, counts, lines: Vec::new(), miscounted: false };
    body.read()?;
    let Body { counts, lines, miscounted, .. } = body;
    if lines.iter().all(Line::is_context) {
        return Err(Error::new(line, ErrorKind::EmptyHunk));
    }
    let miscounted = miscounted || counts.is_some_and(|counts| counts != (0, 0));
    Ok(Hunk { location, lines, to_end: false, miscounted, line })
}

/// Lines that are still to come, of the old and of the new text.
type Counts = (usize, usize);

/// `@@ -1,2 +1,3 @@ section`, or less of it.
fn head(text: &str) -> (Location, Option<Counts>) {
    let rest = text.trim_start_matches('@').trim_start();
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let mut ranges = ranges.split_whitespace();
    let old = ranges.next().and_then(|range| range.strip_prefix('-')).and_then(range);
    let new = ranges.next().and_then(|range| range.strip_prefix('+')).and_then(range);
    match (old, new) {
        (Some(old), Some(new)) => (Location::Line(old.0), Some((old.1, new.1))),
        (Some(old), None) => (Location::Line(old.0), None),
        (None, _) => {
            let section =
                if section.trim().is_empty() { rest.trim_matches(['@', ' ']) } else { section.trim() };
            let numbered = section.is_empty() || section.starts_with(['-', '+', '.', '…']);
            (Location::After(if numbered { Vec::new() } else { vec![section.to_owned()] }), None)
        }
    }
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

struct Body<'r, 'p> {
    rows: &'r mut Rows<'p>,
    counts: Option<Counts>,
    lines: Vec<Line>,
    /// The hunk went on after its counts were used up.
    miscounted: bool,
}

impl Body<'_, '_> {
    fn read(&mut self) -> Result<(), Error> {
        while let Some(row) = self.rows.peek() {
            if row.text.starts_with('\\') {
                self.without_newline();
            } else if row.text.is_empty() {
                if !self.is_blank_context() {
                    return Ok(());
                }
                self.push(row, Line::Context, "");
            } else if row.text.starts_with([' ', '+', '-']) {
                if self.is_over(row) {
                    return Ok(());
                }
                let kind = if row.text.starts_with(' ') {
                    Line::Context
                } else if row.text.starts_with('+') {
                    Line::Added
                } else {
                    Line::Removed
                };
                self.push(row, kind, &row.text[1..]);
            } else {
                return self.stop(row);
            }
            self.rows.next();
        }
        Ok(())
    }

    fn push(&mut self, row: Row<'_>, kind: fn(String) -> Line, text: &str) {
        let line = kind(format!("{text}{}", row.ending));
        if let Some((old, new)) = &mut self.counts {
            let (takes_old, takes_new) = takes(&line);
            self.miscounted |= takes_old > *old || takes_new > *new;
            (*old, *new) = (old.saturating_sub(takes_old), new.saturating_sub(takes_new));
        }
        self.lines.push(line);
    }

    /// `\ No newline at end of file`: the line before has no ending.
    fn without_newline(&mut self) {
        if let Some(line) = self.lines.last_mut() {
            let text = line.text_mut();
            // A CR before it is a character of the line.
            text.truncate(text.strip_suffix('\n').unwrap_or(text).len());
        }
    }

    /// A blank context line may have lost its space. It is one if the counts want it, or if the hunk goes on after it.
    fn is_blank_context(&self) -> bool {
        let blanks = self.rows.empty_ones();
        let wanted = self.counts.is_some_and(|(old, new)| old == blanks && new == blanks);
        let goes_on = self.rows.ahead(blanks).is_some_and(|row| {
            row.text.starts_with([' ', '+', '-', '\\'])
                && !is_signature(row)
                && !names_begin(self.rows, blanks)
        });
        wanted || goes_on
    }

    /// Whether a row that looks like a line of the hunk is none.
    fn is_over(&self, row: Row<'_>) -> bool {
        let named = names_begin(self.rows, 0);
        match self.counts {
            Some((0, 0)) => named || is_signature(row),
            // `--- x` and `+++ y` are a removed `-- x` and an added `++ y`, if just these two are still to come.
            Some((1, 1)) => false,
            _ => named && self.rows.ahead(2).is_none_or(|row| row.text.starts_with("@@")),
        }
    }

    /// Ends the hunk at a row that is no line of one. If lines are missing, this may be one that lost its sign.
    fn stop(&self, row: Row<'_>) -> Result<(), Error> {
        let complete = self.counts == Some((0, 0)) && !self.miscounted;
        let boundary =
            ["@@", "diff ", "```", "~~~", "Index: ", "From ", "*** ", "EOF", "PATCH", "index ", "=== "];
        if complete || boundary.iter().any(|start| row.text.starts_with(start)) {
            return Ok(());
        }
        Err(Error::new(row.number, ErrorKind::MissingPrefix))
    }
}

/// How many lines of the old and of the new text a line stands for.
fn takes(line: &Line) -> (usize, usize) {
    match line {
        Line::Context(_) => (1, 1),
        Line::Removed(_) => (1, 0),
        Line::Added(_) => (0, 1),
    }
}

/// The line before the version of git at the end of a mail.
fn is_signature(row: Row<'_>) -> bool {
    row.text == "-- " || row.text == "--"
}
