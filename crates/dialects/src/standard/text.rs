//! How outcomes read in this dialect: text, with absolute paths.

use toolcrib_access::UndoKind;
use toolcrib_files::{
    Edited, EntryKind, FileAction, GrepMode, Grepped, Inserted, Level, LineSpan, Listed, Listing, Patched,
    PatchedFile, ReadRequest, Shown, Written,
};

use crate::changes::{MOST_LISTED, unseen, with_changed_lines, with_diff, with_hunks};
use crate::gutter::numbered;
use crate::operations::{
    GlobOutcome, GrepOutcome, ListOutcome, ReadManyOutcome, ReadOutcome, UndoOutcome, all_ignored, elsewhere,
};
use crate::units::{bytes, counted};
use crate::words::Words;

/// What stands between lines that do not follow one another.
const GAP: &str = "--";

pub(super) fn read(outcome: &ReadOutcome, words: &Words<'_>) -> Option<String> {
    let mut remarks = outcome.remarks(words);
    let Some(text) = outcome.text() else {
        let Some(plain) = outcome.plain() else { return Some(remarks.join("\n")) };
        return Some(with_remarks(plain.to_owned(), &remarks));
    };
    // A caller that asked for so many lines knows that there may be more; one that got fewer must be told.
    let limit = outcome.limit();
    let unasked = text.lines.len() < limit || limit == ReadRequest::DEFAULT_LIMIT;
    if let Some(next) = outcome.goes_on().filter(|_| unasked) {
        let of = text.total_lines.map_or_else(String::new, |total| format!(" to line {total}"));
        remarks.push(format!("the file goes on{of}: read it from offset {next}"));
    }
    Some(with_remarks(numbered(text, '\t'), &remarks))
}

/// A text, and below it what is to be said about it.
fn with_remarks(text: String, remarks: &[String]) -> String {
    let remarks = remarks.iter().map(|remark| format!("({remark})")).collect::<Vec<_>>().join("\n");
    match (text.is_empty(), remarks.is_empty()) {
        (true, _) => remarks,
        (false, true) => text,
        (false, false) => format!("{text}\n\n{remarks}"),
    }
}

pub(super) fn write(written: &Written, words: &Words<'_>) -> Option<String> {
    let path = &written.path.absolute;
    if written.unchanged {
        return Some(format!("Unchanged: {path} already has exactly this content"));
    }
    let kept = if written.crlf_kept { ", CRLF line endings kept" } else { "" };
    // Who creates a file knows what is in it.
    if written.created {
        return Some(format!("Created {path} ({} bytes)", written.bytes));
    }
    let sentence = format!("Updated {path} ({} bytes{kept})", written.bytes);
    Some(with_change(&sentence, &written.shown, true, words))
}

pub(super) fn edit(edited: &Edited, words: &Words<'_>) -> Option<String> {
    let path = &edited.path.absolute;
    if edited.created {
        return Some(format!("Created {path}"));
    }
    let occurrences = number(edited.replacements(), "occurrence", words);
    Some(with_edits(&format!("Replaced {occurrences} in {path}"), edited, words))
}

/// A count of something. Agents know it as the specification has it, people as they would say it.
fn number(count: usize, thing: &str, words: &Words<'_>) -> String {
    if words.shared.settings.whole_diffs {
        counted(count, thing, &format!("{thing}s"))
    } else {
        format!("{count} {thing}(s)")
    }
}

/// The lines around an edit are shown where its caller may not know them: another program has changed the file, or the text
/// was not exactly that of the file.
fn with_edits(sentence: &str, edited: &Edited, words: &Words<'_>) -> String {
    let exactly = matches!(edited.level(), Level::Exact | Level::LineEndings) && !edited.changed_since_read;
    with_change(sentence, &edited.shown, exactly, words)
}

/// A change as its caller needs it: one who `knows` the lines around it does without them, a person sees the whole diff.
fn with_change(sentence: &str, shown: &Shown, knows: bool, words: &Words<'_>) -> String {
    match (words.shared.settings.whole_diffs, knows) {
        (true, _) => with_diff(sentence, shown),
        (false, true) => with_changed_lines(sentence, shown),
        (false, false) => with_hunks(sentence, shown),
    }
}

