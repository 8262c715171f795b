//! A change of a file as a list of hunks, of which some can be kept and the others left out.
//!
//! It is about bytes: what is no text changes too, and what is not in a hunk stays as it is to the byte. It must not know who
//! chooses, nor whether a change is still to be made or was made long ago.

use std::fmt;
use std::ops::Range;

use toolcrib_text::Meter;

use super::compute::{LARGE, differences, line_differences};
use super::{CONTEXT, Differing};

/// The change from one content of a file to another.
///
/// ```
/// use toolcrib_edit::Hunks;
///
/// let before = b"a\n1\n2\n3\n4\n5\n6\n7\nb\n";
/// let after = b"A\n1\n2\n3\n4\n5\n6\n7\nB\n";
/// let hunks = Hunks::between(before, after);
/// let [first, _] = hunks.as_slice() else { unreachable!() };
/// assert_eq!(hunks.keep(&[&first.id])?, b"A\n1\n2\n3\n4\n5\n6\n7\nb\n");
/// # Ok::<(), toolcrib_edit::UnknownHunk>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hunks<'t> {
    old: Vec<&'t [u8]>,
    new: Vec<&'t [u8]>,
    hunks: Vec<ByteHunk>,
}

/// A part of a change: lines that are near each other. The context around them is not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteHunk {
    /// Names it among the hunks of its change: the same wherever and whenever the same two contents are compared.
    pub id: String,
    /// The lines of the old content that it replaces, counted from 0.
    pub old: Range<usize>,
    /// The lines of the new content that stand in their place, counted from 0.
    pub new: Range<usize>,
    /// What differs in it, in order. Lines in between are in both contents.
    pub differing: Vec<(Range<usize>, Range<usize>)>,
}

/// A line as it is shown, with its ending if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkRow<'t> {
    /// It is in both, under these numbers from 0: in the old content and in the new one.
    Context(usize, usize, &'t [u8]),
    /// It is only in the old one, under this number.
    Removed(usize, &'t [u8]),
    /// It is only in the new one, under this number.
    Added(usize, &'t [u8]),
}

/// There is no hunk of this name in the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHunk(pub String);

impl fmt::Display for UnknownHunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the change has no hunk '{}'", self.0)
    }
}

impl std::error::Error for UnknownHunk {}

impl<'t> Hunks<'t> {
    /// Compares two contents of a file. A file that does not exist is empty.
    ///
    /// Lines end with LF. A content with a NUL in it is one line, unless both are UTF-16 and say so: taking such bytes
    /// apart could cut a character in two.
    #[must_use]
    pub fn between(before: &'t [u8], after: &'t [u8]) -> Self {
        let split = Split::of(before, after);
        let (old, new) = (split.lines(before), split.lines(after));
        let same = |(old, new): &(&&[u8], &&[u8])| old == new;
        let above = old.iter().zip(&new).take_while(same).count();
        let below = old[above..].iter().rev().zip(new[above..].iter().rev()).take_while(same).count();
        let (old_part, new_part) = (&old[above..old.len() - below], &new[above..new.len() - below]);
        let found = if old_part.len().max(new_part.len()) > LARGE {
            differences(old_part, new_part, &Meter::unlimited()).unwrap_or_default()
        } else {
            line_differences(old_part, new_part)
        };
        let moved = |range: Range<usize>| range.start + above..range.end + above;
        let found = found.into_iter().map(|(old, new)| (moved(old), moved(new))).collect();
        let hunks = super::grouped(found).into_iter().map(|group| ByteHunk::of(group, &old, &new)).collect();
        Self { old, new, hunks }
    }

    /// The hunks, in the order of the file.
    #[must_use]
    pub fn as_slice(&self) -> &[ByteHunk] {
        &self.hunks
    }

    /// The content that has the new lines of these hunks, and elsewhere is the old one.
    ///
    /// # Errors
    ///
    /// If the change has no hunk of such a name.
    pub fn keep<S: AsRef<str>>(&self, ids: &[S]) -> Result<Vec<u8>, UnknownHunk> {
        let known = |id: &str| self.hunks.iter().any(|hunk| hunk.id == id);
        if let Some(unknown) = ids.iter().find(|id| !known(id.as_ref())) {
            return Err(UnknownHunk(unknown.as_ref().to_owned()));
        }
        let (mut kept, mut at) = (Vec::new(), 0);
        for hunk in &self.hunks {
            let lines = if ids.iter().any(|id| id.as_ref() == hunk.id) {
                &self.new[hunk.new.clone()]
            } else {
                &self.old[hunk.old.clone()]
            };
            kept.extend_from_slice(&self.old[at..hunk.old.start]);
            kept.extend_from_slice(lines);
            at = hunk.old.end;
        }
        kept.extend_from_slice(&self.old[at..]);
        Ok(kept.concat())
    }

