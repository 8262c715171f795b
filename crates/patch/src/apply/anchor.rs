//! Lines after which a hunk is said to stand.
//!
//! An anchor narrows a search; it never widens one. It is compared without white space around it, and if no line is equal
//! one that begins with it will do, then one that has it inside.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use toolcrib_edit::{Place, Target};
use toolcrib_text::Stopped;

use super::Reason;
use crate::patch::{Hunk, Location};

/// The anchors of all hunks of a file, and where they lead in its text.
pub(super) struct Anchors<'a, 't> {
    target: &'a Target<'t>,
    /// The lines that are equal to an anchor.
    equal: HashMap<&'a str, Vec<usize>>,
    /// All lines in the order of what they say, for anchors that are the beginning of one.
    sorted: OnceCell<Vec<u32>>,
    /// The lines that have an anchor inside.
    held: OnceCell<HashMap<&'a str, Vec<usize>>>,
    /// The line after the block that each line opens.
    block_ends: OnceCell<Vec<u32>>,
    lines: RefCell<HashMap<&'a str, Rc<Vec<usize>>>>,
    blocks: RefCell<HashMap<&'a [String], Rc<Left>>>,
}

/// Ranges of lines or, where anchors choose among places, of their indices.
pub(super) type Left = Vec<Range<usize>>;

/// What it costs to look at a line.
const EACH_LINE: usize = 48;
/// How many lines are remembered that have anchors inside. Only a patch made for it has more.
const MOST_HELD: usize = 1_000_000;

impl<'a, 't> Anchors<'a, 't> {
    pub(super) fn new(target: &'a Target<'t>, hunks: &'a [Hunk]) -> Result<Self, Stopped> {
        let mut equal: HashMap<&str, Vec<usize>> = HashMap::new();
        for hunk in hunks {
            if let Location::After(anchors) = &hunk.location {
                equal.extend(anchors.iter().map(|anchor| (anchor.trim(), Vec::new())));
            }
        }
        if !equal.is_empty() {
            for line in 0..target.line_count() {
                let said = target.line(line).trim();
                target.meter().spend(said.len() / 4 + EACH_LINE)?;
                if let Some(lines) = equal.get_mut(said) {
                    lines.push(line);
                }
            }
        }
        Ok(Self {
            target,
            equal,
            sorted: OnceCell::new(),
            held: OnceCell::new(),
            block_ends: OnceCell::new(),
            lines: RefCell::default(),
            blocks: RefCell::default(),
        })
    }

    /// The places that the anchors leave: those in the block that an anchor opens; if there is none, those below it. Places
    /// are in the order of the text.
    pub(super) fn following(&self, anchors: &'a [String], places: &[Place]) -> Result<Left, Reason> {
        let blocks = self.blocks(anchors)?;
        self.target.meter().spend(blocks.len() * EACH_LINE)?;
        let index = |line: usize| places.partition_point(|place| place.line < line);
        let inside = blocks.iter().map(|block| index(block.start)..index(block.end));
        let inside: Left = inside.filter(|range| !range.is_empty()).collect();
        if !inside.is_empty() {
            return Ok(inside);
        }
        let below = index(blocks.first().map_or(0, |block| block.start))..places.len();
        if below.is_empty() {
            return Err(Reason::NotAfterAnchor {
                anchor: anchors.join(" / "),
                line: places.first().map_or(0, |place| place.line + 1),
            });
        }
        Ok(vec![below])
    }

    /// The lines that the anchors lead to: the first one anywhere, each further one next after the one before.
    pub(super) fn lines(&self, anchors: &'a [String]) -> Result<Rc<Vec<usize>>, Reason> {
        let mut found: Option<Rc<Vec<usize>>> = None;
        for anchor in anchors {
            let all = self.alike(anchor.trim())?;
            let next = match found {
                None => all,
                Some(before) => {
                    self.target.meter().spend(before.len() * EACH_LINE)?;
                    let after = |line: &usize| all.get(all.partition_point(|next| next <= line)).copied();
                    let mut next: Vec<usize> = before.iter().filter_map(after).collect();
                    next.dedup();
                    Rc::new(next)
                }
            };
            if next.is_empty() {
                return Err(Reason::NoAnchor { anchor: anchor.clone() });
            }
            found = Some(next);
        }
        Ok(found.unwrap_or_default())
    }

