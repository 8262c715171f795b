//! The words of a line.

use crate::fold::is_space;

/// Words, runs of white space, and all other characters one by one.
pub(crate) struct Words<'t>(pub(crate) &'t str);

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let first = self.0.chars().next()?;
        let end = if is_word(first) {
            self.0.find(|c| !is_word(c))
        } else if is_space(first) {
            self.0.find(|c| !is_space(c))
        } else {
            Some(first.len_utf8())
        };
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        Some(word)
    }
}

/// Part of a word or a number, in most languages.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_stands_alone() {
        assert_eq!(Words("a_1  ==\t“é”").collect::<Vec<_>>(), ["a_1", "  ", "=", "=", "\t", "“", "é", "”"]);
    }
}
