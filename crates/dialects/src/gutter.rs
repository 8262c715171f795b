//! Lines with their numbers in front, as `cat -n` shows them.

use toolcrib_files::Text;

/// Each line with its number right-aligned in 6 columns, then `separator`; a line that was cut ends with `...`.
pub(crate) fn numbered(text: &Text, separator: char) -> String {
    let lines = text.lines.iter().zip(text.first..).map(|(line, number)| {
        let dots = if line.cut { "..." } else { "" };
        format!("{number:>6}{separator}{}{dots}", line.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}
