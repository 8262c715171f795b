//! Which of the recorded changes are asked for. The journal is read backwards, and only as far as that takes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use toolcrib_access::{disk_error, undo_error};
use toolcrib_journal::{Kept, PastChange, Record, RecordId, State, UndoError};
use toolcrib_tool::ToolError;

use crate::Toolbox;
use crate::past::{Contents, Past};

/// Which changes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogQuery<'a> {
    /// No more than so many, the latest.
    pub limit: usize,
    /// Those with a smaller number: what comes after a page.
    pub before: Option<u64>,
    /// Those with a larger number: what is new.
    pub after: Option<u64>,
    /// Those of this session.
    pub session: Option<&'a str>,
    /// Those of this agent.
    pub agent: Option<&'a str>,
    /// Those of this tool.
    pub tool: Option<&'a str>,
    /// Those of this file, under any name that it had, or of what is in this directory. A relative path is from the first root.
    pub file: Option<&'a Path>,
    /// Those made since.
    pub since: Option<SystemTime>,
    /// Those made until then.
    pub until: Option<SystemTime>,
    /// Those with this text in the names of tool, agent, session or files. Capital and small letters are the same.
    pub text: Option<&'a str>,
    /// With what changed in each file. Without this and the next two, no contents are read.
    pub diffs: bool,
    /// The same, with nothing left out of it.
    pub whole: bool,
    /// With how many lines changed in each file.
    pub counts: bool,
}

impl Default for LogQuery<'_> {
    fn default() -> Self {
        Self {
            limit: usize::MAX,
            before: None,
            after: None,
            session: None,
            agent: None,
            tool: None,
            file: None,
            since: None,
            until: None,
            text: None,
            diffs: true,
            whole: false,
            counts: false,
        }
    }
}

/// A version of a file that the journal knows of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileVersion {
    /// The change that made it.
    pub change: u64,
    /// The file: its place among those of the change.
    pub file: usize,
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// The tool that made it.
    pub tool: String,
    /// The agent that called it.
    pub agent: Option<String>,
    /// The session in which it was called.
    pub session: Option<String>,
    /// Whether the change stands, as in [`Past`].
    pub state: &'static str,
    /// `add`, `update`, `delete` or `move`.
    pub action: &'static str,
    /// What the file was called afterwards.
    pub path: String,
    /// The version before.
    pub before: Option<String>,
    /// The version after.
    pub after: Option<String>,
    /// Whether the contents are kept.
    pub kept: bool,
}

/// What several changes together did to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetFile {
    /// What it is called after the last of them, from its root.
    pub path: String,
    /// What it was called before the first, if that is another name.
    pub from: Option<String>,
    /// What it held before the first; none if it was not there.
    pub before: Option<Vec<u8>>,
    /// What it held after the last; none if it was gone.
    pub after: Option<Vec<u8>>,
    /// Whether the contents were kept by each of them; if not, there are none here.
    pub kept: bool,
}

