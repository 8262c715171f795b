//! Paths for people: how they are shown, and what the rules say about them.

use std::path::{Path, PathBuf};

use toolcrib_access::{Access, Verdict};
use toolcrib_workspace::names;

use crate::Toolbox;

impl Toolbox {
    /// What the rules say about an access to a path, absolute or relative to the first root, and because of which rule. It is
    /// judged by its name: nothing is opened.
    ///
    /// ```
    /// use std::path::Path;
    /// use toolcrib::{Access, Action, Toolbox};
    ///
    /// let toolbox = Toolbox::open(env!("CARGO_MANIFEST_DIR"))?;
    /// assert_eq!(toolbox.verdict(Access::Read, Path::new(".env")).action, Action::Deny);
    /// assert_eq!(toolbox.verdict(Access::Read, Path::new("README.md")).rule, None);
    /// # Ok::<(), toolcrib::ToolError>(())
    /// ```
    #[must_use]
    pub fn verdict(&self, access: Access, path: &Path) -> Verdict<'_> {
        self.access().verdict(access, &self.from_first_root(path))
    }

    /// A path in full: a relative one starts at the first root.
    #[must_use]
    pub fn from_first_root(&self, path: &Path) -> PathBuf {
        self.workspace().roots().first().map_or_else(|| path.to_owned(), |root| root.real().join(path))
    }

    /// The path that [`show_path`](Self::show_path) shows so.
    #[must_use]
    pub fn from_shown(&self, shown: &str) -> PathBuf {
        self.from_first_root(Path::new(&names::unescape(shown)))
    }

    /// An absolute path as people read it: relative to the first root, or in full if it lies elsewhere. Bytes that are not text
    /// are escaped.
    #[must_use]
    pub fn show_path(&self, absolute: &Path) -> String {
        let roots = self.workspace().roots().first();
        let below = roots.and_then(|root| {
            absolute.strip_prefix(root.real()).or_else(|_| absolute.strip_prefix(root.path())).ok()
        });
        names::escape(below.unwrap_or(absolute)).into_owned()
    }
}
