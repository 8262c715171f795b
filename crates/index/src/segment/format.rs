//! How a segment is laid out in its storage.
//!
//! ```text
//! header       which format this is
//! lists        for each gram, in ascending order: the documents, and a checksum of the gram and the list
//! dictionary   for each gram: its distance from the one before, and how many bytes its list has
//! footer       counts, and a checksum of the dictionary and the footer
//! ```
//!
//! Lists and dictionary are made of numbers with seven bits to a byte, the lowest first; all but the last byte of a number have
//! the highest bit set. A list has the distance of each document from the one before, the first one from the first document of
//! the segment. The dictionary comes last so that a segment can be written without going back.

use crc32fast::Hasher;

use super::{Damaged, Storage};
use crate::gram::Gram;

/// The first bytes of a segment. The number is that of the format.
pub(super) const HEADER: [u8; 8] = *b"TCGRAM\x00\x01";

/// How many bytes a checksum has.
pub(super) const CHECKSUM: usize = 4;

/// How many bytes the footer has.
const FOOTER: usize = 6 * 4 + CHECKSUM;

/// What must be known to read the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Footer {
    /// How many documents there are.
    pub(super) documents: u32,
    /// The first document; 0 if there is none.
    pub(super) first: u32,
    /// The last document; 0 if there is none.
    pub(super) last: u32,
    /// How many grams there are.
    pub(super) grams: u32,
    /// How many bytes all the lists have.
    pub(super) lists: u32,
    /// How many bytes the dictionary has.
    pub(super) dictionary: u32,
    /// The checksum of the dictionary and the other numbers; it is set on writing.
    pub(super) checksum: u32,
}

impl Footer {
    /// Reads the footer of a segment whose parts fill the storage.
    pub(super) fn read(storage: &dyn Storage) -> Result<Self, Damaged> {
        let mut header = HEADER;
        let mut bytes = [0; FOOTER];
        let offset = storage.size().checked_sub(FOOTER as u64).ok_or(Damaged)?;
        storage.read_at(0, &mut header).map_err(|_| Damaged)?;
        storage.read_at(offset, &mut bytes).map_err(|_| Damaged)?;
        let footer = Self::decode(&bytes);
        let fits = header == HEADER && footer.dictionary_offset() + u64::from(footer.dictionary) == offset;
        if fits && footer.is_sound() { Ok(footer) } else { Err(Damaged) }
    }

