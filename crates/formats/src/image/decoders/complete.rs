//! Whether a file has an end, as its container counts it.
//!
//! Decoders forgive what is missing at the end, with grey where the picture would be. A model's interface may not, and
//! a picture that is half there misleads: so the end is looked for first. That costs a walk over the lengths.

use super::{Error, jpeg};
use crate::Kind;

pub(super) fn check(kind: Kind, bytes: &[u8]) -> Result<(), Error> {
    let whole = match kind {
        Kind::Png => png(bytes),
        Kind::Jpeg => jpeg::Layout::of(bytes).map(|_| ()),
        Kind::Gif => gif(bytes),
        Kind::WebP => webp(bytes),
        // Their decoders miss every byte that is not there.
        _ => Some(()),
    };
    whole.ok_or(Error::Truncated)
}

/// Chunks of a length, a name, the data and a checksum, up to IEND.
fn png(bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.get(8..)?;
    loop {
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let name = rest.get(4..8)?;
        rest = rest.get(length.checked_add(12)?..)?;
        if name == b"IEND" {
            return Some(());
        }
    }
}

/// Blocks up to the trailer. Some programs leave out the trailer, so the end of the file between two blocks will do.
fn gif(bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.get(6..)?;
    rest = rest.get(7 + colour_table(*rest.get(4)?)..)?;
    loop {
        let Some((introducer, after)) = rest.split_first() else { return Some(()) };
        rest = match introducer {
            0x3B => return Some(()),
            // An extension: a label, then data.
            0x21 => sub_blocks(after.get(1..)?)?,
            // An image: its place, flags, colours, a size, then data.
            0x2C => {
                let table = colour_table(*after.get(8)?);
                sub_blocks(after.get(9 + table + 1..)?)?
            }
            // Something else than a block: the decoder says what it makes of it.
            _ => return Some(()),
        };
    }
}

fn colour_table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// What comes after pieces that each start with their length; a length of 0 ends them.
fn sub_blocks(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let length = usize::from(*rest.first()?);
        rest = rest.get(length + 1..)?;
        if length == 0 {
            return Some(rest);
        }
    }
}

/// One chunk that holds all others.
fn webp(bytes: &[u8]) -> Option<()> {
    let length = usize::try_from(u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    bytes.get(8..length.checked_add(8)?).map(|_| ())
}