    /// The blocks that the anchors open, those that meet made one, in the order of the text.
    fn blocks(&self, anchors: &'a [String]) -> Result<Rc<Left>, Reason> {
        if let Some(blocks) = self.blocks.borrow().get(anchors) {
            return Ok(Rc::clone(blocks));
        }
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for &line in &*self.lines(anchors)? {
            let end = self.block_end(line)?;
            match blocks.last_mut() {
                Some(last) if line <= last.end => last.end = last.end.max(end),
                _ => blocks.push(line..end),
            }
        }
        let blocks = Rc::new(blocks);
        self.blocks.borrow_mut().insert(anchors, Rc::clone(&blocks));
        Ok(blocks)
    }

    /// The lines that say what an anchor says: all of it; else at their beginning; else anywhere.
    fn alike(&self, anchor: &'a str) -> Result<Rc<Vec<usize>>, Reason> {
        if let Some(lines) = self.lines.borrow().get(anchor) {
            return Ok(Rc::clone(lines));
        }
        let mut lines = self.equal.get(anchor).cloned().unwrap_or_default();
        if lines.is_empty() {
            lines = self.beginning_with(anchor)?;
        }
        if lines.is_empty() {
            lines = self.holding(anchor)?;
        }
        let lines = Rc::new(lines);
        self.lines.borrow_mut().insert(anchor, Rc::clone(&lines));
        Ok(lines)
    }

    fn beginning_with(&self, anchor: &str) -> Result<Vec<usize>, Stopped> {
        let said = |line: &u32| self.target.line(*line as usize).trim();
        let sorted = match self.sorted.get() {
            Some(sorted) => sorted,
            None => {
                let mut sorted: Vec<u32> = (0..).take(self.target.line_count()).collect();
                self.target.meter().spend(self.target.text().len() + sorted.len() * EACH_LINE)?;
                sorted.sort_by_key(said);
                self.target.meter().ask()?;
                self.sorted.get_or_init(|| sorted)
            }
        };
        let from = sorted.partition_point(|line| said(line) < anchor);
        let begins = sorted[from..].iter().take_while(|line| said(line).starts_with(anchor));
        let mut lines: Vec<usize> = begins.map(|line| *line as usize).collect();
        self.target.meter().spend(lines.len() * EACH_LINE)?;
        lines.sort_unstable();
        Ok(lines)
    }

    fn holding(&self, anchor: &str) -> Result<Vec<usize>, Reason> {
        let held = match self.held.get() {
            Some(held) => held,
            None => {
                let held = self.held()?;
                self.held.get_or_init(|| held)
            }
        };
        Ok(held.get(anchor).cloned().unwrap_or_default())
    }

    /// The lines that have inside what no line is equal to, for all such anchors in one pass.
    fn held(&self) -> Result<HashMap<&'a str, Vec<usize>>, Reason> {
        let missing = self.equal.iter().filter(|(anchor, lines)| lines.is_empty() && !anchor.is_empty());
        let mut anchors: Vec<&'a str> = missing.map(|(anchor, _)| *anchor).collect();
        anchors.sort_unstable();
        let meter = self.target.meter();
        meter.spend(anchors.iter().map(|anchor| anchor.len() * EACH_LINE).sum())?;
        // It fails only for more anchors than a patch in memory can have.
        let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&anchors);
        let automaton = automaton.map_err(|_| Reason::GivenUp)?;
        meter.ask()?;
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); anchors.len()];
        let mut room = MOST_HELD;
        for line in 0..self.target.line_count() {
            let said = self.target.line(line);
            meter.spend(said.len() * 4 + EACH_LINE)?;
            for found in automaton.find_overlapping_iter(said) {
                meter.spend(EACH_LINE)?;
                let lines = &mut held[found.pattern().as_usize()];
                if lines.last() != Some(&line) {
                    lines.push(line);
                    room = room.checked_sub(1).ok_or(Reason::GivenUp)?;
                }
            }
        }
        Ok(anchors.into_iter().zip(held).collect())
    }

    /// The line after the block that a line opens: the next one that is not indented further and does not close the block.
    fn block_end(&self, opening: usize) -> Result<usize, Stopped> {
        let ends = match self.block_ends.get() {
            Some(ends) => ends,
            None => {
                let ends = block_ends(self.target)?;
                self.block_ends.get_or_init(|| ends)
            }
        };
        Ok(ends.get(opening).map_or(self.target.line_count(), |end| *end as usize))
    }
}

