//! The opencode dialect: the tools that opencode has built in, so that a plugin can replace them under their own names.
//! docs/dialects/opencode.md says where it differs, and why.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{EditError, EntryKind, Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind};

use crate::apply_patch::{self, APPEND};
use crate::facts::Facts;
use crate::gutter::plain_numbers;
use crate::operations::{
    ApplyPatch, Edit, Glob, GlobOutcome, Grep, GrepOutcome, ReadOrList, ReadOrListOutcome, Undo, Write,
};
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::words::Words;

const HABITS: Habits = Habits {
    sentence,
    unread: Unread::AllowedIfRecorded,
    conventions: Conventions { plain_errors: true, ignores_unknown: true, ..Conventions::NONE },
    ..Habits::new(Naming::Camel, Paths::Any)
};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let table = Table::new(HABITS, settings).with(READ).with(WRITE).with(EDIT).with(GLOB).with(GREP);
    table.with(APPLY_PATCH).with(UNDO).tools()
}

fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    let path = ["file_path", "path"].iter().find_map(|name| words.given(name)).unwrap_or_default();
    match refused {
        Refused::Edit(refused) => match &refused.why {
            EditError::NotFound(diagnosis) => {
                let old = words.parameter("old_string");
                Some(format!(
                    "Could not find {old} in the file. It must match exactly, including whitespace, indentation, and line \
                     endings.{}",
                    diagnosis.instead_of(&old)
                ))
            }
            EditError::NotUnique { count, lines, level } => {
                let places = EditError::places(*count, lines, *level);
                Some(format!(
                    "Found multiple matches for {}. Provide more surrounding context to make the match unique. It is found \
                     {places}",
                    words.parameter("old_string")
                ))
            }
            EditError::Same => Some("No changes to apply: oldString and newString are identical.".to_owned()),
            _ => None,
        },
        Refused::CreatesExisting { .. } => {
            Some("oldString cannot be empty when editing an existing file".to_owned())
        }
        Refused::Failed(error) => match error.kind() {
            // A patch names files and lines itself, and so does the error about them.
            ErrorKind::NotFound if !path.is_empty() => Some(format!("File not found: {path}")),
            ErrorKind::NotDirectory => Some(format!("{} path must be a directory: {path}", words.called())),
            ErrorKind::Unsupported if words.called() == "read" => {
                Some(format!("Cannot read binary file: {path}"))
            }
            _ => None,
        },
        _ => None,
    }
}

fn none<T: 'static>() -> Facts<T> {
    Facts::new()
}

const FILE: As = As::Described("file_path", "Absolute, or relative to the project");

const READ: Row<ReadOrList> = Row {
    parameters: &[As::Described("file_path", "The path to the file or directory to read")],
    text: read,
    ..Row::new(
        "read",
        "\
Reads a file with line numbers, or lists a directory. Reads text in any encoding, images, PDFs and notebooks. Up to 2000 lines are \
read by default; use offset and limit for others. A long answer says where to go on.",
    )
};

fn read(outcome: &ReadOrListOutcome, words: &Words<'_>) -> Option<String> {
    let read = match outcome {
        ReadOrListOutcome::Read(read) => read,
        ReadOrListOutcome::Listed(listing) => {
            let names = listing.entries.iter().map(|entry| match entry.kind {
                EntryKind::Directory => format!("{}/\n", entry.name),
                _ => format!("{}\n", entry.name),
            });
            let names: String = names.collect();
            let more = match listing.next {
                Some(next) => format!(
                    "(Showing {} entries. Use offset={} to continue.)",
                    listing.entries.len(),
                    next + 1
                ),
                None => format!("({} entries)", listing.entries.len()),
            };
            let path = words.path(&listing.path);
            return Some(format!(
                "<path>{path}</path>\n<type>directory</type>\n<entries>\n{names}\n{more}\n</entries>"
            ));
        }
    };
    let Some(text) = read.text() else { return Some(read.shown('\t', words)) };
    let (first, shown) = (read.first_line(), text.lines.len() as u64);
    let last = (first + shown).saturating_sub(1);
    let end = match (read.goes_on(), text.total_lines) {
        (Some(next), Some(total)) => {
            format!("(Showing lines {first}-{last} of {total}. Use offset={next} to continue.)")
        }
        (Some(next), None) => format!("(Showing lines {first}-{last}. Use offset={next} to continue.)"),
        (None, total) => format!("(End of file - total {} lines)", total.unwrap_or(last)),
    };
    let path = words.path(&text.path);
    let lines = plain_numbers(text);
    Some(format!("<path>{path}</path>\n<type>file</type>\n<content>\n{lines}\n{end}\n</content>"))
}

