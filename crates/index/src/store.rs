//! What is kept of an index between two runs: which files are still the same, and their grams.
//!
//! One process writes, the others read; who writes holds a lock on the folder. A table names the segments it belongs to and takes
//! the place of the last one in one step, so that a crash leaves the old one or the new one. It is bound to the root and to the
//! policy, and sealed: one that is torn, damaged, of another root or of another version counts for nothing, and is made anew.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolcrib_workspace::{StateFolder, random};

use crate::segment::{Segment, SegmentBuilder, Storage};
use crate::state::Old;
use crate::tree::{Entry, Facts};

/// What is known of a file: as it was when its grams were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    size: u64,
    changed: SystemTime,
    dev: u64,
    ino: u64,
    /// It is no text.
    pub(crate) binary: bool,
    pub(crate) documents: Range<u32>,
    pub(crate) longest_line: u32,
}

impl Known {
    pub(crate) fn new(entry: &Entry, binary: bool) -> Self {
        let Facts { size, changed, dev, ino, .. } = entry.facts;
        let (documents, longest_line) = (entry.documents.clone(), entry.longest_line);
        Self { size, changed, dev, ino, binary, documents, longest_line }
    }

    /// Whether the file has not changed since.
    pub(crate) fn is_still(&self, facts: &Facts) -> bool {
        let Facts { size, changed, dev, ino, .. } = *facts;
        (self.size, self.changed, self.dev, self.ino) == (size, changed, dev, ino)
    }
}

/// An index of an earlier run, or of an earlier moment.
#[derive(Default)]
pub(crate) struct Earlier {
    pub(crate) known: Old,
    pub(crate) documents: usize,
    pub(crate) segments: Vec<Segment>,
}

/// Where an index is kept.
pub(crate) struct Store {
    folder: StateFolder,
    binding: [u8; 32],
    /// Held as long as this process is the one that writes.
    writes: Option<File>,
    /// The files of the segments, in their order.
    names: Vec<OsString>,
}

const TABLE: &str = "table";
const NEW_TABLE: &str = "table.new";
const LOCK: &str = "lock";
const SEGMENT: &str = "segment-";

/// The form of what is written. Another one is not read.
const MAGIC: &[u8] = b"toolcrib index 1\n";

