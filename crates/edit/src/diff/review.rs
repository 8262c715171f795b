//! A diff for a person who decides on it: complete, and with nothing out of sight.
//!
//! A model's diff is [bounded](super::Limit), and cuts lines at a column. This one leaves out nothing that changed. Of a
//! long line only what both sides have in common is left out, and is counted; what differs is shown whole, on as many
//! rows as it takes.

use std::ops::Range;

use super::marks::word_differences;
use super::render::push_head;
use super::{Diff, Line};
use crate::reveal::{Blanks, push_revealed};

/// How many characters of a line stand on one row.
const ROW: usize = 200;
/// How much of what both sides have in common is shown around a difference, in characters.
const AROUND: usize = 40;

impl Diff<'_> {
    /// Gives every row of the diff to `row`, without its newline. Rows begin as lines of a unified diff do; `⤷` at the
    /// start continues the row above. The names of the files are for the caller to give.
    pub fn review(&self, row: &mut dyn FnMut(&str)) {
        for hunk in &self.hunks {
            let mut head = String::new();
            push_head(&mut head, hunk);
            row(head.trim_end_matches('\n'));
            let mut lines = &hunk.lines[..];
            while let Some(first) = lines.first() {
                if let Line::Context(text) = first {
                    self.context(text, row);
                    lines = &lines[1..];
                    continue;
                }
                let count = lines.iter().take_while(|line| !matches!(line, Line::Context(_))).count();
                let (block, rest) = lines.split_at(count);
                self.block(block, row);
                lines = rest;
            }
        }
    }

    fn context(&self, text: &str, row: &mut dyn FnMut(&str)) {
        let content = self.content(text);
        let shown = content.char_indices().nth(ROW).map_or(content.len(), |(at, _)| at);
        self.rows(' ', text, &one(0..shown), row);
    }

    /// Removed lines, and those added in their place.
    fn block(&self, block: &[Line<'_>], row: &mut dyn FnMut(&str)) {
        let added_from = block.iter().position(|line| matches!(line, Line::Added(_))).unwrap_or(block.len());
        let (removed, added) = block.split_at(added_from);
        let pair = |at: usize| Some((removed.get(at)?.text(), added.get(at)?.text()));
        for (at, line) in removed.iter().enumerate() {
            let parts = pair(at).map_or_else(|| whole(line.text()), |(old, new)| self.parts(old, new).0);
            self.rows('-', line.text(), &parts, row);
        }
        for (at, line) in added.iter().enumerate() {
            let parts = pair(at).map_or_else(|| whole(line.text()), |(old, new)| self.parts(old, new).1);
            self.rows('+', line.text(), &parts, row);
        }
    }

    /// What of two lines has to be shown.
    fn parts(&self, old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        if old.len().max(new.len()) <= ROW {
            return (whole(old), whole(new));
        }
        let (olds, news) = word_differences(old, new);
        (around(old, olds.into_iter()), around(new, news.into_iter()))
    }

    /// Writes these parts of a line, with what is left out between them counted.
    fn rows(&self, sign: char, line: &str, parts: &[Range<usize>], row: &mut dyn FnMut(&str)) {
        let content = self.content(line);
        let mut rows = Rows::new(sign, row);
        let mut at = 0;
        for part in parts {
            let part = part.start.min(content.len())..part.end.min(content.len());
            rows.left_out(&content[at..part.start]);
            rows.text(&content[part.clone()], part.start == 0, part.end == content.len());
            at = part.end;
        }
        rows.left_out(&content[at..]);
        if line.len() > content.len() && !line[content.len()..].starts_with('\n') && !self.all_crlf {
            rows.mark("␍");
        }
        rows.end();
        if !line.ends_with('\n') {
            row("\\ No newline at end of file");
        }
    }

    /// A line without its ending.
    fn content<'l>(&self, line: &'l str) -> &'l str {
        let content = line.strip_suffix('\n').unwrap_or(line);
        if line.ends_with('\n') { content.strip_suffix('\r').unwrap_or(content) } else { content }
    }
}

fn one(part: Range<usize>) -> Vec<Range<usize>> {
    std::iter::once(part).collect()
}

fn whole(line: &str) -> Vec<Range<usize>> {
    one(0..line.len())
}

