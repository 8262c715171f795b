//! A change of the history, undone or redone.

use toolcrib_access::{Proposed, UndoKind};
use toolcrib_files::{Refused, RestoredFile, Settings, UndoRequest, UndoneChange};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};

/// Undoes a change, or makes one again that was undone.
pub struct Undo;

parameters! {
    /// Which change.
    pub struct UndoInput;
    change: Option<u64> =>
        "Number of the change, from the metadata of the call that made it (default: the latest)";
    redo: bool, serde(default) => "Redo a change that was undone";
}

/// What was undone or redone.
pub struct UndoOutcome {
    /// The change.
    pub taken: UndoneChange,
    /// Which of the two.
    pub kind: UndoKind,
}

impl Operation for Undo {
    type Input = UndoInput;
    type Outcome = UndoOutcome;
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Undo";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.undo;

    fn run(input: UndoInput, caller: &Caller<'_>) -> Result<Proposed<UndoOutcome>, Refused> {
        let kind = if input.redo { UndoKind::Redo } else { UndoKind::Undo };
        let proposed = toolcrib_files::undo(caller.sandbox, &UndoRequest::of(kind, input.change))?;
        Ok(proposed.map(|taken| UndoOutcome { taken, kind }))
    }

    fn facts() -> Facts<UndoOutcome> {
        facts! { UndoOutcome, |it, words|
            "taken_back": "The change that was undone" => it.taken.change();
            "files": "The files that were restored", list(Self::file()) => it.taken.files.iter().collect();
            "merged": "Files that another program has changed since, in other lines: its changes are kept" =>
                some(it.taken.merged.iter().map(|path| words.path(path)).collect::<Vec<_>>());
        }
    }
}

/// Undoes the latest change of a file.
pub struct UndoFile;

parameters! {
    /// Which file.
    pub struct UndoFileInput;
    file_path: String, schemars(length(min = 1)) => "The file whose latest change is undone";
}

impl Operation for UndoFile {
    type Input = UndoFileInput;
    type Outcome = UndoOutcome;
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Undo";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.undo;

    fn run(input: UndoFileInput, caller: &Caller<'_>) -> Result<Proposed<UndoOutcome>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let proposed = toolcrib_files::undo_file(caller.sandbox, &path)?;
        Ok(proposed.map(|taken| UndoOutcome { taken, kind: UndoKind::Undo }))
    }

    fn facts() -> Facts<UndoOutcome> {
        Undo::facts()
    }
}

impl Undo {
    /// The facts about one of the files.
    #[must_use]
    pub fn file() -> Facts<RestoredFile> {
        facts! { RestoredFile, |it, words|
            "path": "The file" => words.path(&it.path);
            "action": "restored, recreated, removed or moved back" => it.action.name();
            "diff": "What changed, as a unified diff" => it.shown.diff.clone();
        }
    }
}
