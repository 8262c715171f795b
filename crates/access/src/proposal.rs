//! What a tool wants changed, as values: nothing here touches the disk.

use toolcrib_tool::{Answer, Proposals};
use toolcrib_workspace::{Change, WorkspacePath};

use crate::policy::Subject;
use crate::sandbox::Location;
use crate::undo::Undoing;

/// A change that a tool proposes, and how it reads.
pub struct Proposal {
    /// Where it is made.
    pub location: Location,
    /// What is done.
    pub change: Change,
    /// The same as a unified diff, for people and for models.
    pub diff: String,
}

/// Everything that one call wants changed: all of it is made, or nothing.
#[derive(Default)]
pub struct Changes {
    /// The changes, in this order.
    pub proposals: Vec<Proposal>,
    /// The reversal that they stand for, where a recorded change is undone.
    pub(crate) undoing: Option<Undoing>,
}

/// What an operation leads to, and the changes that lead there.
pub struct Proposed<T> {
    /// What the operation leads to, once the changes are made.
    pub outcome: T,
    /// The changes.
    pub changes: Changes,
}

impl<T> Proposed<T> {
    /// An outcome that takes these changes.
    pub fn new(outcome: T, proposals: Vec<Proposal>) -> Self {
        Self { outcome, changes: Changes { proposals, undoing: None } }
    }

    /// An outcome that undoes a recorded change.
    pub fn undoing(outcome: T, proposals: Vec<Proposal>, undoing: Undoing) -> Self {
        Self { outcome, changes: Changes { proposals, undoing: Some(undoing) } }
    }

    /// The same changes, for another outcome.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Proposed<U> {
        Proposed { outcome: map(self.outcome), changes: self.changes }
    }
}

impl<T> From<T> for Proposed<T> {
    /// An outcome that changes nothing.
    fn from(outcome: T) -> Self {
        Self::new(outcome, Vec::new())
    }
}

impl<T> From<Proposed<T>> for Answer<T> {
    fn from(Proposed { outcome, changes }: Proposed<T>) -> Self {
        let answer = Self { facts: outcome, proposals: None, notes: toolcrib_tool::Notes::new() };
        if changes.proposals.is_empty() { answer } else { answer.propose(Proposals::new(changes)) }
    }
}

impl Proposal {
    /// Every place that changes: of a move, both.
    pub(crate) fn locations(&self) -> Vec<Location> {
        let target = self.change.target().map(|to| self.location.at(to.clone()));
        std::iter::once(self.location.clone()).chain(target).collect()
    }

    /// What a policy is asked about: every file that is touched, under its name and as what it really is.
    pub(crate) fn subject(&self) -> Subject {
        let named = |path: &WorkspacePath| {
            let subject = self.location.subject(path);
            let workspace = &self.location.workspace;
            let reached = match self.change {
                // Only the link goes, whatever it leads to.
                Change::RemoveLink { .. } => workspace.locate_link(path).map(|place| place.reached().clone()),
                _ => workspace.locate_new(path).map(|place| place.reached().clone()),
            };
            match reached {
                Ok(reached) => subject.also(self.location.subject(&reached)),
                Err(_) => subject,
            }
        };
        let mut subject = named(self.change.path());
        if let Some(to) = self.change.target() {
            subject = subject.also(named(to));
        }
        if let Change::MoveDirectory { from, to, inside } = &self.change {
            // Everything in the directory gets another name, and has to be allowed under both.
            for path in inside {
                let [old, new] = [from, to].map(|directory| self.location.subject(&directory.join(path)));
                subject = subject.also(old).also(new);
            }
        }
        subject
    }
}
