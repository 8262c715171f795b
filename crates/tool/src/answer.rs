//! What a tool returns: facts, the changes that it proposes, and notes.

use serde_json::Value;

use crate::environment::{Notes, Proposals};

/// The answer of a tool that has run. A tool that only has facts to tell returns `Ok(facts.into())`.
#[derive(Debug)]
pub struct Answer<T> {
    /// What the tool found out, or did.
    pub facts: T,
    /// What it wants changed. A tool that only reads has nothing to propose; if it does, the call fails.
    pub proposals: Option<Proposals>,
    /// Further facts for the metadata, such as what else there is to know about the files it has opened.
    pub notes: Notes,
}

impl<T> Answer<T> {
    /// Proposes changes.
    #[must_use]
    pub fn propose(mut self, proposals: Proposals) -> Self {
        self.proposals = Some(proposals);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.notes.insert(key.to_owned(), value.into());
        self
    }

    /// The same answer with other facts.
    ///
    /// # Errors
    ///
    /// What `map` fails with.
    pub fn try_map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<Answer<U>, E> {
        let Self { facts, proposals, notes } = self;
        Ok(Answer { facts: map(facts)?, proposals, notes })
    }
}

impl<T> From<T> for Answer<T> {
    fn from(facts: T) -> Self {
        Self { facts, proposals: None, notes: Notes::new() }
    }
}
