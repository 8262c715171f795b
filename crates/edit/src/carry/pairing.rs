//! Which old line became which new one.

use std::collections::HashMap;
use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use crate::diff::differences;
use crate::fold::is_space;
use crate::words::{Words, is_word};

/// Above so many combinations of lines, equal ones decide first and only the rest is compared word by word.
const MOST: usize = 10_000;

/// An old line and the new line in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) change: Change,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Kept,
    /// At least half of the words are the same.
    Changed,
    Replaced,
}

/// Pairs in order, such that as many words as possible stay.
pub(super) fn pairs(old: &[&str], new: &[&str], meter: &Meter<'_>) -> Result<Vec<Pair>, Stopped> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let above = old.iter().zip(new).take_while(same).count();
    let below = old[above..].iter().rev().zip(new[above..].iter().rev()).take_while(same).count();
    let mut pairs: Vec<Pair> = (0..above).map(|line| kept(line, line)).collect();
    let (old_end, new_end) = (old.len() - below, new.len() - below);
    push_between(&mut pairs, old, above..old_end, new, above..new_end, meter)?;
    pairs.extend((0..below).map(|line| kept(old_end + line, new_end + line)));
    Ok(pairs)
}

/// The same where it is known of some lines that they stay: `known` holds their numbers in old and new, in order. If it cannot
/// be so, it is not believed.
pub(super) fn pairs_around(
    old: &[&str],
    new: &[&str],
    known: &[(usize, usize)],
    meter: &Meter<'_>,
) -> Result<Vec<Pair>, Stopped> {
    let said = |&(stays, at): &(usize, usize)| old.get(stays).is_some() && old.get(stays) == new.get(at);
    let in_order = known.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
    if !in_order || !known.iter().all(said) {
        return pairs(old, new, meter);
    }
    let mut pairs = Vec::new();
    let (mut row, mut line) = (0, 0);
    for &(stays, at) in known {
        push_between(&mut pairs, old, row..stays, new, line..at, meter)?;
        pairs.push(kept(stays, at));
        (row, line) = (stays + 1, at + 1);
    }
    push_between(&mut pairs, old, row..old.len(), new, line..new.len(), meter)?;
    Ok(pairs)
}

fn kept(old: usize, new: usize) -> Pair {
    Pair { old, new, change: Change::Kept }
}

fn push_between(
    pairs: &mut Vec<Pair>,
    old: &[&str],
    rows: Range<usize>,
    new: &[&str],
    lines: Range<usize>,
    meter: &Meter<'_>,
) -> Result<(), Stopped> {
    if rows.len().saturating_mul(lines.len()) <= MOST {
        return push_best(pairs, old, rows, new, lines, meter);
    }
    let (mut row, mut line) = (rows.start, lines.start);
    for (removed, added) in differences(&old[rows.clone()], &new[lines.clone()], meter)? {
        let (removed, added) = (shifted(removed, rows.start), shifted(added, lines.start));
        pairs.extend((row..removed.start).zip(line..).map(|(old, new)| kept(old, new)));
        if removed.len().saturating_mul(added.len()) <= MOST {
            push_best(pairs, old, removed.clone(), new, added.clone(), meter)?;
        }
        (row, line) = (removed.end, added.end);
    }
    pairs.extend((row..rows.end).zip(line..).map(|(old, new)| kept(old, new)));
    Ok(())
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The pairs that keep most words. Between them, as many lines as before go together one by one.
fn push_best(
    pairs: &mut Vec<Pair>,
    old: &[&str],
    rows: Range<usize>,
    new: &[&str],
    lines: Range<usize>,
    meter: &Meter<'_>,
) -> Result<(), Stopped> {
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    meter.spend((bytes(&old[rows.clone()]) + bytes(&new[lines.clone()])) * EACH)?;
    let before: Vec<Bag<'_>> = old[rows.clone()].iter().map(|line| Bag::of(line)).collect();
    let after: Vec<Bag<'_>> = new[lines.clone()].iter().map(|line| Bag::of(line)).collect();
    let (mut row, mut line) = (rows.start, lines.start);
    let worth = |row: usize, line: usize| {
        let (before, after): (&Bag<'_>, &Bag<'_>) = (&before[row], &after[line]);
        meter.spend(before.words.len() * EACH).map(|()| before.kept(after))
    };
    for (found, written) in best_path(before.len(), after.len(), worth)? {
        let (found, written) = (rows.start + found, lines.start + written);
        push_replaced(pairs, row..found, line..written);
        let change = if old[found] == new[written] { Change::Kept } else { Change::Changed };
        pairs.push(Pair { old: found, new: written, change });
        (row, line) = (found + 1, written + 1);
    }
    push_replaced(pairs, row..rows.end, line..lines.end);
    Ok(())
}

/// What it costs to look at a word, or to split a byte off.
const EACH: usize = 32;

fn push_replaced(pairs: &mut Vec<Pair>, rows: Range<usize>, lines: Range<usize>) {
    if rows.len() == lines.len() {
        pairs.extend(rows.zip(lines).map(|(old, new)| Pair { old, new, change: Change::Replaced }));
    }
}

/// The words of a line with their number.
struct Bag<'l> {
    line: &'l str,
    words: HashMap<&'l str, usize>,
    weight: usize,
}

