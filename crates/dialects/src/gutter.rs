//! Lines with their numbers in front, as `cat -n` shows them.

use std::fmt::Write as _;

use toolcrib_files::Text;

use crate::operations::first_number;

/// Each line as `12: text`, with a newline.
pub(crate) fn plain_numbers(text: &Text) -> String {
    let mut shown = String::new();
    for (line, number) in text.lines.iter().zip(first_number(text)..) {
        let cut = if line.cut { "..." } else { "" };
        // Writing to a string does not fail.
        _ = writeln!(shown, "{number}: {}{cut}", line.text);
    }
    shown
}

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