pub(super) fn multi_edit(edited: &Edited, words: &Words<'_>) -> Option<String> {
    let (path, edits) = (&edited.path.absolute, edited.steps.len());
    if edited.created {
        return Some(format!("Created {path} with {}", number(edits, "edit", words)));
    }
    if edited.unchanged {
        return Some(format!("Unchanged {path}: the {edits} edits cancel each other out"));
    }
    let replacements = number(edited.replacements(), "replacement", words);
    let sentence = format!("Applied {} ({replacements}) to {path}", number(edits, "edit", words));
    Some(with_edits(&sentence, edited, words))
}

pub(super) fn insert(inserted: &Inserted, words: &Words<'_>) -> Option<String> {
    let LineSpan { first, last } = inserted.lines;
    let lines = counted(last + 1 - first, "line", "lines");
    let place = if first == 1 { "before line 1".to_owned() } else { format!("after line {}", first - 1) };
    let sentence = format!("Inserted {lines} {place} of {}", inserted.path.absolute);
    // What stands around the place shows whether the number of the line was the right one.
    Some(with_change(&sentence, &inserted.shown, false, words))
}

pub(super) fn read_many(many: &ReadManyOutcome, words: &Words<'_>) -> Option<String> {
    let shown = many.files.iter().map(|file| match &file.read {
        Ok(outcome) => format!("==> {} <==\n{}", file.path, read(outcome, words).unwrap_or_default()),
        Err(error) => format!("==> {} <==\n({error})", file.path),
    });
    let mut shown: Vec<String> = shown.collect();
    if !many.left_out.is_empty() {
        shown.push(format!("(no room for: {})", many.left_out.join(", ")));
    }
    Some(shown.join("\n\n"))
}

pub(super) fn patch(patched: &Patched, words: &Words<'_>) -> Option<String> {
    let mut text = match patched.files.len() {
        0 => "Already applied: nothing was changed".to_owned(),
        count => format!("Patched {}", counted(count, "file", "files")),
    };
    for file in &patched.files {
        text.push_str(&format!("\n{}", listed(file)));
    }
    for path in &patched.already_applied {
        text.push_str(&format!("\n  already applied {}", path.absolute));
    }
    for file in &patched.files {
        // Who adds or deletes a file knows what is in it, and so does who gave the lines and their place exactly.
        if !matches!(file.action, FileAction::Update | FileAction::Move) {
            continue;
        }
        let exactly = elsewhere(&file.hunks).next().is_none() && !patched.changed_since_read;
        let exactly = exactly && !words.shared.settings.whole_diffs;
        text = if exactly { text + &unseen(&file.shown) } else { with_diff(&text, &file.shown) };
    }
    Some(text)
}

/// What happened to a file, and what was not as the patch has it.
fn listed(file: &PatchedFile) -> String {
    let from = file.from.as_ref().map_or_else(String::new, |from| format!("{} -> ", from.absolute));
    let mut listed = format!("  {} {from}{}", file.action.name(), file.path.absolute);
    for hunk in elsewhere(&file.hunks).take(MOST_LISTED) {
        listed.push_str(&format!("\n    hunk {}: {hunk}", hunk.hunk));
    }
    let more = elsewhere(&file.hunks).skip(MOST_LISTED).count();
    if more > 0 {
        listed
            .push_str(&format!("\n    and {more} more hunks that are not exactly where the patch has them"));
    }
    listed
}

