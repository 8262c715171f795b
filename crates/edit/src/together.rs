//! Several edits at once, where that is certain to be the same as one after the other.
//!
//! An edit looks for its text everywhere, so a thousand edits would look a thousand times at a text in which each has a place
//! of its own. Here all places are found on one way through the text. An edit is made with those before it if its text is there
//! exactly once, if none of them has changed anything near, and if what they wrote does not make its text appear again.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memrchr};
use toolcrib_text::{Meter, Stopped};

use crate::edit::Edit;
use crate::find::{Place, Target};
use crate::splice::{Splice, splice, spliced_size};
use crate::{Bounds, Level};

/// What the first edits of a list do to a text.
pub(crate) struct Together {
    /// How many edits these are.
    pub(crate) edits: usize,
    /// What they change, in the order of the text.
    pub(crate) splices: Vec<Splice>,
}

/// So few edits are as quickly made one after the other.
pub(crate) const FEW: usize = 16;
/// How many bytes the old texts may have together, since finding them takes some 30 times as much memory.
const MOST_OLD: usize = 1 << 20;
/// A larger text is looked at edit by edit, so that a caller can stop in between.
const MOST_TEXT: usize = 32 << 20;
/// How many bytes may be looked at once more, around what was written.
const MOST_AROUND: usize = 32 << 20;
/// How many texts may be found around a place, later ones and those that have nothing to do with what was written included.
const MOST_APPEARING: usize = 10_000;
/// What it costs to look at a byte for all texts at once.
const EACH_BYTE: usize = 4;

/// The first edits of a list that can be made at once; none if they are too few to be worth it.
pub(crate) fn first_of(edits: &[Edit], text: &str, bounds: Bounds<'_>) -> Result<Option<Together>, Stopped> {
    let edits = plain(edits);
    // An ending of two characters can be cut in half.
    if edits.len() < FEW || text.len() > MOST_TEXT || text.contains('\r') {
        return Ok(None);
    }
    let meter = Meter::new(bounds.stop);
    let old: usize = edits.iter().map(|edit| edit.old.len()).sum();
    meter.spend((text.len() + old) * EACH_BYTE)?;
    let Ok(finder) = AhoCorasick::new(edits.iter().map(|edit| &edit.old)) else { return Ok(None) };
    let Some(starts) = only_starts(&finder, text, edits.len()) else { return Ok(None) };
    let mut made = Made { text, places: BTreeMap::new(), size: text.len() };
    let target = Target::within(text, bounds);
    let reach = reach(edits);
    let (mut end, mut around, mut index) = (edits.len(), 0, 0);
    while index < end {
        let (edit, Some(start)) = (&edits[index], starts[index]) else { break };
        let region = start..start + edit.old.len();
        let place = Place { region: region.clone(), line: 0, level: Level::Exact };
        if made.has_changed_near(&region) {
            break;
        }
        // Why it cannot be made is found out when it is made alone.
        let Ok(splices) = target.carry(&place, &edit.old, &edit.new) else { break };
        let size = spliced_size(text, &splices) + made.size - text.len();
        if splices.is_empty() || size > bounds.size {
            break;
        }
        made.size = size;
        made.places.insert(region.start, Written::of(text, region, splices));
        around += edit.new.len() + 2 * reach[index];
        meter.spend((edit.new.len() + 2 * reach[index]) * EACH_BYTE)?;
        if around > MOST_AROUND {
            index += 1;
            break;
        }
        end = end.min(made.first_appearing(&finder, start, reach[index], index).unwrap_or(end));
        index += 1;
    }
    let splices = made.places.into_values().flat_map(|written| written.splices).collect();
    Ok((index > 0).then_some(Together { edits: index, splices }))
}

/// The first edits that ask for nothing special.
fn plain(edits: &[Edit]) -> &[Edit] {
    let mut old = 0_usize;
    let is_plain = |edit: &&Edit| {
        old = old.saturating_add(edit.old.len());
        let is_odd = |text: &str| text.contains(['\r', '\0']);
        let changes = !edit.old.is_empty() && edit.old != edit.new;
        old <= MOST_OLD && changes && !edit.all && !is_odd(&edit.old) && !is_odd(&edit.new)
    };
    &edits[..edits.iter().take_while(is_plain).count()]
}

/// Where each of the texts starts, if it is there exactly once. None if there is so much to find that it takes too long.
fn only_starts(finder: &AhoCorasick, text: &str, count: usize) -> Option<Vec<Option<usize>>> {
    let mut starts = vec![None; count];
    let mut is_there_again = vec![false; count];
    let most = count * 4;
    for (seen, found) in finder.try_find_overlapping_iter(text).ok()?.enumerate() {
        if seen > most {
            return None;
        }
        let index = found.pattern().as_usize();
        is_there_again[index] |= starts[index].replace(found.start()).is_some();
    }
    let only = starts.into_iter().zip(is_there_again).map(|(start, again)| start.filter(|_| !again));
    Some(only.collect())
}

