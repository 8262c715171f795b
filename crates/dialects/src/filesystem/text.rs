//! How outcomes read in this dialect.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolcrib_files::{Edited, EntryKind, FileStat, Listed, VerbatimText};

use crate::operations::{GlobOutcome, ListOutcome, ReadTextsOutcome};
use crate::units::time;
use crate::words::Words;

pub(super) fn read_text(read: &VerbatimText, words: &Words<'_>) -> Option<String> {
    let mut text = read.text.clone();
    if let Some(next) = read.next {
        let offset = words.parameter("offset");
        text.push_str(&format!(
            "\n[The answer is full; the file has {} bytes. Read on with {offset}={next}]",
            read.size
        ));
    }
    Some(text)
}

pub(super) fn read_texts(many: &ReadTextsOutcome, words: &Words<'_>) -> Option<String> {
    let shown = many.files.iter().map(|(path, read)| match read {
        Ok(read) => format!("{path}:\n{}\n", read_text(read, words).unwrap_or_default()),
        Err(error) => format!("{path}: Error - {error}"),
    });
    let mut shown: Vec<String> = shown.collect();
    if !many.left_out.is_empty() {
        shown.push(format!("[The answer is full. Read these in another call: {}]", many.left_out.join(", ")));
    }
    Some(shown.join("\n---\n"))
}

/// The diff as the reference server's library heads it, in a fence longer than any in it.
pub(super) fn edited(edited: &Edited, words: &Words<'_>) -> Option<String> {
    let path = words.path(&edited.path);
    let rows: Vec<&str> = edited.shown.diff.lines().skip_while(|row| !row.starts_with("@@")).collect();
    let backticks = rows.iter().filter_map(|row| row.split(|c| c != '`').map(str::len).max()).max();
    let fence = "`".repeat(backticks.map_or(3, |longest| (longest + 1).max(3)));
    let rule = "=".repeat(67);
    let mut text =
        format!("{fence}diff\nIndex: {path}\n{rule}\n--- {path}\toriginal\n+++ {path}\tmodified\n");
    rows.iter().for_each(|row| text.extend([row, "\n"]));
    text.push_str(&format!("{fence}\n\n"));
    let level = edited.level();
    if level != toolcrib_files::Level::Exact {
        text.push_str(&format!("Found by overlooking differences in {}\n", level.name().replace('_', " ")));
    }
    Some(text)
}

pub(super) fn list(outcome: &ListOutcome, _: &Words<'_>) -> Option<String> {
    let rows = outcome.entries().into_iter().map(|entry| format!("{} {}", mark(entry), entry.name));
    let rows: Vec<String> = rows.chain(more(outcome)).collect();
    Some(rows.join("\n"))
}

pub(super) fn list_with_sizes(outcome: &ListOutcome, words: &Words<'_>) -> Option<String> {
    let mut entries = outcome.entries();
    if words.given("sort_by") != Some("size") {
        entries.sort_by_key(|entry| (entry.name.to_lowercase(), entry.name.clone()));
    }
    let row = |entry: &&Listed| {
        let size = if is_directory(entry) { String::new() } else { format!("{:>10}", size(entry)) };
        format!("{} {:<30} {size}", mark(entry), entry.name)
    };
    let mut rows: Vec<String> = entries.iter().map(row).chain(more(outcome)).collect();
    let (directories, files): (Vec<&Listed>, Vec<&Listed>) =
        entries.iter().partition(|entry| is_directory(entry));
    let bytes = files.iter().filter_map(|entry| entry.size).sum();
    rows.push(format!("\nTotal: {} files, {} directories", files.len(), directories.len()));
    rows.push(format!("Combined size: {}", bytes_in_units(bytes)));
    Some(rows.join("\n"))
}

fn size(entry: &Listed) -> String {
    bytes_in_units(entry.size.unwrap_or_default())
}

fn mark(entry: &Listed) -> &'static str {
    if is_directory(entry) { "[DIR]" } else { "[FILE]" }
}

