//! The names under which new content waits and old content is kept for a moment.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::host::identity::random;

/// How every temporary name begins.
pub const PREFIX: &str = ".toolcrib-";

/// How many random bytes follow, as two digits each.
const RANDOM: usize = 12;

/// Whether this is a temporary name. Listings leave them out: they are gone in a moment, or wait to be repaired.
#[must_use]
pub fn is_temporary(name: &OsStr) -> bool {
    let digits = name.as_encoded_bytes().strip_prefix(PREFIX.as_bytes());
    let digits = digits.and_then(|rest| rest.get(..2 * RANDOM));
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// A name that cannot be guessed, so that no program can take it first. It is short enough for every file system, however
/// long the name it stands for.
pub(crate) fn name() -> io::Result<OsString> {
    let digits: String = random::<RANDOM>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{PREFIX}{digits}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_names_are_taken_for_one() {
        assert!(is_temporary(&name().unwrap()));
        for other in [".toolcrib.toml", ".toolcrib-", ".toolcrib-notes", ".toolcrib-0123456789abcdef0123456"]
        {
            assert!(!is_temporary(OsStr::new(other)), "{other}");
        }
    }
}
