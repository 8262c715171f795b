//! Directories that a search leaves out, whether or not an ignore file says so.
//!
//! Only names that can hardly mean anything else. `build`, `target`, `dist`, `vendor`, `venv` are not among them: a project
//! may keep its sources there, and where it does not, its own ignore files say so.

use std::ffi::OsStr;

/// What version control keeps for itself.
const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr", "CVS"];

/// What tools fetch or make by themselves.
const MADE_BY_TOOLS: &[&str] = &[
    "node_modules",
    "bower_components",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    ".eggs",
    ".gradle",
    ".terraform",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".parcel-cache",
    ".turbo",
];

/// Whether a directory of this name is left out unless the caller asks for what is ignored.
#[must_use]
pub fn is_excluded(name: &OsStr) -> bool {
    [VERSION_CONTROL, MADE_BY_TOOLS].iter().any(|list| list.iter().any(|excluded| name == *excluded))
}
