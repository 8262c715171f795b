//! Text with everything made visible that a reader would not see or a terminal would act upon.

use std::fmt::Write as _;

use toolcrib_text::is_ignorable;

use crate::fold::is_space;

/// How many characters of a line are shown.
const WIDTH: usize = 160;

/// A line with blanks at its ends shown as `·` and tabs as `→`, cut to a width.
#[must_use]
pub fn visible(line: &str) -> String {
    let lead = line.len() - line.trim_start_matches(is_space).len();
    let trail = line.trim_end_matches(is_space).len();
    let mut shown = String::new();
    for (count, (at, c)) in line.char_indices().enumerate() {
        if count == WIDTH {
            let _ = write!(shown, "… ({} more)", line[at..].chars().count());
            break;
        }
        match c {
            ' ' if at < lead || at >= trail => shown.push('·'),
            '\t' => shown.push('→'),
            other => push_visible(&mut shown, other),
        }
    }
    shown
}

/// A character, or its code point if it cannot be seen or would not be shown as one.
pub(crate) fn push_visible(shown: &mut String, c: char) {
    if is_hidden(c) {
        let _ = write!(shown, "<U+{:04X}>", u32::from(c));
    } else {
        shown.push(c);
    }
}

/// Controls, characters without width, those that change the direction of writing, and blanks that are no space.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || c != ' ' && is_space(c)
        || is_ignorable(c)
        // Separators of lines and paragraphs, and annotations.
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_hidden_characters_are_shown() {
        assert_eq!(visible("  a b\tc \t"), "··a b→c·→");
        assert_eq!(visible("a\u{1b}[31m\u{a0}\u{202e}\r"), "a<U+001B>[31m<U+00A0><U+202E><U+000D>");
        assert_eq!(visible("“é” – 漢"), "“é” – 漢");
        assert!(visible(&"é".repeat(500)).ends_with("… (340 more)"));
    }
}