    /// A hunk as it is shown, with up to so many lines of context above and below. Context never reaches into another hunk.
    #[must_use]
    pub fn rows(&self, hunk: &ByteHunk, context: usize) -> Vec<HunkRow<'t>> {
        let above = context.min(hunk.old.start).min(CONTEXT_MOST);
        let below = context.min(self.old.len() - hunk.old.end).min(CONTEXT_MOST);
        let mut rows = Vec::new();
        let (mut old, mut new) = (hunk.old.start - above, hunk.new.start - above);
        let end = (hunk.old.end + below..hunk.old.end + below, hunk.new.end + below..hunk.new.end + below);
        for (removed, added) in hunk.differing.iter().chain([&end]) {
            let same = self.old[old..removed.start].iter();
            rows.extend(same.enumerate().map(|(at, line)| HunkRow::Context(old + at, new + at, line)));
            rows.extend(removed.clone().map(|at| HunkRow::Removed(at, self.old[at])));
            rows.extend(added.clone().map(|at| HunkRow::Added(at, self.new[at])));
            (old, new) = (removed.end, added.end);
        }
        rows
    }
}

/// Hunks are so far apart that this much context of one does not meet that of the next.
const CONTEXT_MOST: usize = CONTEXT;

impl ByteHunk {
    fn of(differing: Vec<Differing>, old_lines: &[&[u8]], new_lines: &[&[u8]]) -> Self {
        let ends = |of: fn(&Differing) -> &Range<usize>| {
            let start = differing.first().map_or(0, |first| of(first).start);
            start..differing.last().map_or(start, |last| of(last).end)
        };
        let (old, new) = (ends(|(old, _)| old), ends(|(_, new)| new));
        let mut facts = blake3::Hasher::new();
        for (range, lines) in [(&old, old_lines), (&new, new_lines)] {
            let lines = &lines[range.clone()];
            let size: usize = lines.iter().map(|line| line.len()).sum();
            facts.update(&(range.start as u64).to_le_bytes()).update(&(size as u64).to_le_bytes());
            for line in lines {
                facts.update(line);
            }
        }
        let id = facts.finalize().to_hex()[..ID].to_owned();
        Self { id, old, new, differing }
    }
}

/// How many hexadecimal digits name a hunk.
const ID: usize = 16;

/// What a line is.
#[derive(Clone, Copy)]
enum Split {
    /// It ends with the byte of LF.
    Bytes,
    /// It ends with LF as two bytes, which are these.
    Wide([u8; 2]),
    /// The whole content.
    Whole,
}

impl Split {
    fn of(before: &[u8], after: &[u8]) -> Self {
        let own = |bytes: &[u8]| match bytes {
            [0xFF, 0xFE, ..] => Self::Wide([b'\n', 0]),
            [0xFE, 0xFF, ..] => Self::Wide([0, b'\n']),
            _ if memchr::memchr(0, bytes).is_some() => Self::Whole,
            _ => Self::Bytes,
        };
        match (before, after, own(before), own(after)) {
            // A file that is created or deleted is what its one content is.
            ([], _, _, split) | (_, [], split, _) => split,
            (_, _, Self::Bytes, Self::Bytes) => Self::Bytes,
            (_, _, Self::Wide(before), Self::Wide(after)) if before == after => Self::Wide(before),
            _ => Self::Whole,
        }
    }

    fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Bytes => bytes.split_inclusive(|byte| *byte == b'\n').collect(),
            Self::Whole if bytes.is_empty() => Vec::new(),
            Self::Whole => vec![bytes],
            Self::Wide(newline) => wide_lines(bytes, newline),
        }
    }
}

fn wide_lines(bytes: &[u8], newline: [u8; 2]) -> Vec<&[u8]> {
    let (mut lines, mut start) = (Vec::new(), 0);
    for (at, unit) in bytes.chunks_exact(2).enumerate() {
        if unit == newline {
            lines.push(&bytes[start..2 * at + 2]);
            start = 2 * at + 2;
        }
    }
    lines.extend(bytes.get(start..).filter(|rest| !rest.is_empty()));
    lines
}
