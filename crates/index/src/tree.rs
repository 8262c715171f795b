//! The table of files: every directory that a search goes into, and what is in it.
//!
//! It is what a walk with hidden files would find: a directory that ignore rules leave out is an entry, and nothing below it is
//! known. The table decides nothing and reads nothing; [`Scanner`](crate::scan::Scanner) fills it.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::time::{SystemTime, UNIX_EPOCH};

use toolcrib_workspace::{FileKind, Stat, WatchId};

use crate::rules::Rules;

/// A directory of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirId(u32);

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId(pub(crate) u32);

/// What can be said of an entry without looking at more than one byte of memory: a search over all files looks at this first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// A regular file.
    pub const FILE: Self = Self(1);
    /// A directory.
    pub const DIRECTORY: Self = Self(2);
    /// Its name begins with a dot.
    pub const HIDDEN: Self = Self(4);
    /// So does the name of a directory above it, below the root.
    pub const BELOW_HIDDEN: Self = Self(8);
    /// Ignore files leave it out, or a directory's name does.
    pub const IGNORED: Self = Self(16);
    /// Its content is no text.
    pub const BINARY: Self = Self(32);
    /// Only a search can tell what is in it: it is not indexed, or may have changed. Of a directory, its time is not known.
    pub const UNKNOWN: Self = Self(64);
    /// The policy has to be asked about it.
    pub const WARY: Self = Self(128);

    /// All of these.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has any of these.
    #[must_use]
    pub const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// The same with or without these.
    #[must_use]
    pub(crate) const fn with(self, these: Self, on: bool) -> Self {
        if on { Self(self.0 | these.0) } else { Self(self.0 & !these.0) }
    }

    /// As a number below 256.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The flags of this number.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

/// What the kernel said of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of a file.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// When the kernel last saw any change of it.
    pub(crate) changed: SystemTime,
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    pub(crate) mode: u32,
    /// A regular file with further names.
    pub linked: bool,
}

impl Facts {
    /// Of something that the kernel does not let be looked at.
    pub(crate) const UNKNOWN: Self =
        Self { size: 0, modified: UNIX_EPOCH, changed: UNIX_EPOCH, dev: 0, ino: 0, mode: 0, linked: false };

    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            size: stat.size,
            modified: stat.mtime,
            changed: stat.ctime,
            dev: stat.dev,
            ino: stat.ino,
            mode: stat.mode,
            linked: stat.kind == FileKind::File && stat.nlink > 1,
        }
    }
}

/// One entry of a directory.
#[derive(Debug)]
pub struct Entry {
    pub(crate) dir: DirId,
    pub(crate) name: Box<[u8]>,
    pub(crate) kind: FileKind,
    pub(crate) facts: Facts,
    /// The directory that it is, if a search goes into it.
    pub(crate) inside: Option<DirId>,
    /// Its numbers in the segments, one for each part, if its grams are there.
    pub(crate) documents: Range<u32>,
    pub(crate) longest_line: u32,
    pub(crate) watch: Option<WatchId>,
}

impl Entry {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(&self.name)
    }

    /// What it is; a link is a link.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// What the kernel said of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The directory that it lies in.
    #[must_use]
    pub fn dir(&self) -> DirId {
        self.dir
    }

    /// The directory that it is, if a search goes into it.
    #[must_use]
    pub fn inside(&self) -> Option<DirId> {
        self.inside
    }

    /// Whether its grams are known for parts of it, so that what crosses lines may be in two of them.
    #[must_use]
    pub fn is_in_parts(&self) -> bool {
        self.documents.len() > 1
    }

    /// How many bytes the longest line has, if it is text.
    #[must_use]
    pub fn longest_line(&self) -> u32 {
        self.longest_line
    }
}

/// A directory, and what is in it.
#[derive(Debug)]
pub struct Directory {
    /// The entry that it is; none for the root.
    pub(crate) entry: Option<EntryId>,
    /// From the root.
    pub(crate) path: Box<[u8]>,
    pub(crate) watch: Option<WatchId>,
    pub(crate) rules: Rules,
    pub(crate) below_hidden: bool,
    /// Sorted by name.
    pub(crate) entries: Vec<EntryId>,
    /// It cannot be read, and a search counts it so.
    pub(crate) unreadable: bool,
}

impl Directory {
    pub(crate) fn new(entry: Option<EntryId>, path: Box<[u8]>, rules: Rules, below_hidden: bool) -> Self {
        Self { entry, path, watch: None, rules, below_hidden, entries: Vec::new(), unreadable: false }
    }

    /// The path from the root.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The rules for what is in it.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What is in it, sorted by name.
    #[must_use]
    pub fn entries(&self) -> &[EntryId] {
        &self.entries
    }

    /// Whether it cannot be read.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.unreadable
    }
}

