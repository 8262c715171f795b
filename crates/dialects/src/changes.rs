//! How a change reads, in every dialect.

use toolcrib_files::{LineSpan, Shown};

/// A sentence, then the diff, then what a reader could not see in it.
pub(crate) fn with_diff(sentence: &str, shown: &Shown) -> String {
    let mut text = sentence.to_owned();
    if !shown.diff.is_empty() {
        text.push('\n');
        text.push_str(shown.diff.trim_end_matches('\n'));
    }
    text.push_str(&unseen(shown));
    text
}

/// What a reader could not see in the changed lines, in a paragraph of its own.
pub(crate) fn unseen(shown: &Shown) -> String {
    if shown.hidden.is_empty() {
        return String::new();
    }
    format!("\n\nCharacters that cannot be seen: {}", shown.hidden.join(", "))
}

/// The changed parts of a file as they read now, with `...` where something stands between, before or after them.
pub(crate) fn parts_after(shown: &Shown) -> String {
    let mut text = String::new();
    // The first two lines are the names.
    for line in shown.diff.lines().skip(2) {
        if let Some(line) = line.strip_prefix([' ', '+']) {
            // So a diff shows that a line ends with CRLF among others that do not.
            text.push_str(line.strip_suffix('␍').unwrap_or(line));
            text.push('\n');
        } else if line.starts_with("@@ ") && (!text.is_empty() || !begins_at_the_top(line)) {
            text.push_str("...\n");
        }
    }
    text.push_str(if shown.goes_on { "..." } else { "" });
    text
}

/// Whether the head of a hunk says that it has the first line of the new text.
fn begins_at_the_top(head: &str) -> bool {
    let first = head.split('+').nth(1).unwrap_or_default();
    first.starts_with("1,") || first.starts_with("1 ") || first.starts_with("0,")
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
    fn what_stands_between_the_changed_parts_is_left_out() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-+a\n++b␍\n  c\n@@ -9 +9 @@ fn +1,2\n d\n-e\n\\ No newline at end of file\n";
        let mut shown = Shown { diff: diff.to_owned(), goes_on: true, ..Shown::default() };
        assert_eq!(parts_after(&shown), "+b\n c\n...\nd\n...");
        shown.goes_on = false;
        shown.diff = "--- a/x\n+++ b/x\n@@ -4,2 +4 @@\n-a\n b\n".to_owned();
        assert_eq!(parts_after(&shown), "...\nb\n");
    }

    #[test]
    fn of_very_many_ranges_the_first_are_listed() {
        let lines: Vec<LineSpan> =
            (1..=1002).map(|line| LineSpan { first: 3 * line, last: 3 * line + 1 }).collect();
        let listed = line_ranges(&lines);
        assert_eq!((listed.len(), &*listed[0], &*listed[1000]), (1001, "3-4", "… 2 more"));
        assert_eq!(line_ranges(&lines[..1000]).len(), 1000);
    }
}