/// The tree, one entry a line, and what is missing from it.
pub(super) fn list(outcome: &ListOutcome, _: &Words<'_>) -> Option<String> {
    let listing = outcome.listing()?;
    let mut lines = vec![format!("{}/", listing.path.absolute.trim_end_matches('/'))];
    lines.extend(listing.entries.first().into_iter().flat_map(|first| continued(listing, first)));
    lines.extend(listing.entries.iter().map(line));
    if listing.entries.is_empty() {
        let none = match (listing.total, listing.withheld) {
            (Some(0), 0) => "(empty)",
            (Some(0), _) => "(nothing to show)",
            _ => "(no more entries)",
        };
        lines.push(format!("  {none}"));
    }
    if let Some(next) = listing.next {
        let total = listing.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let shown = listing.entries.len();
        lines.push(format!("({shown} entries{total} shown: go on with offset {next})"));
    }
    if listing.withheld > 0 {
        lines.push(format!("({} withheld by rules)", counted(listing.withheld, "entry", "entries")));
    }
    if listing.unreadable > 0 {
        lines
            .push(format!("({} could not be read)", counted(listing.unreadable, "directory", "directories")));
    }
    if listing.partial {
        lines.push("(the time was up before everything was listed)".to_owned());
    }
    Some(lines.join("\n"))
}

/// A page may begin in the middle of a tree: the directories in which its first entry lies.
fn continued(listing: &Listing, first: &Listed) -> Vec<String> {
    let below = first.path.absolute.strip_prefix(&listing.path.absolute).unwrap_or_default();
    let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
    let above = names.iter().take(first.depth).enumerate();
    above.map(|(depth, name)| format!("{}{name}/ (continued)", "  ".repeat(depth + 1))).collect()
}

fn line(entry: &Listed) -> String {
    let indent = "  ".repeat(entry.depth + 1);
    let rest = match (entry.kind, entry.size, &entry.target) {
        (EntryKind::Directory, ..) => "/".to_owned(),
        (_, _, Some(target)) => format!(" -> {target}"),
        (_, Some(size), _) => format!("  ({})", bytes(size)),
        _ => String::new(),
    };
    format!("{indent}{}{rest}", entry.name)
}

/// One path a line, and what is missing.
pub(super) fn glob(outcome: &GlobOutcome, words: &Words<'_>) -> Option<String> {
    let matches = &outcome.matches;
    let mut lines: Vec<String> = matches.files.iter().map(|file| file.absolute.clone()).collect();
    if let Some(next) = matches.next {
        let (shown, total) = (matches.files.len(), matches.total);
        lines.push(format!("({shown} of {total} files shown: go on with offset {next})"));
    }
    if matches.withheld > 0 {
        lines.push(format!("({} withheld by rules)", counted(matches.withheld, "file", "files")));
    }
    if matches.partial {
        lines.push("(incomplete: the time limit was reached)".to_owned());
    }
    lines.extend(outcome.why_none(words).map(|why| format!("({why})")));
    Some(lines.join("\n"))
}

/// What was found, in content mode by file.
pub(super) fn grep(outcome: &GrepOutcome, words: &Words<'_>) -> Option<String> {
    found(outcome, words, if outcome.line_numbers { by_file } else { by_line })
}

/// What was found, in content mode with the path before every line.
pub(crate) fn grep_by_line(outcome: &GrepOutcome, words: &Words<'_>) -> Option<String> {
    found(outcome, words, by_line)
}

fn found(
    outcome: &GrepOutcome,
    words: &Words<'_>,
    content: fn(&Grepped, bool) -> Vec<String>,
) -> Option<String> {
    let (mut lines, results) = match outcome.mode {
        GrepMode::Content => (content(&outcome.found, outcome.line_numbers), "matches"),
        GrepMode::Files | GrepMode::FilesWithout => (paths(&outcome.found), "files"),
        GrepMode::Count => (counts(&outcome.found), "files"),
    };
    lines.extend(missing(&outcome.found, results, words));
    Some(lines.join("\n"))
}

