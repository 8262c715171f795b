//! The history of one file: its versions, and the difference between any two.

use serde_json::{Value, json};
use toolcrib::{FileVersion, Toolbox, Version, Workspace};

use super::change::is_meant;
use super::diff::{Found, contents, is_hidden, merged};
use crate::answer::Refusal;
use crate::app::{App, is_denied};
use crate::diff::{Sides, Window};
use crate::query::Query;

/// How many versions are listed.
const MOST: usize = 1000;
/// The size of the largest file that is compared as it is now.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The versions of a file, newest first, across moves.
pub(super) fn history(app: &App, query: &Query) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let shown = required(query, "path")?;
    let all = toolbox.file_history(&toolbox.from_shown(shown))?;
    let versions: Vec<_> = all.iter().take(MOST).map(told).collect();
    let more = all.len() > MOST;
    let current = now(&toolbox, shown)?.map(|content| Version::of(&content).to_string());
    let denied = is_denied(&toolbox, &toolbox.from_shown(shown));
    Ok(json!({"versions": versions, "more": more, "current": current, "denied": denied}))
}

fn told(version: &FileVersion) -> Value {
    json!({
        "change": version.change,
        "n": version.file,
        "time": version.time_ms,
        "action": version.action,
        "agent": version.agent,
        "session": version.session,
        "tool": version.tool,
        "state": version.state,
        "path": version.path,
        "before": version.before,
        "version": version.after,
        "kept": version.kept,
    })
}

/// The difference between two versions of a file.
pub(super) fn difference(app: &App, query: &Query) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let path = required(query, "path")?;
    let [a, b] = ["a", "b"].map(|name| side(app, &toolbox, query, path, name));
    let (a, b) = (a?, b?);
    let names = json!({"old_name": path, "new_name": path});
    let (Shown::Content(before), Shown::Content(after)) = (&a, &b) else {
        return Ok(merged(names, json!({"denied": true, "binary": false, "hunks": []})));
    };
    let sides = Sides { before: before.as_deref(), after: after.as_deref() };
    Ok(merged(names, sides.compared(Window::of(query)?)))
}

/// A version, if it may be shown.
enum Shown {
    Denied,
    Content(Option<Vec<u8>>),
}

/// A version as a page names it: `12:before`, `12:after` or `current`.
fn side(app: &App, toolbox: &Toolbox, query: &Query, path: &str, name: &str) -> Result<Shown, Refusal> {
    let given = required(query, name)?;
    if given == "current" {
        let place = toolbox.from_shown(path);
        if !query.is_set("reveal") && is_denied(toolbox, &place) {
            return Ok(Shown::Denied);
        }
        return now(toolbox, path).map(Shown::Content);
    }
    let wrong =
        || Refusal::bad(format!("'{name}' cannot be '{given}': give CHANGE:before, CHANGE:after or current"));
    let (change, side) = given.split_once(':').ok_or_else(wrong)?;
    let id = change.parse().map_err(|_| wrong())?;
    let journal = app.journal()?;
    let record = super::changes::find(&journal, id)?.record();
    let meant = |file: &toolcrib::FileRecord| {
        is_meant(toolbox, &file.path, path)
            || file.from.as_deref().is_some_and(|from| is_meant(toolbox, from, path))
    };
    let n = match query.parse::<usize>(&format!("{name}_n"))? {
        Some(n) => n,
        None => record
            .files
            .iter()
            .position(meant)
            .ok_or_else(|| Refusal::not_found(format!("Change {id} is not about {path}")))?,
    };
    let Found { file, kept, .. } = Found::read(&journal, id, n)?;
    if is_hidden(&file, toolbox, query) {
        return Ok(Shown::Denied);
    }
    let kept = contents(kept)?;
    match side {
        "before" => Ok(Shown::Content(kept.before)),
        "after" => Ok(Shown::Content(kept.after)),
        _ => Err(wrong()),
    }
}

/// What a file holds now; none if there is no such file.
fn now(toolbox: &Toolbox, shown: &str) -> Result<Option<Vec<u8>>, Refusal> {
    let workspace: &Workspace = toolbox.workspace();
    let place = toolbox.from_shown(shown);
    let path = workspace.path(&place, &toolbox.context().working_dir)?;
    match workspace.snapshot_within(&path, MOST_BYTES) {
        Ok(snapshot) => Ok(Some(snapshot.into_bytes())),
        Err(error) => match toolcrib::disk_error(error) {
            error if error.kind() == toolcrib::ErrorKind::NotFound => Ok(None),
            error => Err(error.into()),
        },
    }
}

fn required<'q>(query: &'q Query, name: &str) -> Result<&'q str, Refusal> {
    query.get(name).ok_or_else(|| Refusal::bad(format!("'{name}' is missing")))
}
