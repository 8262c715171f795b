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

/// Each line as it is, with a newline unless the file has none there; `mark` is where one was cut.
pub(crate) fn unnumbered(text: &Text, mark: &str) -> String {
    let mut shown = String::new();
    for line in &text.lines {
        shown.push_str(&line.text);
        shown.push_str(if line.cut { mark } else { "" });
        shown.push('\n');
    }
    if text.next.is_some() || text.final_newline == Some(false) {
        shown.pop();
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
