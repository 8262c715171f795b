//! What is shown to people: when there is colour, which, and nothing raw.
//!
//! Text of a file, or a name, may hold what a terminal acts upon. [`plain`] is the one way it gets into an answer.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

/// How answers look on this standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether a person looks at it, so that it may be laid out for reading.
    pub(crate) for_people: bool,
    colour: bool,
}

/// What a part of an answer is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A file's name above what is in it.
    Heading,
    /// A directory among other things.
    Directory,
    /// What a pattern matches.
    Match,
    /// A line's number.
    Number,
    /// What is said beside.
    Faint,
    /// Which files a diff is of.
    Files,
    /// Where in a file a part of a diff lies.
    Place,
    /// What has to be seen to.
    Problem,
    /// What could be better.
    Note,
    /// What is as it should be.
    Good,
    /// A line that a change adds.
    Added,
    /// A line that a change takes away.
    Removed,
}

impl Paint {
    /// As it was asked for, and as the standard output is.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        Self::on(std::io::stdout().is_terminal(), choice)
    }

    /// Nothing but the text.
    pub(crate) fn none() -> Self {
        Self { for_people: false, colour: false }
    }

    /// As it was asked for, and as the standard error is.
    pub(crate) fn beside(choice: ColorChoice) -> Self {
        Self::on(std::io::stderr().is_terminal(), choice)
    }

    fn on(for_people: bool, choice: ColorChoice) -> Self {
        // https://no-color.org: any value but an empty one.
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colour = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => for_people && !refused && !dumb,
        };
        Self { for_people, colour }
    }

    /// Whether parts look different at all.
    pub(crate) fn has_colour(self) -> bool {
        self.colour
    }

    /// Something as the part that it is.
    pub(crate) fn show(self, part: Part, text: impl Display) -> String {
        let text = text.to_string();
        if !self.colour || text.is_empty() {
            return text;
        }
        let style = match part {
            Part::Heading => AnsiColor::Magenta.on_default(),
            Part::Directory => AnsiColor::Blue.on_default().bold(),
            Part::Match => AnsiColor::Red.on_default().bold(),
            Part::Number => AnsiColor::Green.on_default(),
            Part::Faint => Style::new().dimmed(),
            Part::Files => Style::new().bold(),
            Part::Place => AnsiColor::Cyan.on_default(),
            Part::Problem => AnsiColor::Red.on_default().bold(),
            Part::Note => AnsiColor::Yellow.on_default(),
            Part::Good => AnsiColor::Green.on_default(),
            Part::Added => AnsiColor::Green.on_default(),
            Part::Removed => AnsiColor::Red.on_default(),
        };
        format!("{style}{text}{style:#}")
    }

    /// Sentences and diffs, each line as what it is.
    pub(crate) fn diff(self, text: &str) -> String {
        let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
        let mut shown = String::with_capacity(text.len() * 2);
        let mut in_diff = false;
        for (at, line) in lines.iter().enumerate() {
            let starts =
                line.starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ "));
            let follows = line.starts_with("+++ ") && at > 0 && lines[at - 1].starts_with("--- ");
            in_diff |= starts || line.starts_with("@@ ");
            let part = match line.as_bytes().first() {
                _ if !in_diff => None,
                _ if starts || follows => Some(Part::Files),
                Some(b'@') => Some(Part::Place),
                Some(b'+') => Some(Part::Added),
                Some(b'-') => Some(Part::Removed),
                Some(b'\\') => Some(Part::Faint),
                _ => None,
            };
            let line = plain(line);
            shown.push_str(&part.map_or_else(|| line.to_string(), |part| self.show(part, &line)));
            shown.push('\n');
        }
        shown
    }
}

/// Text in which nothing is left that a terminal acts upon: controls but the tab, marks of direction and separators of lines
/// are written as their code points.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    written_out(text, acts, |shown, c| write!(shown, "<U+{c:04X}>"))
}

/// The same for a text of several lines.
pub(crate) fn plain_text(text: &str) -> Cow<'_, str> {
    written_out(text, |c| c != '\n' && acts(c), |shown, c| write!(shown, "<U+{c:04X}>"))
}

/// The same for JSON, in which it stays the same value.
pub(crate) fn plain_json(text: &str) -> Cow<'_, str> {
    written_out(text, |c| c != '\n' && acts(c), |shown, c| write!(shown, "\\u{c:04x}"))
}

fn written_out(
    text: &str,
    acts: impl Fn(char) -> bool,
    write: impl Fn(&mut String, u32) -> std::fmt::Result,
) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            // Writing to a string does not fail.
            _ = write(&mut shown, u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn acts(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_upon_is_written_out() {
        assert_eq!(plain("a\tb é 漢 \u{a0}"), "a\tb é 漢 \u{a0}");
        assert_eq!(plain("\u{1b}[31m\u{9b}1m\r"), "<U+001B>[31m<U+009B>1m<U+000D>");
        assert_eq!(plain("x\u{202e}y\u{2066}"), "x<U+202E>y<U+2066>");
    }

    #[test]
    fn lines_stay_lines_and_json_stays_json() {
        assert_eq!(plain_text("a\nb\r\n"), "a\nb<U+000D>\n");
        let json = serde_json::to_string("\u{1b}\u{9b}\u{202e}é\n").unwrap();
        let shown = plain_json(&json);
        assert_eq!(shown, r#""\u001b\u009b\u202eé\n""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "\u{1b}\u{9b}\u{202e}é\n");
    }

    #[test]
    fn a_diff_is_painted_by_its_lines() {
        let paint = Paint { for_people: false, colour: true };
        let shown =
            paint.diff("Done -x\n- no\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n--- two\n+\u{1b}[2J\n");
        let expected = "Done -x\n- no\n\u{1b}[1m--- a/f\u{1b}[0m\n\u{1b}[1m+++ b/f\u{1b}[0m\n\
             \u{1b}[36m@@ -1,2 +1,2 @@\u{1b}[0m\n one\n\u{1b}[31m--- two\u{1b}[0m\n\
             \u{1b}[32m+<U+001B>[2J\u{1b}[0m\n";
        assert_eq!(shown, expected);
        assert_eq!(Paint { colour: false, ..paint }.diff("--- a\n+++ b"), "--- a\n+++ b\n");
    }

    #[test]
    fn colour_only_where_it_is_wanted() {
        let always = Paint { for_people: false, colour: true };
        assert_eq!(always.show(Part::Match, "x"), "\u{1b}[1m\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Paint { colour: false, ..always }.show(Part::Match, "x"), "x");
    }
}
