//! The gemini dialect: the file tools of Gemini CLI, which Qwen Code and other agents have taken over.
//! docs/dialects/gemini.md says where it differs, and why.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{EditError, Edited, EntryKind, Listed, Refused, Settings, Shown, Written};
use toolcrib_tool::{Conventions, DynTool, ErrorKind, ToolError};

use crate::changes::{parts_after, unseen};
use crate::facts::Facts;
use crate::gutter::unnumbered;
use crate::opencode::UNDO;
use crate::operations::{
    Edit, Glob, GlobOutcome, Grep, GrepOutcome, List, ListOutcome, Read, ReadManyOutcome, ReadMatching,
    ReadOutcome, Write, all_ignored,
};
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::words::Words;

const HABITS: Habits = Habits {
    sentence,
    unread: Unread::AllowedIfRecorded,
    conventions: Conventions { plain_errors: true, ignores_unknown: true, ..Conventions::NONE },
    ..Habits::new(Naming::Snake, Paths::Any)
};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let table = Table::new(HABITS, settings).with(READ_FILE).with(READ_MANY_FILES).with(WRITE_FILE);
    table.with(REPLACE).with(GLOB).with(GREP_SEARCH).with(LIST_DIRECTORY).with(UNDO).tools()
}

fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    let file = words.given("file_path").unwrap_or_default();
    match refused {
        Refused::Edit(refused) => match &refused.why {
            EditError::NotFound(diagnosis) => {
                let instead = diagnosis.instead_of("old_string");
                Some(format!("Could not find an exact match for 'old_string' in '{file}'.{instead}"))
            }
            EditError::NotUnique { count, lines, level } => {
                let places = EditError::places(*count, lines, *level);
                Some(format!(
                    "Failed to edit, Expected 1 occurrence but found {count} for old_string in file: {file}. If you intended \
                     to replace multiple occurrences, set 'allow_multiple' to true. It is found {places}"
                ))
            }
            EditError::Same => Some(format!(
                "No changes to apply. The old_string and new_string are identical in file: {file}"
            )),
            _ => None,
        },
        Refused::CreatesExisting { path } => Some(format!("File already exists, cannot create: {path}")),
        Refused::Failed(error) => failed(error, words.called()),
        _ => None,
    }
}

fn failed(error: &ToolError, called: &str) -> Option<String> {
    let (_, place) = error.message().split_once(": ")?;
    let reads = matches!(called, "read_file" | "read_many_files");
    let sentence = match (error.kind(), called) {
        (ErrorKind::NotFound, _) if reads => {
            "Could not read file because no file was found at the specified path.".to_owned()
        }
        (ErrorKind::NotFound, "glob") => format!("Search path does not exist {place}"),
        (ErrorKind::NotFound, "grep_search") => format!("Path does not exist: {place}"),
        (ErrorKind::NotFound, "list_directory") => {
            format!("Directory not found or inaccessible: {place}")
        }
        (ErrorKind::NotFound, "replace") => format!("File not found: {place}"),
        (ErrorKind::IsDirectory, _) if reads => {
            "Could not read file because the provided path is a directory, not a file.".to_owned()
        }
        (ErrorKind::IsDirectory, _) => format!("Path is a directory, not a file: {place}"),
        (ErrorKind::NotDirectory, "glob") => format!("Search path is not a directory: {place}"),
        (ErrorKind::NotDirectory, "list_directory") => format!("Path is not a directory: {place}"),
        (ErrorKind::OutsideWorkspace, _) => format!(
            "Path not in workspace: Attempted path \"{place}\" resolves outside the allowed workspace directories"
        ),
        (ErrorKind::Unsupported, _) if reads => {
            format!("Cannot display content of binary file: {place}")
        }
        _ => return None,
    };
    Some(sentence)
}

const DIRECTORY: As = As::Named("path", "dir_path");