/// All directories and entries.
#[derive(Debug, Default)]
pub struct Tree {
    directories: Vec<Option<Directory>>,
    free_directories: Vec<u32>,
    entries: Vec<Option<Entry>>,
    free_entries: Vec<u32>,
    flags: Vec<Flags>,
    /// Files of more bytes than most: whether they are too large is up to each search.
    large: BTreeSet<EntryId>,
    /// Text with longer lines than most.
    long_lines: BTreeSet<EntryId>,
    /// Files that only a search can tell of.
    unknown: BTreeSet<EntryId>,
    /// Files that the policy has to be asked about.
    wary: BTreeSet<EntryId>,
    /// Entries that were not judged yet.
    unjudged: Vec<EntryId>,
    /// By whom all others were.
    judge: Option<u64>,
    /// How many directories cannot be read.
    unreadable: usize,
}

/// A file of more bytes is one of the [large](Tree::large) ones.
pub const LARGE: u64 = crate::content::IN_ONE_PIECE;

/// A text with a longer line is one of those with [long lines](Tree::long_lines).
pub const LONG_LINE: u32 = 16 * 1024;

impl Tree {
    pub(crate) const fn new() -> Self {
        Self {
            directories: Vec::new(),
            free_directories: Vec::new(),
            entries: Vec::new(),
            free_entries: Vec::new(),
            flags: Vec::new(),
            large: BTreeSet::new(),
            long_lines: BTreeSet::new(),
            unknown: BTreeSet::new(),
            wary: BTreeSet::new(),
            unjudged: Vec::new(),
            judge: None,
            unreadable: 0,
        }
    }

    /// How many files there are.
    #[must_use]
    pub fn files(&self) -> usize {
        self.flags.iter().filter(|flags| flags.has(Flags::FILE)).count()
    }

    /// The root.
    pub const ROOT: DirId = DirId(0);

    /// A directory that is in the table.
    #[must_use]
    pub fn directory(&self, id: DirId) -> Option<&Directory> {
        self.directories.get(id.0 as usize)?.as_ref()
    }

