//! What may be shown: asked of the code that knows the rules, as seldom as possible.

use std::ffi::OsStr;
use std::path::Path;

/// Decides which of the things found may be shown. Paths are from the root of the workspace, as they were reached.
///
/// Deciding about a path may be slow. So the two other questions come first: they may say yes too often, but never no
/// where [`shows`](Visibility::shows) would withhold something.
pub trait Visibility: Sync {
    /// A number that stands for the first two answers: while it is the same, they are. None if it cannot be told.
    fn identity(&self) -> Option<u64> {
        None
    }

    /// Whether anything directly in this directory may have to be withheld whatever its name is.
    fn may_hide_in(&self, directory: &Path) -> bool;

    /// Whether anything of this name may have to be withheld wherever it lies.
    fn may_hide(&self, name: &OsStr) -> bool;

    /// Whether this path may be shown.
    fn shows(&self, path: &Path) -> bool;

    /// Whether this path may be shown, which is a directory's.
    fn shows_directory(&self, path: &Path) -> bool {
        self.shows(path)
    }
}

/// Withholds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Visibility for Everything {
    fn identity(&self) -> Option<u64> {
        Some(0)
    }

    fn may_hide_in(&self, _: &Path) -> bool {
        false
    }

    fn may_hide(&self, _: &OsStr) -> bool {
        false
    }

    fn shows(&self, _: &Path) -> bool {
        true
    }
}
