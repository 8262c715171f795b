//! Undo and redo for a person: the same operation as the Undo tool, under a person's policy.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{UndoKind, Unread, in_sandbox};
use toolcrib_files::{FilePath, RestoredFile, UndoRequest, UndoneChange, undo};
use toolcrib_tool::{Effect, ExecutionContext, ToolError};

use crate::Toolbox;

/// What an undo or a redo did, or in a dry run would do.
#[derive(Clone, Debug)]
pub struct UndoReport {
    /// The change that was undone or redone.
    pub change: u64,
    /// The number of the undo itself, which is a change too; none in a dry run.
    pub recorded: Option<u64>,
    /// What became of each file.
    pub files: Vec<RestoredFile>,
    /// Files that have been changed since, in other lines: those changes are kept.
    pub merged: Vec<FilePath>,
    /// The difference, as a unified diff.
    pub diff: String,
}

impl Toolbox {
    /// Undoes or redoes a change for a person, who needs no permission for that: the one with the number of the request, or the
    /// latest of the context's session, or the latest of all.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be undone. Then nothing was changed.
    pub fn undo(&self, request: UndoRequest, context: &ExecutionContext) -> Result<UndoReport, ToolError> {
        self.history()?;
        let name = match request.kind {
            UndoKind::Undo => "undo",
            UndoKind::Redo => "redo",
        };
        let executor = self.executor().in_environment(Arc::new(self.access().for_person()));
        let performed = executor.perform(name, Effect::Proposes, context, |call| {
            in_sandbox(call, Unread::Refused, |sandbox| undo(sandbox, request))
        })?;
        let UndoneChange { change, files, merged, .. } = performed.facts;
        let note = |key: &str| performed.settled.notes.get(key);
        let diff = note("diff").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(UndoReport { change, recorded: note("change").and_then(Value::as_u64), files, merged, diff })
    }
}
