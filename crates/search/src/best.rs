//! The first of very many, kept without keeping the others.

use std::collections::BinaryHeap;

/// Keeps the smallest `most` of all that is put in.
#[derive(Clone, Debug)]
pub(crate) struct Best<T> {
    most: usize,
    // The largest of what is kept is on top, to be thrown out next.
    kept: BinaryHeap<T>,
}

impl<T: Ord> Best<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Whether it would be kept, as things stand.
    pub(crate) fn wants(&self, item: &T) -> bool {
        self.kept.len() < self.most || self.kept.peek().is_some_and(|last| item < last)
    }

    pub(crate) fn push(&mut self, item: T) {
        if self.wants(&item) {
            self.kept.push(item);
            if self.kept.len() > self.most {
                self.kept.pop();
            }
        }
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        other.kept.into_iter().for_each(|item| self.push(item));
        self
    }

    /// What was kept, the smallest first.
    pub(crate) fn into_sorted(self) -> Vec<T> {
        self.kept.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_kept_in_order() {
        let mut best = Best::new(3);
        [5, 1, 4, 1, 9, 2].into_iter().for_each(|n| best.push(n));
        assert!(!best.wants(&7) && best.wants(&0));
        let mut other = Best::new(3);
        [0, 8].into_iter().for_each(|n| other.push(n));
        assert_eq!(best.clone().into_sorted(), [1, 1, 2]);
        assert_eq!(best.merge(other).into_sorted(), [0, 1, 1]);
        let mut none = Best::new(0);
        none.push(1);
        assert_eq!(none.into_sorted(), []);
    }
}
