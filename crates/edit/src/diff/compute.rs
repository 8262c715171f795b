//! Which parts of two sequences differ. The only user of the diff library.

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, InternedInput, Interner};
use toolcrib_text::{Meter, Stopped};

use super::windows::{self, Part, Sizes, Slice};

/// A range of the old sequence and the range of the new one that stands in its place.
pub(crate) type Differing = (Range<usize>, Range<usize>);

/// Above so many changed lines it is worth looking for a shorter diff.
const MANY: u32 = 50;
/// A line that occurs so often makes the histogram algorithm give up on what lies around it.
const OFTEN: usize = 32;
/// More than this is not compared at once: it could take longer than a caller waits for the end of work that it stopped.
pub(super) const LARGE: usize = 50_000;

/// The differing ranges, in order.
pub(crate) fn differences<T: Hash + Eq + Copy>(
    old: &[T],
    new: &[T],
    meter: &Meter<'_>,
) -> Result<Vec<Differing>, Stopped> {
    meter.spend((old.len() + new.len()) * EACH)?;
    if old.len().max(new.len()) <= LARGE {
        return Ok(myers(old, new));
    }
    let mut found: Vec<Differing> = Vec::new();
    let (mut before, mut after) = (0, 0);
    windows::compare(Slice(old), Slice(new), myers, Sizes::USUAL, meter, |part| match part {
        Part::Same(items) => (before, after) = (before + items.len(), after + items.len()),
        Part::Differing(removed, added) => {
            let (old, new) = (before..before + removed.len(), after..after + added.len());
            (before, after) = (old.end, new.end);
            match found.last_mut() {
                Some(last) if last.0.end == old.start && last.1.end == new.start => {
                    (last.0.end, last.1.end) = (old.end, new.end);
                }
                _ => found.push((old, new)),
            }
        }
    })?;
    Ok(found)
}

/// What it costs to compare an item.
const EACH: usize = 64;

fn myers<T: Hash + Eq + Copy>(old: &[T], new: &[T]) -> Vec<Differing> {
    ranges(&Diff::compute(Algorithm::Myers, &interned(old, new)))
}

/// The differing ranges of lines, moved to where a reader expects them. There must not be more than [`LARGE`] of them.
pub(super) fn line_differences<T: AsRef<[u8]> + Hash + Eq + Copy>(old: &[T], new: &[T]) -> Vec<Differing> {
    let input = interned(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    if size(&diff) > MANY && !repeats_often(&input) {
        let other = Diff::compute(Algorithm::Histogram, &input);
        diff = if size(&other) < size(&diff) { other } else { diff };
    }
    diff.postprocess_lines(&input);
    ranges(&diff)
}

fn interned<T: Hash + Eq + Copy>(old: &[T], new: &[T]) -> InternedInput<T> {
    let interner = Interner::new(old.len() + new.len());
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner };
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    input
}

fn size(diff: &Diff) -> u32 {
    diff.count_removals() + diff.count_additions()
}

fn repeats_often<T>(input: &InternedInput<T>) -> bool {
    let mut counts = vec![0_usize; input.interner.num_tokens() as usize];
    input.before.iter().any(|token| {
        let count = &mut counts[token.0 as usize];
        *count += 1;
        *count > OFTEN
    })
}

fn ranges(diff: &Diff) -> Vec<Differing> {
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}
