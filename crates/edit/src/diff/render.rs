//! A diff as text: exactly, or bounded and harmless to look at.

use std::fmt::Write as _;

use super::{Diff, Hunk, Line};
use crate::diagnosis::push_visible;

/// How many characters of a section's name are given.
const SECTION: usize = 80;

/// What the two sides are called. A side without name does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names<'n> {
    /// The old text's path, relative.
    pub old: Option<&'n str>,
    /// The new text's path, relative.
    pub new: Option<&'n str>,
}

impl<'n> Names<'n> {
    /// The same on both sides.
    #[must_use]
    pub fn of(path: &'n str) -> Self {
        Self { old: Some(path), new: Some(path) }
    }

    /// The new text was created.
    #[must_use]
    pub fn created(path: &'n str) -> Self {
        Self { old: None, new: Some(path) }
    }

    /// The old text was deleted.
    #[must_use]
    pub fn deleted(path: &'n str) -> Self {
        Self { old: Some(path), new: None }
    }

    /// A path after `a/`, `b/` or nothing, as git writes it: in quotes and with escapes, where it has characters that would
    /// be taken for something else.
    #[must_use]
    pub fn quoted(side: &str, path: &str) -> String {
        if !path.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
            return format!("{side}{path}");
        }
        let mut quoted = format!("\"{side}");
        for c in path.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                c if c.is_control() => c.to_string().bytes().for_each(|byte| {
                    let _ = write!(quoted, "\\{byte:03o}");
                }),
                c => quoted.push(c),
            }
        }
        quoted.push('"');
        quoted
    }
}

/// How much of a diff is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many lines, headers not counted.
    pub lines: usize,
    /// How many bytes.
    pub bytes: usize,
    /// How many characters of a line.
    pub line_length: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self { lines: 1000, bytes: 50_000, line_length: 500 }
    }
}

/// A diff to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The text. It has no control characters but newline and tab.
    pub text: String,
    /// How many lines of hunks are left out. Zero means that the diff is complete.
    pub left_out: usize,
}

impl Diff<'_> {
    /// The diff to the letter, as `git apply` and [`Diff::between`]'s readers take it, if it is complete. Nothing, if the
    /// texts are equal.
    #[must_use]
    pub fn to_patch(&self, names: Names<'_>) -> String {
        let mut patch = String::new();
        if self.is_empty() {
            return patch;
        }
        push_names(&mut patch, names);
        for hunk in &self.hunks {
            push_head(&mut patch, hunk);
            for line in &hunk.lines {
                patch.push(line.sign());
                patch.push_str(line.text());
                push_end(&mut patch, *line);
            }
        }
        patch
    }

    /// The diff to look at: as much as the limit allows, with what a terminal would act upon made visible.
    ///
    /// The CR of a CRLF is shown as `␍`, unless all lines of both texts have one.
    #[must_use]
    pub fn shown(&self, names: Names<'_>, limit: Limit) -> Shown {
        let mut shown = Shown { text: String::new(), left_out: 0 };
        if self.is_empty() {
            return shown;
        }
        push_names(&mut shown.text, names);
        let mut count = 0;
        for hunk in &self.hunks {
            if shown.left_out > 0 {
                shown.left_out += hunk.lines.len();
                continue;
            }
            push_head(&mut shown.text, hunk);
            for line in &hunk.lines {
                let whole = shown.text.len();
                self.push_shown(&mut shown.text, *line, limit.line_length);
                count += 1;
                if shown.left_out > 0 || count > limit.lines || shown.text.len() > limit.bytes {
                    shown.text.truncate(whole);
                    shown.left_out += 1;
                }
            }
        }
        shown.left_out += self.left_out;
        if shown.left_out > 0 {
            let _ = writeln!(
                shown.text,
                "… {} more lines of the diff are left out: read the file to see them",
                shown.left_out
            );
        }
        shown
    }

    fn push_shown(&self, text: &mut String, line: Line<'_>, length: usize) {
        text.push(line.sign());
        let content = line.text().strip_suffix('\n').unwrap_or(line.text());
        let (content, cr) = content.strip_suffix('\r').map_or((content, false), |content| (content, true));
        for (count, (at, c)) in content.char_indices().enumerate() {
            if count == length {
                let _ = write!(text, "… ({} more characters)", content[at..].chars().count());
                break;
            }
            match c {
                // These are seen, and mean something in many languages.
                '\t' | '\u{A0}' | '\u{3000}' | '\u{200D}' | '\u{FE0F}' => text.push(c),
                other => push_visible(text, other),
            }
        }
        if cr && !(self.all_crlf && line.text().ends_with('\n')) {
            text.push('␍');
        }
        text.push_str(if line.text().ends_with('\n') { "\n" } else { "" });
        push_end(text, line);
    }
}

impl Line<'_> {
    fn sign(self) -> char {
        match self {
            Self::Context(_) => ' ',
            Self::Removed(_) => '-',
            Self::Added(_) => '+',
        }
    }
}

fn push_end(text: &mut String, line: Line<'_>) {
    if !line.text().ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

fn push_names(text: &mut String, names: Names<'_>) {
    let name = |side: &str, path: Option<&str>| {
        path.map_or("/dev/null".to_owned(), |path| Names::quoted(side, path))
    };
    let _ = writeln!(text, "--- {}\n+++ {}", name("a/", names.old), name("b/", names.new));
}

pub(super) fn push_head(text: &mut String, hunk: &Hunk<'_>) {
    // An empty range is named by the line before it, which in numbers counted from 1 is its start.
    let range = |range: &std::ops::Range<usize>| match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    };
    let _ = write!(text, "@@ -{} +{} @@", range(&hunk.old), range(&hunk.new));
    if let Some(section) = hunk.section {
        text.push(' ');
        section.trim_end().chars().take(SECTION).for_each(|c| push_visible(text, c));
    }
    text.push('\n');
}
