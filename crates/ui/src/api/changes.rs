//! The timeline: changes by page and filter, and how many lines each changed.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use toolcrib::{FileRecord, Journal, Kept, LogQuery, PastChange, Toolbox, line_counts};

use super::change::{Change, is_file_denied};
use crate::answer::Refusal;
use crate::app::App;
use crate::query::Query;

/// How many changes a page gets at once.
const MOST: usize = 500;
const USUAL: usize = 100;
/// How many changes are looked at for one answer. A filter that matches little continues where this one ended.
const MOST_SCANNED: u64 = 20_000;

pub(super) fn list(app: &App, query: &Query) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let limit = query.parse("limit")?.unwrap_or(USUAL).clamp(1, MOST);
    let before = match query.parse("before")? {
        Some(before) => before,
        None => newest(app.journal()?.as_ref())?.saturating_add(1),
    };
    let oldest = before.saturating_sub(MOST_SCANNED);
    let time = |name| {
        let milliseconds: Option<u64> = query.parse(name)?;
        Ok::<_, Refusal>(milliseconds.map(|given| UNIX_EPOCH + Duration::from_millis(given)))
    };
    let file = query.get("file").map(|shown| toolbox.from_shown(shown));
    let wanted = LogQuery {
        before: Some(before),
        after: oldest.checked_sub(1),
        session: query.get("session"),
        agent: query.get("agent"),
        tool: query.get("tool"),
        file: file.as_deref(),
        since: time("since")?,
        until: time("until")?,
        text: query.get("q"),
        diffs: false,
        ..LogQuery::default()
    };
    let (mut changes, mut next) = (Vec::new(), None);
    toolbox.search(&wanted, |change, _| {
        if changes.len() == limit {
            next = Some(change.id().number() + 1);
            return Ok(false);
        }
        changes.push(Change::of(&change.record(), &toolbox));
        Ok(true)
    })?;
    // What lies behind was not looked at.
    let next = next.or(Some(oldest)).filter(|next| *next > 1);
    Ok(json!({"changes": changes, "more": next.is_some(), "next": next}))
}

/// The number of the newest change; 0 if there is none.
pub(super) fn newest(journal: &Journal) -> Result<u64, Refusal> {
    Ok(journal.changes()?.next().transpose()?.map_or(0, |change| change.id().number()))
}

pub(super) fn one(app: &App, id: u64, query: &Query) -> Result<Change, Refusal> {
    let record = find(app.journal()?.as_ref(), id)?.record();
    Ok(Change::with_files(&record, &app.toolbox(), query.parse("from_file")?.unwrap_or(0)))
}

/// The change with this number.
pub(super) fn find(journal: &Journal, id: u64) -> Result<PastChange<'_>, Refusal> {
    for change in journal.changes()? {
        let change = change?;
        match change.id().number() {
            found if found == id => return Ok(change),
            found if found < id => break,
            _ => {}
        }
    }
    Err(Refusal::not_found(format!("There is no change {id}, or not any more")))
}

/// How many changes are counted in one answer, and how many files.
const MOST_COUNTED: usize = 100;
const MOST_FILES: usize = 1000;

/// How many lines were added and removed, for each file of each change.
pub(super) fn counts(app: &App, query: &Query) -> Result<Value, Refusal> {
    let wanted = query.get("ids").unwrap_or_default().split(',').take(MOST_COUNTED).map(super::number);
    let wanted = wanted.collect::<Result<Vec<u64>, _>>()?;
    let (toolbox, journal) = (app.toolbox(), app.journal()?);
    let (mut counts, mut room) = (BTreeMap::new(), MOST_FILES);
    let oldest = wanted.iter().min().copied().unwrap_or(u64::MAX);
    for change in journal.changes()? {
        let change = change?;
        let id = change.id().number();
        if id < oldest || counts.len() == wanted.len() {
            break;
        }
        if wanted.contains(&id) {
            counts.insert(id.to_string(), of_change(&change, &toolbox, &mut room)?);
        }
    }
    Ok(json!({"counts": counts}))
}

/// Added and removed lines of each file; none if they are not to be known, or there is no room for more.
fn of_change(
    change: &PastChange<'_>,
    toolbox: &Toolbox,
    room: &mut usize,
) -> Result<Vec<Option<[usize; 2]>>, Refusal> {
    let files = change.record().files;
    let count = |(n, file): (usize, &FileRecord)| -> Result<Option<[usize; 2]>, Refusal> {
        *room = room.saturating_sub(1);
        if *room == 0 || is_file_denied(file, toolbox) {
            return Ok(None);
        }
        let Kept::Whole(kept) = change.contents(n)? else { return Ok(None) };
        let counts = line_counts(kept.before.as_deref(), kept.after.as_deref());
        Ok(counts.map(|(added, removed)| [added, removed]))
    };
    files.iter().enumerate().map(count).collect()
}
