//! The table, the grams and the watches together: what is known of a root, and how it stays true.
//!
//! Every function that may have to be repeated says so; nothing here waits, and nothing here starts a thread.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use memchr::memchr;
use toolcrib_workspace::{
    Dir, Error, ErrorKind, FileKind, NotWatched, ScanBuffer, Stat, WatchId, Writers, stat_of, writers,
};

use crate::content::{Class, read_whole};
use crate::events::{Events, Happened};
use crate::gram::{Gram, Grams};
use crate::index::Options;
use crate::is_excluded;
use crate::pending::{LeaveOut, Lost, Pending, Watched, Watches, is_about_rules};
use crate::plan::Plan;
use crate::rules::{MAX_SIZE as RULES, Present, Rules};
use crate::segment::{Candidates, Segment, SegmentBuilder};
use crate::store::{Earlier, Known, in_memory};
use crate::tree::{DirId, Directory, Entry, EntryId, Facts, Flags, Tree};

/// A larger file is always searched.
pub const MOST_BYTES: u64 = 16 << 20;

/// A time that is younger than this when a file is read may hide a later change, on kernels whose clock for files ticks slowly.
const SETTLED: Duration = Duration::from_secs(2);

/// Whether what is at this path from the root may be read.
pub type MayRead = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

pub(crate) struct State {
    root: Arc<Dir>,
    may_read: MayRead,
    events: Arc<Events>,
    watches: Watches,
    pub(crate) pending: Pending,
    pub(crate) tree: Tree,
    /// The directory that was opened last.
    held: Option<(DirId, Arc<Dir>)>,
    /// Which entry a document is; none if it has changed since.
    documents: Vec<Option<EntryId>>,
    pub(crate) segments: Vec<Segment>,
    /// How many segments, and documents in them, are kept for a later table. The others are of files that were read since.
    kept: (usize, usize),
    /// Grams of files that were read since the last segment, sorted.
    recent: BTreeMap<u32, Box<[Gram]>>,
    recent_size: usize,
    /// How many files an earlier table knew.
    pub(crate) taken_over: usize,
    /// Files that a program may be writing to.
    suspects: BTreeSet<EntryId>,
    /// What was in the ignore files before their rules were read.
    rule_files: BTreeMap<WatchId, RuleFile>,
    /// Files whose grams are to be read.
    unread: BTreeSet<EntryId>,
    /// Until when everything that happened is known.
    drained: SystemTime,
    most_watches: usize,
    pub(crate) leave_out: LeaveOut,
    buffer: Vec<u8>,
    grams: Grams,
}

/// An ignore file, by its way from a directory of the table.
#[derive(Clone, Copy)]
struct RuleFile {
    dir: DirId,
    way: &'static [&'static str],
    content: Option<blake3::Hash>,
}

/// The entries of a directory, as it lists them.
type Names = Vec<(Box<[u8]>, FileKind)>;

/// What is left of an older table: a file that is still the same need not be read again.
pub(crate) type Old = std::collections::HashMap<Box<[u8]>, Known, foldhash::fast::RandomState>;

impl State {
    pub(crate) fn new(root: Arc<Dir>, events: Arc<Events>, may_read: MayRead, options: &Options) -> Self {
        Self {
            root,
            may_read,
            events,
            held: None,
            watches: Watches::default(),
            pending: Pending::default(),
            tree: Tree::default(),
            documents: Vec::new(),
            segments: Vec::new(),
            kept: (0, 0),
            recent: BTreeMap::new(),
            recent_size: 0,
            taken_over: 0,
            suspects: BTreeSet::new(),
            rule_files: BTreeMap::new(),
            unread: BTreeSet::new(),
            drained: SystemTime::UNIX_EPOCH,
            most_watches: options.watches,
            leave_out: options.leave_out,
            buffer: Vec::new(),
            grams: Grams::default(),
        }
    }

    // ---- Names ----