    /// An entry that is in the table.
    #[must_use]
    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)?.as_ref()
    }

    /// The flags of an entry; none for one that is not there.
    #[must_use]
    pub fn flags(&self, id: EntryId) -> Flags {
        self.flags.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// The flags of all entries, by number.
    #[must_use]
    pub fn all_flags(&self) -> &[Flags] {
        &self.flags
    }

    /// Files of more than [`LARGE`] bytes.
    pub fn large(&self) -> impl Iterator<Item = EntryId> {
        self.large.iter().copied()
    }

    /// Texts with a line of more than [`LONG_LINE`] bytes.
    pub fn long_lines(&self) -> impl Iterator<Item = EntryId> {
        self.long_lines.iter().copied()
    }

    /// Files that only a search can tell of.
    pub fn unknown(&self) -> impl Iterator<Item = EntryId> {
        self.unknown.iter().copied()
    }

    /// Files that the policy has to be asked about.
    pub fn wary(&self) -> impl Iterator<Item = EntryId> {
        self.wary.iter().copied()
    }

    /// How many directories cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Finds out which files the policy has to be asked about, as far as this policy has not been asked before.
    pub fn judge(&mut self, policy: u64, mut is_wary: impl FnMut(&Directory, &Entry) -> bool) {
        let unjudged = std::mem::take(&mut self.unjudged);
        let judged =
            if self.judge == Some(policy) { unjudged } else { self.entries().map(|(id, _)| id).collect() };
        self.judge = Some(policy);
        for id in judged {
            let Some(entry) = self.entry(id) else { continue };
            let wary = self.directory(entry.dir).is_none_or(|directory| is_wary(directory, entry));
            self.set(id, Flags::WARY, wary);
        }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0_u32..).zip(&self.entries).filter_map(|(id, entry)| Some((EntryId(id), entry.as_ref()?)))
    }

    /// The entry of this name.
    #[must_use]
    pub fn find(&self, dir: DirId, name: &[u8]) -> Option<EntryId> {
        let entries = &self.directory(dir)?.entries;
        entries.binary_search_by(|id| self.compare(*id, name)).ok().map(|at| entries[at])
    }

    /// The directory at this path from the root, if a search from the root would go into it.
    #[must_use]
    pub fn directory_at(&self, path: &[u8]) -> Option<DirId> {
        let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
        names.into_iter().try_fold(Self::ROOT, |dir, name| self.entry(self.find(dir, name)?)?.inside)
    }

    /// The path of an entry from the root.
    pub fn path_of(&self, entry: &Entry, path: &mut Vec<u8>) {
        path.clear();
        if let Some(dir) = self.directory(entry.dir).filter(|dir| !dir.path.is_empty()) {
            path.extend_from_slice(&dir.path);
            path.push(b'/');
        }
        path.extend_from_slice(&entry.name);
    }

    fn compare(&self, id: EntryId, name: &[u8]) -> Ordering {
        self.entry(id).map_or(Ordering::Less, |entry| (*entry.name).cmp(name))
    }

    pub(crate) fn directory_mut(&mut self, id: DirId) -> Option<&mut Directory> {
        self.directories.get_mut(id.0 as usize)?.as_mut()
    }

    pub(crate) fn entry_mut(&mut self, id: EntryId) -> Option<&mut Entry> {
        self.entries.get_mut(id.0 as usize)?.as_mut()
    }

    pub(crate) fn add_directory(&mut self, directory: Directory) -> DirId {
        let id = DirId(place(&mut self.directories, &mut self.free_directories, directory));
        if let Some(entry) = self.directory(id).and_then(|directory| directory.entry)
            && let Some(entry) = self.entry_mut(entry)
        {
            entry.inside = Some(id);
        }
        id
    }

    /// Adds an entry that is not there yet.
    pub(crate) fn add_entry(&mut self, entry: Entry, flags: Flags) -> EntryId {
        let dir = entry.dir;
        let name = entry.name.clone();
        let id = EntryId(place(&mut self.entries, &mut self.free_entries, entry));
        if self.flags.len() <= id.0 as usize {
            self.flags.resize(id.0 as usize + 1, Flags::default());
        }
        let at = self.directory(dir).map(|directory| {
            directory.entries.binary_search_by(|id| self.compare(*id, &name)).unwrap_or_else(|at| at)
        });
        if let (Some(at), Some(directory)) = (at, self.directory_mut(dir)) {
            directory.entries.insert(at, id);
        }
        self.set_flags(id, flags.with(Flags::WARY, true));
        self.unjudged.push(id);
        self.note_size(id);
        id
    }

    pub(crate) fn set_flags(&mut self, id: EntryId, flags: Flags) {
        self.flags[id.0 as usize] = flags;
        let unknown = flags.has(Flags::FILE) && flags.has(Flags::UNKNOWN) && !flags.has(Flags::IGNORED);
        keep(&mut self.unknown, id, unknown);
        keep(
            &mut self.wary,
            id,
            flags.has(Flags::FILE) && flags.has(Flags::WARY) && !flags.has(Flags::IGNORED),
        );
    }

    pub(crate) fn set_unreadable(&mut self, id: DirId) {
        if let Some(directory) = self.directory_mut(id) {
            directory.unreadable = true;
            self.unreadable += 1;
        }
    }

    pub(crate) fn set(&mut self, id: EntryId, flags: Flags, on: bool) {
        self.set_flags(id, self.flags(id).with(flags, on));
    }

    /// After the facts or the longest line of a file have changed.
    pub(crate) fn note_size(&mut self, id: EntryId) {
        let (large, long) = self
            .entry(id)
            .filter(|entry| entry.kind == FileKind::File)
            .map_or((false, false), |entry| (entry.facts.size > LARGE, entry.longest_line > LONG_LINE));
        keep(&mut self.large, id, large);
        keep(&mut self.long_lines, id, long);
    }

    /// Removes an entry, with everything below it. Each one that is removed is handed over.
    pub(crate) fn remove(
        &mut self,
        id: EntryId,
        gone: &mut dyn FnMut(EntryId, Option<DirId>, Option<WatchId>),
    ) {
        let mut left = vec![id];
        if let Some(dir) = self.entry(id).map(|entry| entry.dir)
            && let Some(directory) = self.directory_mut(dir)
        {
            directory.entries.retain(|entry| *entry != id);
        }
        while let Some(id) = left.pop() {
            let Some(entry) = self.entries.get_mut(id.0 as usize).and_then(Option::take) else { continue };
            self.set_flags(id, Flags::default());
            self.large.remove(&id);
            self.long_lines.remove(&id);
            self.free_entries.push(id.0);
            gone(id, None, entry.watch);
            if let Some(inside) = entry.inside
                && let Some(directory) = self.directories.get_mut(inside.0 as usize).and_then(Option::take)
            {
                gone(id, Some(inside), directory.watch);
                self.free_directories.push(inside.0);
                self.unreadable -= usize::from(directory.unreadable);
                left.extend(directory.entries);
            }
        }
    }
}

fn keep(set: &mut BTreeSet<EntryId>, id: EntryId, kept: bool) {
    if kept {
        set.insert(id);
    } else {
        set.remove(&id);
    }
}

/// Puts something into a free place, or at the end.
fn place<T>(places: &mut Vec<Option<T>>, free: &mut Vec<u32>, item: T) -> u32 {
    if let Some(at) = free.pop() {
        places[at as usize] = Some(item);
        return at;
    }
    places.push(Some(item));
    u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
}
