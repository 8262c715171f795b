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

/// How many changed ranges and hunks an answer lists.
pub(crate) const MOST_LISTED: usize = 1000;

/// `3` or `3-5`. Of very many the first are listed, and how many more there are.
pub(crate) fn line_ranges(lines: &[LineSpan]) -> Vec<String> {
    let range = |span: &LineSpan| {
        if span.first == span.last { span.first.to_string() } else { format!("{}-{}", span.first, span.last) }
    };
    let more = lines.len().saturating_sub(MOST_LISTED);
    let more = (more > 0).then(|| format!("… {more} more"));
    lines.iter().take(MOST_LISTED).map(range).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_ranges_the_first_are_listed() {
        let lines: Vec<LineSpan> =
            (1..=1002).map(|line| LineSpan { first: 3 * line, last: 3 * line + 1 }).collect();
        let listed = line_ranges(&lines);
        assert_eq!((listed.len(), &*listed[0], &*listed[1000]), (1001, "3-4", "… 2 more"));
        assert_eq!(line_ranges(&lines[..1000]).len(), 1000);
    }
}
