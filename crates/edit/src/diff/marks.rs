//! In which words two lines differ.

use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use super::differences;
use crate::words::Words;

/// Lines with more words than this are compared as a whole: what differs then reaches from its first character to its last.
const MOST_WORDS: usize = 50_000;

/// Parts of an old line, and of the new one.
type Sides = (Vec<Range<usize>>, Vec<Range<usize>>);

/// The bytes of the words in which two lines differ, for a reader: none on either side if the lines have so little in common
/// that marks would only distract.
///
/// ```
/// use toolcrib_edit::differing_words;
///
/// let (old, new) = differing_words("let total = one + two;", "let total = one + three;");
/// assert_eq!((old, new), (vec![18..21], vec![18..23]));
/// assert_eq!(differing_words("alpha", "beta"), (vec![], vec![]));
/// ```
#[must_use]
pub fn differing_words(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (removed, added) = word_differences(old, new);
    let changed = |ranges: &[Range<usize>]| ranges.iter().map(ExactSizeIterator::len).sum::<usize>();
    let in_common = |text: &str, ranges: &[Range<usize>]| (text.trim().len()).saturating_sub(changed(ranges));
    if in_common(old, &removed) * 3 <= old.len() && in_common(new, &added) * 3 <= new.len() {
        return (Vec::new(), Vec::new());
    }
    (joined(old, removed), joined(new, added))
}

/// The bytes of all words in which two lines differ.
pub(super) fn word_differences(old: &str, new: &str) -> Sides {
    let [old_words, new_words] = [old, new].map(|line| Words(line).collect::<Vec<_>>());
    let differing = if old_words.len().max(new_words.len()) > MOST_WORDS {
        vec![ends(&old_words, &new_words)]
    } else {
        differences(&old_words, &new_words, &Meter::unlimited()).unwrap_or_else(Stopped::cannot_be)
    };
    let bytes = |words: &[&str], end: usize, ranges: Vec<Range<usize>>| {
        let starts: Vec<usize> = words
            .iter()
            .scan(0, |at, word| Some(std::mem::replace(at, *at + word.len())))
            .chain([end])
            .collect();
        ranges.into_iter().map(|range| starts[range.start]..starts[range.end]).collect()
    };
    let (olds, news) = differing.into_iter().unzip();
    (bytes(&old_words, old.len(), olds), bytes(&new_words, new.len(), news))
}

/// The words between what both lines begin and end with.
fn ends(old: &[&str], new: &[&str]) -> super::Differing {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let shorter = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(old, new)| old == new).count();
    (start..old.len() - end, start..new.len() - end)
}

/// Without those that are empty, and with those as one that only white space is between.
fn joined(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut wide: Vec<Range<usize>> = Vec::new();
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match wide.last_mut() {
            Some(last) if text[last.end..range.start].trim().is_empty() => last.end = range.end,
            _ => wide.push(range),
        }
    }
    wide
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(range).collect()
    }

    #[test]
    fn a_word_that_is_only_added_marks_nothing_in_the_old_line() {
        assert_eq!(differing_words("f(a, b)", "f(a, b, c)"), (vec![], one(6..9)));
        assert_eq!(differing_words("same", "same"), (vec![], vec![]));
        assert_eq!(differing_words("", "new"), (vec![], vec![]));
    }

    #[test]
    fn words_with_a_space_between_are_one_mark() {
        let (old, new) = differing_words("keep one two keep it all", "keep 1 2 keep it all");
        assert_eq!((old, new), (one(5..12), one(5..8)));
    }

    proptest! {
        /// What is not marked is the same on both sides.
        #[test]
        fn the_rest_is_equal(old in "[ab ,é]{0,20}", new in "[ab ,é]{0,20}") {
            let (removed, added) = word_differences(&old, &new);
            let rest = |text: &str, ranges: &[Range<usize>]| {
                let mut at = 0;
                let mut rest = String::new();
                for range in ranges {
                    rest.push_str(&text[at..range.start]);
                    at = range.end;
                }
                rest + &text[at..]
            };
            prop_assert_eq!(rest(&old, &removed), rest(&new, &added));
        }
    }
}
