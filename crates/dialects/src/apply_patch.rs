//! The apply-patch dialect: OpenAI's patch tool, as Codex has it. docs/dialects/apply-patch.md says where it differs, and why.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{FileAction, Patched, Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind};

use crate::operations::{ApplyPatch, Operation, Undo};
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
or +, then *** End Patch. A hunk must fit one place: give more context, or @@ with a line above it, if its lines stand there twice.",
    )
};

/// What Codex answers: one row for each file, those that were added first.
pub(crate) fn text(patched: &Patched, words: &Words<'_>) -> Option<String> {
    if patched.files.is_empty() {
        return Some(
            "Success. No files were changed: they already are what the patch makes of them".to_owned(),
        );
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
