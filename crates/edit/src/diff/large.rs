//! The difference between texts that are too long to be compared at once.
//!
//! First the texts are gone through window by window, and only where they differ is kept. Then hunks are made of that, as
//! many as anybody is shown; the others are counted. So memory depends on what is kept and not on the texts.

use std::ops::Range;

use memchr::memrchr;
use toolcrib_text::{Meter, Stopped};

use super::compute::line_differences;
use super::windows::{self, Part, Sizes, TextLines};
use super::{CONTEXT, Hunk, Line, names_a_section};

/// How many differences are kept, and how many lines of hunks.
const BLOCKS: usize = 10_000;
const LINES: usize = 20_000;
/// How far above a hunk the name of its section is looked for, in lines.
const REACH: usize = 2000;

/// The first hunks of a difference.
pub(super) struct Beginning<'t> {
    pub(super) hunks: Vec<Hunk<'t>>,
    /// How many lines of hunks are not among them.
    pub(super) left_out: usize,
}

/// Lines of the old text and what stands in their place, by their numbers and by where they begin.
#[derive(Debug)]
struct Block {
    old: Range<usize>,
    new: Range<usize>,
    old_at: usize,
    new_at: usize,
}

pub(super) fn compare<'t>(
    old: &'t str,
    new: &'t str,
    section: Option<&'t str>,
    sizes: Sizes,
    meter: &Meter<'_>,
) -> Result<Beginning<'t>, Stopped> {
    let (blocks, uncounted) = blocks(old, new, sizes, meter)?;
    let mut made = Making { old, new, section, room: LINES, left_out: uncounted, hunks: Vec::new() };
    let apart = |one: &Block, next: &Block| next.old.start - one.old.end <= 2 * CONTEXT;
    let lines = old.split_inclusive('\n').count();
    for group in blocks.chunk_by(apart) {
        meter.spend(EACH)?;
        made.hunk(group, lines);
    }
    Ok(Beginning { hunks: made.hunks, left_out: made.left_out })
}

/// What a hunk costs to make.
const EACH: usize = 50_000;

/// Where the texts differ, and how many changed lines come after what is kept of that.
fn blocks(old: &str, new: &str, sizes: Sizes, meter: &Meter<'_>) -> Result<(Vec<Block>, usize), Stopped> {
    let (mut blocks, mut left_out): (Vec<Block>, usize) = (Vec::new(), 0);
    let mut at = Block { old: 0..0, new: 0..0, old_at: 0, new_at: 0 };
    windows::compare(TextLines(old), TextLines(new), line_differences, sizes, meter, |part| {
        let (removed, added) = match part {
            Part::Same(lines) => (lines, lines),
            Part::Differing(removed, added) => (removed, added),
        };
        at.old = at.old.end..at.old.end + removed.len();
        at.new = at.new.end..at.new.end + added.len();
        if let Part::Differing(..) = part {
            let full = blocks.len() == BLOCKS;
            match blocks.last_mut() {
                Some(last) if last.old.end == at.old.start && last.new.end == at.new.start => {
                    (last.old.end, last.new.end) = (at.old.end, at.new.end);
                }
                _ if full => left_out += removed.len() + added.len(),
                _ => blocks.push(Block { old: at.old.clone(), new: at.new.clone(), ..at }),
            }
        }
        at.old_at += removed.iter().map(|line| line.len()).sum::<usize>();
        at.new_at += added.iter().map(|line| line.len()).sum::<usize>();
    })?;
    Ok((blocks, left_out))
}

struct Making<'t> {
    old: &'t str,
    new: &'t str,
    section: Option<&'t str>,
    /// How many lines may still be kept.
    room: usize,
    left_out: usize,
    hunks: Vec<Hunk<'t>>,
}

