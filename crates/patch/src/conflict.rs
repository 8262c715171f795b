//! Changes of one path that cannot both be meant.
//!
//! Moves and copies read the files as they were before the patch, as git has it: two files may change places. All other
//! changes of one path follow each other.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind};
use crate::patch::{Action, FileChange, Patch};

/// What a path went through, with the line of the patch that said so.
#[derive(Default)]
struct Fate {
    updated: Option<usize>,
    /// Added, or the target of a move or copy.
    created: Option<usize>,
    /// Deleted, or moved away.
    gone: Option<usize>,
    /// Added to the patch as text, not moved or copied.
    added: Option<usize>,
}

pub(crate) fn check(patch: &Patch) -> Result<(), Error> {
    let mut fates: HashMap<&str, Fate> = HashMap::new();
    for change in &patch.files {
        let contradicts = |path: &str, other: usize| {
            let kind = ErrorKind::Contradiction { path: path.to_owned(), other };
            Err(Error::new(change.line, kind))
        };
        if let Some(from) = &change.from
            && let Some(other) = leave(change, fates.entry(from).or_default())
        {
            return contradicts(from, other);
        }
        if let Some(other) = arrive(change, fates.entry(&change.path).or_default()) {
            return contradicts(&change.path, other);
        }
    }
    Ok(())
}

/// What a move or copy does to where the file was; the line that it contradicts.
fn leave(change: &FileChange, fate: &mut Fate) -> Option<usize> {
    if change.action == Action::Copy {
        return fate.added;
    }
    let other = fate.gone.or(fate.updated).or(fate.added);
    fate.gone = Some(change.line);
    other
}

/// What a change does to its path; the line that it contradicts.
fn arrive(change: &FileChange, fate: &mut Fate) -> Option<usize> {
    let line = Some(change.line);
    match change.action {
        Action::Add | Action::Move | Action::Copy => {
            let other = fate.created.or(fate.updated);
            fate.created = line;
            fate.added = if change.action == Action::Add { line } else { fate.added };
            other
        }
        Action::Update | Action::Mode => {
            let other = fate.gone.filter(|_| fate.created.is_none());
            fate.updated = line;
            other
        }
        Action::Delete => {
            let other = fate.gone.or(fate.created).or(fate.updated);
            fate.gone = line;
            other
        }
    }
}