    /// The end of a segment with this dictionary.
    pub(super) fn encode(mut self, dictionary: &[u8]) -> [u8; FOOTER] {
        self.checksum = self.expected_checksum(dictionary);
        let mut bytes = [0; FOOTER];
        for (part, field) in bytes.chunks_exact_mut(4).zip(self.fields()) {
            part.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    pub(super) fn dictionary_offset(&self) -> u64 {
        HEADER.len() as u64 + u64::from(self.lists)
    }

    fn decode(bytes: &[u8; FOOTER]) -> Self {
        let mut numbers = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut next = || numbers.next().unwrap_or_default();
        Self {
            documents: next(),
            first: next(),
            last: next(),
            grams: next(),
            lists: next(),
            dictionary: next(),
            checksum: next(),
        }
    }

    fn fields(&self) -> [u32; FOOTER / 4] {
        [self.documents, self.first, self.last, self.grams, self.lists, self.dictionary, self.checksum]
    }

    /// Whether the numbers can be true. An entry of the dictionary has two bytes at least.
    fn is_sound(&self) -> bool {
        let span = self.last.checked_sub(self.first);
        let few = span.is_some_and(|span| u64::from(self.documents) <= u64::from(span) + 1);
        few && self.grams <= self.dictionary / 2
    }

    fn expected_checksum(&self, dictionary: &[u8]) -> u32 {
        let mut hasher = Hasher::new();
        hasher.update(dictionary);
        for field in self.fields().iter().take(FOOTER / 4 - 1) {
            hasher.update(&field.to_le_bytes());
        }
        hasher.finalize()
    }
}

/// The grams of a dictionary, and where their lists end.
pub(super) fn decode_dictionary(footer: &Footer, bytes: &[u8]) -> Result<(Vec<u32>, Vec<u32>), Damaged> {
    if footer.expected_checksum(bytes) != footer.checksum {
        return Err(Damaged);
    }
    let count = footer.grams as usize;
    let (mut grams, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let (mut rest, mut next, mut end) = (bytes, 0_u32, 0_u32);
    while !rest.is_empty() && grams.len() < count {
        let gram = next.checked_add(number(&mut rest)?).filter(|gram| *gram < Gram::COUNT).ok_or(Damaged)?;
        end = end.checked_add(number(&mut rest)?).ok_or(Damaged)?;
        grams.push(gram);
        ends.push(end);
        next = gram + 1;
    }
    if rest.is_empty() && grams.len() == count && end == footer.lists {
        Ok((grams, ends))
    } else {
        Err(Damaged)
    }
}

/// The documents of a list.
pub(super) fn decode_list(footer: &Footer, gram: Gram, bytes: &[u8]) -> Result<Vec<u32>, Damaged> {
    let (mut rest, checksum) = bytes.split_last_chunk().ok_or(Damaged)?;
    if list_checksum(gram, rest) != *checksum {
        return Err(Damaged);
    }
    let mut documents = Vec::with_capacity(rest.len());
    let mut last = None;
    while !rest.is_empty() {
        let gap = number(&mut rest)?;
        let document = match last {
            None => footer.first.checked_add(gap),
            Some(last) => (gap > 0).then(|| gap.checked_add(last)).flatten(),
        };
        last = document.filter(|document| *document <= footer.last);
        documents.push(last.ok_or(Damaged)?);
    }
    Ok(documents)
}

/// The checksum of a list, which holds for no other gram.
pub(super) fn list_checksum(gram: Gram, list: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = Hasher::new_with_initial(gram.number());
    hasher.update(list);
    hasher.finalize().to_le_bytes()
}

/// The bytes of a number.
pub(super) fn encoded(number: u32) -> impl Iterator<Item = u8> {
    let length = (u32::BITS - number.leading_zeros()).div_ceil(7).max(1);
    (0..length).map(move |index| {
        let byte = (number >> (index * 7)) as u8 & 0x7F;
        if index + 1 < length { byte | 0x80 } else { byte }
    })
}

/// Takes a number off the start.
fn number(rest: &mut &[u8]) -> Result<u32, Damaged> {
    let mut number = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, after) = rest.split_first().ok_or(Damaged)?;
        *rest = after;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).map_err(|_| Damaged);
        }
    }
    Err(Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_read_as_they_were_written() {
        for shift in 0..32 {
            for expected in [1_u32 << shift, (1 << shift) - 1, u32::MAX >> shift] {
                let bytes: Vec<_> = encoded(expected).chain([7]).collect();
                let mut rest = &bytes[..];
                assert_eq!((number(&mut rest), rest), (Ok(expected), &[7][..]));
            }
        }
    }

    #[test]
    fn a_number_that_is_cut_or_too_large_is_damaged() {
        for bytes in [&[][..], &[0x80], &[0xFF; 4], &[0xFF; 6], &[0xFF, 0xFF, 0xFF, 0xFF, 0x10]] {
            assert_eq!(number(&mut &*bytes), Err(Damaged), "{bytes:?}");
        }
    }

    #[test]
    fn documents_out_of_order_or_range_are_damaged() {
        let footer = Footer { documents: 9, first: 10, last: 30, ..Footer::default() };
        let gram = Gram::new(*b"abc");
        let decode = |list: &[u8]| decode_list(&footer, gram, &[list, &list_checksum(gram, list)].concat());
        assert_eq!(decode(&[0, 1, 19]), Ok(vec![10, 11, 30]));
        for list in [
            &[0, 0][..],
            &[0, 21],
            &[21],
            &[0x80],
            &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
            &[1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        ] {
            assert_eq!(decode(list), Err(Damaged), "{list:?}");
        }
    }

    #[test]
    fn a_dictionary_that_does_not_fit_its_footer_is_damaged() {
        let decode = |grams, lists, dictionary: &[u8]| {
            let mut footer = Footer { grams, lists, ..Footer::default() };
            footer.checksum = footer.expected_checksum(dictionary);
            decode_dictionary(&footer, dictionary)
        };
        let last: Vec<_> = encoded(Gram::COUNT - 1).chain([5]).collect();
        let beyond: Vec<_> = encoded(Gram::COUNT).chain([5]).collect();
        assert_eq!(decode(2, 11, &[3, 5, 0, 6]), Ok((vec![3, 4], vec![5, 11])));
        assert_eq!(decode(1, 5, &last), Ok((vec![Gram::COUNT - 1], vec![5])));
        for (grams, lists, dictionary) in [
            (1, 11, &[3, 5, 0, 6][..]),
            (2, 12, &[3, 5, 0, 6]),
            (3, 11, &[3, 5, 0, 6]),
            (1, 5, &[3]),
            (1, 5, &beyond),
        ] {
            assert_eq!(decode(grams, lists, dictionary), Err(Damaged), "{dictionary:?}");
        }
    }
}