impl Store {
    /// A folder for this root below `path`. None if there cannot be one.
    pub(crate) fn open(path: &Path, binding: [u8; 32]) -> Option<Self> {
        let name: String = binding[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = StateFolder::open(path).ok()?.folder(OsStr::new(&name)).ok()?;
        let lock = folder.open_or_create(OsStr::new(LOCK)).ok()?;
        let writes = lock.try_lock().is_ok().then_some(lock);
        let mut store = Self { folder, binding, writes, names: Vec::new() };
        // What a process was killed over is not needed.
        store.names = store.table().map(|(names, ..)| names).unwrap_or_default();
        store.remove_others().ok()?;
        Some(store)
    }

    fn table(&self) -> Option<(Vec<OsString>, usize, Old)> {
        let mut bytes = Vec::new();
        self.folder.open_file(OsStr::new(TABLE)).ok()??.read_to_end(&mut bytes).ok()?;
        read_table(&bytes, &self.binding)
    }

    /// Removes segments that belong to no table.
    fn remove_others(&self) -> io::Result<()> {
        let fail = |error: toolcrib_workspace::Error| io::Error::other(error.to_string());
        for name in self.folder.names().map_err(fail)? {
            let is_segment = name.as_bytes().starts_with(SEGMENT.as_bytes());
            if self.writes.is_some() && is_segment && !self.names.contains(&name) {
                self.folder.remove(&name).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// What an earlier run has left; nothing, if it is not whole.
    pub(crate) fn load(&mut self) -> Option<Earlier> {
        let (names, documents, known) = self.table()?;
        let open = |name: &OsString| Segment::open(Box::new(self.folder.open_file(name).ok()??)).ok();
        let segments = names.iter().map(open).collect::<Option<Vec<_>>>()?;
        self.names = names;
        Some(Earlier { known, documents, segments })
    }

    /// Begins anew, without what an earlier run has left.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
    }

    /// Writes a segment down; keeps it in memory if that is not possible.
    pub(crate) fn put(&mut self, builder: SegmentBuilder) -> Option<Segment> {
        if self.writes.is_none() {
            return in_memory(builder);
        }
        let name = OsString::from(format!("{SEGMENT}{:016x}", u64::from_ne_bytes(random().ok()?)));
        let mut file = self.folder.create_new(&name).ok()??;
        let mut writer = BufWriter::with_capacity(1 << 20, &mut file);
        builder.write_to(&mut writer).and_then(|()| writer.flush()).ok()?;
        drop(writer);
        file.rewind().ok()?;
        self.names.push(name);
        Segment::open(Box::new(file)).ok()
    }

    /// Writes down which files are known, with the segments that were put here.
    pub(crate) fn save(&mut self, known: &Old, documents: usize) -> io::Result<()> {
        if self.writes.is_none() {
            return Ok(());
        }
        let table = write_table(&self.names, documents, known, &self.binding);
        let new = OsStr::new(NEW_TABLE);
        let fail = |error: toolcrib_workspace::Error| io::Error::other(error.to_string());
        self.folder.remove(new).map_err(fail)?;
        let mut file = self.folder.open_or_create(new).map_err(fail)?;
        file.write_all(&table)?;
        self.folder.rename(new, OsStr::new(TABLE)).map_err(fail)?;
        self.remove_others()
    }
}

pub(crate) fn in_memory(builder: SegmentBuilder) -> Option<Segment> {
    let mut bytes = Vec::new();
    builder.write_to(&mut bytes).ok()?;
    Segment::open(Box::new(bytes.into_boxed_slice())).ok()
}

impl Storage for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }

    fn size(&self) -> u64 {
        self.metadata().map_or(0, |metadata| metadata.len())
    }
}

fn write_table(names: &[OsString], documents: usize, known: &Old, binding: &[u8; 32]) -> Vec<u8> {
    let mut table = MAGIC.to_vec();
    table.extend_from_slice(binding);
    let number = |table: &mut Vec<u8>, number: u64| table.extend_from_slice(&number.to_le_bytes());
    let text = |table: &mut Vec<u8>, text: &[u8]| {
        number(table, text.len() as u64);
        table.extend_from_slice(text);
    };
    number(&mut table, documents as u64);
    number(&mut table, names.len() as u64);
    names.iter().for_each(|name| text(&mut table, name.as_bytes()));
    number(&mut table, known.len() as u64);
    let mut sorted: Vec<_> = known.iter().collect();
    sorted.sort_unstable_by_key(|(path, _)| *path);
    for (path, Known { size, changed, dev, ino, binary, documents, longest_line }) in sorted {
        text(&mut table, path);
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        number(&mut table, *size);
        number(&mut table, since.as_secs());
        number(&mut table, u64::from(since.subsec_nanos()) << 32 | u64::from(*longest_line));
        number(&mut table, *dev);
        number(&mut table, *ino);
        number(&mut table, u64::from(documents.start) << 32 | u64::from(documents.end));
        number(&mut table, u64::from(*binary));
    }
    let seal = blake3::hash(&table);
    table.extend_from_slice(seal.as_bytes());
    table
}

fn read_table(bytes: &[u8], binding: &[u8; 32]) -> Option<(Vec<OsString>, usize, Old)> {
    let (table, seal) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if blake3::hash(table).as_bytes() != seal {
        return None;
    }
    let mut rest = table.strip_prefix(MAGIC)?.strip_prefix(binding)?;
    let documents = usize::try_from(number(&mut rest)?).ok().filter(|count| *count < u32::MAX as usize)?;
    let names = (0..number(&mut rest)?).map(|_| Some(OsString::from_vec(text(&mut rest)?.to_vec())));
    let names = names.collect::<Option<Vec<_>>>()?;
    let mut known = Old::default();
    for _ in 0..number(&mut rest)? {
        let path: Box<[u8]> = text(&mut rest)?.into();
        let (size, seconds, packed) = (number(&mut rest)?, number(&mut rest)?, number(&mut rest)?);
        let changed = UNIX_EPOCH.checked_add(Duration::new(seconds, (packed >> 32) as u32))?;
        let (dev, ino) = (number(&mut rest)?, number(&mut rest)?);
        let (range, binary) = (number(&mut rest)?, number(&mut rest)? != 0);
        let documents = (range >> 32) as u32..range as u32;
        let longest_line = packed as u32;
        known.insert(path, Known { size, changed, dev, ino, binary, documents, longest_line });
    }
    rest.is_empty().then_some((names, documents, known))
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (number, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    Some(u64::from_le_bytes(*number))
}

fn text<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(text)
}
