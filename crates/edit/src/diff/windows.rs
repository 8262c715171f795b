//! Compares sequences that are too long to be compared at once, window by window.
//!
//! The library that compares cannot be stopped, and what it takes grows faster than what it is given. So a long pair of
//! sequences is gone through in step: what is equal is passed over, and where it is not, the next lines of both are
//! compared and everything up to the last line they have in common is settled. What is found is a difference like any
//! other, though perhaps not the shortest: lines that move farther than a window are removed and added.

use toolcrib_text::{Meter, Stopped};

use super::compute::Differing;

/// How large windows are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// How many items of each side are compared at first.
    pub(super) first: usize,
    /// How many are, if these have little in common.
    pub(super) largest: usize,
    /// How often the largest is tried. Sequences with nothing in common would try it all the time.
    pub(super) tries: usize,
}

impl Sizes {
    pub(super) const USUAL: Self = Self { first: 1 << 12, largest: 1 << 15, tries: 8 };
}

/// A sequence that is read from front to back.
pub(super) trait Ahead {
    /// What it is made of.
    type Item: Eq + Copy;

    /// The next items, so many at the most.
    fn window(&self, most: usize) -> Vec<Self::Item>;

    /// Passes over these, which come next.
    fn skip(&mut self, items: &[Self::Item]);
}

/// What the sequences are made of, in order.
pub(super) enum Part<'a, T> {
    /// Both have these.
    Same(&'a [T]),
    /// The old one has the first, the new one the second.
    Differing(&'a [T], &'a [T]),
}

/// Shows the parts of both sequences to `each`.
pub(super) fn compare<S: Ahead>(
    mut old: S,
    mut new: S,
    compare: impl Fn(&[S::Item], &[S::Item]) -> Vec<Differing>,
    sizes: Sizes,
    meter: &Meter<'_>,
    mut each: impl FnMut(Part<'_, S::Item>),
) -> Result<(), Stopped> {
    let Sizes { first, largest, mut tries } = sizes;
    let mut size = first;
    loop {
        let (before, after) = (old.window(size), new.window(size));
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        meter.spend((before.len() + after.len()) * EACH)?;
        let same = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        if same > 0 {
            each(Part::Same(&before[..same]));
            old.skip(&before[..same]);
            new.skip(&after[..same]);
            continue;
        }
        meter.ask()?;
        let complete = before.len() < size && after.len() < size;
        let found = compare(&before, &after);
        let settled =
            if complete { Settled::all(&before, &after) } else { Settled::of(&found, &before, &after) };
        if !complete && settled.alike * 8 < size && size < largest && tries > 0 {
            size = (size * 2).min(largest);
            tries -= usize::from(size == largest);
            continue;
        }
        settled.show(&found, &before, &after, &mut each);
        old.skip(&before[..settled.old]);
        new.skip(&after[..settled.new]);
        size = first;
    }
}

/// What it costs to pass over an item.
const EACH: usize = 16;

/// How much of a window is settled.
struct Settled {
    old: usize,
    new: usize,
    /// How many items both sides have in common.
    alike: usize,
}

impl Settled {
    fn all<T>(before: &[T], after: &[T]) -> Self {
        Self { old: before.len(), new: after.len(), alike: before.len() }
    }

    /// What comes before the last difference, if that reaches to the end of the window: what lies behind may continue
    /// it. A window of which that would leave little is settled as a whole, so that there is always progress.
    fn of<T>(found: &[Differing], before: &[T], after: &[T]) -> Self {
        let removed: usize = found.iter().map(|(removed, _)| removed.len()).sum();
        let all = Self { alike: before.len() - removed, ..Self::all(before, after) };
        match found.last() {
            Some((old, new)) if old.end == before.len() || new.end == after.len() => {
                let little = old.start * 4 <= before.len() && new.start * 4 <= after.len();
                if little { all } else { Self { old: old.start, new: new.start, ..all } }
            }
            _ => all,
        }
    }

    fn show<T>(&self, found: &[Differing], before: &[T], after: &[T], each: &mut impl FnMut(Part<'_, T>)) {
        let mut passed = 0;
        for (removed, added) in found.iter().filter(|(old, new)| old.end <= self.old && new.end <= self.new) {
            if passed < removed.start {
                each(Part::Same(&before[passed..removed.start]));
            }
            each(Part::Differing(&before[removed.clone()], &after[added.clone()]));
            passed = removed.end;
        }
        if passed < self.old {
            each(Part::Same(&before[passed..self.old]));
        }
    }
}

/// A slice, as a sequence.
pub(super) struct Slice<'a, T>(pub(super) &'a [T]);

impl<T: Eq + Copy> Ahead for Slice<'_, T> {
    type Item = T;

    fn window(&self, most: usize) -> Vec<T> {
        self.0[..self.0.len().min(most)].to_vec()
    }

    fn skip(&mut self, items: &[T]) {
        self.0 = &self.0[items.len()..];
    }
}

/// The lines of a text, as a sequence.
pub(super) struct TextLines<'t>(pub(super) &'t str);

impl<'t> Ahead for TextLines<'t> {
    type Item = &'t str;

    fn window(&self, most: usize) -> Vec<&'t str> {
        self.0.split_inclusive('\n').take(most).collect()
    }

    fn skip(&mut self, lines: &[&'t str]) {
        self.0 = &self.0[lines.iter().map(|line| line.len()).sum()..];
    }
}