    /// Reads the whole tree.
    pub(crate) fn scan_all(&mut self, rules: &Rules, stop: &dyn Fn() -> bool) {
        self.tree.add_directory(Directory::new(None, Box::default(), rules.clone(), false));
        self.scan(vec![Tree::ROOT], stop);
    }

    /// Reads directories and everything below them: each is watched before it is listed, so that nothing falls between the two.
    /// None is held open longer than that.
    fn scan(&mut self, mut left: Vec<DirId>, stop: &dyn Fn() -> bool) {
        let mut buffer = ScanBuffer::default();
        while let Some(id) = left.pop() {
            if self.pending.lost.is_some() || stop() {
                return;
            }
            self.collect();
            let listed = self.open_anew(id).and_then(|dir| Ok((self.list(id, &dir, &mut buffer)?, dir)));
            match listed {
                Ok((names, dir)) => self.add_names(id, &dir, names, &mut left),
                Err(error) => self.mark_unreadable(id, &error),
            }
        }
    }

    /// Watches a directory and reads its names, sorted. Its rules are known afterwards.
    fn list(&mut self, id: DirId, dir: &Dir, buffer: &mut ScanBuffer) -> Result<Names, Error> {
        let watch = self.watch(self.events.watcher.watch_directory(dir), Watched::Directory(id));
        let (mut names, mut present) = (Vec::new(), Present::default());
        dir.scan(buffer, |name, kind| {
            present.saw(name, kind);
            names.push((Box::from(name.as_bytes()), kind));
            std::ops::ControlFlow::Continue(())
        })?;
        names.sort_unstable_by(|a: &(Box<[u8]>, FileKind), b| a.0.cmp(&b.0));
        // Before they are read.
        present.ignore_files().for_each(|way| self.watch_rules(id, dir, way));
        if present.has_repository() {
            self.watch_repository(id, dir);
        }
        if let Some(directory) = self.tree.directory_mut(id) {
            directory.rules = directory.rules.enter(dir, directory.path.len(), present);
            directory.watch = watch;
        }
        Ok(names)
    }

    /// Of a repository's own folder, only its ignore file counts.
    fn watch_repository(&mut self, id: DirId, dir: &Dir) {
        let git = dir.open_dir(OsStr::new(".git"));
        let info = git.as_ref().ok().and_then(|git| git.open_dir(OsStr::new("info")).ok());
        for folder in git.iter().chain(&info) {
            self.watch(self.events.watcher.watch_directory(folder), Watched::Git);
        }
        if info.is_some() {
            self.watch_rules(id, dir, &[".git", "info", "exclude"]);
        }
    }

