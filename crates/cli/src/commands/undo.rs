//! `toolcrib undo` and `toolcrib redo`.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::{RecordId, ToolError, UndoKind, UndoReport, UndoRequest};

use crate::args::{Common, change_number};
use crate::commands::{call, open};
use crate::failure::Failure;
use crate::output;
use crate::paint::{Paint, plain};

#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// The number of the change [default: the latest, or with --session the latest of that session]
    #[arg(value_name = "ID", value_parser = change_number)]
    change: Option<RecordId>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) const UNDO_EXAMPLES: &str = "\
Examples:
  toolcrib undo               # undo the latest change
  toolcrib undo 12
  toolcrib undo 12 --dry-run  # show what it would do

If a file has been changed since, later changes to other lines are kept (merged). Changes to the same lines are a conflict, \
and nothing is undone. Undo touches only files that the change wrote, and never runs git.";

pub(crate) const REDO_EXAMPLES: &str = "\
Examples:
  toolcrib redo               # redo what was undone last
  toolcrib redo 12";

pub(crate) fn run(common: &Common, kind: UndoKind, args: &UndoArgs) -> Result<ExitCode, Failure> {
    match revert(common, kind, args) {
        Err(error) if args.json => call::print(&error.into(), true),
        Err(error) => Err(error.into()),
        Ok(said) => {
            output::answer(&said)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn revert(common: &Common, kind: UndoKind, args: &UndoArgs) -> Result<String, ToolError> {
    let toolbox = open(common)?;
    let mut context = toolbox.context().agent("cli").dry_run(common.dry_run);
    context.session_id.clone_from(&common.session);
    let report = toolbox.undo(UndoRequest { kind, change: args.change.map(RecordId::number) }, &context)?;
    Ok(if args.json { to_json(&report) } else { to_text(&report, kind, &Paint::new(common.color)) })
}

fn to_json(report: &UndoReport) -> String {
    let change = report.change;
    let Some(recorded) = report.recorded else {
        return json!({"success": true, "dry_run": true, "taken_back": change, "diff": report.diff})
            .to_string();
    };
    let files: Vec<&str> = report.files.iter().map(|file| &*file.path.relative).collect();
    let merged: Vec<&str> = report.merged.iter().map(|path| &*path.relative).collect();
    json!({"success": true, "taken_back": change, "change": recorded, "files": files, "merged": merged})
        .to_string()
}

fn to_text(report: &UndoReport, kind: UndoKind, paint: &Paint) -> String {
    let change = report.change;
    if report.recorded.is_none() {
        // What has no diff, such as a directory, is named.
        let without = report.files.iter().filter(|file| file.shown.diff.is_empty());
        let named = without.map(|file| format!("  {}: {}\n", plain(&file.path.relative), file.action.name()));
        let named: String = named.collect();
        return format!(
            "[Dry Run] Would {} change {change}\n{named}{}",
            verb(kind),
            paint.diff(&report.diff)
        );
    }
    let mut text = match kind {
        UndoKind::Undo => format!("Undid change {change}:\n"),
        UndoKind::Redo => format!("Redid change {change}:\n"),
    };
    report.files.iter().for_each(|file| text.push_str(&format!("  {}\n", plain(&file.path.relative))));
    for file in &report.merged {
        text.push_str(&format!("Merged: kept later changes to other lines of {}\n", plain(&file.relative)));
    }
    text
}

fn verb(kind: UndoKind) -> &'static str {
    match kind {
        UndoKind::Undo => "undo",
        UndoKind::Redo => "redo",
    }
}
