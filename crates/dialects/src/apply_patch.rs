//! The apply-patch dialect: OpenAI's patch tool, as Codex has it. docs/dialects/apply-patch.md says where it differs, and why.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{FileAction, Patched, Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind};

use crate::operations::{ApplyPatch, Operation, PatchFile, Undo};
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::words::Words;

const HABITS: Habits = Habits {
    sentence,
    unread: Unread::AllowedIfRecorded,
    conventions: Conventions {
        plain_errors: true,
        ignores_unknown: true,
        text_is: Some("input"),
        // As Roo and OpenHands, opencode, and the standard dialect call it.
        aliases: &[("patch", "input"), ("patchText", "input"), ("patch_text", "input")],
        ..Conventions::NONE
    },
    ..Habits::new(Naming::Snake, Paths::Relative)
};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    Table::new(HABITS, settings).with(APPLY_PATCH).with(UNDO).tools()
}

/// The form of the Responses API: one file for each call, named beside the diff.
pub(crate) fn v4a(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let conventions = Conventions { text_is: None, aliases: &[], ..HABITS.conventions };
    let habits = Habits { conventions, ..HABITS };
    Table::new(habits, settings).with(CREATE_FILE).with(UPDATE_FILE).with(DELETE_FILE).tools()
}

fn sentence(refused: &Refused, _: &Words<'_>) -> Option<String> {
    let Refused::Failed(error) = refused else { return None };
    let said = error.message().strip_prefix("Cannot apply the patch: ");
    said.filter(|_| error.kind() == ErrorKind::InvalidParameter).map(|said| format!("Invalid patch: {said}"))
}

/// How this and other dialects offer it: lines that only are added go to the end, as Codex has it.
pub(crate) const APPEND: As = As::Fixed("append", Fixed::Yes);

const APPLY_PATCH: Row<ApplyPatch> = Row {
    takes: "patch_text",
    parameters: &[
        As::Named("patch_text", "input"),
        As::Described("patch_text", "The entire patch, from *** Begin Patch to *** End Patch"),
        APPEND,
    ],
    facts: || ApplyPatch::facts().pick("files_modified"),
    text,
    ..Row::new(
        "apply_patch",
        "\
Applies a patch to one file or many, all of it or nothing. The patch is *** Begin Patch, then for each file *** Add File: path, \
*** Delete File: path, or *** Update File: path with an optional *** Move to: path and hunks of @@, lines that start with a space, - \
or +, then *** End Patch. Each hunk must match exactly one place: if its lines occur more than once, add context, or @@ with a line above them.",
    )
};

/// What Codex answers: one row for each file, those that were added first.
pub(crate) fn text(patched: &Patched, words: &Words<'_>) -> Option<String> {
    if patched.files.is_empty() {
        return Some("Success. No files were changed: the patch is already applied".to_owned());
    }
    let mut text = "Success. Updated the following files:".to_owned();
    for (mark, actions) in [
        ('A', &[FileAction::Add][..]),
        ('M', &[FileAction::Update, FileAction::Move]),
        ('D', &[FileAction::Delete]),
    ] {
        for file in patched.files.iter().filter(|file| actions.contains(&file.action)) {
            text.push_str(&format!("\n{mark} {}", words.path(&file.path)));
        }
    }
    Some(text)
}

const UNDO: Row<Undo> = Row {
    text: crate::standard::undone,
    ..Row::new(
        "undo",
        "\
Undoes a change that a patch has made, exactly. Without a number the latest change; with redo, a change that was undone is made \
again.",
    )
};

const PATH: As = As::Named("file_path", "path");

const CREATE_FILE: Row<PatchFile> = Row {
    title: "CreateFile",
    takes: "file_path diff",
    parameters: &[
        As::Fixed("action", Fixed::Choice("create")),
        PATH,
        As::Required("diff"),
        As::Described("diff", "The lines of the file, each after a +; a last + alone makes a final newline"),
    ],
    facts: || PatchFile::facts().pick("files_modified"),
    text: file_text,
    ..Row::new(
        "create_file",
        "Creates a file from a diff that only adds lines. A file that exists is not replaced.",
    )
};

const UPDATE_FILE: Row<PatchFile> = Row {
    title: "UpdateFile",
    takes: "file_path diff move_to",
    parameters: &[
        As::Fixed("action", Fixed::Choice("update")),
        PATH,
        As::Required("diff"),
        As::Described("diff", "Hunks of @@, and lines that start with a space, - or +"),
    ],
    facts: || PatchFile::facts().pick("files_modified"),
    text: file_text,
    ..Row::new(
        "update_file",
        "\
Changes a file as a diff says, all of it or nothing. Each hunk must match exactly one place: if its lines occur more \
than once, add context, or @@ with a line above them. Lines that are only added need a line above or below them, @@ with one, or *** End of File after them.",
    )
};

const DELETE_FILE: Row<PatchFile> = Row {
    title: "DeleteFile",
    takes: "file_path",
    parameters: &[As::Fixed("action", Fixed::Choice("delete")), PATH],
    facts: || PatchFile::facts().pick("files_modified"),
    text: file_text,
    ..Row::new(
        "delete_file",
        "Deletes a file. A directory is not deleted, and a symbolic link is not followed.",
    )
};

/// What OpenAI's Agents SDK answers for one file.
fn file_text(patched: &Patched, words: &Words<'_>) -> Option<String> {
    let Some(file) = patched.files.first() else {
        let path = words.path(patched.already_applied.first()?);
        return Some(format!("{path} already is what the diff makes of it; nothing was changed"));
    };
    let path = words.path(&file.path);
    Some(match (file.action, &file.from) {
        (FileAction::Add, _) => format!("Created {path}"),
        (FileAction::Delete, _) => format!("Deleted {path}"),
        (FileAction::Move, Some(from)) => {
            let from = words.path(from);
            format!("Updated {from}\nMoved {from} to {path}")
        }
        _ => format!("Updated {path}"),
    })
}
