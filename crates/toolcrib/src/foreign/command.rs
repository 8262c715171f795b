//! All that a command changes below the roots.
//!
//! Before it runs, every file is copied, where the file system can by sharing blocks; afterwards, what may have changed is
//! compared byte by byte. So what is recorded is exact, and costs one look at the whole tree before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use toolcrib_access::disk_error;
use toolcrib_journal::{Entry, Mark, RecordId, UnderWay};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Image, Links, Spool, StateFolder, Version, WorkspacePath};

use super::tree::{self, Seen, Tree};
use super::{ForeignChange, moves};
use crate::Toolbox;

/// How much of a tree is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// No more than so many names.
    pub files: usize,
    /// Copies of no more than so many bytes.
    pub bytes: u64,
    /// Also what ignore files leave out.
    pub ignored: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files: 100_000, bytes: 512 << 20, ignored: false }
    }
}

/// What there was before a command ran.
pub struct ForeignCommand<'t> {
    toolbox: &'t Toolbox,
    name: String,
    bounds: Bounds,
    mark: Mark,
    tree: Tree,
    spool: Spool,
    began: SystemTime,
    /// Tells that it was not recorded, should we be killed.
    under_way: UnderWay,
}

/// A name that may have changed, with the version of its content on both sides.
struct Changed {
    path: WorkspacePath,
    before: Option<Version>,
    after: Option<Version>,
    are_files: (bool, bool),
}

impl Toolbox {
    /// Takes note of everything below the roots, before a command of this name runs that may change it. The copies leave at
    /// least half of the room that the disk has, so that it is not the recording that the command fails for.
    ///
    /// # Errors
    ///
    /// If there is no journal, or no room for the copies.
    pub fn before_foreign_command(
        &self,
        name: &str,
        bounds: Bounds,
    ) -> Result<ForeignCommand<'_>, ToolError> {
        let mark = self.journal()?.mark().map_err(disk_error)?;
        let state = StateFolder::open(self.history()?.folder().map_err(disk_error)?).map_err(disk_error)?;
        let mut spool = Spool::open(self.workspace(), &state).map_err(disk_error)?;
        let room = spool.room().map_err(disk_error)? / 2;
        let copied = Bounds { bytes: bounds.bytes.min(room), ..bounds };
        let tree = tree::copy(self.workspace(), copied, &mut spool, &|| false).map_err(disk_error)?;
        let under_way = self.journal()?.recording_under_way(name).map_err(disk_error)?;
        let (name, began) = (name.to_owned(), SystemTime::now());
        Ok(ForeignCommand { toolbox: self, name, bounds, mark, tree, spool, began, under_way })
    }
}

