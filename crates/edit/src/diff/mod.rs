//! The difference between two texts, as hunks of lines with some context.
//!
//! A diff is a value: it applies, it can be turned around, and it is written in two ways. [`Diff::to_patch`] is exact,
//! for programs; [`Diff::shown`] is bounded and harmless to look at, for people and models.

mod compute;
mod frame;
mod hidden;
mod hunks;
mod large;
mod marks;
mod render;
mod review;
mod windows;

use std::ops::Range;

use frame::Frame;
use memchr::memchr_iter;
use toolcrib_text::{Meter, Stop, Stopped};

pub(crate) use compute::{Differing, differences};
pub use hidden::Hidden;
pub use hunks::{ByteHunk, HunkRow, Hunks, UnknownHunk};
pub use marks::differing_words;
pub use render::{Limit, Names, Shown};

/// How many equal lines are given around a change.
const CONTEXT: usize = 3;

/// The difference between two texts.
///
/// ```
/// use toolcrib_edit::{Diff, Names};
///
/// let diff = Diff::between("one\ntwo\n", "one\n2\n");
/// let patch = diff.to_patch(Names::of("count.txt"));
/// assert_eq!(patch, "--- a/count.txt\n+++ b/count.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// assert_eq!(diff.apply("one\ntwo\n").as_deref(), Some("one\n2\n"));
/// assert_eq!(diff.inverted().apply("one\n2\n").as_deref(), Some("one\ntwo\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff<'t> {
    /// The changed parts, in order.
    pub hunks: Vec<Hunk<'t>>,
    /// How many lines of further hunks there are. A diff that lacks hunks is there to be shown, see [`Diff::shortened`].
    left_out: usize,
    /// All lines of both texts end with CRLF.
    all_crlf: bool,
}

/// A changed part with the lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// The lines of the old text that it covers, counted from 0.
    pub old: Range<usize>,
    /// The lines of the new text that it covers, counted from 0.
    pub new: Range<usize>,
    /// The line above that seems to name the part of the text, such as the head of a function.
    pub section: Option<&'t str>,
    /// The lines. Removed ones come before those added in their place.
    pub lines: Vec<Line<'t>>,
}

/// A line of a hunk, with its ending if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// It is in both texts.
    Context(&'t str),
    /// It is only in the old text.
    Removed(&'t str),
    /// It is only in the new text.
    Added(&'t str),
}

impl<'t> Diff<'t> {
    /// Compares two texts line by line. Line endings count.
    #[must_use]
    pub fn between(old: &'t str, new: &'t str) -> Self {
        Self::of(old, new, &Frame::of(old, new))
    }

    /// Compares two texts of any size, for a reader: of a long difference only the beginning is there, and how
    /// many lines are missing. Lines that moved far in a long text may be shown as removed and added.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn shortened(old: &'t str, new: &'t str, stop: &dyn Stop) -> Result<Self, Stopped> {
        let meter = Meter::new(stop);
        meter.spend(old.len() + new.len())?;
        let Some(frame) = Frame::within(old, new, compute::LARGE) else {
            return Self::of_large(old, new, &meter);
        };
        meter.ask()?;
        Ok(Self::of(old, new, &frame))
    }

    fn of_large(old: &'t str, new: &'t str, meter: &Meter<'_>) -> Result<Self, Stopped> {
        let part = frame::Part::of(old, new);
        let (first, section) = (part.first_line(), part.find_above(names_a_section));
        let large::Beginning { mut hunks, left_out } =
            large::compare(part.old, part.new, section, windows::Sizes::USUAL, meter)?;
        for hunk in &mut hunks {
            hunk.old = hunk.old.start + first..hunk.old.end + first;
            hunk.new = hunk.new.start + first..hunk.new.end + first;
        }
        Ok(Self { hunks, left_out, all_crlf: all_crlf(old) && all_crlf(new) })
    }

    fn of(old: &'t str, new: &'t str, frame: &Frame<'t>) -> Self {
        let differences = compute::line_differences(&frame.old, &frame.new);
        let first = if differences.is_empty() { 0 } else { frame.first_line() };
        let mut hunks: Vec<Hunk<'t>> = Vec::new();
        for group in grouped(differences) {
            let mut hunk = hunk(frame, &group);
            let known = hunks.last().map_or(0, |before| before.old.start - first);
            let near =
                frame.old[known..hunk.old.start].iter().rev().find(|line| names_a_section(line)).copied();
            let far = || match hunks.last() {
                Some(before) => before.section,
                None => frame.find_above(names_a_section),
            };
            hunk.section = near.or_else(far);
            hunk.old = hunk.old.start + first..hunk.old.end + first;
            hunk.new = hunk.new.start + first..hunk.new.end + first;
            hunks.push(hunk);
        }
        Self { hunks, left_out: 0, all_crlf: all_crlf(old) && all_crlf(new) }
    }

    /// Whether the texts are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// How many lines were added.
    #[must_use]
    pub fn added(&self) -> usize {
        self.lines().filter(|line| matches!(line, Line::Added(_))).count()
    }

    /// How many lines were removed.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.lines().filter(|line| matches!(line, Line::Removed(_))).count()
    }

    fn lines(&self) -> impl Iterator<Item = &Line<'t>> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines)
    }

    /// How many lines of hunks are missing. Zero means that the diff is complete.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The new text, if `text` is the old one as far as the diff can tell, and the diff is complete.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        (self.left_out == 0).then_some(())?;
        let old = lines(text);
        let mut result = String::with_capacity(text.len());
        let mut line = 0;
        for hunk in &self.hunks {
            let kept = old.get(line..hunk.old.start)?;
            result.extend(kept.iter().copied());
            let expected = hunk.lines.iter().filter_map(|line| line.before());
            old.get(hunk.old.clone())?.iter().copied().eq(expected).then_some(())?;
            result.extend(hunk.lines.iter().filter_map(|line| line.after()));
            line = hunk.old.end;
        }
        result.extend(old.get(line..)?.iter().copied());
        Some(result)
    }

    /// The diff from the new text to the old one.
    #[must_use]
    pub fn inverted(&self) -> Self {
        Self { hunks: self.hunks.iter().map(Hunk::inverted).collect(), ..*self }
    }
}