    fn watch_rules(&mut self, id: DirId, dir: &Dir, way: &'static [&'static str]) {
        if let Some(file) = open_by(dir, way) {
            match self.events.watcher.watch_file(&file) {
                Ok(watch) => {
                    self.pending.rules.insert(watch);
                    // A program may have had it open before.
                    self.pending.loose.insert(watch);
                    let content = content_of(&file);
                    self.rule_files.insert(watch, RuleFile { dir: id, way, content });
                }
                Err(NotWatched::TooMany) => self.pending.lost = Some(Lost::TooManyWatches),
                // It vanished, which is told, or cannot be read.
                Err(NotWatched::Other) => {}
            }
        }
    }

    fn watch(&mut self, watch: Result<WatchId, NotWatched>, watched: Watched) -> Option<WatchId> {
        match watch {
            Ok(watch) => {
                let before = self.watches.insert(watch, watched);
                if before.is_some_and(|before| before != watched && self.is_mounted_twice(before, watch)) {
                    self.pending.lost = Some(Lost::MountedTwice);
                }
                if self.watches.len() > self.most_watches {
                    self.pending.lost = Some(Lost::TooManyWatches);
                }
                Some(watch)
            }
            Err(NotWatched::TooMany) => {
                self.pending.lost = Some(Lost::TooManyWatches);
                None
            }
            Err(NotWatched::Other) => None,
        }
    }

    /// Whether what has this watch already is still in the table, under a name that is no hard link. The kernel has one watch for a
    /// directory, wherever it is mounted, so its events would be taken for those of one place.
    fn is_mounted_twice(&self, before: Watched, watch: WatchId) -> bool {
        match before {
            Watched::Directory(id) => self.tree.directory(id).is_some_and(|dir| dir.watch == Some(watch)),
            Watched::File(id) => {
                self.tree.entry(id).is_some_and(|entry| entry.watch == Some(watch) && !entry.facts.linked)
            }
            Watched::Git => false,
        }
    }

    fn mark_unreadable(&mut self, id: DirId, error: &Error) {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotDirectory => {}
            // Nothing would tell that it can be read again.
            _ if id == Tree::ROOT => self.pending.lost = Some(Lost::Permissions),
            kind if is_lasting(kind) => self.tree.set_unreadable(id),
            _ => self.pending.lost = Some(Lost::Failed),
        }
    }

    fn add_names(&mut self, id: DirId, dir: &Dir, names: Names, left: &mut Vec<DirId>) {
        for (name, kind) in names {
            let stat = match dir.look(OsStr::from_bytes(&name)) {
                Ok(stat) => Some(stat),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    if !is_lasting(error.kind()) {
                        self.pending.lost = Some(Lost::Failed);
                    }
                    None
                }
            };
            let entry = self.add_entry(id, name, kind, stat.as_ref());
            left.extend(self.way_into(entry));
        }
    }

    /// The directory that an entry is, if a search goes into it. It is yet to be read.
    fn way_into(&mut self, id: EntryId) -> Option<DirId> {
        let (entry, flags) = (self.tree.entry(id)?, self.tree.flags(id));
        if !flags.has(Flags::DIRECTORY) || flags.has(Flags::IGNORED) {
            return None;
        }
        let rules = self.tree.directory(entry.dir)?.rules.clone();
        let mut path = Vec::new();
        self.tree.path_of(entry, &mut path);
        let below_hidden = flags.has(Flags::HIDDEN.and(Flags::BELOW_HIDDEN));
        Some(self.tree.add_directory(Directory::new(Some(id), path.into(), rules, below_hidden)))
    }

    fn add_entry(&mut self, dir: DirId, name: Box<[u8]>, kind: FileKind, stat: Option<&Stat>) -> EntryId {
        let entry = Entry {
            dir,
            name,
            kind,
            facts: stat.map_or(Facts::UNKNOWN, Facts::of),
            inside: None,
            documents: 0..0,
            longest_line: 0,
            watch: None,
        };
        let flags = self.verdict(&entry);
        let file = kind == FileKind::File;
        let id = self.tree.add_entry(entry, flags.with(Flags::UNKNOWN, file));
        if file && (!flags.has(Flags::IGNORED) || self.is_about_rules(id)) {
            self.unread.insert(id);
        }
        id
    }

    fn is_about_rules(&self, id: EntryId) -> bool {
        self.tree.entry(id).is_some_and(|entry| is_about_rules(&entry.name))
    }

    /// What the name and the rules say.
    fn verdict(&self, entry: &Entry) -> Flags {
        let Some(directory) = self.tree.directory(entry.dir) else { return Flags::default() };
        let (is_directory, mut path) = (entry.kind == FileKind::Directory, Vec::new());
        self.tree.path_of(entry, &mut path);
        let ignored =
            (is_directory && is_excluded(entry.name())) || directory.rules.ignore(&path, is_directory);
        Flags::default()
            .with(Flags::FILE, entry.kind == FileKind::File)
            .with(Flags::DIRECTORY, is_directory)
            .with(Flags::HIDDEN, entry.name.first() == Some(&b'.'))
            .with(Flags::BELOW_HIDDEN, directory.below_hidden)
            .with(Flags::IGNORED, ignored)
    }

    fn remove(&mut self, id: EntryId) {
        let Self { tree, watches, events, pending, suspects, unread, .. } = self;
        tree.remove(id, &mut |entry, dir, watch| {
            pending.forget(entry);
            suspects.remove(&entry);
            unread.remove(&entry);
            let watched = dir.map_or(Watched::File(entry), Watched::Directory);
            // The same file may have another name in the tree, whose watch it is by now.
            if let Some(watch) = watch
                && watches.get(&watch) == Some(&watched)
                && !pending.rules.contains(&watch)
            {
                watches.remove(&watch);
                events.watcher.forget(watch);
            }
        });
    }

    /// Opens a directory of the table, step by step from the root. The last one is held, since files are read one directory after
    /// the other.
    fn open(&mut self, dir: DirId) -> Result<Arc<Dir>, Error> {
        if let Some((held, handle)) = &self.held
            && *held == dir
        {
            return Ok(Arc::clone(handle));
        }
        let opened = self.open_anew(dir)?;
        self.held = Some((dir, Arc::clone(&opened)));
        Ok(opened)
    }

    fn open_anew(&self, dir: DirId) -> Result<Arc<Dir>, Error> {
        let path = self.tree.directory(dir).map_or(&[][..], |directory| directory.path());
        let mut dir = Arc::clone(&self.root);
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            dir = Arc::new(dir.open_dir(OsStr::from_bytes(name))?);
        }
        Ok(dir)
    }

    // ---- Events ----

    /// Takes note of all that has happened so far.
    pub(crate) fn collect(&mut self) {
        let told = self.events.take();
        let until = told.until;
        self.pending.take(told, &mut self.watches, self.leave_out);
        if let (Some(until), None) = (until, self.pending.lost) {
            self.drained = until;
        }
    }

    /// Brings the table up to everything that was finished before this was called. The reason, if that needs a new table.
    ///
    /// `most` is how much may be done for it.
    pub(crate) fn refresh(&mut self, most: usize) -> Result<(), Lost> {
        if !self.leave_out.drain {
            self.collect();
        }
        let mut done = 0;
        while !self.pending.names.is_empty() {
            done += self.pending.names.len();
            if done > most {
                return Err(Lost::Behind);
            }
            self.settle_names();
            self.pending.lost.map_or(Ok(()), Err)?;
            self.collect();
        }
        self.pending.lost.map_or(Ok(()), Err)?;
        self.note_changed();
        if self.pending.opened.len() > most.saturating_mul(2) {
            return Err(Lost::Behind);
        }
        if !self.leave_out.writers {
            self.check_rules();
            self.probe_writers();
            // What was told meanwhile is about files that are certain by now, or about what came after.
            self.note_changed();
        }
        self.pending.lost.map_or(Ok(()), Err)
    }

    /// Looks at every name that may mean something else now: first what is gone, then what is new. What moved within the tree is
    /// both, and the watch of its old place must be gone before the new place gets one.
    fn settle_names(&mut self) {
        let mut new = Vec::new();
        // What had this name may have another one by now.
        self.held = None;
        for ((dir, name), happened) in std::mem::take(&mut self.pending.names) {
            if self.tree.directory(dir).is_none() {
                continue;
            }
            let stat = self.look_in(dir, &name);
            if self.settle_name(dir, &name, happened, stat.as_ref()) {
                new.push((dir, name));
            }
        }
        for (dir, name) in new {
            self.add_new(dir, name);
        }
        self.held = None;
    }

    /// What has a name now; nothing, if it is not listed.
    fn look_in(&mut self, dir: DirId, name: &[u8]) -> Option<Stat> {
        match self.open(dir) {
            Ok(opened) => opened.listed(OsStr::from_bytes(name)),
            Err(error) => {
                if !is_lasting(error.kind()) && error.kind() != ErrorKind::NotFound {
                    self.pending.lost = Some(Lost::Failed);
                }
                None
            }
        }
    }

    /// Compares a name with what the table has. Whether it has to be added.
    ///
    /// What was given a name is another thing, even if it has the same number: the file system uses the number of a file that
    /// was removed for the next one.
    fn settle_name(&mut self, dir: DirId, name: &[u8], happened: Happened, stat: Option<&Stat>) -> bool {
        let Some(id) = self.tree.find(dir, name) else { return stat.is_some() };
        let same = stat.filter(|stat| {
            happened == Happened::Attributes && self.tree.entry(id).is_some_and(|entry| is_same(entry, stat))
        });
        let Some(stat) = same else {
            self.remove(id);
            return stat.is_some();
        };
        if stat.kind == FileKind::File {
            self.pending.changed.insert(id);
        } else if let Some(entry) = self.tree.entry_mut(id) {
            entry.facts = Facts::of(stat);
        }
        false
    }

    fn add_new(&mut self, dir: DirId, name: Box<[u8]>) {
        let Some(stat) = self.look_in(dir, &name) else { return };
        if self.tree.find(dir, &name).is_some() || self.tree.directory(dir).is_none() {
            return;
        }
        let entry = self.add_entry(dir, name, stat.kind, Some(&stat));
        if let Some(inside) = self.way_into(entry)
            && !self.leave_out.new_directories
        {
            self.scan(vec![inside], &|| false);
        }
    }

    /// Files that were changed are not known any more, until they are read again.
    fn note_changed(&mut self) {
        for id in std::mem::take(&mut self.pending.changed) {
            self.forget_content(id);
        }
    }

    fn forget_content(&mut self, id: EntryId) {
        if self.is_about_rules(id) {
            self.pending.lost = Some(Lost::Rules);
        }
        let Some(entry) = self.tree.entry_mut(id) else { return };
        for document in std::mem::take(&mut entry.documents) {
            self.documents[document as usize] = None;
            if let Some(grams) = self.recent.remove(&document) {
                self.recent_size -= grams.len();
            }
        }
        let flags = self.tree.flags(id).with(Flags::UNKNOWN, true).with(Flags::BINARY, false);
        self.tree.set_flags(id, flags);
        if !flags.has(Flags::IGNORED) {
            self.unread.insert(id);
        }
    }

    /// Of every file that was opened, finds out whether a program may be writing to it. Such a file stays unknown, and so does one
    /// that a program has only now let go of.
    fn probe_writers(&mut self) {
        let asked: Vec<EntryId> = self.pending.opened.union(&self.suspects).copied().collect();
        for id in asked {
            let Some(file) = self.open_file(id) else {
                self.pending.opened.remove(&id);
                self.forget_content(id);
                continue;
            };
            if self.has_writer(id, &file) || self.suspects.remove(&id) {
                self.forget_content(id);
            }
        }
    }

    /// Whether a program may be writing to a file at this moment, so that it is a suspect; otherwise, what programs did before
    /// has been told by now.
    fn has_writer(&mut self, id: EntryId, file: &File) -> bool {
        let is_free = self.is_free(file);
        // Up to now, opening it has changed nothing, or it is asked for at every query; and one of the programs that opened it is
        // this one.
        self.pending.opened.remove(&id);
        // What an ignore file says is compared.
        if is_free || self.is_about_rules(id) {
            return false;
        }
        self.suspects.insert(id);
        true
    }

    /// Whether no program could be writing to an open file when everything that was told so far was collected.
    fn is_free(&mut self, file: &File) -> bool {
        let is_free = writers(file, || self.collect()) == Writers::None;
        if !is_free {
            // That this program has opened it is told by now, and wakes nobody.
            self.collect();
        }
        is_free
    }

    /// Compares the ignore files that a program may be writing to, or for which that cannot be told, with what they were.
    fn check_rules(&mut self) {
        for watch in std::mem::take(&mut self.pending.loose) {
            let Some(RuleFile { dir, way, content }) = self.rule_files.get(&watch).copied() else { continue };
            if self.tree.directory(dir).is_none() {
                continue;
            }
            let Some(file) = self.open(dir).ok().and_then(|dir| open_by(&dir, way)) else {
                self.pending.lost = Some(Lost::Rules);
                return;
            };
            let is_free = self.is_free(&file);
            self.pending.loose.remove(&watch);
            if !is_free {
                self.pending.loose.insert(watch);
            }
            if content_of(&file) != content {
                self.pending.lost = Some(Lost::Rules);
            }
        }
    }

    fn open_file(&mut self, id: EntryId) -> Option<File> {
        let dir = self.tree.entry(id)?.dir;
        let opened = self.open(dir).ok()?;
        let entry = self.tree.entry(id)?;
        let (file, stat) = opened.open_unnamed(entry.name()).ok()?;
        (stat.ino == entry.facts.ino && stat.dev == entry.facts.dev).then_some(file)
    }

    // ---- Contents ----

    /// Reads the grams of some files. Whether there are more.
    pub(crate) fn read_some(&mut self, most: usize) -> bool {
        for _ in 0..most {
            let Some(id) = self.unread.pop_first() else { return false };
            self.read(id, None, &mut None);
        }
        self.fold_recent();
        !self.unread.is_empty()
    }

    /// Reads the grams of every file, into segments. What an older table knows of a file that is still the same is taken over.
    pub(crate) fn read_all(
        &mut self,
        mut old: Old,
        documents: usize,
        stop: &dyn Fn() -> bool,
        store: &mut dyn FnMut(SegmentBuilder) -> Option<Segment>,
    ) {
        self.documents = vec![None; documents];
        let mut builder = Some(SegmentBuilder::default());
        let mut path = Vec::new();
        while let Some(id) = self.unread.pop_first() {
            if self.pending.lost.is_some() || stop() {
                return;
            }
            self.collect();
            let Some(entry) = self.tree.entry(id) else { continue };
            self.tree.path_of(entry, &mut path);
            let known = old.remove(&*path);
            self.read(id, known, &mut builder);
            if builder.as_ref().is_some_and(|builder| builder.memory() > SEGMENT) {
                let full = builder.replace(SegmentBuilder::default());
                self.keep_segment(full.and_then(&mut *store));
            }
        }
        if self.suspects.len() > MOST_SUSPECTS {
            self.pending.lost = Some(Lost::Writers);
        }
        if let Some(last) = builder.filter(|builder| !builder.is_empty()) {
            self.keep_segment(store(last));
        }
        self.kept = (self.segments.len(), self.documents.len());
    }

    /// Without the grams of files that count as known, nothing could be told.
    fn keep_segment(&mut self, segment: Option<Segment>) {
        if segment.is_none() {
            self.pending.lost = Some(Lost::Failed);
        }
        self.segments.extend(segment);
    }

    /// Reads the grams of one file. It stays unknown if a program may be writing to it, or if it has further names.
    fn read(&mut self, id: EntryId, known: Option<Known>, builder: &mut Option<SegmentBuilder>) {
        let Some(entry) = self.tree.entry(id) else { return };
        let mut path = Vec::new();
        self.tree.path_of(entry, &mut path);
        let may_read = (self.may_read)(Path::new(OsStr::from_bytes(&path)));
        if !may_read && !self.is_about_rules(id) {
            return;
        }
        let Some(file) = self.open_file(id) else { return };
        let watch = self.watch(self.events.watcher.watch_file(&file), Watched::File(id));
        let Some(entry) = self.tree.entry_mut(id) else { return };
        entry.watch = watch;
        if watch.is_none() {
            return;
        }
        if self.has_writer(id, &file) {
            return;
        }
        self.suspects.remove(&id);
        // What happened before this is in what is read now; what happens after it is told.
        self.pending.changed.remove(&id);
        let Ok(stat) = stat_of(&file) else { return };
        let facts = Facts::of(&stat);
        if let Some(entry) = self.tree.entry_mut(id) {
            entry.facts = facts;
        }
        self.tree.note_size(id);
        // An ignore file is only watched.
        if facts.linked || facts.size > MOST_BYTES || !may_read || self.is_about_rules(id) {
            return;
        }
        if let Some(known) = known.filter(|known| known.is_still(&facts)) {
            self.take_over(id, &known);
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        if let Ok(Some(bytes)) = read_whole(&file, facts.size, MOST_BYTES, &mut buffer) {
            match Class::of(bytes) {
                Class::Other => {}
                Class::Binary => self.set_known(id, true, 0, 0..0),
                Class::Plain { longest_line } => {
                    let documents = self.add_documents(id, bytes, builder);
                    self.set_known(id, false, longest_line, documents);
                }
            }
        }
        self.buffer = buffer;
    }

    /// Adds the grams of a text, part by part.
    fn add_documents(
        &mut self,
        id: EntryId,
        text: &[u8],
        builder: &mut Option<SegmentBuilder>,
    ) -> Range<u32> {
        let first = self.next_document();
        for part in parts(text) {
            let document = self.next_document();
            self.documents.push(Some(id));
            let grams = self.grams.of(part);
            match builder {
                Some(builder) => builder.add(document, grams),
                None => {
                    let mut grams: Box<[Gram]> = grams.into();
                    grams.sort_unstable();
                    self.recent_size += grams.len();
                    self.recent.insert(document, grams);
                }
            }
        }
        first..self.next_document()
    }

    fn next_document(&self) -> u32 {
        u32::try_from(self.documents.len()).unwrap_or(u32::MAX)
    }

    fn take_over(&mut self, id: EntryId, known: &Known) {
        let Range { start, end } = known.documents;
        let Some(places) = self.documents.get_mut(start as usize..end as usize) else { return };
        places.fill(Some(id));
        self.taken_over += 1;
        self.set_known(id, known.binary, known.longest_line, start..end);
    }

    fn set_known(&mut self, id: EntryId, binary: bool, longest_line: u32, documents: Range<u32>) {
        let Some(entry) = self.tree.entry_mut(id) else { return };
        entry.longest_line = longest_line;
        entry.documents = documents;
        self.tree.note_size(id);
        let flags = self.tree.flags(id).with(Flags::UNKNOWN, false).with(Flags::BINARY, binary);
        self.tree.set_flags(id, flags);
    }

    /// Many files that were read one by one become a segment of their own.
    fn fold_recent(&mut self) {
        if self.recent_size < RECENT {
            return;
        }
        let mut builder = SegmentBuilder::default();
        for (document, grams) in std::mem::take(&mut self.recent) {
            builder.add(document, &grams);
        }
        self.recent_size = 0;
        match in_memory(builder) {
            Some(segment) => self.segments.push(segment),
            None => self.pending.lost = Some(Lost::Damaged),
        }
    }

    // ---- Questions ----

    /// The files that may have what a plan asks for, of those that are indexed. None if too many for a list to be of use.
    pub(crate) fn candidates(&self, plan: &Plan) -> Result<Option<Vec<EntryId>>, Lost> {
        let mut found = Vec::new();
        for segment in &self.segments {
            match segment.documents(plan).map_err(|_| Lost::Damaged)? {
                Candidates::All => return Ok(None),
                Candidates::Some(documents) => found.extend(documents.into_iter().filter_map(|document| {
                    self.documents.get(document as usize).copied().flatten().map(|id| (id, document))
                })),
            }
        }
        let recent = self
            .recent
            .iter()
            .filter(|(_, grams)| plan.admits(&mut |gram| grams.binary_search(&gram).is_ok()));
        found.extend(recent.filter_map(|(document, _)| {
            self.documents.get(*document as usize).copied().flatten().map(|id| (id, *document))
        }));
        let is_current =
            |(id, document): (EntryId, u32)| self.tree.entry(id)?.documents.contains(&document).then_some(id);
        let mut found: Vec<EntryId> = found.into_iter().filter_map(is_current).collect();
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    /// How many files are indexed.
    pub(crate) fn indexed(&self) -> usize {
        self.tree.entries().filter(|(_, entry)| !entry.documents.is_empty()).count()
    }

    /// How many documents are kept for a later table.
    pub(crate) fn kept(&self) -> usize {
        self.kept.1
    }

    /// What a later table can take over; nothing where most of it has changed, since a new one is smaller then.
    pub(crate) fn into_earlier(mut self) -> Option<Earlier> {
        let (segments, documents) = self.kept;
        let current = self.documents.iter().take(documents).flatten().count();
        if segments == 0 || current * 2 < documents || self.segments.len() < segments {
            return None;
        }
        let known = self.known();
        self.segments.truncate(segments);
        Some(Earlier { known, documents, segments: self.segments })
    }

    /// Looks at a file that is not known, as the kernel has it now.
    pub(crate) fn look(&self, id: EntryId) -> Option<Stat> {
        let entry = self.tree.entry(id)?;
        self.open_anew(entry.dir).ok()?.look(entry.name()).ok()
    }

    /// What is worth keeping for a later table: files that have not changed for so long that any later change has another time.
    pub(crate) fn known(&self) -> Old {
        let settled = self.drained.checked_sub(SETTLED);
        let mut known = Old::default();
        for (id, entry) in self.tree.entries() {
            let flags = self.tree.flags(id);
            let settled = settled.is_some_and(|settled| entry.facts.changed < settled);
            let kept = entry.documents.end as usize <= self.kept.1;
            if flags.has(Flags::FILE) && !flags.has(Flags::UNKNOWN.and(Flags::IGNORED)) && settled && kept {
                let mut path = Vec::new();
                self.tree.path_of(entry, &mut path);
                known.insert(path.into(), Known::new(entry, flags.has(Flags::BINARY)));
            }
        }
        known
    }
}

/// Opens a file by its way from a directory.
fn open_by(dir: &Dir, way: &[&str]) -> Option<File> {
    let (name, folders) = way.split_last()?;
    let mut inner: Option<Dir> = None;
    for folder in folders {
        inner = Some(inner.as_ref().unwrap_or(dir).open_dir(OsStr::new(folder)).ok()?);
    }
    Some(inner.as_ref().unwrap_or(dir).open_unnamed(OsStr::new(name)).ok()?.0)
}

/// Stands for what is in an ignore file; nothing, if it cannot be read.
fn content_of(file: &File) -> Option<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(RULES)).ok()?;
    Some(hasher.finalize())
}