impl Toolbox {
    /// The last changes, the latest first, with their differences.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn log(&self, limit: usize) -> Result<Vec<Past>, ToolError> {
        self.changes(&LogQuery { limit, ..LogQuery::default() })
    }

    /// The changes that are asked for, the latest first.
    ///
    /// What is read is what is shown: records as far back as it takes to find so many changes, and contents only for
    /// differences.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn changes(&self, query: &LogQuery<'_>) -> Result<Vec<Past>, ToolError> {
        let mut told = Vec::new();
        self.visit(query, |past, _| {
            told.push(past);
            Ok(())
        })?;
        Ok(told)
    }

    /// The same one by one, each with the way to the contents that it keeps, in one reading of the journal.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read, or the visitor fails.
    pub fn visit(
        &self,
        query: &LogQuery<'_>,
        mut each: impl FnMut(Past, &PastChange<'_>) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let contents = match (query.diffs, query.whole, query.counts) {
            (_, true, _) => Contents::Whole,
            (true, ..) => Contents::Shown,
            (false, false, true) => Contents::Counted,
            (false, false, false) => Contents::Unread,
        };
        let mut left = query.limit;
        if left == 0 {
            return Ok(());
        }
        self.search(query, |change, _| {
            each(self.told(change, contents)?, change)?;
            left -= 1;
            Ok(left > 0)
        })
    }

    /// One change.
    ///
    /// # Errors
    ///
    /// If there is no such change.
    pub fn past(&self, id: RecordId) -> Result<Past, ToolError> {
        self.past_with(id, Contents::Shown)
    }

    /// One change, with nothing left out of its differences.
    ///
    /// # Errors
    ///
    /// If there is no such change.
    pub fn whole_past(&self, id: RecordId) -> Result<Past, ToolError> {
        self.past_with(id, Contents::Whole)
    }

    fn past_with(&self, id: RecordId, contents: Contents) -> Result<Past, ToolError> {
        let journal = self.journal()?;
        for change in journal.changes().map_err(disk_error)? {
            let change = change.map_err(disk_error)?;
            if change.id() == id {
                return self.told(&change, contents);
            }
        }
        Err(undo_error(UndoError::Unknown(id)))
    }

    /// What a file held before and after a change.
    ///
    /// # Errors
    ///
    /// If there is no such change, or the journal cannot be read.
    pub fn contents(&self, change: u64, file: usize) -> Result<Kept, ToolError> {
        let id = RecordId::new(change);
        let journal = self.journal()?;
        for change in journal.changes().map_err(disk_error)? {
            let change = change.map_err(disk_error)?;
            if change.id() == id {
                return change.contents(file).map_err(disk_error);
            }
        }
        Err(undo_error(UndoError::Unknown(id)))
    }

    /// The versions of a file, the latest first, under each name that it had.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn file_history(&self, file: &Path) -> Result<Vec<FileVersion>, ToolError> {
        let query = LogQuery { file: Some(file), ..LogQuery::default() };
        let mut versions = Vec::new();
        self.search(&query, |change, files| {
            let past = self.told(change, Contents::Unread)?;
            for (file, told) in past.files.into_iter().enumerate().filter(|(file, _)| files.contains(file)) {
                versions.push(FileVersion {
                    change: past.id,
                    file,
                    time_ms: past.time_ms,
                    tool: past.tool.clone(),
                    agent: past.agent.clone(),
                    session: past.session.clone(),
                    state: past.state,
                    action: told.action,
                    path: told.relative,
                    before: told.before,
                    after: told.after,
                    kept: told.kept,
                });
            }
            Ok(true)
        })?;
        Ok(versions)
    }

    /// What the changes that are asked for did together, file by file, in the order of their names: from what a file held
    /// before the first of them to what it held after the last. Changes that were undone are left out.
    ///
    /// What others have changed in such a file in between is in it too, since it is in both.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn net_changes(&self, query: &LogQuery<'_>) -> Result<Vec<NetFile>, ToolError> {
        let undos = self.cancelled(query)?;
        let mut net = Net::default();
        self.search(query, |change, files| {
            let record = change.record();
            if !matches!(record.state, State::Done | State::Unknown) || undos.contains(&record.id.number()) {
                return Ok(true);
            }
            for index in files.iter().rev() {
                let whole =
                    record.undone_parts.iter().any(|part| part.file == *index && part.hunks.is_none());
                if !whole {
                    net.take_in(&record, *index, change.contents(*index).map_err(disk_error)?);
                }
            }
            Ok(true)
        })?;
        let shown = |path: &PathBuf| self.relative_to_root(&path.to_string_lossy());
        Ok(net.files(shown))
    }

    /// The undos and redos among the changes whose changes are all among them too.
    fn cancelled(&self, query: &LogQuery<'_>) -> Result<BTreeSet<u64>, ToolError> {
        let (mut all, mut undos) = (BTreeSet::new(), Vec::new());
        self.search(query, |change, _| {
            let record = change.record();
            all.insert(record.id.number());
            if !record.reverts.is_empty() {
                let targets: Vec<u64> = record.reverts.iter().map(|reverts| reverts.id.number()).collect();
                undos.push((record.id.number(), targets));
            }
            Ok(true)
        })?;
        let inside =
            undos.into_iter().filter(|(_, targets)| targets.iter().all(|target| all.contains(target)));
        Ok(inside.map(|(id, _)| id).collect())
    }

    /// Goes back through the changes that are asked for, each with the files that are meant, as long as `each` wants more: for
    /// programs that lay records out in their own way. The limit of the query is theirs to keep, and so are contents.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read; and what `each` fails with.
    pub fn search(
        &self,
        query: &LogQuery<'_>,
        mut each: impl FnMut(&PastChange<'_>, &BTreeSet<usize>) -> Result<bool, ToolError>,
    ) -> Result<(), ToolError> {
        let mut names = query.file.map(|file| self.recorded_name(file)).transpose()?.map(|file| vec![file]);
        let text = query.text.map(str::to_lowercase);
        let journal = self.journal()?;
        for change in journal.changes().map_err(disk_error)? {
            let change = change.map_err(disk_error)?;
            if query.after.is_some_and(|after| change.id().number() <= after)
                || is_over(query.since, change.time())
            {
                break;
            }
            if query.session.is_some_and(|session| change.session() != Some(session)) && names.is_none() {
                continue;
            }
            let record = change.record();
            let files = match &mut names {
                None => (0..record.files.len()).collect(),
                Some(names) => files_named(&record, names),
            };
            let is_meant = (names.is_none() || !files.is_empty())
                && fits(query, &record)
                && text.as_ref().is_none_or(|text| mentions(&record, text));
            if is_meant && !each(&change, &files)? {
                break;
            }
        }
        Ok(())
    }

    /// What the journal calls a file: links on the way are followed, also if the file is gone.
    fn recorded_name(&self, given: &Path) -> Result<PathBuf, ToolError> {
        let workspace = self.workspace();
        let start = workspace.starts().into_iter().next().unwrap_or_default();
        let path = workspace.path(given, &start).map_err(disk_error)?;
        let reached = workspace.locate_new(&path).map(|place| place.reached().clone());
        let reached = reached.unwrap_or(path);
        Ok(workspace.roots()[reached.root().index()].real().join(reached.relative()))
    }
}

