//! [`Version`]: the identity of a content. Equal versions are equal bytes, whatever the file's times say.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::str::FromStr;

/// The BLAKE3 hash of a file's content.
///
/// ```
/// use toolcrib_workspace::Version;
///
/// let version = Version::of(b"hello\n");
/// let shown = version.to_string();
/// assert_eq!(shown.len(), 64);
/// assert_eq!(shown.parse::<Version>()?, version);
/// # Ok::<(), toolcrib_workspace::InvalidVersion>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version([u8; 32]);

impl Version {
    /// The version of a content that is in memory.
    pub fn of(content: &[u8]) -> Self {
        Self(*blake3::hash(content).as_bytes())
    }

    /// Starts a version of a content that comes in pieces.
    pub fn hasher() -> VersionHasher {
        VersionHasher(blake3::Hasher::new())
    }

    /// A version that was kept as the bytes of its hash.
    pub fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// The hash itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A [`Version`] in the making: write the content to it, then [`finish`](Self::finish).
///
/// ```
/// use std::io::Write;
/// use toolcrib_workspace::Version;
///
/// let mut hasher = Version::hasher();
/// hasher.write_all(b"hello")?;
/// hasher.write_all(b"\n")?;
/// assert_eq!(hasher.finish(), Version::of(b"hello\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct VersionHasher(blake3::Hasher);

impl VersionHasher {
    /// Adds a piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The version of all pieces so far, in their order.
    pub fn finish(&self) -> Version {
        Version(*self.0.finalize().as_bytes())
    }
}

/// The rest of a file, at most `limit` bytes of it, and its version: each piece is hashed while it is in the processor's
/// cache. `content` is where it goes, with room for it.
pub(crate) fn read_hashed(file: &File, limit: u64, content: &mut Vec<u8>) -> io::Result<Version> {
    let mut hasher = Version::hasher();
    let mut left = limit;
    loop {
        let (start, wanted) = (content.len(), left.min(PIECE));
        let read = file.take(wanted).read_to_end(content)? as u64;
        hasher.update(&content[start..]);
        left -= read;
        if read < PIECE {
            return Ok(hasher.finish());
        }
    }
}

const PIECE: u64 = 1 << 20;

impl io::Write for VersionHasher {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text that is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a version is 64 hexadecimal digits")]
pub struct InvalidVersion;

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| InvalidVersion)?;
        Ok(Self(*hash.as_bytes()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({self})")
    }
}