/// For each edit, the length of the longest text that a later one looks for.
fn reach(edits: &[Edit]) -> Vec<usize> {
    let mut longest = 0;
    let mut reach: Vec<usize> = edits
        .iter()
        .rev()
        .map(|edit| {
            let later = longest;
            longest = longest.max(edit.old.len());
            later
        })
        .collect();
    reach.reverse();
    reach
}

/// What the edits so far have made of the text.
struct Made<'t> {
    text: &'t str,
    /// By where they were.
    places: BTreeMap<usize, Written>,
    size: usize,
}

/// What was written in place of an old text.
struct Written {
    end: usize,
    new: String,
    splices: Vec<Splice>,
}

impl Written {
    fn of(text: &str, region: Range<usize>, splices: Vec<Splice>) -> Self {
        let within = |splice: &Splice| Splice {
            span: splice.span.start - region.start..splice.span.end - region.start,
            text: splice.text.clone(),
        };
        let inner: Vec<Splice> = splices.iter().map(within).collect();
        Self { end: region.end, new: splice(&text[region], &inner), splices }
    }
}

impl Made<'_> {
    /// Whether something was changed in the lines that a region touches, or in the line before, or beside them.
    fn has_changed_near(&self, region: &Range<usize>) -> bool {
        let bytes = self.text.as_bytes();
        let line_start = |end: usize| memrchr(b'\n', &bytes[..end]).map_or(0, |newline| newline + 1);
        let start = line_start(line_start(region.start).saturating_sub(1));
        let rest = memchr(b'\n', &bytes[region.end..]);
        let end = rest.map_or(bytes.len(), |newline| region.end + newline + 1);
        let last = self.places.range(..=end).next_back();
        last.is_some_and(|(_, written)| written.end >= start)
    }

    /// The first edit after this one whose text is there, in whole or in part, because of what was written at a place.
    fn first_appearing(
        &self,
        finder: &AhoCorasick,
        start: usize,
        reach: usize,
        edit: usize,
    ) -> Option<usize> {
        let (bytes, new) = self.around(start, reach.checked_sub(1)?)?;
        let mut first = None;
        for (seen, found) in finder.try_find_overlapping_iter(&bytes).ok()?.enumerate() {
            if seen > MOST_APPEARING {
                return Some(edit + 1);
            }
            let index = found.pattern().as_usize();
            let overlaps = found.start() < new.end && found.end() > new.start;
            let spans = found.start() < new.start && found.end() > new.end;
            if index > edit && (overlaps || spans) {
                first = Some(first.map_or(index, |first: usize| first.min(index)));
            }
        }
        first
    }

    /// What was written at a place with so many bytes before and after it, and where it is among them.
    fn around(&self, start: usize, reach: usize) -> Option<(Vec<u8>, Range<usize>)> {
        let written = self.places.get(&start)?;
        let mut before: Vec<&[u8]> = Vec::new();
        let (mut left, mut from) = (reach, start);
        for (at, other) in self.places.range(..start).rev() {
            take_end(&mut before, &mut left, &self.text.as_bytes()[other.end..from]);
            take_end(&mut before, &mut left, other.new.as_bytes());
            from = *at;
            if left == 0 {
                break;
            }
        }
        take_end(&mut before, &mut left, &self.text.as_bytes()[..from]);
        before.reverse();
        let mut bytes = before.concat();
        let new = bytes.len()..bytes.len() + written.new.len();
        bytes.extend(written.new.as_bytes());
        let (mut left, mut from) = (reach, written.end);
        let mut take = |part: &[u8]| {
            let taken = part.len().min(left);
            bytes.extend(&part[..taken]);
            left -= taken;
            left > 0
        };
        let mut later = self.places.range(start + 1..);
        loop {
            let next = later.next();
            let to = next.map_or(self.text.len(), |(at, _)| *at);
            let goes_on = take(&self.text.as_bytes()[from..to]);
            let Some((_, other)) = next.filter(|_| goes_on) else { break };
            if !take(other.new.as_bytes()) {
                break;
            }
            from = other.end;
        }
        Some((bytes, new))
    }
}

/// Takes as much of the end of a part as is still wanted.
fn take_end<'p>(parts: &mut Vec<&'p [u8]>, left: &mut usize, part: &'p [u8]) {
    let taken = part.len().min(*left);
    parts.push(&part[part.len() - taken..]);
    *left -= taken;
}
