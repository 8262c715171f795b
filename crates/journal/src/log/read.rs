//! Reading what stands in the journal's files, none of which is trusted before it was checked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::Entry;
use super::frame::{Header, Key, Position};
use super::head::Head;
use super::key::Mark;

/// What a record says: a bound for what damage could make of it.
const MOST_SAID: u64 = 64 << 20;

/// Most records say no more than this, and so are read at once.
const USUAL: usize = 1024;

/// What is known of the log without reading it.
#[derive(Debug)]
pub(super) enum Known {
    /// All of it.
    Current(Head),
    /// What was so in an earlier run of the machine, or when there was another key.
    Earlier(Head),
    /// The head is damaged.
    Damaged,
    /// There is none yet.
    Nothing,
    /// It is one of an earlier version of this program.
    Outdated,
}

pub(super) fn read_head(file: &File, boot: &[u8], key: Mark) -> io::Result<Known> {
    let bytes = match read_all(file) {
        Err(error) if is_unreadable(&error) => return Ok(Known::Damaged),
        bytes => bytes?,
    };
    Ok(match Head::decode(&bytes) {
        Ok(head) if head.boot == boot && head.key == key => Known::Current(head),
        Ok(head) => Known::Earlier(head),
        Err(_) if bytes.is_empty() => Known::Nothing,
        Err(_) if Head::is_of_old_version(&bytes) => Known::Outdated,
        Err(_) => Known::Damaged,
    })
}

fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4096];
    loop {
        let length = read_some(file, &mut bytes, 0)?;
        if length < bytes.len() {
            bytes.truncate(length);
            return Ok(bytes);
        }
        bytes.resize(bytes.len() * 2, 0);
    }
}

/// The record at a place; none if what stands there is not genuine.
pub(super) fn read_entry(file: &File, key: &Key, at: Position) -> io::Result<Option<Entry>> {
    let mut bytes = [0; USUAL];
    let read = read_some(file, &mut bytes, at.offset)?;
    let Some((header_bytes, more)) = bytes[..read].split_first_chunk() else { return Ok(None) };
    let Ok(header) = Header::read(header_bytes, at) else { return Ok(None) };
    if header.said > MOST_SAID {
        return Ok(None);
    }
    let length = usize::try_from(header.said).unwrap_or(usize::MAX);
    let said = match more.get(..length) {
        Some(said) => said.to_vec(),
        None => {
            let mut said = vec![0; length];
            if !read_whole(file, &mut said, at.offset + Header::LENGTH as u64)? {
                return Ok(None);
            }
            said
        }
    };
    Ok(Header::is_genuine(header_bytes, key, &said).then_some(Entry { header, said }))
}

/// Whether the disk cannot give back what was written there. Other failures pass, or concern all files alike.
pub(super) fn is_unreadable(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    error.raw_os_error() == Some(EIO)
}

/// `false` if the file ends before.
pub(super) fn read_whole(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<bool> {
    match file.read_exact_at(bytes, offset) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Fills the bytes as far as the file goes, and says how far that is.
pub(super) fn read_some(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], offset + length as u64) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
