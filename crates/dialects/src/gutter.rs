//! Lines with their numbers in front, as `cat -n` shows them.

use toolcrib_files::{LineNumber, Text};

/// Each line with its number right-aligned in 6 columns, then `separator`; a line that was cut ends with `...`.
pub(crate) fn numbered(text: &Text, separator: char) -> String {
    let numbers = first_number(text)..;
    let lines = text.lines.iter().zip(numbers).map(|(line, number)| {
        let dots = if line.cut { "..." } else { "" };
        format!("{number:>6}{separator}{}{dots}", line.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The number of the first line; negative if it is counted from the end.
pub(crate) fn first_number(text: &Text) -> i64 {
    match text.first {
        LineNumber::FromStart(first) => i64::try_from(first).unwrap_or(i64::MAX),
        LineNumber::FromEnd(back) => i64::try_from(back).map_or(i64::MIN, |back| -back),
    }
}
