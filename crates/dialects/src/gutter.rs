//! Lines with their numbers in front, as `cat -n` shows them.

use std::fmt::Write as _;

use toolcrib_files::{LineNumber, Text};

/// Each line with its number right-aligned in 6 columns, then `separator`; a line begins or ends with `...` where it was cut.
pub(crate) fn numbered(text: &Text, separator: char) -> String {
    let room: usize = text.lines.iter().map(|line| line.text.len() + 16).sum();
    let mut shown = String::with_capacity(room);
    for (line, number) in text.lines.iter().zip(first_number(text)..) {
        if !shown.is_empty() {
            shown.push('\n');
        }
        // Writing to a string does not fail.
        _ = write!(shown, "{number:>6}");
        shown.push(separator);
        if text.column > 0 {
            shown.push_str("...");
        }
        shown.push_str(&line.text);
        if line.cut {
            shown.push_str("...");
        }
    }
    shown
}

/// The number of the first line; negative if it is counted from the end.
pub(crate) fn first_number(text: &Text) -> i64 {
    match text.first {
        LineNumber::FromStart(first) => i64::try_from(first).unwrap_or(i64::MAX),
        LineNumber::FromEnd(back) => i64::try_from(back).map_or(i64::MIN, |back| -back),
    }
}
