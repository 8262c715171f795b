//! The names under which new content waits and old content is kept for a moment.

use std::ffi::OsString;

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

/// How every temporary name begins. A walk may leave such names out: they are gone in a moment.
pub const PREFIX: &str = ".toolcrib-";

/// A name that nobody can guess, so that nobody can be there first. It is short enough for every file system, however
/// long the name it stands for.
pub(crate) fn name() -> Result<OsString, Errno> {
    let mut random = [0_u8; 12];
    if getrandom(&mut random, GetRandomFlags::empty())? < random.len() {
        return Err(Errno::IO);
    }
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{PREFIX}{digits}").into())
}