/// Widens every range by some characters, and joins those that meet.
fn around(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut wide: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let start = text[..range.start].char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
        let end = text[range.end..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| range.end + at);
        match wide.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => wide.push(start..end),
        }
    }
    wide
}

/// The rows of one line.
struct Rows<'r> {
    text: String,
    width: usize,
    row: &'r mut dyn FnMut(&str),
}

impl<'r> Rows<'r> {
    fn new(sign: char, row: &'r mut dyn FnMut(&str)) -> Self {
        Self { text: sign.into(), width: 0, row }
    }

    fn text(&mut self, mut text: &str, at_start: bool, at_end: bool) {
        let mut at_start = at_start;
        while !text.is_empty() {
            let room = ROW.saturating_sub(self.width);
            let fits = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
            let (now, later) = text.split_at(fits);
            push_revealed(&mut self.text, now, Blanks { at_start, at_end: at_end && later.is_empty() });
            self.width += now.chars().count();
            at_start &= now.is_empty();
            text = later;
            if !text.is_empty() {
                (self.row)(&self.text);
                self.text = "⤷".into();
                self.width = 0;
            }
        }
    }

    fn left_out(&mut self, text: &str) {
        if !text.is_empty() {
            self.mark(&format!("⟨{} characters as before⟩", text.chars().count()));
        }
    }

    fn mark(&mut self, mark: &str) {
        self.text.push_str(mark);
        self.width += mark.chars().count();
    }

    fn end(self) {
        (self.row)(&self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(old: &str, new: &str) -> Vec<String> {
        let mut rows = Vec::new();
        Diff::between(old, new).review(&mut |row| rows.push(row.to_owned()));
        rows
    }

    #[test]
    fn short_lines_read_as_in_any_diff() {
        assert_eq!(
            review("one\ntwo\nthree\n", "one\n2\nthree"),
            ["@@ -1,3 +1,3 @@", " one", "-two", "-three", "+2", "+three", "\\ No newline at end of file"]
        );
        assert_eq!(review("a\r\n", "a\n"), ["@@ -1 +1 @@", "-a␍", "+a"]);
        assert_eq!(review("a\n", "a\r"), ["@@ -1 +1 @@", "-a", "+a⟨U+000D⟩", "\\ No newline at end of file"]);
    }

    #[test]
    fn a_difference_far_to_the_right_is_shown() {
        let line = |value: &str| {
            format!("{{{}\"run\": {value}, {}}}\n", "\"a\": 1, ".repeat(80), "\"b\": 2, ".repeat(80))
        };
        let rows = review(&line("false"), &line("true"));
        assert_eq!(rows[0], "@@ -1 +1 @@");
        assert!(rows[1].starts_with("-⟨6") && rows[1].contains("\"run\": false, \"b\""), "{}", rows[1]);
        assert!(rows[2].starts_with("+⟨6") && rows[2].contains("\"run\": true, \"b\""), "{}", rows[2]);
        assert!(rows.iter().all(|row| row.chars().count() < 200), "{rows:?}");
    }

    #[test]
    fn two_differences_in_a_long_line_leave_out_what_is_between() {
        let line = |a: &str, b: &str| format!("{a} {} {b}\n", "word ".repeat(200));
        let rows = review(&line("one", "two"), &line("1", "2"));
        assert!(rows[1].starts_with("-one word") && rows[1].ends_with(" two"), "{}", rows[1]);
        assert!(rows[2].starts_with("+1 word") && rows[2].contains("characters as before⟩"), "{}", rows[2]);
    }

    /// Whatever is put in, every character of what was added is on some row.
    #[test]
    fn a_long_line_that_is_all_new_is_shown_whole() {
        let new: String = (0..3000).map(|number| format!("{number};")).collect();
        let rows = review("", &format!("{new}\n"));
        let shown: String = rows[1..].iter().map(|row| row.trim_start_matches(['+', '⤷'])).collect();
        assert_eq!(shown, new);
        assert!(rows[1].starts_with('+') && rows[2..].iter().all(|row| row.starts_with('⤷')));
    }

    #[test]
    fn blanks_push_nothing_out_of_sight() {
        let rows = review("", &format!("safe();{}evil();\n", " ".repeat(2000)));
        let shown: String = rows.concat();
        assert!(shown.contains("safe();⟨") && shown.contains("evil();"), "{rows:?}");
        assert!(rows.len() < 15);
    }
}
