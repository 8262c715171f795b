//! Small sets of texts, of which one must be at some place of a match.
//!
//! The texts are folded bytes. They may begin and end within a character, because grams do too.

use super::{LARGEST, Plan};
use crate::gram::Gram;

/// How many texts a set may have when two are combined. More of them say little about a text that has one.
const MOST: usize = 64;

/// How many bytes the combined texts may have. Longer ones are no better, and each step of a repetition copies them.
const LONGEST: usize = 1024;

/// So many bytes at the end of a text begin a gram that goes on in the next.
const BORDER: usize = 2;

/// A set of texts, sorted and distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words(Vec<Vec<u8>>);

impl Words {
    pub(super) fn new(words: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    /// The set of the empty text, which is at any place.
    pub(super) fn unknown() -> Self {
        Self(vec![Vec::new()])
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each text of this set followed by each of the other; none if that is too much.
    pub(super) fn cross(&self, other: &Self) -> Option<Self> {
        let count = self.len().saturating_mul(other.len());
        let bytes = (self.bytes().saturating_mul(other.len()))
            .saturating_add(other.bytes().saturating_mul(self.len()));
        if count > MOST || bytes > LONGEST {
            return None;
        }
        let follow = |start: &Vec<u8>| other.0.iter().map(|end| [&**start, end].concat()).collect::<Vec<_>>();
        Some(Self::new(self.0.iter().flat_map(follow)))
    }

    /// The texts of all the sets; none if that is too much.
    pub(super) fn union<'a>(sets: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let (mut words, mut bytes) = (Vec::new(), 0);
        for set in sets {
            bytes += set.bytes();
            words.extend_from_slice(&set.0);
            // Most of many may be the same, so it is only the sum that is in the way of going on.
            if words.len() > LARGEST || bytes > LARGEST {
                return None;
            }
        }
        Some(Self::new(words)).filter(|union| union.len() <= MOST && union.bytes() <= LONGEST)
    }

    /// What the texts begin with, as far as a gram that began before them reaches.
    pub(super) fn starts(&self) -> Self {
        self.cut(|word| word.get(..BORDER))
    }

    /// What the texts end with, as far as a gram that goes on after them reaches.
    pub(super) fn ends(&self) -> Self {
        self.cut(|word| word.len().checked_sub(BORDER).and_then(|at| word.get(at..)))
    }

    /// What a text must have in which one of these occurs.
    pub(super) fn plan(&self) -> Plan {
        let grams =
            |word: &Vec<u8>| word.array_windows().map(|bytes| Plan::Gram(Gram::new(*bytes))).collect();
        let plans = self.0.iter().map(|word| Plan::all(grams(word)).within(LARGEST));
        Plan::any(plans.collect()).within(LARGEST)
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    fn cut(&self, part: impl Fn(&[u8]) -> Option<&[u8]>) -> Self {
        let cut = Self::new(self.0.iter().map(|word| part(word).unwrap_or(word).to_vec()));
        // The empty text is first, and says that nothing is known.
        if cut.0.first().is_some_and(Vec::is_empty) { Self::unknown() } else { cut }
    }
}
