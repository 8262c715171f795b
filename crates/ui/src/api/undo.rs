//! Undo and redo: shown first, and then exactly what was shown.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::{
    ErrorKind, FileHunks, RestoredFile, Side, Toolbox, UndoConflict, UndoKind, UndoOnly, UndoRequest,
    UndoSelection, UndoWhich, names,
};

use super::changes::find;
use super::diff::merged;
use crate::answer::Refusal;
use crate::app::{App, is_denied};
use crate::diff::{Sides, Window};

/// How many changes one request may name.
const MOST_CHANGES: usize = 10_000;
/// How many files are shown, and how much of each text of a conflict.
const MOST_FILES: usize = 200;
const MOST_TEXT: usize = 256 * 1024;

/// What the person wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    kind: Kind,
    what: What,
    /// Of the preview that the person saw.
    digest: Option<String>,
    /// Whether contents are shown that a rule denies reading.
    #[serde(default)]
    reveal: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Undo,
    Redo,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum What {
    Changes { changes: Vec<u64> },
    File { change: u64, file: String },
    Hunks { change: u64, hunks: Vec<Hunk> },
    Session { session: String },
    Since { since: u64 },
    Restore { restore: Restore },
}

#[derive(Deserialize)]
struct Hunk {
    file: usize,
    hunk: String,
}

#[derive(Deserialize)]
struct Restore {
    path: String,
    change: u64,
    side: SideName,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SideName {
    Before,
    After,
}

/// What it would do.
pub(super) fn preview(app: &App, wanted: Wanted) -> Result<Value, Refusal> {
    carry_out(app, wanted, true)
}

/// Does what was shown.
pub(super) fn make(app: &App, wanted: Wanted) -> Result<Value, Refusal> {
    if wanted.digest.is_none() {
        return Err(Refusal::bad("'digest' is missing: look at the preview first"));
    }
    carry_out(app, wanted, false)
}

fn carry_out(app: &App, wanted: Wanted, dry_run: bool) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let kind = match wanted.kind {
        Kind::Undo => UndoKind::Undo,
        Kind::Redo => UndoKind::Redo,
    };
    let selection = selection(app, &toolbox, wanted.what)?;
    let request = UndoRequest { digest: wanted.digest, ..UndoRequest::new(kind, selection) };
    let context = toolbox.context().agent("ui").dry_run(dry_run);
    let report = match toolbox.undo(&request, &context) {
        Ok(report) => report,
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let conflicts = toolbox.undo_conflicts(&request, &context).unwrap_or_default();
            let conflicts: Vec<_> = conflicts
                .iter()
                .take(MOST_FILES)
                .map(|conflict| told_conflict(conflict, &toolbox, wanted.reveal))
                .collect();
            return Err(Refusal::from(error).with(json!({"conflicts": conflicts})));
        }
        Err(error) => return Err(error.into()),
    };
    let files = report.files.iter().take(MOST_FILES).map(|file| told_file(file, &toolbox, wanted.reveal));
    let merged_files: Vec<_> = report.merged.iter().map(|path| &path.relative).collect();
    Ok(json!({
        "preview": dry_run,
        "digest": report.digest,
        "changes": report.changes,
        "files": files.collect::<Vec<_>>(),
        "files_left_out": report.files.len().saturating_sub(MOST_FILES),
        "merged": merged_files,
        "conflicts": [],
        "recorded": report.recorded,
    }))
}

fn selection(app: &App, toolbox: &Toolbox, what: What) -> Result<UndoSelection, Refusal> {
    let of = |which, only| UndoSelection { which, only };
    Ok(match what {
        What::Changes { changes } if changes.len() > MOST_CHANGES => {
            return Err(Refusal::bad(format!(
                "At most {MOST_CHANGES} changes can be named; undo a session or since a time"
            )));
        }
        What::Changes { changes } => of(UndoWhich::Changes(changes), UndoOnly::Everything),
        What::File { change, file } => {
            let path = toolbox.from_shown(&file);
            of(UndoWhich::Changes(vec![change]), UndoOnly::File(path))
        }
        What::Hunks { change, hunks } => {
            let mut chosen: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for Hunk { file, hunk } in hunks {
                chosen.entry(file).or_default().push(hunk);
            }
            let chosen = chosen.into_iter().map(|(file, hunks)| FileHunks { file, hunks });
            of(UndoWhich::Changes(vec![change]), UndoOnly::Hunks(chosen.collect()))
        }
        What::Session { session } => of(UndoWhich::Session(session), UndoOnly::Everything),
        What::Since { since } => {
            of(UndoWhich::Since(UNIX_EPOCH + Duration::from_millis(since)), UndoOnly::Everything)
        }
        What::Restore { restore: Restore { path, change, side } } => {
            let path = toolbox.from_shown(&path);
            let record = find(app.journal()?.as_ref(), change)?.record();
            let is_it = |file: &toolcrib::FileRecord| file.path == path || file.from.as_ref() == Some(&path);
            let file = record.files.iter().position(is_it).ok_or_else(|| {
                Refusal::not_found(format!("Change {change} is not about {}", names::escape(&path)))
            })?;
            let side = match side {
                SideName::Before => Side::Before,
                SideName::After => Side::After,
            };
            of(UndoWhich::Restore { change, file, side }, UndoOnly::Everything)
        }
    })
}

fn told_file(file: &RestoredFile, toolbox: &Toolbox, reveal: bool) -> Value {
    let path = toolbox.from_shown(&file.path.absolute);
    let told = json!({"path": file.path.relative, "action": file.action.name()});
    if is_denied(toolbox, &path) && !reveal {
        return merged(told, json!({"denied": true, "diff": {"denied": true, "binary": false, "hunks": []}}));
    }
    let sides = Sides { before: file.before.as_deref(), after: file.after.as_deref() };
    merged(told, json!({"denied": false, "diff": sides.compared(Window::first())}))
}

fn told_conflict(conflict: &UndoConflict, toolbox: &Toolbox, reveal: bool) -> Value {
    let path = toolbox.from_shown(&conflict.path);
    let told = json!({
        "path": toolbox.show_path(&path),
        "change": conflict.change,
        "later": conflict.later,
        "reason": conflict.reason,
        "hint": conflict.hint,
    });
    if is_denied(toolbox, &path) && !reveal {
        return merged(told, json!({"denied": true}));
    }
    // What is no text is not shown; the page says so.
    let text = |content: &Option<Vec<u8>>| {
        let shown = content.as_deref().filter(|content| !content.contains(&0))?;
        Some(String::from_utf8_lossy(&shown[..shown.len().min(MOST_TEXT)]).into_owned())
    };
    let sides = [&conflict.texts.base, &conflict.texts.ours, &conflict.texts.theirs];
    let is = |test: fn(&Vec<u8>) -> bool| sides.iter().any(|side| side.as_ref().is_some_and(test));
    merged(
        told,
        json!({
            "denied": false,
            "base": text(&conflict.texts.base),
            "ours": text(&conflict.texts.ours),
            "theirs": text(&conflict.texts.theirs),
            "binary": is(|content| content.contains(&0)),
            "cut": is(|content| content.len() > MOST_TEXT),
        }),
    )
}
