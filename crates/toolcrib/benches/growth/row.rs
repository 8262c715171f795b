//! What is measured: grounds that grow, and on each of them the tools and commands that are tried.

use crate::Result;
use crate::place::{Act, Place};

/// Something that grows.
pub(crate) struct Ground {
    /// What there are more and more of.
    pub(crate) what: &'static str,
    pub(crate) sizes: Sizes,
    /// Lets the place grow from a size, which is 0 at first, to the next.
    pub(crate) grow: fn(&Place, usize, usize) -> Result<()>,
    pub(crate) rows: &'static [Row],
}

/// From the smallest size by powers of two to the largest.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// The largest size in a full run.
    pub(crate) full: usize,
}

/// A tool or a command that is tried at every size.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) memory: Memory,
    /// The largest size at which it works, where there is a limit.
    pub(crate) limit: usize,
    /// The file with the messages that a server gets on its standard input; it has to answer each but one.
    pub(crate) sent: Option<&'static str>,
    /// Makes everything ready for a size and returns what is measured.
    pub(crate) act: fn(&Place, usize) -> Result<Act>,
}

/// How the peak of memory may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Not at all: the answer does not grow.
    Flat,
    /// As the request, the answer or the file that is changed.
    Linear,
}

impl Sizes {
    pub(crate) const fn new(least: usize, most: usize) -> Self {
        Self { least, most, full: most }
    }

    /// The largest size in a full run.
    pub(crate) const fn full(self, full: usize) -> Self {
        Self { full, ..self }
    }

    /// All of them; the largest is always among them.
    pub(crate) fn all(self, full: bool) -> Vec<usize> {
        let most = if full { self.full } else { self.most };
        let powers = std::iter::successors(Some(most), |size| Some(size / 2));
        let mut sizes: Vec<usize> = powers.take_while(|size| *size >= self.least.max(1)).collect();
        sizes.reverse();
        sizes
    }
}

impl Row {
    /// One whose memory may grow with what grows.
    pub(crate) const fn new(name: &'static str, act: fn(&Place, usize) -> Result<Act>) -> Self {
        Self { name, memory: Memory::Linear, limit: usize::MAX, sent: None, act }
    }

    /// One whose answer does not grow, and so its memory must not.
    pub(crate) const fn flat(name: &'static str, act: fn(&Place, usize) -> Result<Act>) -> Self {
        Self { memory: Memory::Flat, ..Self::new(name, act) }
    }

    pub(crate) const fn up_to(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    pub(crate) const fn sent(self, file: &'static str) -> Self {
        Self { sent: Some(file), ..self }
    }
}