/// The ends of the blocks that all lines open, found in one pass from the last line to the first.
fn block_ends(target: &Target<'_>) -> Result<Vec<u32>, Stopped> {
    let count = target.line_count();
    // Far fewer than four billion, since each has a byte at least.
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let mut ends = vec![number(count); count];
    // Lines below that may end a block, the nearest last; each is indented further than those before it.
    let mut below: Vec<(usize, usize)> = Vec::new();
    for line in (0..count).rev() {
        let text = target.line(line);
        target.meter().spend(text.len() / 4 + EACH_LINE)?;
        let said = text.trim_start();
        let depth = text.len() - said.len();
        let reachable = below.partition_point(|(other, _)| *other <= depth);
        if let Some((_, end)) = reachable.checked_sub(1).map(|nearest| below[nearest]) {
            ends[line] = number(end);
        }
        if !said.is_empty() && !said.starts_with(['}', ')', ']']) {
            below.truncate(below.partition_point(|(other, _)| *other < depth));
            below.push((depth, line));
        }
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What it means, without regard to what it costs.
    fn plainly(target: &Target<'_>, opening: usize) -> usize {
        let depth = |line: &str| line.len() - line.trim_start().len();
        let outer = depth(target.line(opening));
        let ends = |line: &usize| {
            let text = target.line(*line);
            !text.trim().is_empty() && depth(text) <= outer && !text.trim_start().starts_with(['}', ')', ']'])
        };
        (opening + 1..target.line_count()).find(ends).unwrap_or(target.line_count())
    }

    fn alike_plainly(target: &Target<'_>, anchor: &str) -> Vec<usize> {
        let that = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..target.line_count()).filter(|line| fits(target.line(*line).trim())).collect()
        };
        let ways: [&dyn Fn(&str) -> bool; 3] =
            [&|line| line == anchor, &|line| line.starts_with(anchor), &|line| line.contains(anchor)];
        ways.into_iter().map(that).find(|lines| !lines.is_empty()).unwrap_or_default()
    }

    proptest! {
        #[test]
        fn blocks_end_where_they_end(lines in proptest::collection::vec("[ \\t]{0,4}[a}]{0,2}[ ]?", 0..30)) {
            let text = lines.join("\n");
            let target = Target::new(&text);
            let ends = block_ends(&target).unwrap();
            prop_assert_eq!(ends.len(), target.line_count());
            for (line, end) in ends.iter().enumerate() {
                prop_assert_eq!(*end as usize, plainly(&target, line));
            }
        }

        #[test]
        fn anchors_lead_where_they_lead(
            lines in proptest::collection::vec("[ ]?[ab]{0,4}[ ]?\r?", 0..20), anchor in "[ab]{1,3}",
        ) {
            let text = lines.join("\n");
            let target = Target::new(&text);
            let location = Location::After(vec![anchor.clone()]);
            let hunk = Hunk { location, lines: Vec::new(), to_end: false, miscounted: false, line: 1 };
            let hunks = [hunk];
            let anchors = Anchors::new(&target, &hunks).unwrap();
            let Location::After(wanted) = &hunks[0].location else { panic!() };
            let found = anchors.alike(&wanted[0]).unwrap();
            prop_assert_eq!(&*found, &alike_plainly(&target, &anchor));
        }
    }
}
