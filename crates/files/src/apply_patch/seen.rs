//! What another program has changed since the session read it is patched only where there can be no doubt.

use memchr::memmem::Finder;
use toolcrib_access::Sandbox;
use toolcrib_edit::Level;
use toolcrib_patch::{Action, FileChange, Hunk, Patch, Planned};
use toolcrib_tool::{ErrorKind, ToolError};

use super::files::{File, Files};

/// Whether a file has changed since it was read.
///
/// # Errors
///
/// If a hunk of such a file does not fit exactly and only once, or if it would be replaced without being looked at.
pub(super) fn check(
    sandbox: &Sandbox<'_>,
    patch: &Patch,
    planned: &[Planned],
    files: &Files,
) -> Result<bool, ToolError> {
    let mut changed = false;
    for (change, planned) in patch.files.iter().zip(planned) {
        let source = planned.from.as_deref().unwrap_or(&planned.path);
        let replaced = match planned.action {
            Action::Add => Some(&planned.path),
            Action::Delete if change.hunks.is_empty() => Some(&planned.path),
            Action::Move | Action::Copy if source != planned.path => Some(&planned.path),
            _ => None,
        };
        if let Some(file) = replaced.and_then(|path| files.get(path)) {
            file.draft.refuse_unseen()?;
        }
        if let Some(file) = files.get(source).filter(|file| file.draft.changed_since_read()) {
            if !is_certain(sandbox, file, change, planned)? {
                return Err(doubtful(file));
            }
            changed = true;
        }
    }
    Ok(changed)
}

/// Whether every hunk was found to the letter, and could have been found nowhere else.
fn is_certain(
    sandbox: &Sandbox<'_>,
    file: &File,
    change: &FileChange,
    planned: &Planned,
) -> Result<bool, ToolError> {
    let exact = planned.hunks.iter().all(|hunk| hunk.level == Level::Exact && hunk.fuzz == 0);
    if !exact || planned.already_applied {
        return Ok(exact);
    }
    let text = file.text().unwrap_or_default();
    for hunk in &change.hunks {
        sandbox.checkpoint()?;
        if !stands_once(text, hunk) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn stands_once(text: &str, hunk: &Hunk) -> bool {
    let old = hunk.old_text();
    let finder = Finder::new(&old);
    let first = finder.find(text.as_bytes()).filter(|_| !old.is_empty());
    first.is_some_and(|first| finder.find(&text.as_bytes()[first + 1..]).is_none())
}

fn doubtful(file: &File) -> ToolError {
    ToolError::new(
        ErrorKind::Conflict,
        format!(
            "File has changed since it was read, and the patch does not fit exactly and only once: {}",
            file.draft.location.show()
        ),
    )
    .hint("read it again, then make the patch anew")
}