fn is_directory(entry: &Listed) -> bool {
    entry.kind == EntryKind::Directory
}

/// What is missing from a listing.
fn more(outcome: &ListOutcome) -> Option<String> {
    let listing = outcome.listing()?;
    let partial = listing.partial.then_some("the time was up");
    let full = listing.next.map(|_| "the answer is full");
    let why = partial.or(full)?;
    Some(format!(
        "[{} entries are shown, and there are more: {why}. List a directory further down]",
        listing.entries.len()
    ))
}

pub(super) fn tree(outcome: &ListOutcome, _: &Words<'_>) -> Option<String> {
    let mut entries = outcome.entries().into_iter().peekable();
    let tree = Value::Array(children(&mut entries, 0));
    let tree = format!("{tree:#}");
    Some(match more(outcome) {
        Some(more) => format!("{tree}\n{more}"),
        None => tree,
    })
}

/// The entries at one level, each directory with what follows it further down.
fn children<'a>(
    entries: &mut std::iter::Peekable<impl Iterator<Item = &'a Listed>>,
    depth: usize,
) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some(entry) = entries.next_if(|entry| entry.depth >= depth) {
        found.push(if is_directory(entry) {
            json!({"name": entry.name, "type": "directory", "children": children(entries, entry.depth + 1)})
        } else {
            json!({"name": entry.name, "type": "file"})
        });
    }
    found
}

pub(super) fn search(outcome: &GlobOutcome, words: &Words<'_>) -> Option<String> {
    let matches = &outcome.matches;
    if matches.files.is_empty() {
        return Some("No matches found".to_owned());
    }
    let mut rows: Vec<String> = matches.files.iter().map(|file| words.path(file)).collect();
    if matches.partial {
        rows.push("[The time was up before everything was searched. Search further down]".to_owned());
    } else if matches.next.is_some() {
        rows.push(format!("[The answer is full: {} of {} are shown]", matches.files.len(), matches.total));
    }
    Some(rows.join("\n"))
}

pub(super) fn info(stat: &FileStat, _: &Words<'_>) -> Option<String> {
    let directory = stat.kind == EntryKind::Directory;
    Some(format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {directory}\nisFile: {}\npermissions: {:o}",
        stat.raw_size,
        long_date(stat.created.unwrap_or(UNIX_EPOCH)),
        long_date(stat.modified),
        long_date(stat.accessed),
        !directory,
        stat.mode & 0o777,
    ))
}

/// A size as the reference server writes it.
fn bytes_in_units(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let unit = (0..UNITS.len() - 1).find(|unit| bytes >> (10 * (unit + 1)) == 0).unwrap_or(UNITS.len() - 1);
    if unit == 0 {
        return format!("{bytes} B");
    }
    format!("{:.2} {}", bytes as f64 / (1_u64 << (10 * unit)) as f64, UNITS[unit])
}

/// A time in UTC as JavaScript writes it.
fn long_date(moment: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let written = time(moment);
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let day = usize::try_from(since.as_secs() / 86_400 % 7).unwrap_or_default();
    let month = written[5..7].parse::<usize>().unwrap_or(1).clamp(1, 12);
    let (year, date, clock) = (&written[..4], &written[8..10], &written[11..19]);
    format!("{} {} {date} {year} {clock} GMT+0000 (Coordinated Universal Time)", DAYS[day], MONTHS[month - 1])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn sizes_and_dates_read_as_in_javascript() {
        let sizes = [(0, "0 B"), (14, "14 B"), (1219, "1.19 KB"), (1 << 20, "1.00 MB"), (5 << 40, "5.00 TB")];
        for (bytes, written) in sizes {
            assert_eq!(bytes_in_units(bytes), written);
        }
        let moment = UNIX_EPOCH + Duration::from_secs(1_794_818_945);
        assert_eq!(long_date(moment), "Mon Nov 16 2026 08:49:05 GMT+0000 (Coordinated Universal Time)");
    }
}