impl<'t> Making<'t> {
    /// Adds a hunk of differences whose context meets, in an old text of so many lines.
    fn hunk(&mut self, group: &[Block], lines: usize) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let above = first.old.start.min(CONTEXT);
        let below = (lines - last.old.end).min(CONTEXT);
        let start = (0..above).fold(first.old_at, |at, _| line_before(self.old, at));
        let mut hunk = Hunk {
            old: first.old.start - above..last.old.end + below,
            new: first.new.start - above..last.new.end + below,
            section: self.section_above(start),
            lines: Vec::new(),
        };
        self.section = hunk.section;
        let mut at = (hunk.old.start, start);
        for block in group {
            at = self.push(&mut hunk, Line::Context, self.old, at, block.old.start);
            at = self.push(&mut hunk, Line::Removed, self.old, at, block.old.end);
            let added = (block.new.start, block.new_at);
            self.push(&mut hunk, Line::Added, self.new, added, block.new.end);
        }
        self.push(&mut hunk, Line::Context, self.old, at, last.old.end + below);
        if !hunk.lines.is_empty() {
            self.hunks.push(hunk);
        }
    }

    /// Adds lines of a text from a place on up to the line with this number, as far as there is room, and gives the place
    /// behind them.
    fn push(
        &mut self,
        hunk: &mut Hunk<'t>,
        kind: fn(&'t str) -> Line<'t>,
        text: &'t str,
        (line, at): (usize, usize),
        end: usize,
    ) -> (usize, usize) {
        let kept = (end - line).min(self.room);
        self.room -= kept;
        self.left_out += end - line - kept;
        let mut passed = at;
        // Where there is no room, it does not matter any more what lies behind.
        for line in text[at..].split_inclusive('\n').take(kept) {
            passed += line.len();
            hunk.lines.push(kind(line));
        }
        (end, passed)
    }

    /// The nearest line above a place that names a section, if it is not too far away.
    fn section_above(&self, at: usize) -> Option<&'t str> {
        let above = self.old[..at].split_inclusive('\n').rev().take(REACH);
        above.into_iter().find(|line| names_a_section(line)).or(self.section)
    }
}

/// Where the line begins that ends at `at`.
fn line_before(text: &str, at: usize) -> usize {
    let end = at.saturating_sub(1);
    memrchr(b'\n', &text.as_bytes()[..end]).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diff;
    use proptest::prelude::*;

    fn compared<'t>(old: &'t str, new: &'t str, first: usize) -> Diff<'t> {
        let sizes = Sizes { first, largest: 4 * first, tries: 2 };
        let Beginning { hunks, left_out } = compare(old, new, None, sizes, &Meter::unlimited()).unwrap();
        Diff { hunks, left_out, all_crlf: false }
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![3 => "[ab]\n", 1 => "fn [a-z]\n", 1 => "\n", 1 => "[a-z]{3}\n"];
        (proptest::collection::vec(line, 0..60), "[a-c]{0,2}")
            .prop_map(|(lines, last)| lines.concat() + &last)
    }

    proptest! {
        #[test]
        fn whatever_the_window_it_is_the_difference(old in text(), new in text(), first in 1..9_usize) {
            let diff = compared(&old, &new, first);
            prop_assert_eq!(diff.apply(&old), Some(new.clone()));
            prop_assert_eq!(diff.inverted().apply(&new), Some(old.clone()));
            let lines = |range: &Range<usize>| range.len();
            for hunk in &diff.hunks {
                let before = hunk.lines.iter().filter(|line| line.before().is_some()).count();
                let after = hunk.lines.iter().filter(|line| line.after().is_some()).count();
                prop_assert_eq!((lines(&hunk.old), lines(&hunk.new)), (before, after));
            }
        }

        /// Of lines that are all different, those that stay are known, so the smallest difference is too.
        #[test]
        fn a_text_that_fits_a_window_is_compared_as_ever(fates in proptest::collection::vec(0..4_u8, 0..60)) {
            let lines = |of: fn(u8) -> bool| {
                let chosen = fates.iter().enumerate().filter(|(_, fate)| of(**fate));
                chosen.map(|(number, _)| format!("{number}\n")).collect::<String>()
            };
            let (old, new) = (lines(|fate| fate != 0), lines(|fate| fate != 1));
            let count = |of: u8| fates.iter().filter(|fate| **fate == of).count();
            for diff in [Diff::between(&old, &new), compared(&old, &new, 100)] {
                prop_assert_eq!((diff.added(), diff.removed()), (count(0), count(1)));
            }
        }
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let old = "a\n".repeat(LINES);
        let new = "b\n".repeat(LINES);
        let diff = compared(&old, &new, 64);
        assert_eq!(diff.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(), LINES);
        assert_eq!(diff.left_out(), LINES);
        assert_eq!(diff.apply(&old), None);
        let (old, new) =
            ("a\nx\nx\nx\nx\nx\nx\nx\n".repeat(BLOCKS + 5), "b\nx\nx\nx\nx\nx\nx\nx\n".repeat(BLOCKS + 5));
        let diff = compared(&old, &new, 64);
        let kept = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>();
        assert!(kept <= LINES && diff.left_out() > 0, "{kept} {}", diff.left_out());
    }

    #[test]
    fn a_hunk_is_in_the_section_above_it() {
        let body = "    x\n".repeat(20);
        let old = format!("fn one\n{body}fn two\n{body}    old\n{body}");
        let diff_of = |new: &str| compared(&old, new, 4).hunks[0].section.map(str::to_owned);
        assert_eq!(diff_of(&old.replace("old", "new")).as_deref(), Some("fn two\n"));
    }
}
