//! [`LineIndex`]: where the lines of a large text are, roughly.
//!
//! It counts newlines block by block, which costs no more than counting them at all, and remembers the count at the
//! start of each block. A line is then found by looking through one block. The number of blocks has a bound: where it
//! would be passed, blocks grow to twice their size. So the index of any file fits in half a megabyte.

use crate::breaks::Breaks;

/// How many newlines stand before each block of a text.
///
/// ```
/// use toolcrib_text::{Breaks, Charset, LineIndex, Newline};
///
/// let mut index = LineIndex::new(Breaks::new(Charset::UTF_8, Newline::Lf));
/// index.push(&b"a line\n".repeat(100_000)[..LineIndex::BLOCK]);
/// index.push(b" the last one");
/// let start = index.before(30_000);
/// assert!(start.offset <= 29_999 * 7 && start.newlines < 29_999);
/// assert_eq!(index.total(), LineIndex::BLOCK as u64 / 7 + 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    breaks: Breaks,
    /// How many bytes one entry of `newlines` stands for.
    block: u64,
    newlines: Vec<u64>,
    counted: u64,
    covered: u64,
    open: bool,
}

/// A place from which to look for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Where to begin, in bytes from the start of the text.
    pub offset: u64,
    /// How many newlines stand before it.
    pub newlines: u64,
}

impl LineIndex {
    /// How many bytes are given at a time.
    pub const BLOCK: usize = 256 * 1024;
    const MOST_BLOCKS: usize = 64 * 1024;

    /// The index of a text of which nothing has been seen.
    #[must_use]
    pub fn new(breaks: Breaks) -> Self {
        Self { breaks, block: Self::BLOCK as u64, newlines: Vec::new(), counted: 0, covered: 0, open: false }
    }

    /// How its lines end.
    #[must_use]
    pub fn breaks(&self) -> Breaks {
        self.breaks
    }

    /// Takes the next [`BLOCK`](Self::BLOCK) bytes; only the last piece of a text may be shorter.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.covered.is_multiple_of(self.block) {
            self.newlines.push(self.counted);
        }
        self.counted += self.breaks.count(bytes);
        self.covered += bytes.len() as u64;
        if !bytes.is_empty() {
            self.open = !self.breaks.ends(bytes);
        }
        if self.newlines.len() > Self::MOST_BLOCKS {
            self.block *= 2;
            let mut keep = false;
            self.newlines.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }

    /// How many bytes were seen.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.covered
    }

    /// How many newlines they hold.
    #[must_use]
    pub fn newlines(&self) -> u64 {
        self.counted
    }

    /// How many lines they are; the last one may have no newline.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counted + u64::from(self.open)
    }

    /// Whether the last byte seen ends a line; `None` if nothing was seen.
    #[must_use]
    pub fn final_newline(&self) -> Option<bool> {
        (self.covered > 0).then_some(!self.open)
    }

    /// Where to begin to find the start of a line: the newline before it comes in the block that starts there.
    ///
    /// For a line that begins behind what was seen it is the end of that.
    #[must_use]
    pub fn before(&self, line: u64) -> Start {
        let wanted = line.saturating_sub(1);
        if wanted > self.counted {
            return Start { offset: self.covered, newlines: self.counted };
        }
        let block = self.newlines.partition_point(|newlines| *newlines < wanted).saturating_sub(1);
        let newlines = self.newlines.get(block).copied().unwrap_or(0);
        Start { offset: block as u64 * self.block, newlines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charset, Newline};
    use proptest::prelude::*;

    const BREAKS: fn() -> Breaks = || Breaks::new(Charset::UTF_8, Newline::Lf);

    #[test]
    fn blocks_grow_when_there_are_too_many() {
        let plain = vec![b'x'; LineIndex::BLOCK];
        let mut marked = plain.clone();
        marked[77] = b'\n';
        let mut index = LineIndex::new(Breaks::new(Charset::UTF_8, Newline::Lf));
        let blocks = LineIndex::MOST_BLOCKS + 3000;
        for at in 0..blocks {
            if at % 1000 == 0 { index.push(&marked) } else { index.push_plain(plain.len()) }
        }
        assert!(index.newlines.len() <= LineIndex::MOST_BLOCKS / 2 + 3000);
        assert_eq!(index.block, 2 * LineIndex::BLOCK as u64);
        let start = index.before(41);
        assert_eq!(start, Start { offset: 39_000 * LineIndex::BLOCK as u64, newlines: 39 });
    }

    impl LineIndex {
        /// As if so many bytes without a newline had been pushed.
        fn push_plain(&mut self, bytes: usize) {
            let before = self.covered;
            self.push(b"");
            self.covered = before + bytes as u64;
            self.open = true;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_newline_before_a_line_is_in_the_block(
            sizes in proptest::collection::vec(prop_oneof![0..9_usize, 0..400_000_usize], 1..12), last in any::<bool>(),
        ) {
            let mut text: Vec<u8> = sizes.iter().flat_map(|size| {
                let mut line = vec![b'x'; *size];
                line.push(b'\n');
                line
            }).collect();
            if last {
                text.extend_from_slice(b"end");
            }
            let mut index = LineIndex::new(BREAKS());
            text.chunks(LineIndex::BLOCK).for_each(|block| index.push(block));
            prop_assert_eq!(index.total(), sizes.len() as u64 + u64::from(last));
            prop_assert_eq!(index.final_newline(), Some(!last));
            for line in 1..=index.total() {
                let start = index.before(line);
                let from = usize::try_from(start.offset).unwrap();
                prop_assert_eq!(start.newlines, BREAKS().count(&text[..from]));
                if line > 1 {
                    let within = &text[from..text.len().min(from + LineIndex::BLOCK)];
                    let newline = BREAKS().iter(within).nth(usize::try_from(line - 2 - start.newlines).unwrap());
                    prop_assert!(newline.is_some());
                }
            }
        }
    }
}