const READ_FILE: Row<Read> = Row {
    takes: "file_path offset last pages cells",
    parameters: &[
        As::Described("file_path", "The path to the file to read"),
        As::Named("offset", "start_line"),
        As::Described("offset", "The 1-based line number to start reading from"),
        As::Named("last", "end_line"),
        As::Described("last", "The 1-based line number to end reading at (inclusive)"),
    ],
    facts: Facts::new,
    text: read_file,
    ..Row::new(
        "read_file",
        "\
Reads a file: text in any encoding, images, PDFs and notebooks. Up to 2000 lines are read by default; use start_line and end_line to \
read only the lines you need. A long answer is cut and says where to go on.",
    )
};

fn read_file(read: &ReadOutcome, words: &Words<'_>) -> Option<String> {
    let content = content(read, words);
    let Some(text) = read.text() else { return Some(content) };
    let first = read.first_line();
    if (first == 1 && !read.truncated()) || text.lines.is_empty() {
        return Some(content);
    }
    let last = first + text.lines.len() as u64 - 1;
    let of = text.total_lines.map(|total| format!(" of {total} total lines")).unwrap_or_default();
    let next = read.goes_on().map(|next| format!(", such as start_line: {next} for the next ones"));
    let next = next.unwrap_or_default();
    Some(format!(
        "IMPORTANT: The file content has been truncated.\n\
         Status: Showing lines {first}-{last}{of}.\n\
         Action: Use 'start_line' and 'end_line' to read other lines{next}.\n\n\
         --- FILE CONTENT (truncated) ---\n{content}"
    ))
}

/// A text without numbers, or what is shown instead of one.
fn content(read: &ReadOutcome, words: &Words<'_>) -> String {
    let Some(text) = read.text() else {
        let (shown, remarks) = (read.shown('\t', words), read.remarks(words));
        let plain = read.plain().is_none() || remarks.is_empty();
        return if plain { shown } else { format!("{shown}\n\n[{}]", remarks.join("; ")) };
    };
    unnumbered(text, "... [truncated]")
}

const READ_MANY_FILES: Row<ReadMatching> = Row {
    facts: Facts::new,
    text: read_many_files,
    ..Row::new(
        "read_many_files",
        "\
Reads several files at once, each below its path: those that match the glob patterns and paths in include, and none of those in \
exclude. Leaves out what .gitignore ignores. Files that do not fit into the answer are listed at the end.",
    )
};

fn read_many_files(outcome: &ReadManyOutcome, words: &Words<'_>) -> Option<String> {
    /// How many files for which there was no room are named.
    const NAMED: usize = 20;
    let (mut read, mut others) = (String::new(), String::new());
    for file in &outcome.files {
        match &file.read {
            Ok(content_of) => {
                let cut = if content_of.truncated() {
                    "[WARNING: This file was truncated. To view the full content, use the 'read_file' tool on this specific \
                     file.]\n\n"
                } else {
                    ""
                };
                let path = &file.path;
                read.push_str(&format!("--- {path} ---\n\n{cut}{}\n\n", content(content_of, words)));
            }
            Err(why) => others.push_str(&format!("Skipped {}: {why}\n", file.path)),
        }
    }
    for path in outcome.left_out.iter().take(NAMED) {
        others.push_str(&format!("Skipped {path}: it does not fit into this answer\n"));
    }
    match outcome.left_out.len().saturating_sub(NAMED) {
        0 => {}
        more => others.push_str(&format!("Skipped {more} more: use narrower patterns\n")),
    }
    let end = if read.is_empty() {
        "No files matching the criteria were found or all were skipped."
    } else {
        "--- End of content ---"
    };
    Some(format!("{read}{others}{end}"))
}

const WRITE_FILE: Row<Write> = Row {
    takes: "file_path content",
    parameters: &[
        As::Described("file_path", "The path to the file to write"),
        As::Described("content", "The complete content of the file"),
    ],
    facts: Facts::new,
    text: write_file,
    ..Row::new(
        "write_file",
        "\
Creates a file or replaces its whole content, atomically. Parent directories are created; an existing file keeps its encoding and line \
endings. Refused if another program has changed the file since you read it. Use replace to change a part of a file.",
    )
};

