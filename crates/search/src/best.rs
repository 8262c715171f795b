//! The first of very many, kept without keeping the others.

use std::collections::BinaryHeap;

/// Something that takes memory.
pub(crate) trait Weighs {
    /// Roughly how many bytes it takes.
    fn weight(&self) -> usize;
}

/// How much all that is kept may take together. Only very long paths come to it.
const HEAVIEST: usize = 64 << 20;

/// Keeps the smallest `most` of all that is put in.
#[derive(Clone, Debug)]
pub(crate) struct Best<T> {
    most: usize,
    weight: usize,
    // The largest of what is kept is on top, to be thrown out next.
    kept: BinaryHeap<T>,
}

impl<T: Ord + Weighs> Best<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, weight: 0, kept: BinaryHeap::new() }
    }

    /// Whether it would be kept, as things stand.
    pub(crate) fn wants(&self, item: &T) -> bool {
        self.kept.len() < self.most || self.kept.peek().is_some_and(|last| item < last)
    }

    pub(crate) fn push(&mut self, item: T) {
        if !self.wants(&item) {
            return;
        }
        self.weight += item.weight();
        self.kept.push(item);
        while self.kept.len() > self.most || self.weight > HEAVIEST {
            let Some(last) = self.kept.pop() else { return };
            self.weight -= last.weight();
            // What came after it was thrown out, so whatever else comes after it is not wanted either.
            self.most = self.most.min(self.kept.len());
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

    impl Weighs for i32 {
        fn weight(&self) -> usize {
            if *self >= 1000 { HEAVIEST / 2 } else { 1 }
        }
    }

    #[test]
    fn what_is_heavy_is_kept_as_far_as_it_fits() {
        let mut best = Best::new(10);
        [1003, 1001, 1002, 5, 1004].into_iter().for_each(|n| best.push(n));
        assert_eq!(best.into_sorted(), [5, 1001]);
    }

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
