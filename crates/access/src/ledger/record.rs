//! A session's ledger on the disk, for calls that are processes of their own.
//!
//! One file a session, one line for each time that a file was seen; parts of the same content add up, otherwise the latest
//! counts. Lines are added under a lock, and
//! read as far as they have grown; so processes that share a session see each other's reading.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use toolcrib_workspace::{Error, StateFolder, Version, names};

use super::{Extent, Sight};
use toolcrib_tool::{ErrorKind, ToolError};

/// A session that was not used for so long is forgotten when another one begins.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A record that grows beyond this starts anew: the session has to read again.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// One session's file.
#[derive(Debug)]
pub(super) struct Record {
    file: File,
    path: PathBuf,
    read_to: u64,
    /// When a line was added last.
    used: Option<Instant>,
}

impl Record {
    /// Opens the record of a session. Its name on the disk is a hash, since a session may have any name.
    pub(super) fn open(folder: &StateFolder, session: &str) -> Result<Self, Error> {
        let name = OsString::from(Version::of(session.as_bytes()).to_string());
        let file = match folder.open_file(&name)? {
            Some(file) => file,
            None => {
                forget_old(folder)?;
                folder.open_or_create(&name)?
            }
        };
        Ok(Self { file, path: folder.path().join(name), read_to: 0, used: None })
    }

    /// Adds a line.
    pub(super) fn add(&mut self, reached: &Path, sight: &Sight) -> Result<(), ToolError> {
        // The first newline ends a line that was cut off by a crash; otherwise it makes an empty one, which says nothing.
        let line = format!("\n{}{}\t{}\n", sight.content, sight.extent.recorded(), names::escape(reached));
        self.used = Some(Instant::now());
        self.locked(File::lock, |record| record.append(line.as_bytes()))
    }

    /// Whether a line was added not long ago, so that the session is not forgotten.
    pub(super) fn was_used_lately(&self) -> bool {
        self.used.is_some_and(|used| used.elapsed() < KEPT / 30)
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let end = self.file.seek(SeekFrom::End(0))?;
        if end > MOST_BYTES {
            self.file.set_len(0)?;
            self.file.rewind()?;
        }
        self.file.write_all(line)?;
        if end == self.read_to && end <= MOST_BYTES {
            // Nobody else has added anything, and what this line says is known.
            self.read_to += line.len() as u64;
        }
        Ok(())
    }

    /// Takes over what was added since, by whomever.
    pub(super) fn catch_up(&mut self, files: &mut HashMap<PathBuf, Sight>) -> Result<(), ToolError> {
        if self.file.metadata().is_ok_and(|facts| facts.len() == self.read_to) {
            return Ok(());
        }
        self.locked(File::lock_shared, |record| record.read_on(files))
    }

    fn locked(
        &mut self,
        lock: fn(&File) -> io::Result<()>,
        work: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), ToolError> {
        let done = lock(&self.file).and_then(|()| {
            let done = work(self);
            self.file.unlock().and(done)
        });
        done.map_err(|error| {
            let message =
                format!("The session's record cannot be used: {}: {error}", names::escape(&self.path));
            ToolError::new(ErrorKind::Io, message).hint("repair the state folder, or call without a session")
        })
    }

    fn read_on(&mut self, files: &mut HashMap<PathBuf, Sight>) -> io::Result<()> {
        if self.file.metadata()?.len() < self.read_to {
            files.clear();
            self.read_to = 0;
        }
        self.file.seek(SeekFrom::Start(self.read_to))?;
        let mut text = Vec::new();
        self.file.read_to_end(&mut text)?;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if let Some((path, sight)) = std::str::from_utf8(line).ok().and_then(understand) {
                Sight::add(files, path, sight);
            }
        }
        self.read_to += text.len() as u64;
        Ok(())
    }
}

fn understand(line: &str) -> Option<(PathBuf, Sight)> {
    let (seen, path) = line.strip_suffix('\n')?.split_once('\t')?;
    let (content, extent) = match seen.split_once(';') {
        Some((content, extent)) => (content, extent.parse().ok()?),
        None => (seen, Extent::Whole),
    };
    let sight = Sight { content: content.parse().ok()?, extent };
    Some((PathBuf::from(names::unescape(path).into_owned()), sight))
}

fn forget_old(folder: &StateFolder) -> Result<(), Error> {
    let now = SystemTime::now();
    let is_old = |file: File| {
        let used = file.metadata().and_then(|facts| facts.modified());
        used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > KEPT))
    };
    for name in folder.names()? {
        if folder.open_file(&name)?.is_some_and(is_old) {
            folder.remove(&name)?;
        }
    }
    Ok(())
}