fn write_file(written: &Written, words: &Words<'_>) -> Option<String> {
    let path = words.path(&written.path);
    let sentence = if written.created {
        format!("Successfully created and wrote to new file: {path}.")
    } else {
        format!("Successfully overwrote file: {path}.")
    };
    Some(with_code(sentence, &written.shown, written.unchanged))
}

const REPLACE: Row<Edit> = Row {
    takes: "file_path old_string new_string replace_all",
    parameters: &[
        As::Described("file_path", "The path to the file to change"),
        As::Described("old_string", "The exact text to replace, with its whitespace; empty to create a file"),
        As::Described("new_string", "The exact text to replace it with"),
        As::Named("replace_all", "allow_multiple"),
        As::Described("replace_all", "Replace every occurrence of old_string (default: false)"),
        As::Unused("instruction", "What the change is for"),
    ],
    facts: Facts::new,
    text: replace,
    ..Row::new(
        "replace",
        "\
Replaces text in a file, only if it is certain which text is meant: old_string must occur there exactly once, or several times with \
allow_multiple. Every other byte stays as it is. Shows the changed part.",
    )
};

fn replace(edited: &Edited, words: &Words<'_>) -> Option<String> {
    let path = words.path(&edited.path);
    let sentence = if edited.created {
        format!("Created new file: {path} with provided content.")
    } else {
        format!("Successfully modified file: {path} ({} replacements).", edited.replacements())
    };
    Some(with_code(sentence, &edited.shown, edited.unchanged))
}

fn with_code(sentence: String, shown: &Shown, unchanged: bool) -> String {
    if unchanged {
        return format!("{sentence} It had this content already.");
    }
    let code = parts_after(shown);
    format!("{sentence} Here is the updated code:\n{}{}", code.trim_end_matches('\n'), unseen(shown))
}

const GLOB: Row<Glob> = Row {
    takes: "pattern path case_sensitive respect_git_ignore",
    parameters: &[
        DIRECTORY,
        As::Fixed("ignore_case", Fixed::Yes),
        As::Fixed("include_hidden", Fixed::Yes),
        As::Described("case_sensitive", "Whether the search is case-sensitive (default: false)"),
    ],
    facts: Facts::new,
    text: glob,
    ..Row::new(
        "glob",
        "\
Finds files by a glob pattern such as src/**/*.ts, the newest first. Leaves out what .gitignore ignores. Use grep_search to find files \
by what is in them.",
    )
};

fn glob(outcome: &GlobOutcome, words: &Words<'_>) -> Option<String> {
    let (matches, pattern) = (&outcome.matches, &outcome.pattern);
    let within = words.path(&matches.within);
    if matches.files.is_empty() {
        let why = outcome.why_none(words).map(|why| format!(" ({why})")).unwrap_or_default();
        return Some(format!("No files found matching pattern \"{pattern}\" within {within}{why}"));
    }
    let more = if matches.next.is_some() || matches.partial {
        format!(" ({} are shown: use a more specific pattern for the others)", matches.files.len())
    } else {
        String::new()
    };
    let mut text = format!(
        "Found {} file(s) matching \"{pattern}\" within {within}{more}, sorted by modification time (newest first):",
        matches.total
    );
    matches.files.iter().for_each(|file| text.push_str(&format!("\n{}", words.path(file))));
    Some(text)
}