/// Clocks are set back at times, by less than this.
const CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether there is nothing to be found any more.
fn is_over(since: Option<SystemTime>, time: SystemTime) -> bool {
    since.is_some_and(|since| time.checked_add(CLOCK).is_some_and(|time| time < since))
}

fn fits(query: &LogQuery<'_>, record: &Record) -> bool {
    query.before.is_none_or(|before| record.id.number() < before)
        && query.session.is_none_or(|session| record.session.as_deref() == Some(session))
        && query.agent.is_none_or(|agent| record.agent.as_deref() == Some(agent))
        && query.tool.is_none_or(|tool| record.tool == tool)
        && query.since.is_none_or(|since| record.time >= since)
        && query.until.is_none_or(|until| record.time <= until)
}

fn mentions(record: &Record, text: &str) -> bool {
    let names = [Some(&record.tool), record.agent.as_ref(), record.session.as_ref()];
    let paths = record.files.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]);
    names.into_iter().flatten().any(|name| name.to_lowercase().contains(text))
        || paths.flatten().any(|path| path.to_string_lossy().to_lowercase().contains(text))
}

/// The files of a record that have one of these names, or are in such a directory. Before a move, they had another one.
fn files_named(record: &Record, names: &mut Vec<PathBuf>) -> BTreeSet<usize> {
    let mut files = BTreeSet::new();
    for (index, file) in record.files.iter().enumerate() {
        let is_named = |path: &Path| names.iter().any(|name| path.starts_with(name));
        if is_named(&file.path) || file.from.as_deref().is_some_and(is_named) {
            files.insert(index);
            if let Some(from) =
                file.from.as_ref().filter(|from| !names.iter().any(|name| from.starts_with(name)))
            {
                names.push(from.clone());
            }
        }
    }
    files
}

/// Files in the making, under the names that they have as far back as was read.
#[derive(Default)]
struct Net {
    files: BTreeMap<PathBuf, usize>,
    done: Vec<(PathBuf, PathBuf, Kept)>,
}

impl Net {
    /// Takes in what an older change did to a file.
    fn take_in(&mut self, record: &Record, index: usize, kept: Kept) {
        let Some(file) = record.files.get(index) else { return };
        let old = file.from.as_ref().unwrap_or(&file.path);
        match self.files.remove(&file.path) {
            Some(at) => {
                let (_, first, all) = &mut self.done[at];
                first.clone_from(old);
                *all = match (std::mem::replace(all, Kept::Nothing), kept) {
                    (Kept::Whole(newer), Kept::Whole(older)) => {
                        Kept::Whole(toolcrib_journal::Difference { before: older.before, after: newer.after })
                    }
                    (Kept::Damaged, _) | (_, Kept::Damaged) => Kept::Damaged,
                    _ => Kept::Nothing,
                };
                self.files.insert(old.clone(), at);
            }
            None => {
                self.files.insert(old.clone(), self.done.len());
                self.done.push((file.path.clone(), old.clone(), kept));
            }
        }
    }

    /// Those that are not as they were.
    fn files(self, shown: impl Fn(&PathBuf) -> String) -> Vec<NetFile> {
        let net = |(last, first, kept): (PathBuf, PathBuf, Kept)| {
            let is_kept = matches!(kept, Kept::Whole(_));
            let (before, after) = match kept {
                Kept::Whole(kept) => (kept.before, kept.after),
                Kept::Nothing | Kept::Damaged => (None, None),
            };
            let changed = before != after || last != first || !is_kept;
            let from = (last != first).then(|| shown(&first));
            changed.then(|| NetFile { path: shown(&last), from, before, after, kept: is_kept })
        };
        let mut files: Vec<NetFile> = self.done.into_iter().filter_map(net).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }
}
