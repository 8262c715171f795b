//! Very many byte strings that all grow, in memory that has next to no room between them.
//!
//! A string is a chain of chunks, each larger than the one before. Hundreds of thousands of vectors would be twice as large,
//! and would move whenever they grow.

/// The number of bytes that a block of memory has.
const BLOCK: usize = 1 << 16;

/// So many blocks have addresses.
const MOST_BLOCKS: usize = u32::MAX as usize / BLOCK;

/// The number of bytes in the first chunk of a string.
const SMALLEST: u8 = 4;

/// Larger chunks would only have more bytes to spare.
const LARGEST: u8 = 252;

/// The address of the next chunk, behind the bytes of a chunk.
const LINK: usize = 4;

/// Where the strings are.
#[derive(Default)]
pub(super) struct Chunks {
    blocks: Vec<Box<[u8]>>,
    /// How much of the last block is in use.
    used: usize,
}

/// A string that grows.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    head: u32,
    /// Where the next byte goes.
    tail: u32,
    /// How many bytes the last chunk has.
    size: u8,
    /// How many of them are free.
    left: u8,
}

impl Chunks {
    /// A new string. There is none if the memory is full.
    pub(super) fn chain(&mut self) -> Option<Chain> {
        let head = self.allocate(SMALLEST)?;
        Some(Chain { head, tail: head, size: SMALLEST, left: SMALLEST })
    }

    /// Appends a byte; false if the memory is full.
    pub(super) fn push(&mut self, chain: &mut Chain, byte: u8) -> bool {
        if chain.left == 0 && !self.grow(chain) {
            return false;
        }
        if let Some(place) = self.bytes_mut(chain.tail).and_then(<[u8]>::first_mut) {
            *place = byte;
        }
        chain.tail += 1;
        chain.left -= 1;
        true
    }

    /// Writes the string to the end of a vector.
    pub(super) fn read(&self, chain: &Chain, text: &mut Vec<u8>) {
        let (mut address, mut size) = (chain.head, SMALLEST);
        loop {
            let chunk = self.bytes(address);
            let used = chain.tail.wrapping_sub(address);
            // Only the last chunk has the tail in it.
            if used <= u32::from(size) {
                return text.extend(chunk.iter().take(used as usize));
            }
            let (bytes, link) = chunk.split_at(usize::from(size).min(chunk.len()));
            text.extend_from_slice(bytes);
            let Some(link) = link.first_chunk::<LINK>() else {
                return;
            };
            (address, size) = (u32::from_le_bytes(*link), larger(size));
        }
    }

    /// How many bytes all of them take.
    pub(super) fn memory(&self) -> usize {
        self.blocks.len() * BLOCK + self.blocks.capacity() * size_of::<Box<[u8]>>()
    }

    fn grow(&mut self, chain: &mut Chain) -> bool {
        let size = larger(chain.size);
        let Some(address) = self.allocate(size) else {
            return false;
        };
        if let Some(link) = self.bytes_mut(chain.tail).and_then(<[u8]>::first_chunk_mut::<LINK>) {
            *link = address.to_le_bytes();
        }
        (chain.tail, chain.size, chain.left) = (address, size, size);
        true
    }

    /// The address of a new chunk, which lies in one block.
    fn allocate(&mut self, size: u8) -> Option<u32> {
        let size = usize::from(size) + LINK;
        if self.blocks.is_empty() || self.used + size > BLOCK {
            if self.blocks.len() == MOST_BLOCKS {
                return None;
            }
            self.blocks.push(vec![0; BLOCK].into_boxed_slice());
            self.used = 0;
        }
        let address = (self.blocks.len() - 1) * BLOCK + self.used;
        self.used += size;
        u32::try_from(address).ok()
    }

    fn bytes(&self, address: u32) -> &[u8] {
        let (block, start) = (address as usize / BLOCK, address as usize % BLOCK);
        self.blocks.get(block).and_then(|block| block.get(start..)).unwrap_or_default()
    }

    fn bytes_mut(&mut self, address: u32) -> Option<&mut [u8]> {
        let (block, start) = (address as usize / BLOCK, address as usize % BLOCK);
        self.blocks.get_mut(block).and_then(|block| block.get_mut(start..))
    }
}

/// The size of the chunk after one of this size: a quarter more, in steps of four.
fn larger(size: u8) -> u8 {
    (size.saturating_add(size / 4) / 4).saturating_add(1).saturating_mul(4).min(LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_grow_in_turns_are_kept_apart() {
        let mut chunks = Chunks::default();
        let mut chains: Vec<_> = (0..50).map(|_| chunks.chain().unwrap()).collect();
        for round in 0..5000_usize {
            for (index, chain) in chains.iter_mut().enumerate().filter(|(index, _)| round % (index + 1) == 0)
            {
                assert!(chunks.push(chain, (round + index) as u8));
            }
        }
        for (index, chain) in chains.iter().enumerate() {
            let mut text = Vec::new();
            chunks.read(chain, &mut text);
            let expected: Vec<_> = (0..5000).step_by(index + 1).map(|round| (round + index) as u8).collect();
            assert_eq!(text, expected);
        }
        let bytes: usize = (1..=50).map(|step| 5000_usize.div_ceil(step)).sum();
        assert!(chunks.memory() < bytes * 13 / 10 + BLOCK, "{} for {bytes}", chunks.memory());
    }

    #[test]
    fn chunks_grow_up_to_a_size() {
        let sizes: Vec<_> =
            std::iter::successors(Some(SMALLEST), |size| Some(larger(*size))).take(8).collect();
        assert_eq!(sizes, [4, 8, 12, 16, 24, 32, 44, 56]);
        assert_eq!((larger(LARGEST), larger(u8::MAX)), (LARGEST, LARGEST));
    }
}
