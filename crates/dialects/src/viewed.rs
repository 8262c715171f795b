//! What the dialects of Anthropic's client tools have in common: how a file, a directory and a changed place are shown, and
//! which sentences are the same.

use toolcrib_files::{
    EditError, EditRefused, EntryKind, Excerpt, Listed, Listing, ReadRequest, Refused, Shown,
};
use toolcrib_tool::ToolError;

use crate::gutter::numbered;
use crate::operations::ReadOutcome;
use crate::units::counted;
use crate::words::{Words, quoted};

/// The path as the caller gave it, without a slash at its end.
pub(crate) fn given<'a>(words: &'a Words<'_>, parameter: &str) -> &'a str {
    let given = words.given(parameter).unwrap_or_default();
    if given.len() > 1 { given.trim_end_matches('/') } else { given }
}

/// A heading and the lines of a file with their numbers, and what else there is to know; of an image, what it is.
pub(crate) fn file(heading: &str, outcome: &ReadOutcome, words: &Words<'_>) -> String {
    let mut remarks = outcome.remarks(words);
    let Some(text) = outcome.text() else {
        return outcome.plain().map_or_else(String::new, |plain| format!("{plain}\n")) + &remarks.join("\n");
    };
    // A caller that asked for so many lines knows that there may be more; one that got fewer must be told.
    let limit = outcome.limit();
    let unasked = text.lines.len() < limit || limit == ReadRequest::MAX_LIMIT;
    if let Some(next) = outcome.goes_on().filter(|_| unasked) {
        let of = text.total_lines.map_or_else(String::new, |total| format!(" to line {total}"));
        let range = words.parameter("range");
        remarks.push(format!("the file goes on{of}: view it with {range} [{next}, -1]"));
    }
    let lines = numbered(text, '\t');
    let remarks = remarks.iter().map(|remark| format!("\n({remark})"));
    let heading = if lines.is_empty() { heading.to_owned() } else { format!("{heading}\n") };
    heading + &lines + &remarks.collect::<String>()
}

/// A heading and a line for the directory and for each entry, made of its path and what it is.
pub(crate) fn directory(
    heading: &str,
    top: &str,
    listing: &Listing,
    line: impl Fn(String, Option<&Listed>) -> String,
) -> String {
    let mut lines = vec![heading.to_owned(), line(top.to_owned(), None)];
    let top = top.trim_end_matches('/');
    for entry in &listing.entries {
        let below = entry.path.absolute.strip_prefix(&*listing.path.absolute).unwrap_or(&entry.name);
        let slash = if entry.kind == EntryKind::Directory { "/" } else { "" };
        lines.push(line(format!("{top}/{}{slash}", below.trim_start_matches('/')), Some(entry)));
    }
    if listing.next.is_some() || listing.partial {
        let shown = counted(listing.entries.len(), "entry", "entries");
        lines.push(format!("({shown} shown, and there are more: view a directory in it)"));
    }
    if listing.withheld > 0 {
        lines.push(format!("({} withheld by rules)", counted(listing.withheld, "entry", "entries")));
    }
    lines.join("\n")
}

/// The changed lines with some around them, each with its number.
pub(crate) fn snippet(shown: &Shown, around: usize) -> String {
    let Excerpt { lines, first, changed } = &shown.excerpt;
    let Some(changed) = changed else { return String::new() };
    let wanted = changed.first.saturating_sub(around)..=changed.last.saturating_add(around);
    let numbered = (*first..).zip(lines).filter(|(number, _)| wanted.contains(number));
    let numbered: Vec<String> = numbered.map(|(number, line)| format!("{number:>6}\t{line}")).collect();
    numbered.join("\n")
}

/// What a reader of changed lines cannot see in them.
pub(crate) fn hidden(shown: &Shown) -> String {
    match shown.hidden.is_empty() {
        true => String::new(),
        false => format!("\nCharacters that cannot be seen: {}", shown.hidden.join(", ")),
    }
}

/// The sentences that the dialects share.
pub(crate) fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    match refused {
        Refused::Failed(error) => missing_parameter(error, words),
        Refused::Edit(refused) => not_found(refused, words),
        _ => None,
    }
}

fn missing_parameter(error: &ToolError, words: &Words<'_>) -> Option<String> {
    let name = error.fact("missing_parameter")?.as_str()?;
    Some(format!("Parameter `{name}` is required for command: {}", words.called()))
}

fn not_found(refused: &EditRefused, words: &Words<'_>) -> Option<String> {
    let EditError::NotFound(diagnosis) = &refused.why else { return None };
    let (parameter, path) = (words.parameter("old_string"), words.given("file_path")?);
    let instead = diagnosis.instead_of(&parameter).to_string();
    let instead = instead.strip_prefix(": ").map(|seems| format!(" ({seems})")).unwrap_or(instead);
    Some(format!(
        "No replacement was performed, {parameter} `{}` did not appear verbatim in {path}.{instead}",
        quoted(&refused.old)
    ))
}

/// The lines in which a text stands that should be unique, separated by commas.
pub(crate) fn occurrences(refused: &EditRefused) -> Option<(String, String)> {
    let EditError::NotUnique { lines, count, .. } = &refused.why else { return None };
    let more = if EditError::lines_were_cut(*count, lines) { ", ..." } else { "" };
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    Some((quoted(&refused.old), lines.join(", ") + more))
}

/// The line and the number of lines, if text was to be inserted behind the end.
pub(crate) fn past_the_end(error: &ToolError) -> Option<(u64, u64)> {
    Some((error.fact("line")?.as_u64()?, error.fact("total_lines")?.as_u64()?))
}