impl ForeignCommand<'_> {
    /// Records all that has changed, as one change with the name of the command.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or not be written to the journal. Then nothing is recorded.
    pub fn finish(self, session: Option<&str>, agent: Option<&str>) -> Result<ForeignChange, ToolError> {
        let journal = self.toolbox.journal()?;
        let mut left_out = LeftOut::default();
        let changed = self.changed(&mut left_out)?;
        let mut recording = journal.recording(self.mark).map_err(disk_error)?;
        let moved = moves_among(&changed);
        let new_names: BTreeSet<usize> = moved.values().copied().collect();
        for (at, change) in changed.iter().enumerate() {
            let Some(image) = self.before(&change.path) else { continue };
            if new_names.contains(&at) {
                continue;
            }
            let target = moved.get(&at).map_or(&change.path, |to| &changed[*to].path);
            let keep = [&change.path, target].iter().all(|path| self.toolbox.access().may_keep_at(path));
            match (self.now(target), image) {
                (Ok(Image::File(after)), Image::File(before)) if moved.contains_key(&at) => {
                    recording.add_moved(&change.path, target, &before, &after, keep);
                }
                (Ok(after), image) => {
                    recording.add(&change.path, image, &after, keep).map_err(disk_error)?;
                }
                (Err(error), _) => left_out.add(error.to_string()),
            }
        }
        let files = recording.len();
        let entry = Entry { session, agent, ..Entry::new(&self.name) };
        let durability = self.toolbox.history()?.waits_for();
        let change = recording.finish(durability, &entry).map_err(disk_error)?.map(RecordId::number);
        drop(self.under_way);
        Ok(ForeignChange { change, files, left_out: left_out.told() })
    }

    fn changed(&self, left_out: &mut LeftOut) -> Result<Vec<Changed>, ToolError> {
        let workspace = self.toolbox.workspace();
        let twice = Bounds { files: self.bounds.files.saturating_mul(2), ..self.bounds };
        let (names, is_cut) = tree::names(workspace, twice, &|| false).map_err(disk_error)?;
        let mut changed = Vec::new();
        for (path, seen) in &self.tree.names {
            if self.is_untouched(path, seen) {
                continue;
            }
            let now = match self.now(path) {
                Ok(now) => now,
                Err(error) => {
                    left_out.add(error.to_string());
                    continue;
                }
            };
            match seen.image(&self.spool) {
                Some(image) if image.is_same(&now) => {}
                Some(image) => changed.push(of(path, &image, &now)),
                None => left_out.add(format!("{} was beyond the bounds, or unreadable", path.show())),
            }
        }
        // Where the rules of what is ignored have changed, a name may be new to us alone.
        let rules_changed = changed.iter().any(|change: &Changed| is_rules(&change.path))
            || names.keys().any(|path| is_rules(path) && !self.tree.names.contains_key(path));
        let doubtful = rules_changed || self.tree.is_cut;
        for path in names.keys().filter(|path| !self.tree.names.contains_key(path)) {
            if doubtful && !self.is_new(path) {
                left_out.add(format!("{} was ignored or beyond the bounds before", path.show()));
                continue;
            }
            match self.now(path) {
                Ok(now) => changed.push(of(path, &Image::Absent, &now)),
                Err(error) => left_out.add(error.to_string()),
            }
        }
        if self.tree.is_cut || is_cut {
            left_out.add(format!("there are more than {} files", self.bounds.files));
        }
        Ok(changed)
    }

    /// Whether it is certain, without reading it, that nothing has changed.
    fn is_untouched(&self, path: &WorkspacePath, seen: &Seen) -> bool {
        let Seen::File { fingerprint, .. } = seen else { return false };
        let now = self.toolbox.workspace().open_file(path);
        now.is_ok_and(|now| now.reached() == path && fingerprint.proves_unchanged(&now.fingerprint()))
    }

    /// Whether it was made since the command began.
    fn is_new(&self, path: &WorkspacePath) -> bool {
        let Ok(stat) = self.toolbox.workspace().stat(path, Links::Keep) else { return false };
        stat.btime.is_some_and(|made| made >= self.began - TICK)
    }

    fn before(&self, path: &WorkspacePath) -> Option<Image> {
        match self.tree.names.get(path) {
            Some(seen) => seen.image(&self.spool),
            None => Some(Image::Absent),
        }
    }

    fn now(&self, path: &WorkspacePath) -> Result<Image, toolcrib_workspace::Error> {
        self.toolbox.workspace().image(path, self.bounds.bytes)
    }
}

fn of(path: &WorkspacePath, before: &Image, after: &Image) -> Changed {
    let is_file = |image: &Image| matches!(image, Image::File(_));
    Changed {
        path: path.clone(),
        before: before.version(),
        after: after.version(),
        are_files: (is_file(before), is_file(after)),
    }
}

/// For each file that was moved, which of the changes is the one of its new name.
fn moves_among(changed: &[Changed]) -> BTreeMap<usize, usize> {
    let side = |pick: &dyn Fn(&Changed) -> Option<Version>| -> (Vec<usize>, Vec<Version>) {
        changed.iter().enumerate().filter_map(|(at, change)| Some((at, pick(change)?))).unzip()
    };
    let (gone, from) = side(&|change| change.before.filter(|_| change.are_files.0 && change.after.is_none()));
    let (appeared, to) =
        side(&|change| change.after.filter(|_| change.are_files.1 && change.before.is_none()));
    moves::pair(&from, &to).into_iter().map(|(from, to)| (gone[from], appeared[to])).collect()
}

/// Whether it says what is ignored.
fn is_rules(path: &WorkspacePath) -> bool {
    path.relative().file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}

/// What is not in the record, said in few words however much it is.
#[derive(Default)]
struct LeftOut {
    sentences: Vec<String>,
    more: usize,
}

impl LeftOut {
    fn add(&mut self, sentence: String) {
        if self.sentences.len() < SAID { self.sentences.push(sentence) } else { self.more += 1 }
    }

    fn told(self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more", self.more));
        self.sentences.into_iter().chain(more).collect()
    }
}

const SAID: usize = 10;

/// More than the kernel's clock lags behind.
const TICK: Duration = Duration::from_millis(50);
