//! Typographic characters and their plain forms.
//!
//! Folding replaces one character by one character, so the n-th character of a folded text is the n-th of the text.

use std::borrow::Cow;

/// The plain form of a typographic dash, quote or space; any other character is its own.
pub(crate) fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    }
}

pub(crate) fn is_typographic(c: char) -> bool {
    plain(c) != c
}

/// A space, a tab or a typographic space.
pub(crate) fn is_space(c: char) -> bool {
    c == '\t' || plain(c) == ' '
}

pub(crate) fn has_typography(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_typographic)
}

/// The text with all typographic characters in their plain form.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if has_typography(text) { Cow::Owned(text.chars().map(plain).collect()) } else { Cow::Borrowed(text) }
}

/// Whether two texts are equal but for typographic characters.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    a == b || !(a.is_ascii() && b.is_ascii()) && a.chars().map(plain).eq(b.chars().map(plain))
}

/// A folded copy that knows where its characters stood.
pub(crate) struct Folded<'t> {
    pub(crate) text: Cow<'t, str>,
    /// An offset in the copy and the offset it had, after each character that became shorter.
    moved: Vec<(usize, usize)>,
}

impl<'t> Folded<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        if !has_typography(text) {
            return Self { text: Cow::Borrowed(text), moved: Vec::new() };
        }
        let mut copy = String::with_capacity(text.len());
        let mut moved = Vec::new();
        for (at, c) in text.char_indices() {
            copy.push(plain(c));
            if is_typographic(c) {
                moved.push((copy.len(), at + c.len_utf8()));
            }
        }
        Self { text: Cow::Owned(copy), moved }
    }

    /// Where an offset of the copy is in the text.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let before = self.moved.partition_point(|&(copy, _)| copy <= offset);
        let (copy, text) = before.checked_sub(1).map_or((0, 0), |last| self.moved[last]);
        text + (offset - copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_quotes_and_spaces_fold_and_nothing_else() {
        assert_eq!(folded("a\u{a0}– “b” ‘c’ − d"), "a - \"b\" 'c' - d");
        assert_eq!(folded("é … « » ′ ¬ \u{200b} ＂"), "é … « » ′ ¬ \u{200b} ＂");
    }

    #[test]
    fn offsets_of_the_copy_lead_back() {
        let text = "é“a”–b";
        let folded = Folded::of(text);
        assert_eq!(folded.text, "é\"a\"-b");
        for (copy, original) in folded.text.char_indices().zip(text.char_indices()) {
            assert_eq!(folded.original(copy.0), original.0);
        }
        assert_eq!(folded.original(folded.text.len()), text.len());
    }

    #[test]
    fn alike_is_equal_but_for_typography() {
        assert!(alike("“a”", "\"a\""));
        assert!(!alike("“a”", "'a'"));
        assert!(!alike("a", "ab"));
    }
}
