//! A file of the user's outside every workspace, such as what git ignores everywhere.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What it holds, up to so many bytes; none if it is not there or cannot be read.
#[must_use]
pub fn read_user_file(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