impl Hunk<'_> {
    fn inverted(&self) -> Self {
        let mut lines: Vec<_> = self.lines.iter().map(|line| line.inverted()).collect();
        // Removed lines come first again.
        for block in lines.chunk_by_mut(|a, b| a.is_context() == b.is_context()) {
            block.sort_by_key(|line| matches!(line, Line::Added(_)));
        }
        Self { old: self.new.clone(), new: self.old.clone(), section: self.section, lines }
    }
}

impl<'t> Line<'t> {
    /// The line without saying what became of it.
    #[must_use]
    pub fn text(self) -> &'t str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    fn before(self) -> Option<&'t str> {
        if matches!(self, Self::Added(_)) { None } else { Some(self.text()) }
    }

    fn after(self) -> Option<&'t str> {
        if matches!(self, Self::Removed(_)) { None } else { Some(self.text()) }
    }

    fn is_context(self) -> bool {
        matches!(self, Self::Context(_))
    }

    fn inverted(self) -> Self {
        match self {
            Self::Context(text) => Self::Context(text),
            Self::Removed(text) => Self::Added(text),
            Self::Added(text) => Self::Removed(text),
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Differences whose context would meet belong to one hunk.
fn grouped(differences: Vec<Differing>) -> Vec<Vec<Differing>> {
    let mut groups: Vec<Vec<Differing>> = Vec::new();
    for difference in differences {
        match groups.last_mut() {
            Some(group)
                if group.last().is_some_and(|last| difference.0.start - last.0.end <= 2 * CONTEXT) =>
            {
                group.push(difference);
            }
            _ => groups.push(vec![difference]),
        }
    }
    groups
}

/// A hunk, in lines of the frame.
fn hunk<'t>(frame: &Frame<'t>, group: &[Differing]) -> Hunk<'t> {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let above = first.0.start.min(CONTEXT);
    let below = (frame.old.len() - last.0.end).min(CONTEXT);
    let old = first.0.start - above..last.0.end + below;
    let mut lines: Vec<Line<'t>> = Vec::new();
    let mut at = old.start;
    for (removed, added) in group {
        lines.extend(frame.old[at..removed.start].iter().copied().map(Line::Context));
        lines.extend(frame.old[removed.clone()].iter().copied().map(Line::Removed));
        lines.extend(frame.new[added.clone()].iter().copied().map(Line::Added));
        at = removed.end;
    }
    lines.extend(frame.old[at..old.end].iter().copied().map(Line::Context));
    Hunk { new: first.1.start - above..last.1.end + below, old, section: None, lines }
}

fn all_crlf(text: &str) -> bool {
    let mut newlines = memchr_iter(b'\n', text.as_bytes());
    newlines.all(|newline| newline > 0 && text.as_bytes()[newline - 1] == b'\r')
}

/// As git does without being told the language: what starts at the margin with a letter.
fn names_a_section(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}
