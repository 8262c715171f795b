//! Text for a person who decides by what they see: nothing in it is invisible, and nothing passes for something else.
//!
//! A character that cannot be seen, that moves others around, or that looks like an ASCII one is followed or replaced by
//! its code point, `⟨U+202E⟩`; a long run of blanks is counted. The brackets are reserved for this: where the text has
//! them itself, their code point is shown, so that no text can imitate a remark.

use std::fmt::Write as _;

use unicode_security::skeleton;

use crate::diagnosis::is_hidden;

/// Blanks beyond so many columns are counted instead of shown: what stands behind them would be out of sight.
const WIDE: usize = 16;
/// As much indentation is usual.
const INDENTATION: usize = 80;
/// What a tab is taken to be.
const TAB: usize = 8;

/// A name or a part of a line, with everything in it made visible. A newline is shown by its code point.
#[must_use]
pub fn reveal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_revealed(&mut shown, text, Blanks::default());
    shown
}

/// Where a part of a line stands, which decides how its blanks are shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blanks {
    /// It begins the line, so blanks at its start are indentation.
    pub(crate) at_start: bool,
    /// It ends the line, so blanks at its end would not be seen.
    pub(crate) at_end: bool,
}

pub(crate) fn push_revealed(shown: &mut String, text: &str, blanks: Blanks) {
    let mut rest = text;
    while !rest.is_empty() {
        let at_start = blanks.at_start && rest.len() == text.len();
        let (run, after) = split(rest, |c| c == ' ' || c == '\t');
        push_blanks(shown, run, at_start, blanks.at_end && after.is_empty());
        let (word, after) = split(after, |c| c != ' ' && c != '\t');
        push_word(shown, word);
        rest = after;
    }
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

fn push_blanks(shown: &mut String, run: &str, at_start: bool, at_end: bool) {
    let columns: usize = run.bytes().map(|blank| if blank == b'\t' { TAB } else { 1 }).sum();
    let most = if at_start && !at_end { INDENTATION } else { WIDE };
    if columns > most {
        let what = match (run.contains(' '), run.contains('\t')) {
            (true, false) => "spaces",
            (false, true) => "tabs",
            _ => "blanks",
        };
        let _ = write!(shown, "⟨{} {what}⟩", run.len());
    } else if at_end {
        shown.extend(run.chars().map(|blank| if blank == '\t' { '→' } else { '·' }));
    } else {
        shown.push_str(run);
    }
}

/// Something without blanks.
fn push_word(shown: &mut String, word: &str) {
    if word.is_ascii() && !word.bytes().any(|byte| byte.is_ascii_control()) {
        shown.push_str(word);
        return;
    }
    // What stands between punctuation is judged by itself: `"раypal"` is one thing, `"привет"` another.
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let (part, after) = split(rest, |c| is_letter(c) == is_letter(first));
        let imitates = imitates_ascii(part);
        for c in part.chars() {
            if is_hidden(c) || matches!(c, '⟨' | '⟩') {
                let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
            } else {
                shown.push(c);
                if imitates && looks_like_ascii(c) {
                    let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
                }
            }
        }
        rest = after;
    }
}

/// Whether a word is made to be taken for an ASCII one: it mixes ASCII with characters that look like it, or all of its
/// characters do. A word of another script has letters that do not.
fn imitates_ascii(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let others = || word.chars().filter(|c| !c.is_ascii());
    others().any(looks_like_ascii)
        && (word.bytes().any(|byte| byte.is_ascii_alphabetic()) || others().all(looks_like_ascii))
}

/// Whether a character that is not ASCII is easily taken for one that is, by Unicode's own list. Typographic quotes and
/// dashes are on it too, and are what every text has.
fn looks_like_ascii(c: char) -> bool {
    if c.is_ascii() || matches!(c, '\u{2010}'..='\u{2027}') {
        return false;
    }
    let mut buffer = [0; 4];
    let mut skeleton = skeleton(c.encode_utf8(&mut buffer));
    skeleton.next().is_some_and(|first| first.is_ascii() && first != c) && skeleton.all(|c| c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        for (text, shown) in [
            ("plain", "plain"),
            ("a\u{202e}b", "a⟨U+202E⟩b"),
            ("a\u{200b}b", "a⟨U+200B⟩b"),
            ("a\u{a0}b", "a⟨U+00A0⟩b"),
            ("a\u{1b}[31mb", "a⟨U+001B⟩[31mb"),
            ("a\nb", "a⟨U+000A⟩b"),
            ("👩\u{200d}💻", "👩⟨U+200D⟩💻"),
            ("⟨3 spaces⟩", "⟨U+27E8⟩3 spaces⟨U+27E9⟩"),
        ] {
            assert_eq!(reveal(text), shown);
        }
    }

    #[test]
    fn what_passes_for_ascii_is_shown() {
        assert_eq!(reveal("p\u{0430}ypal"), "p\u{0430}⟨U+0430⟩ypal", "one letter");
        assert_eq!(reveal("\u{0441}\u{043e}\u{0441}"), "с⟨U+0441⟩о⟨U+043E⟩с⟨U+0441⟩", "all of them");
        assert_eq!(reveal("if a \u{ff1d}\u{ff1d} b\u{37e}"), "if a ＝⟨U+FF1D⟩＝⟨U+FF1D⟩ b\u{37e}⟨U+037E⟩");
        for text in ["привет, мир", "ελληνικά", "日本語", "naïve café", "größer", "“quoted” – dash", "🙂 ok"]
        {
            assert_eq!(reveal(text), text);
        }
    }

    #[test]
    fn what_stands_behind_blanks_is_not_out_of_sight() {
        assert_eq!(reveal(&format!("a{}b", " ".repeat(2000))), "a⟨2000 spaces⟩b");
        assert_eq!(reveal(&format!("a{}b", "\t".repeat(30))), "a⟨30 tabs⟩b");
        assert_eq!(reveal("a  \t b"), "a  \t b");
        let line = |text: &str| {
            let mut shown = String::new();
            push_revealed(&mut shown, text, Blanks { at_start: true, at_end: true });
            shown
        };
        assert_eq!(line("        deep"), "        deep");
        assert_eq!(line(&format!("{}deep", "\t".repeat(11))), format!("⟨11 tabs⟩deep"));
        assert_eq!(line("end \t"), "end·→");
        assert_eq!(line("   "), "···");
    }
}
