//! How a change reads, in every dialect.

use toolcrib_files::{LineSpan, Shown};

/// A sentence, then the diff, then what a reader could not see in it.
pub(crate) fn with_diff(sentence: &str, shown: &Shown) -> String {
    with_lines(sentence, &shown.diff, shown)
}

/// A sentence that names the file, then the hunks of the diff, then what a reader could not see in it.
pub(crate) fn with_hunks(sentence: &str, shown: &Shown) -> String {
    with_lines(sentence, hunks(&shown.diff), shown)
}

/// A sentence that names the file, then its changed lines and where they are now. For a caller who knows the lines around
/// them, since they were given exactly.
pub(crate) fn with_changed_lines(sentence: &str, shown: &Shown) -> String {
    with_lines(sentence, &without_context(hunks(&shown.diff)), shown)
}

fn with_lines(sentence: &str, diff: &str, shown: &Shown) -> String {
    let mut text = sentence.to_owned();
    if !diff.is_empty() {
        text.push('\n');
        text.push_str(diff.trim_end_matches('\n'));
    }
    text.push_str(&unseen(shown));
    text
}

/// A diff of one file without the lines that name it.
fn hunks(diff: &str) -> &str {
    diff.find("@@ ").filter(|at| *at == 0 || diff[..*at].ends_with('\n')).map_or(diff, |at| &diff[at..])
}

/// Hunks with their changed lines alone, each run of them under a head of its own, as `diff -U0` writes them.
fn without_context(hunks: &str) -> String {
    let mut text = String::new();
    let (mut old, mut new) = (0, 0);
    let mut run = Run::default();
    for line in hunks.lines() {
        match line.as_bytes().first() {
            Some(b'-') => run.old += 1,
            Some(b'+') => run.new += 1,
            // This says something of the line before it.
            Some(b'\\') if run.lines.is_empty() => continue,
            Some(b'\\') => {}
            _ => {
                (old, new) = (old + run.old, new + run.new);
                run.write(&mut text);
                match starts(line) {
                    Some(starts) => (old, new) = starts,
                    None if line.starts_with(' ') => (old, new) = (old + 1, new + 1),
                    // What the diff says of itself.
                    None => text.extend([line, "\n"]),
                }
                run = Run { from: (old, new), ..Run::default() };
                continue;
            }
        }
        run.lines.extend([line, "\n"]);
    }
    run.write(&mut text);
    text
}

/// Changed lines that follow one another.
#[derive(Default)]
struct Run {
    lines: String,
    /// The numbers of the first of them, before and after.
    from: (usize, usize),
    old: usize,
    new: usize,
}

impl Run {
    fn write(&self, text: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        // Where there is no line on one side, the head names the one before.
        let range = |from: usize, count: usize| match count {
            0 => format!("{},0", from.saturating_sub(1)),
            1 => from.to_string(),
            _ => format!("{from},{count}"),
        };
        let (old, new) = (range(self.from.0, self.old), range(self.from.1, self.new));
        text.push_str(&format!("@@ -{old} +{new} @@\n{}", self.lines));
    }
}

/// The numbers of the first lines of a hunk, if this is its head.
fn starts(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    // An empty range names the line before it.
    let first = |range: &str| -> Option<usize> {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        let first: usize = first.parse().ok()?;
        Some(if count == "0" { first + 1 } else { first })
    };
    Some((first(old)?, first(new)?))
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
    fn changed_lines_are_headed_by_where_they_are() {
        let changed = |diff: &str| without_context(hunks(diff));
        let diff = "--- a/x\n+++ b/x\n@@ -1,7 +1,7 @@ fn a()\n one\n-two\n+2\n+2b\n three\n four\n-five\n six\n+6b\n seven\n";
        let lines = "@@ -2 +2,2 @@\n-two\n+2\n+2b\n@@ -5 +5,0 @@\n-five\n@@ -6,0 +7 @@\n+6b\n";
        assert_eq!(changed(diff), lines);
        let two = "--- a/x\n+++ b/x\n@@ -3,2 +3 @@\n x\n-y\n@@ -40,0 +39,2 @@\n+@@ -1 +1 @@\n+--- a\n";
        assert_eq!(changed(two), "@@ -4 +3,0 @@\n-y\n@@ -40,0 +39,2 @@\n+@@ -1 +1 @@\n+--- a\n");
        let end =
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n… 9 more lines\n";
        assert_eq!(changed(end), "@@ -1 +1 @@\n-a\n+b\n… 9 more lines\n");
        let last = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
        assert_eq!(changed(last), last);
        assert_eq!(changed(""), "");
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
