//! What the rules say about a path, for programs that show it. Nothing is opened on the strength of this.

use std::path::Path;

use crate::policy::{Access, Subject, Verdict};
use crate::{FileAccess, Location};

impl FileAccess {
    /// What the rules say about an access to this absolute path, by its names alone: under the root, as the user named it and
    /// as the kernel did. A link is judged as what it is called.
    #[must_use]
    pub fn verdict(&self, access: Access, absolute: &Path) -> Verdict<'_> {
        let subject = match self.workspace().path(absolute, Path::new("/")) {
            Ok(path) => Location::inside_workspace(self.workspace(), path.clone()).subject(&path),
            Err(_) => Subject::outside(absolute),
        };
        self.policy().judge(access, &subject)
    }
}
