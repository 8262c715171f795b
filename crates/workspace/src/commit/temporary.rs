//! The names under which new content waits and old content is kept for a moment.

use std::ffi::OsString;
use std::io;

use crate::identity::random;

/// How every temporary name begins. A walk may leave such names out: they are gone in a moment.
pub const PREFIX: &str = ".toolcrib-";

/// A name that nobody can guess, so that nobody can be there first. It is short enough for every file system, however
/// long the name it stands for.
pub(crate) fn name() -> io::Result<OsString> {
    let digits: String = random::<12>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{PREFIX}{digits}").into())
}
