//! The ekacode dialect: lower-case names, camelCase parameters, paths relative to the workspace's root, answers as
//! objects.

mod read;

use std::sync::Arc;

use toolcrib_tool::{DynTool, erase};

pub(crate) fn tools() -> Vec<Arc<dyn DynTool>> {
    vec![erase(read::Read)]
}
