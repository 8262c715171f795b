//! What changed in a file: a diff as rows, or the contents themselves.

use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use serde_json::{Value, json};
use toolcrib::{Difference, FileRecord, Journal, Kept, Record, RecordState, Toolbox, UndonePart};
use toolcrib_loopback::Answer;

use super::change::is_file_denied;
use super::changes::find;
use crate::answer::{Refusal, bytes};
use crate::app::App;
use crate::diff::{Sides, Window};
use crate::query::Query;

/// What a change did to a file.
pub(super) fn of_change(app: &App, id: u64, n: usize, query: &Query) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let Found { record, file, kept } = Found::read(app.journal()?.as_ref(), id, n)?;
    let new = toolbox.show_path(&file.path);
    let old = file.from.as_deref().map_or_else(|| new.clone(), |from| toolbox.show_path(from));
    let names = json!({
        "old_name": file.before.map(|_| old),
        "new_name": file.after.map(|_| new),
    });
    if is_hidden(&file, &toolbox, query) {
        return Ok(merged(names, json!({"denied": true, "binary": false, "hunks": []})));
    }
    let contents = contents(kept)?;
    let sides = Sides { before: contents.before.as_deref(), after: contents.after.as_deref() };
    let mut diff = sides.compared(Window::of(query)?);
    for hunk in diff["hunks"].as_array_mut().into_iter().flatten() {
        hunk["undoable"] = undoable(&record, n, hunk["id"].as_str().unwrap_or_default()).into();
    }
    Ok(merged(names, diff))
}

/// Whether a hunk of a change can be undone, or is gone already.
fn undoable(record: &Record, n: usize, hunk: &str) -> &'static str {
    let is_gone = |part: &UndonePart| {
        part.file == n && part.hunks.as_ref().is_none_or(|hunks| hunks.iter().any(|gone| gone == hunk))
    };
    match record.state {
        RecordState::Undone(_) => "gone",
        _ if record.undone_parts.iter().any(is_gone) => "gone",
        RecordState::Done | RecordState::Unknown => "yes",
        RecordState::UnderWay | RecordState::RolledBack => "no",
    }
}

/// All bytes of a file before or after a change, to be saved.
pub(super) fn content(app: &App, id: u64, n: usize, query: &Query) -> Result<Answer, Refusal> {
    let toolbox = app.toolbox();
    let Found { file, kept, .. } = Found::read(app.journal()?.as_ref(), id, n)?;
    if is_hidden(&file, &toolbox, query) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "permission_denied",
            "A rule denies reading this file",
        )
        .hint("ask for it with reveal=1"));
    }
    let contents = contents(kept)?;
    let side = match query.get("side") {
        Some("before") => contents.before,
        Some("after") | None => contents.after,
        Some(other) => return Err(Refusal::bad(format!("'side' cannot be '{other}'"))),
    };
    let content = side.ok_or_else(|| Refusal::not_found("The file did not exist then"))?;
    let mut answer = bytes(StatusCode::OK, "application/octet-stream", content);
    answer.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(answer)
}

/// A file of a change with what is kept of it, and the change.
pub(super) struct Found {
    pub(super) record: Record,
    pub(super) file: FileRecord,
    pub(super) kept: Kept,
}

impl Found {
    pub(super) fn read(journal: &Journal, id: u64, n: usize) -> Result<Self, Refusal> {
        let change = find(journal, id)?;
        let record = change.record();
        let file = record.files.get(n).cloned();
        let file = file.ok_or_else(|| Refusal::not_found(format!("Change {id} has no file {n}")))?;
        Ok(Self { record, file, kept: change.contents(n)? })
    }
}

pub(super) fn contents(kept: Kept) -> Result<Difference, Refusal> {
    match kept {
        Kept::Whole(contents) => Ok(contents),
        Kept::Nothing => Err(Refusal::not_found("The contents of this file were not kept")),
        Kept::Damaged => Err(Refusal::not_found("The contents of this file are damaged")
            .hint("`toolcrib doctor --journal` reports what is lost")),
    }
}

/// Whether the content of a file is shown only on request, and was not requested.
pub(super) fn is_hidden(file: &FileRecord, toolbox: &Toolbox, query: &Query) -> bool {
    !query.is_set("reveal") && is_file_denied(file, toolbox)
}

/// The fields of both.
pub(super) fn merged(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}