const WRITE: Row<Write> = Row {
    takes: "content file_path",
    parameters: &[As::Described("content", "The content to write to the file"), FILE],
    facts: none,
    text: |_, _| Some("Wrote file successfully.".to_owned()),
    ..Row::new(
        "write",
        "\
Creates a file or replaces its whole content, atomically. Parent directories are created; an existing file keeps its encoding. \
Refused if another program has changed the file since you read it.",
    )
};

const EDIT: Row<Edit> = Row {
    takes: "file_path old_string new_string replace_all",
    parameters: &[
        FILE,
        As::Described("old_string", "The text to replace; empty to create a file"),
        As::Described("new_string", "The text to replace it with"),
    ],
    facts: none,
    text: |_, _| Some("Edit applied successfully.".to_owned()),
    ..Row::new(
        "edit",
        "\
Replaces text in a file, only if it is certain which text is meant: oldString must occur there exactly once, or everywhere with \
replaceAll. Every other byte stays as it is.",
    )
};

const GLOB: Row<Glob> = Row {
    takes: "pattern path",
    parameters: &[As::Fixed("limit", Fixed::Number(100))],
    facts: none,
    text: glob,
    ..Row::new(
        "glob",
        "\
Finds files by a glob pattern such as **/*.ts, the newest first. Leaves out hidden files and what .gitignore ignores. Use grep to find \
files by what is in them.",
    )
};

fn glob(outcome: &GlobOutcome, words: &Words<'_>) -> Option<String> {
    let matches = &outcome.matches;
    if matches.files.is_empty() {
        let why = outcome.why_none(words).map(|why| format!("\n({why})")).unwrap_or_default();
        return Some(format!("No files found{why}"));
    }
    let mut rows: Vec<String> = matches.files.iter().map(|file| words.path(file)).collect();
    if matches.next.is_some() || matches.partial {
        rows.push(format!(
            "\n(Results are truncated: showing first {} results. Consider using a more specific path or pattern.)",
            matches.files.len()
        ));
    }
    Some(rows.join("\n"))
}

const GREP: Row<Grep> = Row {
    takes: "pattern path glob",
    parameters: &[
        As::Named("glob", "include"),
        As::Described("glob", "Pattern of the files to search, such as *.js or *.{ts,tsx}"),
        As::Fixed("output_mode", Fixed::Choice("content")),
        As::Fixed("context", Fixed::Number(0)),
        As::Fixed("limit", Fixed::Number(100)),
    ],
    facts: none,
    text: grep,
    ..Row::new(
        "grep",
        "\
Searches the content of files with a regular expression. Shows the matching lines with their numbers, by file. Filter files with \
include. Leaves out hidden files, what .gitignore ignores, and binary files.",
    )
};

fn grep(outcome: &GrepOutcome, words: &Words<'_>) -> Option<String> {
    let found = &outcome.found;
    if found.files.is_empty() {
        return Some("No files found".to_owned());
    }
    let more = if found.next.is_some() || found.partial { " (more matches available)" } else { "" };
    let mut text = format!("Found {} matches{more}", found.total_matches.unwrap_or(found.returned));
    for file in &found.files {
        text.push_str(&format!("\n{}:", words.path(&file.path)));
        for line in &file.lines {
            let mark = if line.matches { "Line" } else { "     " };
            text.push_str(&format!("\n  {mark} {}: {}", line.number, line.text));
        }
    }
    Some(text)
}

const APPLY_PATCH: Row<ApplyPatch> = Row {
    takes: "patch_text",
    parameters: &[
        As::Described("patch_text", "The full patch text that describes all changes to be made"),
        APPEND,
    ],
    // It has its facts: from the files among them the plugin knows what to ask the user for.
    text: apply_patch::text,
    ..Row::new(
        "apply_patch",
        "\
Applies a patch to one file or many, all of it or nothing: *** Begin Patch, *** Add File:, *** Update File: or *** Delete File: with \
its lines, *** End Patch. Each hunk must match exactly one place.",
    )
};

pub(crate) const UNDO: Row<Undo> = Row {
    facts: none,
    text: crate::standard::undone,
    ..Row::new(
        "undo",
        "Undoes a change that a tool has made, exactly. Without a number the latest change; with redo, makes it again.",
    )
};
