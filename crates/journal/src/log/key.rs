//! The journal's key: a random number that seals every record, with a checksum, in two files.
//!
//! Without it nothing in the log can be verified, so one damaged byte must not cost the whole log. Where both files are
//! lost, the log goes on with a new key behind what cannot be verified any more.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::FileExt;

use toolcrib_workspace::{Error, StateFolder, random};

use super::frame::Key;
use super::{HEAD, PATIENCE, lock, segments, set_aside};
use crate::damage::Fault;

/// By what a key is known without being told.
pub(crate) type Mark = [u8; 8];

pub(super) fn mark(key: &Key) -> Mark {
    blake3::keyed_hash(key, b"mark").as_bytes().first_chunk().copied().unwrap_or_default()
}

/// The key of the journal, and what was wrong with it; made by the first process that needs it.
pub(super) fn load(folder: &StateFolder) -> Result<(Key, Option<Fault>), Error> {
    if let Ok(Stored::Whole(key)) = read(folder, KEY) {
        return Ok((key, None));
    }
    // Two that do this at once would make two keys: the lock lets one of them win.
    let guard = folder.open_or_create(HEAD.as_ref())?;
    lock(&guard, PATIENCE).map_err(|error| folder.failure(HEAD.as_ref(), error))?;
    let own = read(folder, KEY);
    if let Ok(Stored::Whole(key)) = own {
        return Ok((key, None));
    }
    let is_there = !matches!(own, Ok(Stored::Absent));
    let (key, fault) = match read(folder, COPY)? {
        Stored::Whole(copy) => (copy, Some(Fault::Key)),
        Stored::Absent | Stored::Damaged => {
            // What cannot be read at the moment is not lost.
            own?;
            let last = segments(folder)?.last().copied();
            let new = random::<32>().map_err(|error| folder.failure(KEY.as_ref(), error))?;
            write(folder, COPY, &new)?;
            (new, last.map(|last| Fault::KeyLost { before: last + 1 }))
        }
    };
    if is_there {
        set_aside(folder, KEY.as_ref())?;
    }
    write(folder, KEY, &key)?;
    Ok((key, fault))
}

/// What was wrong with one of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mended {
    Nothing,
    /// It was not there, or had no checksum: earlier versions wrote one file, and no checksum.
    Incomplete,
    Damaged,
}

/// Writes the key and its copy again where they are not as they should be.
pub(super) fn mend(folder: &StateFolder, key: &Key) -> Result<Mended, Error> {
    let mut mended = Mended::Nothing;
    for name in [KEY, COPY] {
        let bytes = bytes_of(folder, name)?;
        let fault = match &bytes {
            Some(bytes) if bytes[..] == stored(key) => continue,
            Some(bytes) if bytes[..] != *key => Mended::Damaged,
            _ => Mended::Incomplete,
        };
        if fault == Mended::Damaged {
            set_aside(folder, name.as_ref())?;
        }
        write(folder, name, key)?;
        mended = mended.max(fault);
    }
    Ok(mended)
}

enum Stored {
    Absent,
    Damaged,
    Whole(Key),
}

fn read(folder: &StateFolder, name: &str) -> Result<Stored, Error> {
    let Some(bytes) = bytes_of(folder, name)? else { return Ok(Stored::Absent) };
    let Some((key, check)) = bytes.split_first_chunk::<32>() else { return Ok(Stored::Damaged) };
    // Earlier versions wrote no checksum.
    let is_whole = check.is_empty() || check == checksum(key);
    Ok(if is_whole { Stored::Whole(*key) } else { Stored::Damaged })
}

fn bytes_of(folder: &StateFolder, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let Some(file) = folder.open_file(name.as_ref())? else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = file.take(2 * LENGTH).read_to_end(&mut bytes);
    read.map_err(|error| folder.failure(name.as_ref(), error))?;
    Ok(Some(bytes))
}

/// Complete before it has its name.
fn write(folder: &StateFolder, name: &str, key: &Key) -> Result<(), Error> {
    let temporary: &OsStr = "key.new".as_ref();
    folder.remove(temporary)?;
    let file = folder.open_or_create(temporary)?;
    let written = file.write_all_at(&stored(key), 0).and_then(|()| file.sync_all());
    written.map_err(|error| folder.failure(temporary, error))?;
    folder.rename(temporary, name.as_ref())?;
    folder.sync()
}

fn stored(key: &Key) -> Vec<u8> {
    [&key[..], &checksum(key)].concat()
}

fn checksum(key: &Key) -> [u8; 32] {
    *blake3::hash(key).as_bytes()
}

const KEY: &str = "key";
const COPY: &str = "key.copy";
const LENGTH: u64 = 64;
