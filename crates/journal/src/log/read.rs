//! Reading what stands in the journal's files, none of which is trusted before it was checked.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use toolcrib_workspace::{Error, StateFolder, random};

use super::frame::{Header, Key, Position};
use super::head::Head;
use super::{Entry, HEAD, PATIENCE, lock};

/// What a record says: a bound for what damage could make of it.
const MOST_SAID: u64 = 64 << 20;

/// None if there is none that can be trusted.
pub(super) fn read_head(file: &File, boot: &[u8]) -> io::Result<Option<Head>> {
    let mut bytes = vec![0; 4096];
    let mut length = 0;
    loop {
        match file.read_at(&mut bytes[length..], length as u64)? {
            0 => break,
            read => length += read,
        }
        if length == bytes.len() {
            bytes.resize(bytes.len() * 2, 0);
        }
    }
    Ok(Head::decode(&bytes[..length]).ok().filter(|head| head.boot == boot))
}

pub(super) fn read_entry(file: &File, key: &Key, at: Position) -> io::Result<Option<Entry>> {
    let mut header_bytes = [0; Header::LENGTH];
    if !read_whole(file, &mut header_bytes, at.offset)? {
        return Ok(None);
    }
    let Ok(header) = Header::read(&header_bytes, at) else { return Ok(None) };
    if header.said > MOST_SAID {
        return Ok(None);
    }
    let mut said = vec![0; usize::try_from(header.said).unwrap_or(0)];
    if !read_whole(file, &mut said, at.offset + Header::LENGTH as u64)? {
        return Ok(None);
    }
    Ok(Header::is_genuine(&header_bytes, key, &said).then_some(Entry { header, said }))
}

/// `false` if the file ends before.
pub(super) fn read_whole(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<bool> {
    match file.read_exact_at(bytes, offset) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The key of the journal; made by whoever needs it first.
pub(super) fn key(folder: &StateFolder) -> Result<Key, Error> {
    let fail = |error| folder.failure(KEY.as_ref(), error);
    let read = || -> Result<Option<Key>, Error> {
        let Some(file) = folder.open_file(KEY.as_ref())? else { return Ok(None) };
        let mut key = [0; 32];
        Ok(read_whole(&file, &mut key, 0).map_err(fail)?.then_some(key))
    };
    if let Some(key) = read()? {
        return Ok(key);
    }
    // Complete before it has its name. Two that do this at once make two keys: the lock lets one of them win.
    let guard = folder.open_or_create(HEAD.as_ref())?;
    lock(&guard, PATIENCE).map_err(fail)?;
    if let Some(key) = read()? {
        return Ok(key);
    }
    let (new, temporary) = (random::<32>().map_err(fail)?, OsString::from("key.new"));
    let file = folder.open_or_create(&temporary)?;
    file.write_all_at(&new, 0).and_then(|()| file.sync_all()).map_err(fail)?;
    folder.rename(&temporary, KEY.as_ref())?;
    folder.sync()?;
    Ok(new)
}

const KEY: &str = "key";