/// Whether an error says something of the file, and not of the moment.
fn is_lasting(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotDirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::Protected
            | ErrorKind::OtherMount
            | ErrorKind::NotRegular(_)
            | ErrorKind::LinkLoop
            | ErrorKind::InvalidName
    )
}

/// Whether an entry is what it was, whatever changed about it. Who may read a directory decides about everything in it.
fn is_same(entry: &Entry, stat: &Stat) -> bool {
    let Facts { dev, ino, mode, .. } = entry.facts;
    (entry.kind, dev, ino) == (stat.kind, stat.dev, stat.ino)
        && (stat.kind != FileKind::Directory || mode == stat.mode)
}

/// A long text is known in parts of this size: in a whole one, most trigrams occur somewhere. No line is cut in two, so what is
/// looked for within a line is in one part.
const PART: usize = 32 * 1024;

fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let cut = text.get(PART..).and_then(|after| memchr(b'\n', after)).map(|at| PART + at + 1);
        let (part, after) = text.split_at(cut.unwrap_or(text.len()));
        rest = Some(after).filter(|after| !after.is_empty());
        Some(part)
    })
}

/// How much memory a segment takes while it is made.
const SEGMENT: usize = 64 << 20;

/// With more files that programs may be writing to, searching is better than asking.
const MOST_SUSPECTS: usize = 2000;

/// How many grams of single files are kept before they become a segment.
const RECENT: usize = 1 << 20;
