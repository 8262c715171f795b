//! Contents as they are kept in a record: compressed, and known by their version.
//!
//! What a file held before is kept whole. What it held after is kept as the part that differs, since most changes touch
//! little of a file. Both are checked against their versions when they are read back, so that damage shows.

use toolcrib_workspace::Version;

use crate::codec::{Malformed, Reader, Writer};
use crate::pieces;

/// Where a content stands among those of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Its length before it was compressed; the same as `length` if it was not.
    plain: u64,
    /// Whether it was compressed in [pieces].
    in_pieces: bool,
}

/// The bit of the plain length that says so in a record. No content is so long.
const IN_PIECES: u64 = 1 << 63;

/// What a file held after, as its difference to what it held before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Splice {
    /// How many bytes at the beginning and at the end are the same as before.
    prefix: u64,
    suffix: u64,
    pub(crate) middle: Stored,
}

/// The contents of a record in the making.
#[derive(Debug, Default)]
pub(crate) struct Contents(Vec<u8>);

impl Contents {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn keep(&mut self, content: &[u8]) -> Stored {
        let in_pieces = content.len() >= pieces::LARGE;
        let compressed =
            if in_pieces { pieces::compress(content) } else { lz4_flex::block::compress(content) };
        let in_pieces = in_pieces && compressed.len() < content.len();
        let smaller = if compressed.len() < content.len() { &compressed } else { content };
        let offset = self.0.len() as u64;
        self.0.extend(smaller);
        Stored { offset, length: smaller.len() as u64, plain: content.len() as u64, in_pieces }
    }

    pub(crate) fn keep_difference(&mut self, before: &[u8], after: &[u8]) -> Splice {
        let prefix = common(before.chunks(BLOCK), after.chunks(BLOCK), |one, other| {
            one.iter().zip(other).take_while(|(one, other)| one == other).count()
        });
        let (rest_before, rest_after) = (&before[prefix..], &after[prefix..]);
        let suffix = common(rest_before.rchunks(BLOCK), rest_after.rchunks(BLOCK), |one, other| {
            one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
        });
        let middle = self.keep(&rest_after[..rest_after.len() - suffix]);
        Splice { prefix: prefix as u64, suffix: suffix as u64, middle }
    }
}

/// Whole blocks are compared many bytes at once.
const BLOCK: usize = 4096;

/// How many bytes are the same: all of the blocks that are, and what the first other ones have in common.
fn common<'c>(
    one: impl Iterator<Item = &'c [u8]>,
    other: impl Iterator<Item = &'c [u8]>,
    within: impl Fn(&[u8], &[u8]) -> usize,
) -> usize {
    let mut same = 0;
    for (one, other) in one.zip(other) {
        if one != other {
            return same + within(one, other);
        }
        same += one.len();
    }
    same
}

impl Stored {
    /// The content again; none if it is not the one that was kept.
    pub(crate) fn restore(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.length == self.plain {
            return Some(bytes.to_vec());
        }
        let plain = usize::try_from(self.plain).ok()?;
        // No content of a given length decompresses to more than this; damage could claim any.
        if plain > bytes.len().checked_mul(256)? {
            return None;
        }
        if self.in_pieces {
            return pieces::restore(bytes, plain);
        }
        lz4_flex::block::decompress(bytes, plain).ok().filter(|content| content.len() == plain)
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        let plain = if self.in_pieces { self.plain | IN_PIECES } else { self.plain };
        [self.offset, self.length, plain].into_iter().for_each(|number| writer.number(number));
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (offset, length, plain) = (reader.number()?, reader.number()?, reader.number()?);
        Ok(Self { offset, length, plain: plain & !IN_PIECES, in_pieces: plain & IN_PIECES != 0 })
    }
}

impl Splice {
    /// What the file held after, from what it held before and the part that differs.
    pub(crate) fn apply(&self, before: &[u8], middle: &[u8], version: Version) -> Option<Vec<u8>> {
        let (prefix, suffix) = (usize::try_from(self.prefix).ok()?, usize::try_from(self.suffix).ok()?);
        let end = before.len().checked_sub(suffix)?;
        let after = [before.get(..prefix)?, middle, before.get(end..)?].concat();
        (Version::of(&after) == version).then_some(after)
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.number(self.prefix);
        writer.number(self.suffix);
        self.middle.write(writer);
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self { prefix: reader.number()?, suffix: reader.number()?, middle: Stored::read(reader)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_kept_comes_back(before in any::<Vec<u8>>(), after in any::<Vec<u8>>(), shared in any::<Vec<u8>>()) {
            for (before, after) in [(before.clone(), after.clone()), ([&shared[..], &before, &shared].concat(), [&shared[..], &after, &shared].concat())] {
                let mut contents = Contents::default();
                let stored = contents.keep(&before);
                let splice = contents.keep_difference(&before, &after);
                let bytes = contents.into_bytes();
                let part = |stored: &Stored| &bytes[stored.offset as usize..(stored.offset + stored.length) as usize];
                prop_assert_eq!(stored.restore(part(&stored)), Some(before.clone()));
                let middle = splice.middle.restore(part(&splice.middle)).unwrap();
                prop_assert_eq!(splice.apply(&before, &middle, Version::of(&after)), Some(after.clone()));
                prop_assert_eq!(splice.apply(&before, &middle, Version::of(b"damaged")), None);
            }
        }
    }

    /// Of a large file only what differs is kept, to the byte, wherever among the blocks it lies.
    #[test]
    fn the_difference_is_exact_across_blocks() {
        let before: Vec<u8> = blake3::Hasher::new().finalize_xof().take_bytes(5 * BLOCK + 100);
        for at in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 50, before.len() - 1] {
            let mut after = before.clone();
            after[at] ^= 1;
            let splice = Contents::default().keep_difference(&before, &after);
            assert_eq!((splice.prefix, splice.suffix), (at as u64, (before.len() - at - 1) as u64), "{at}");
            assert_eq!(splice.middle.plain, 1);
            let splice = Contents::default().keep_difference(&before, &before[at + 1..]);
            assert_eq!(splice.suffix, (before.len() - at - 1) as u64, "{at}");
        }
    }

    #[test]
    fn a_large_content_comes_back_from_its_record() {
        let content: Vec<u8> = (0..pieces::LARGE + 5).map(|at| (at / 77) as u8).collect();
        let noise = blake3::Hasher::new().finalize_xof().take_bytes(pieces::LARGE);
        for (content, in_pieces) in [(content, true), (noise, false)] {
            let mut contents = Contents::default();
            let mut writer = Writer::default();
            contents.keep(&content).write(&mut writer);
            let stored = Stored::read(&mut Reader(&writer.into_bytes())).unwrap();
            assert_eq!((stored.in_pieces, stored.plain), (in_pieces, content.len() as u64));
            assert_eq!(stored.restore(&contents.into_bytes()), Some(content));
        }
    }

    #[test]
    fn what_repeats_takes_little_room_and_noise_no_more_than_itself() {
        let mut contents = Contents::default();
        assert!(contents.keep(&[b'a'; 100_000]).length < 1_000);
        let noise: Vec<u8> = blake3::Hasher::new().finalize_xof().take_bytes(10_000);
        assert_eq!(contents.keep(&noise).length, 10_000);
    }

    trait TakeBytes {
        fn take_bytes(self, count: usize) -> Vec<u8>;
    }

    impl TakeBytes for blake3::OutputReader {
        fn take_bytes(mut self, count: usize) -> Vec<u8> {
            let mut bytes = vec![0; count];
            self.fill(&mut bytes);
            bytes
        }
    }
}
