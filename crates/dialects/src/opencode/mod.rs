//! The opencode dialect: capitalised names, snake_case parameters, absolute paths, answers as text with the facts in
//! the metadata.

mod apply_patch;
mod edit;
mod glob;
mod grep;
mod ls;
mod multi_edit;
mod read;
mod undo;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

use toolcrib_files::{Settings, Terms};
use toolcrib_tool::{Call, DynTool, ErrorKind, ToolError, erase};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let mut tools = vec![
        erase(read::Read { settings }),
        erase(write::Write),
        erase(edit::Edit { settings }),
        erase(multi_edit::MultiEdit { settings }),
        erase(apply_patch::ApplyPatch { settings }),
        erase(ls::Ls),
        erase(glob::Glob),
        erase(grep::Grep),
    ];
    if settings.undo {
        tools.push(erase(undo::Undo));
    }
    tools
}

/// The path of a file, which this dialect wants in full.
fn absolute(file_path: String, call: &Call<'_>) -> Result<PathBuf, ToolError> {
    let path = PathBuf::from(file_path);
    if path.is_absolute() {
        return Ok(path);
    }
    Err(ToolError::new(ErrorKind::InvalidParameter, "file_path must be an absolute path")
        .hint(format!("did you mean '{}'?", call.context().working_dir.join(path).display())))
}

/// The words of this dialect for an edit that is refused.
const TERMS: Terms = Terms {
    old: "old_string",
    new: "new_string",
    all: "replace_all",
    write: "Write",
    not_found: "old_string not found",
    shows_old: false,
};
