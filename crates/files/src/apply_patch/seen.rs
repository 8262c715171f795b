//! What somebody else has changed since the session read it is patched only where there can be no doubt.

use toolcrib_edit::Level;
use toolcrib_patch::{Action, FileChange, Hunk, Patch, Planned};
use toolcrib_tool::{ErrorKind, ToolError};

use super::files::{File, Files};

/// Whether a file has changed since it was read.
///
/// # Errors
///
/// If a hunk of such a file does not fit exactly and only once, or if it would be replaced without being looked at.
pub(super) fn check(patch: &Patch, planned: &[Planned], files: &Files) -> Result<bool, ToolError> {
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
            refuse_doubt(file, change, planned)?;
            changed = true;
        }
    }
    Ok(changed)
}

fn refuse_doubt(file: &File, change: &FileChange, planned: &Planned) -> Result<(), ToolError> {
    let exact = planned.hunks.iter().all(|hunk| hunk.level == Level::Exact && hunk.fuzz == 0);
    let unique = |hunk: &Hunk| {
        let (text, old) = (file.text().unwrap_or_default(), hunk.old_text());
        !old.is_empty() && text.contains(&old) && text.find(&old) == text.rfind(&old)
    };
    if exact && (planned.already_applied || change.hunks.iter().all(unique)) {
        return Ok(());
    }
    Err(ToolError::new(
        ErrorKind::Conflict,
        format!(
            "File has changed since it was read, and the patch does not fit exactly and only once: {}",
            file.draft.location.show()
        ),
    )
    .hint("read it again, then make the patch anew"))
}
