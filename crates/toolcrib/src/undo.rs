//! Undo and redo for a person: the same operation as the Undo tool, under a person's policy.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{UndoConflict, UndoKind, Unread, in_sandbox};
use toolcrib_files::{FilePath, RestoredFile, UndoRequest, UndoneChange, undo};
use toolcrib_tool::{Effect, ExecutionContext, Executor, ToolError};

use crate::Toolbox;

/// What an undo or a redo did, or in a dry run would do.
#[derive(Clone, Debug)]
pub struct UndoReport {
    /// The changes that were undone or redone, the newest first.
    pub changes: Vec<u64>,
    /// The number of the undo itself, which is a change too; none in a dry run.
    pub recorded: Option<u64>,
    /// What became of each file.
    pub files: Vec<RestoredFile>,
    /// Files that have been changed since, in other lines: those changes are kept.
    pub merged: Vec<FilePath>,
    /// The difference, as a unified diff.
    pub diff: String,
    /// Names exactly this, for [`UndoRequest::digest`].
    pub digest: String,
}

impl UndoReport {
    /// The newest of the changes.
    #[must_use]
    pub fn change(&self) -> u64 {
        self.changes.first().copied().unwrap_or_default()
    }
}

impl Toolbox {
    /// Undoes or redoes changes for a person, who needs no permission for that. Whatever is selected is undone as one change,
    /// all of it or nothing, and can be redone and undone itself.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-undo-{}", std::process::id()));
    /// # let (root, state) = (dir.join("root"), dir.join("state"));
    /// # std::fs::create_dir_all(&root)?;
    /// use serde_json::json;
    /// use toolcrib::{Toolbox, UndoKind, UndoRequest, UndoWhich};
    ///
    /// let toolbox = Toolbox::builder().root(&root).journal_in(&state).open()?;
    /// for name in ["a.txt", "b.txt"] {
    ///     let arguments = json!({"file_path": root.join(name), "content": "new\n"});
    ///     toolbox.call_blocking("Write", arguments, &toolbox.context().session("s1"));
    /// }
    /// let all = UndoRequest::new(UndoKind::Undo, UndoWhich::Session("s1".into()));
    /// let preview = toolbox.undo(&all, &toolbox.context().dry_run(true))?;
    /// assert_eq!((preview.changes.as_slice(), preview.recorded), (&[2, 1][..], None));
    /// toolbox.undo(&all, &toolbox.context())?;
    /// assert!(!root.join("a.txt").exists() && !root.join("b.txt").exists());
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be undone. Then nothing was changed.
    pub fn undo(&self, request: &UndoRequest, context: &ExecutionContext) -> Result<UndoReport, ToolError> {
        let (executor, name) = self.for_undo(request)?;
        let performed = executor.perform(name, Effect::Proposes, context, |call| {
            in_sandbox(call, Unread::Refused, |sandbox| undo(sandbox, request))
        })?;
        let UndoneChange { changes, files, merged, digest, .. } = performed.facts;
        let note = |key: &str| performed.settled.notes.get(key);
        let diff = note("diff").and_then(Value::as_str).unwrap_or_default().to_owned();
        let recorded = note("change").and_then(Value::as_u64);
        Ok(UndoReport { changes, recorded, files, merged, diff, digest })
    }

    /// What keeps a selection from being undone: for each file that somebody has changed in the same lines, the three
    /// contents. Empty if it can be undone.
    ///
    /// # Errors
    ///
    /// If something else keeps it from being undone.
    pub fn undo_conflicts(
        &self,
        request: &UndoRequest,
        context: &ExecutionContext,
    ) -> Result<Vec<UndoConflict>, ToolError> {
        let (executor, name) = self.for_undo(request)?;
        let performed = executor.perform(name, Effect::Reads, context, |call| {
            in_sandbox(call, Unread::Refused, |sandbox| {
                sandbox.undo_conflicts(request.kind, &request.selection).map(Into::into)
            })
        })?;
        Ok(performed.facts)
    }

    fn for_undo(&self, request: &UndoRequest) -> Result<(Executor, &'static str), ToolError> {
        self.history()?;
        let name = match request.kind {
            UndoKind::Undo => "undo",
            UndoKind::Redo => "redo",
        };
        Ok((self.executor().in_environment(Arc::new(self.access().for_person())), name))
    }
}
