//! The lines that a caller's text has, each with a number, to recognise them in a large text quickly.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::fold::{folded, is_space};

/// What a line says, whatever its white space at either end and its typography.
pub(crate) fn key(line: &str) -> Cow<'_, str> {
    folded(line.trim_matches(is_space))
}

#[derive(Debug, Default)]
pub(crate) struct Vocabulary<'o> {
    numbers: HashMap<Cow<'o, str>, u32>,
    /// Whether there is a line of this length.
    lengths: Vec<bool>,
}

impl<'o> Vocabulary<'o> {
    /// The number of a line: the one it has, or the next.
    pub(crate) fn add(&mut self, line: &'o str) -> u32 {
        let key = key(line);
        if self.lengths.len() <= key.len() {
            self.lengths.resize(key.len() + 1, false);
        }
        self.lengths[key.len()] = true;
        // There are fewer lines than bytes in a caller's text, which is far below four billion.
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(key).or_insert(next)
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn number(&self, line: &str) -> Option<u32> {
        let said = line.trim_matches(is_space);
        // Most lines are told apart by their length. Folding changes the length of others.
        let possible = self.lengths.get(said.len()).copied().unwrap_or(false) || !said.is_ascii();
        possible.then(|| self.numbers.get(&folded(said)).copied()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_the_same_have_one_number() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!(["a", "  “b”", "a ", ""].map(|line| vocabulary.add(line)), [0, 1, 0, 2]);
        assert_eq!(vocabulary.len(), 3);
        assert_eq!(
            ["\ta", "\"b\"", "‘b’", "c", "  "].map(|line| vocabulary.number(line)),
            [Some(0), Some(1), None, None, Some(2)]
        );
    }
}
