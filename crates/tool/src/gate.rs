//! The point of no return: either a call passes it and commits, or it is given up on before, never both.

use std::sync::atomic::{AtomicU8, Ordering};

const OPEN: u8 = 0;
const PASSED: u8 = 1;
const SHUT: u8 = 2;

/// Decides between a call that wants to commit and a caller who no longer waits for it.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU8);

impl Gate {
    /// The call wants to commit. False means that its caller has gone, so it must not.
    pub(crate) fn pass(&self) -> bool {
        self.0.compare_exchange(OPEN, PASSED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// A call that has passed did not commit after all.
    pub(crate) fn back(&self) {
        let _ = self.0.compare_exchange(PASSED, OPEN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The caller no longer waits. False means that the call is committing, so its answer is worth waiting for.
    pub(crate) fn shut(&self) -> bool {
        self.0.compare_exchange(OPEN, SHUT, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;

    #[test]
    fn only_one_of_both_gets_through() {
        let gate = Gate::default();
        assert!(gate.pass() && !gate.shut() && !gate.pass());
        let gate = Gate::default();
        assert!(gate.shut() && !gate.pass());
        let gate = Gate::default();
        assert!(gate.pass());
        gate.back();
        assert!(gate.shut());
        gate.back();
        assert!(!gate.pass());
    }
}
