//! Which numbers were given to changes, written down a second time beside the log.
//!
//! A number is in the record that it names. If that record is damaged, or the end of the log is lost, no reader could
//! tell that the number was given, and another change would get it again. So numbers are reserved in blocks, in a file
//! of their own, before the first of a block is given.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

use toolcrib_workspace::{Error, StateFolder};

use crate::codec::{Malformed, Reader, Writer};

/// So many numbers are reserved at a time. After damage up to so many are left out.
pub(super) const BLOCK: u64 = 64;

/// No number from this one on was given. None if that cannot be read.
pub(super) fn read(folder: &StateFolder) -> Result<Option<u64>, Error> {
    let Some(file) = folder.open_file(NUMBERS.as_ref())? else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = file.take(2 * LENGTH).read_to_end(&mut bytes);
    read.map_err(|error| folder.failure(NUMBERS.as_ref(), error))?;
    Ok(decode(&bytes).ok())
}

/// Reserves the numbers before `reserved`. A caller that wants that on the disk syncs the file.
pub(super) fn write(folder: &StateFolder, reserved: u64) -> Result<File, Error> {
    let file = folder.open_or_create(NUMBERS.as_ref())?;
    let mut writer = Writer::default();
    writer.fixed(MAGIC);
    writer.number(reserved);
    let body = writer.into_bytes();
    let bytes = [&body[..], blake3::hash(&body).as_bytes()].concat();
    // It is small, and written over in one piece. What was longer was damaged.
    let written = file.write_all_at(&bytes, 0).and_then(|()| file.set_len(LENGTH));
    written.map_err(|error| folder.failure(NUMBERS.as_ref(), error))?;
    Ok(file)
}

fn decode(bytes: &[u8]) -> Result<u64, Malformed> {
    let (body, hash) = bytes.split_at_checked(16).ok_or(Malformed)?;
    if hash != blake3::hash(body).as_bytes() || !body.starts_with(MAGIC) {
        return Err(Malformed);
    }
    Reader(&body[MAGIC.len()..]).number()
}

const NUMBERS: &str = "numbers";
const MAGIC: &[u8; 8] = b"TCNUMS\x00\x01";
const LENGTH: u64 = 48;
