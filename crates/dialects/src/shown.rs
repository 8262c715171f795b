//! How a change reads, in every dialect.

use toolcrib_files::{LineSpan, Shown};

/// A sentence, then the diff, then what a reader could not see in it.
pub(crate) fn with_diff(sentence: &str, shown: &Shown) -> String {
    let mut text = sentence.to_owned();
    if !shown.diff.is_empty() {
        text.push('\n');
        text.push_str(shown.diff.trim_end_matches('\n'));
    }
    if !shown.hidden.is_empty() {
        text.push_str(&format!("\n\nCharacters that cannot be seen: {}", shown.hidden.join(", ")));
    }
    text
}

/// `3` or `3-5`.
pub(crate) fn line_ranges(lines: &[LineSpan]) -> Vec<String> {
    let range = |span: &LineSpan| {
        if span.first == span.last { span.first.to_string() } else { format!("{}-{}", span.first, span.last) }
    };
    lines.iter().map(range).collect()
}
