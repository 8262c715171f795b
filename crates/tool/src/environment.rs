//! What the tools of an executor can reach, and what becomes of the changes that they propose.
//!
//! The frame knows no disk. It asks the environment at two points: before a tool runs, and when one has proposed changes. What
//! lies behind that, such as a workspace with a policy and a journal, is another crate's.

use std::any::Any;
use std::fmt;

use serde_json::{Map, Value};

use crate::{Call, ErrorKind, ToolError};

/// Facts for the metadata of an answer that are not the tool's own.
pub type Notes = Map<String, Value>;

/// What tools run in. A tool finds it with [`Call::environment`].
pub trait Environment: Any + Send + Sync {
    /// Prepares for a call, on the thread that is going to run it. The notes go into the answer, also if the call fails.
    ///
    /// # Errors
    ///
    /// If no tool can run here now.
    fn enter(&self, call: &Call<'_>) -> Result<Notes, ToolError> {
        let _ = call;
        Ok(Notes::new())
    }

    /// Runs a tool that proposes changes, and makes or shows what it proposes. `attempt` runs the tool; it may be called
    /// again if the files have changed in the meantime, and each attempt starts from nothing.
    ///
    /// # Errors
    ///
    /// What the tool fails with, or why its changes are not made.
    fn settle(
        &self,
        call: &Call<'_>,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Settled, ToolError>;
}

/// Changes that a tool proposes. Only the environment knows what they are; the frame passes them on.
pub struct Proposals(Box<dyn Any + Send>);

impl Proposals {
    /// Wraps the changes in the form that the environment expects.
    pub fn new<T: Any + Send>(changes: T) -> Self {
        Self(Box::new(changes))
    }

    /// The changes, if they have this form.
    #[must_use]
    pub fn downcast<T: Any>(self) -> Option<T> {
        self.0.downcast().ok().map(|changes| *changes)
    }
}

impl fmt::Debug for Proposals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proposals")
    }
}

/// What became of the proposals of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Facts for the metadata of the answer.
    pub notes: Notes,
    /// What takes the place of the answer's text: in a dry run what would be done, and what was done where that is something else than
    /// the tool says.
    pub preview: Option<String>,
    /// Sentences that are added to the answer's text.
    pub remarks: Vec<String>,
}

/// An environment without anything: for tools that need none.
pub(crate) struct Nothing;

impl Environment for Nothing {
    fn settle(
        &self,
        call: &Call<'_>,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Settled, ToolError> {
        match attempt()? {
            None => Ok(Settled::default()),
            Some(_) => {
                let message = format!("{} proposed a change, and the executor cannot make any", call.tool());
                Err(ToolError::new(ErrorKind::Internal, message)
                    .hint("build the executor with an environment that can, or open a Toolbox"))
            }
        }
    }
}

/// Adds notes. Where both have a list under one name, the items are added that are not in it yet.
pub(crate) fn merge(notes: &mut Notes, more: Notes) {
    for (key, value) in more {
        match (notes.get_mut(&key), value) {
            (Some(Value::Array(items)), Value::Array(more)) => {
                for item in more {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
            }
            (_, value) => _ = notes.insert(key, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_joined_and_other_notes_replaced() {
        let notes = |value: Value| value.as_object().cloned().unwrap_or_default();
        let mut merged = notes(json!({"list": [1, 2], "one": 1}));
        merge(&mut merged, notes(json!({"list": [2, 3], "one": 2, "new": []})));
        assert_eq!(Value::Object(merged), json!({"list": [1, 2, 3], "one": 2, "new": []}));
    }
}