impl<'l> Bag<'l> {
    fn of(line: &'l str) -> Self {
        let mut bag = Self { line, words: HashMap::new(), weight: 0 };
        for word in Words(line) {
            *bag.words.entry(word).or_insert(0) += 1;
            bag.weight += weight(word);
        }
        bag
    }

    /// What it is worth to make one line of the other: most if they are equal, else the words that stay, if they are at
    /// least half.
    fn kept(&self, other: &Self) -> usize {
        if self.line == other.line {
            // A line of punctuation is easily the same by accident.
            return if self.weight >= WORD { 20 * self.weight } else { 4 * self.weight + 1 };
        }
        let least = |(word, count): (&&'l str, &usize)| {
            weight(word) * (*count).min(other.words.get(word).copied().unwrap_or(0))
        };
        let common: usize = self.words.iter().map(least).sum();
        if common > 0 && 4 * common >= self.weight + other.weight { 2 * common } else { 0 }
    }
}

const WORD: usize = 3;

/// Words make a line what it is, punctuation little, white space nothing.
fn weight(word: &str) -> usize {
    match word.chars().next() {
        Some(c) if is_word(c) => WORD,
        Some(c) if !is_space(c) => 1,
        _ => 0,
    }
}

/// The way through the table of worths that collects most.
fn best_path(
    rows: usize,
    lines: usize,
    worth: impl Fn(usize, usize) -> Result<usize, Stopped>,
) -> Result<Vec<(usize, usize)>, Stopped> {
    let worth: Vec<Vec<usize>> = (0..rows)
        .map(|row| (0..lines).map(|line| worth(row, line)).collect())
        .collect::<Result<_, Stopped>>()?;
    let mut best = vec![vec![0; lines + 1]; rows + 1];
    for row in (0..rows).rev() {
        for line in (0..lines).rev() {
            let paired = if worth[row][line] > 0 { worth[row][line] + best[row + 1][line + 1] } else { 0 };
            best[row][line] = paired.max(best[row + 1][line]).max(best[row][line + 1]);
        }
    }
    let (mut row, mut line, mut path) = (0, 0, Vec::new());
    while row < rows && line < lines {
        if worth[row][line] > 0 && best[row][line] == worth[row][line] + best[row + 1][line + 1] {
            path.push((row, line));
            (row, line) = (row + 1, line + 1);
        } else if best[row][line] == best[row + 1][line] {
            row += 1;
        } else {
            line += 1;
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::Change::{Changed, Kept, Replaced};
    use super::*;

    fn check(old: &[&str], new: &[&str], expected: &[(usize, usize, Change)]) {
        let found: Vec<_> = pairs(old, new, &Meter::unlimited())
            .unwrap()
            .into_iter()
            .map(|pair| (pair.old, pair.new, pair.change))
            .collect();
        assert_eq!(found, expected, "{old:?} {new:?}");
    }

    #[test]
    fn as_many_words_as_possible_stay() {
        check(&["a", "b"], &["a", "x", "b"], &[(0, 0, Kept), (1, 2, Kept)]);
        check(&["f(a)", "g(b)"], &["f(a, c)", "g(b)"], &[(0, 0, Changed), (1, 1, Kept)]);
        check(&["one two"], &["three four five"], &[(0, 0, Replaced)]);
        // A blank line that is the same does not keep a changed one apart.
        check(&["f(a)", ""], &["", "f(b)", "x"], &[(0, 1, Changed), (1, 2, Replaced)]);
        // Nor does a changed line keep equal ones apart.
        check(&["}", "go", "f(x)"], &["g()", "}", "go"], &[(0, 1, Kept), (1, 2, Kept)]);
        // Punctuation alone makes no line of another.
        check(&["b(\"x\");", "c"], &["new_line();"], &[]);
        check(&["a"], &["b", "c"], &[]);
    }

    #[test]
    fn lines_that_are_known_to_stay_do() {
        let known = |known: &[(usize, usize)]| -> Vec<_> {
            pairs_around(&["a", "x", "b"], &["a", "x", "n", "x", "b"], known, &Meter::unlimited())
                .unwrap()
                .into_iter()
                .map(|pair| (pair.old, pair.new))
                .collect()
        };
        assert_eq!(known(&[]), [(0, 0), (1, 1), (2, 4)]);
        assert_eq!(known(&[(0, 0), (1, 3), (2, 4)]), [(0, 0), (1, 3), (2, 4)]);
        assert_eq!(known(&[(1, 3)]), [(0, 0), (1, 3), (2, 4)]);
        // What cannot be is not believed: too far, another line, out of order.
        for impossible in [&[(3, 5)][..], &[(0, 1)], &[(2, 4), (0, 0)], &[(1, 1), (1, 3)]] {
            assert_eq!(known(impossible), known(&[]));
        }
    }

    #[test]
    fn many_lines_are_paired_too() {
        let old: Vec<String> = (0..500).map(|line| format!("line {line}")).collect();
        let mut new = old.clone();
        new[0] = "first".to_owned();
        new[250] = "line 250 changed".to_owned();
        new[499] = "last".to_owned();
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(|x| &**x).collect(), new.iter().map(|x| &**x).collect());
        let changes: Vec<_> = pairs(&old, &new, &Meter::unlimited())
            .unwrap()
            .into_iter()
            .filter(|pair| pair.change != Kept)
            .collect();
        assert_eq!(
            changes.iter().map(|pair| (pair.old, pair.change)).collect::<Vec<_>>(),
            [(0, Replaced), (250, Changed), (499, Replaced)]
        );
    }
}
