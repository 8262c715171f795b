//! A word that a caller gave, fit to stand in a sentence.

use toolcrib_text::is_ignorable;

/// The word without what could disturb a reader or a terminal, and not longer than a word should be.
pub(crate) fn quote(word: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = word.chars().take(MOST).flat_map(visible).collect();
    if word.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

fn visible(c: char) -> Vec<char> {
    // U+2028 and U+2029 begin a new line in some terminals.
    let hidden = c.is_control() || is_ignorable(c) || matches!(c, '\u{2028}' | '\u{2029}');
    if hidden { c.escape_default().collect() } else { vec![c] }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn nothing_reaches_the_reader_raw() {
        assert_eq!(quote("Read"), "Read");
        assert_eq!(quote("a\nb\u{1b}[31m\u{202E}"), "a\\nb\\u{1b}[31m\\u{202e}");
        assert_eq!(quote("ünï 数据"), "ünï 数据");
        assert_eq!(quote(&"x".repeat(500)).chars().count(), 81);
    }
}
