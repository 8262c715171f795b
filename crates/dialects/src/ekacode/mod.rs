//! The ekacode dialect: lower-case names, camelCase parameters, paths relative to the workspace's root, answers as
//! objects.

mod apply_patch;
mod edit;
mod glob;
mod grep;
mod ls;
mod multi_edit;
mod read;
mod undo;
mod write;

use std::sync::Arc;

use toolcrib_files::{Settings, Terms};
use toolcrib_tool::{DynTool, erase};

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

/// The words of this dialect for an edit that is refused.
const TERMS: Terms = Terms {
    old: "oldString",
    new: "newString",
    all: "replaceAll",
    write: "write",
    not_found: "String not found in file",
    shows_old: true,
};