const GREP_SEARCH: Row<Grep> = Row {
    takes: "pattern path glob except names_only case_sensitive literal context after before no_ignore max_count limit",
    parameters: &[
        DIRECTORY,
        As::Named("glob", "include_pattern"),
        As::Named("except", "exclude_pattern"),
        As::Described("names_only", "Show only the paths of the files with matches"),
        As::Described("case_sensitive", "Case sensitive search (default: false)"),
        As::Named("literal", "fixed_strings"),
        As::Named("max_count", "max_matches_per_file"),
        As::Described("max_count", "Maximum number of matches in each file"),
        As::Named("limit", "total_max_matches"),
        As::Described("limit", "Maximum number of matches in all"),
        As::Fixed("ignore_case", Fixed::Yes),
        As::Fixed("output_mode", Fixed::Choice("content")),
        As::Fixed("sort", Fixed::Choice("path")),
        As::Fixed("context_of_one", Fixed::Number(50)),
        As::Fixed("context_of_few", Fixed::Number(15)),
    ],
    facts: Facts::new,
    text: grep_search,
    ..Row::new(
        "grep_search",
        "\
Searches the content of files with a regular expression and shows the matching lines with their numbers; one to three matches bring \
the lines around them. Leaves out hidden files, what .gitignore ignores, and binary files.",
    )
};

fn grep_search(outcome: &GrepOutcome, words: &Words<'_>) -> Option<String> {
    let (found, pattern) = (&outcome.found, &outcome.pattern);
    let filter = words.given("glob").map(|glob| format!(" (filter: \"{glob}\")")).unwrap_or_default();
    let place =
        format!("for pattern \"{pattern}\" in path \"{}\"{filter}", words.given("path").unwrap_or("."));
    if found.files.is_empty() {
        let why = found.all_ignored.then(|| format!(" ({})", all_ignored(&words.parameter("no_ignore"))));
        return Some(format!("No matches found {place}.{}", why.unwrap_or_default()));
    }
    let count = found.returned;
    let limited = match (found.next, found.partial) {
        (Some(_), _) => format!(" (results limited to {count} matches for performance)"),
        (None, true) => " (stopped at the deadline; results are incomplete)".to_owned(),
        (None, false) => String::new(),
    };
    // Without lines, names were asked for.
    if found.files.iter().all(|file| file.lines.is_empty()) {
        let names: String = found.files.iter().map(|file| format!("\n{}", file.path.relative)).collect();
        return Some(format!("Found {count} files with matches {place}{limited}:{names}"));
    }
    let matches = if count == 1 { "match" } else { "matches" };
    let mut text = format!("Found {count} {matches} {place}{limited}:\n---");
    for file in &found.files {
        text.push_str(&format!("\nFile: {}", file.path.relative));
        for line in &file.lines {
            let mark = if line.matches { ':' } else { '-' };
            text.push_str(&format!("\nL{}{mark} {}", line.number, line.text));
        }
        text.push_str("\n---");
    }
    Some(text)
}

const LIST_DIRECTORY: Row<List> = Row {
    takes: "path ignore",
    parameters: &[
        DIRECTORY,
        As::Described("path", "The path to the directory to list"),
        As::Required("path"),
        As::Described("ignore", "Glob patterns of what to leave out"),
    ],
    facts: Facts::new,
    text: list_directory,
    ..Row::new(
        "list_directory",
        "\
Lists the files and directories directly within a directory, directories first, with the sizes of files. Leaves out what matches \
ignore.",
    )
};

fn list_directory(outcome: &ListOutcome, words: &Words<'_>) -> Option<String> {
    let listing = outcome.listing()?;
    let path = words.path(&listing.path);
    let withheld = match listing.withheld {
        0 => String::new(),
        count => format!("\n\n({count} withheld by rules)"),
    };
    if listing.entries.is_empty() && listing.withheld == 0 {
        return Some(format!("Directory {path} is empty."));
    }
    let more = if listing.next.is_some() || listing.partial { "\n... (there are more entries)" } else { "" };
    let entries: String = listing.entries.iter().map(|entry| format!("\n{}", entry_line(entry))).collect();
    Some(format!("Directory listing for {path}:{entries}{more}{withheld}"))
}

fn entry_line(entry: &Listed) -> String {
    let name = &entry.name;
    match (entry.kind, entry.size, &entry.target) {
        (EntryKind::Directory, ..) => format!("[DIR] {name}"),
        (EntryKind::Link, _, Some(target)) => format!("{name} -> {target}"),
        (_, Some(size), _) => format!("{name} ({size} bytes)"),
        _ => name.clone(),
    }
}
