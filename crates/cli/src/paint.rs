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
    /// Whether somebody looks at it, so that it may be laid out for reading.
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
}

impl Paint {
    /// As it was asked for, and as the standard output is.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        let for_people = std::io::stdout().is_terminal();
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
        };
        format!("{style}{text}{style:#}")
    }
}

/// Text in which nothing is left that a terminal acts upon: controls but the tab, marks of direction and separators of lines
/// are written as their code points.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            _ = write!(shown, "<U+{:04X}>", u32::from(c));
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
    fn colour_only_where_it_is_wanted() {
        let always = Paint { for_people: false, colour: true };
        assert_eq!(always.show(Part::Match, "x"), "\u{1b}[1m\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Paint { colour: false, ..always }.show(Part::Match, "x"), "x");
    }
}