/// The lines of each file below its path: `line: text`, and where context is shown, `> line: text` where it matches and a
/// space in the place of `>` beside. A path that has one match alone is followed by its number, and a lone line by the line.
fn by_file(grepped: &Grepped, _numbers: bool) -> Vec<String> {
    let in_groups = grepped.context != (0, 0);
    let mut shown = Vec::new();
    for file in &grepped.files {
        let path = &file.path.absolute;
        let mut matches = file.lines.iter().filter(|line| line.matches);
        let heading = match (matches.next(), matches.next()) {
            (Some(only), None) => format!("{path}:{}", only.number),
            _ => path.clone(),
        };
        if let [line] = &file.lines[..] {
            shown.push(format!("{heading}: {}", line.text));
            continue;
        }
        shown.push(heading);
        let mut expected = None;
        for line in &file.lines {
            if in_groups && expected.is_some_and(|expected| expected != line.number) {
                shown.push(GAP.to_owned());
            }
            expected = Some(line.number + 1);
            let mark = match (in_groups, line.matches) {
                (false, _) => "",
                (true, true) => "> ",
                (true, false) => "  ",
            };
            shown.push(format!("{mark}{}: {}", line.number, line.text));
        }
    }
    shown
}

/// The lines: `> path:line: text` where it matches, and a space in the place of `>` beside.
fn by_line(grepped: &Grepped, numbers: bool) -> Vec<String> {
    let in_groups = grepped.context != (0, 0);
    let mut shown = Vec::new();
    for file in &grepped.files {
        let path = &file.path.absolute;
        let mut expected = None;
        for line in &file.lines {
            if in_groups && !shown.is_empty() && expected != Some(line.number) {
                shown.push(GAP.to_owned());
            }
            expected = Some(line.number + 1);
            let mark = if line.matches { '>' } else { ' ' };
            shown.push(match numbers {
                true => format!("{mark} {path}:{}: {}", line.number, line.text),
                false => format!("{mark} {path}: {}", line.text),
            });
        }
    }
    shown
}

/// One path a line.
fn paths(grepped: &Grepped) -> Vec<String> {
    grepped.files.iter().map(|file| file.path.absolute.clone()).collect()
}

/// `path: N`, one a line.
fn counts(grepped: &Grepped) -> Vec<String> {
    grepped.files.iter().map(|file| format!("{}: {}", file.path.absolute, file.count)).collect()
}

/// What is not shown, and the way to it. `results` are matches or files.
fn missing(grepped: &Grepped, results: &str, words: &Words<'_>) -> Vec<String> {
    let total = if results == "files" { grepped.total_files } else { grepped.total_matches };
    let mut notes = Vec::new();
    if total == Some(0) {
        notes.push("No matches found".to_owned());
    } else if let Some(total) = total
        && grepped.files.is_empty()
    {
        notes.push(format!("(no more {results}: there are {total})"));
    }
    if let Some(next) = grepped.next {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        notes.push(format!("({}{of} {results} shown: go on with offset {next})", grepped.returned));
    }
    if grepped.partial {
        notes.push("(incomplete: the time limit was reached)".to_owned());
    }
    notes.extend(not_searched(grepped));
    notes.extend(grepped.all_ignored.then(|| format!("({})", all_ignored(&words.parameter("no_ignore")))));
    notes
}

/// Files that were not searched although they were meant. That other data is not is no news, unless it was all there is.
fn not_searched(grepped: &Grepped) -> Option<String> {
    let skipped = grepped.skipped;
    let reasons = [
        (if grepped.searched == 0 { skipped.binary } else { 0 }, "binary"),
        (skipped.too_large, "too large"),
        (skipped.unreadable, "unreadable"),
        (skipped.denied, "withheld by rules"),
        (skipped.too_complex, "too complex for this pattern"),
    ];
    let reasons = reasons.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
    (!reasons.is_empty()).then(|| format!("(not searched: {})", reasons.join(", ")))
}

/// What was undone.
pub(crate) fn undo(outcome: &UndoOutcome, words: &Words<'_>) -> Option<String> {
    let taken = &outcome.taken;
    let done = match outcome.kind {
        UndoKind::Undo => format!("Undid change {}", taken.change()),
        UndoKind::Redo => format!("Redid change {}", taken.change()),
    };
    let mut text = format!("{done} ({}):", taken.tool);
    for file in &taken.files {
        text.push_str(&format!("\n  {} {}", file.action.name(), words.path(&file.path)));
    }
    for merged in &taken.merged {
        text.push_str(&format!("\nKept what another program has changed since in {}", words.path(merged)));
    }
    Some(text)
}
