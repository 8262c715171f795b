//! The timeline: changes by page and filter, and how many lines each changed.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolcrib::{FileRecord, Hunks, Journal, Kept, PastChange, Record, Toolbox};

use super::change::{Change, is_file_denied};
use crate::answer::Refusal;
use crate::app::App;
use crate::query::Query;

/// How many changes a page gets at once.
const MOST: usize = 500;
const USUAL: usize = 100;
/// How many records are looked at for one answer. A filter that matches little continues where this one ended.
const MOST_SCANNED: usize = 20_000;

pub(super) fn list(app: &App, query: &Query) -> Result<Value, Refusal> {
    let (toolbox, journal) = (app.toolbox(), app.journal()?);
    let filter = Filter::of(query)?;
    let limit = query.parse("limit")?.unwrap_or(USUAL).clamp(1, MOST);
    let before: u64 = query.parse("before")?.unwrap_or(u64::MAX);
    let (mut changes, mut scanned, mut next) = (Vec::new(), 0, None);
    for change in journal.changes()? {
        let change = change?;
        let id = change.id().number();
        if id >= before {
            continue;
        }
        if changes.len() == limit || scanned == MOST_SCANNED {
            next = Some(id + 1);
            break;
        }
        scanned += 1;
        let record = change.record();
        if filter.since.is_some_and(|since| record.time < since) {
            break;
        }
        if filter.fits(&record, &toolbox) {
            changes.push(Change::of(&record, &toolbox));
        }
    }
    Ok(json!({"changes": changes, "more": next.is_some(), "next": next, "scanned": scanned}))
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

/// Which changes are shown.
struct Filter<'q> {
    agent: Option<&'q str>,
    session: Option<&'q str>,
    tool: Option<&'q str>,
    file: Option<&'q str>,
    text: Option<String>,
    since: Option<SystemTime>,
    until: Option<SystemTime>,
}

impl<'q> Filter<'q> {
    fn of(query: &'q Query) -> Result<Self, Refusal> {
        let time = |name| {
            let milliseconds: Option<u64> = query.parse(name)?;
            Ok::<_, Refusal>(milliseconds.map(|given| UNIX_EPOCH + Duration::from_millis(given)))
        };
        Ok(Self {
            agent: query.get("agent"),
            session: query.get("session"),
            tool: query.get("tool"),
            file: query.get("file"),
            text: query.get("q").map(str::to_lowercase),
            since: time("since")?,
            until: time("until")?,
        })
    }

    fn fits(&self, record: &Record, toolbox: &Toolbox) -> bool {
        let is = |wanted: Option<&str>, given: Option<&str>| wanted.is_none() || wanted == given;
        let paths = || {
            let files = record.files.iter();
            files
                .flat_map(|file| [Some(&file.path), file.from.as_ref()])
                .flatten()
                .map(|path| toolbox.show_path(path))
        };
        let mentions = |text: &String| {
            let named = [Some(&record.tool), record.agent.as_ref(), record.session.as_ref()];
            named.into_iter().flatten().any(|name| name.to_lowercase().contains(text))
                || record.id.to_string() == *text
                || paths().any(|path| path.to_lowercase().contains(text))
        };
        is(self.agent, record.agent.as_deref())
            && is(self.session, record.session.as_deref())
            && is(self.tool, Some(&record.tool))
            && self.until.is_none_or(|until| record.time <= until)
            && self.file.is_none_or(|file| paths().any(|path| is_or_is_below(&path, file)))
            && self.text.as_ref().is_none_or(mentions)
    }
}

fn is_or_is_below(path: &str, wanted: &str) -> bool {
    let rest = path.strip_prefix(wanted.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
        let (before, after) = (kept.before.unwrap_or_default(), kept.after.unwrap_or_default());
        let hunks = Hunks::between(&before, &after);
        let differing = || hunks.as_slice().iter().flat_map(|hunk| &hunk.differing);
        let added = differing().map(|(_, new)| new.len()).sum();
        let removed = differing().map(|(old, _)| old.len()).sum();
        Ok(Some([added, removed]))
    };
    files.iter().enumerate().map(count).collect()
}
