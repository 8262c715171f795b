//! Under which names the policy judges a path of a workspace.

use std::path::Path;

use toolcrib_workspace::{Root, WorkspacePath};

use crate::policy::{RootName, Subject};
use crate::sandbox::Location;

impl Location {
    /// What a policy is asked about: the path under its root as the user named it, and as the kernel did. Every other root
    /// that this one lies in counts too, so that a root inside a root is judged under the outer one's rules.
    pub(crate) fn subject(&self, path: &WorkspacePath) -> Subject {
        let roots = self.workspace.roots();
        let root = &roots[path.root().index()];
        let named = |top: &Path| {
            let absolute = top.join(path.relative());
            if self.is_external() {
                Subject::outside(&absolute)
            } else {
                Subject::under(names(roots), &absolute)
            }
        };
        if root.path() == root.real() {
            named(root.path())
        } else {
            named(root.path()).also(named(root.real()))
        }
    }
}

fn names(roots: &[Root]) -> impl Iterator<Item = RootName<'_>> {
    roots.iter().flat_map(|root| {
        [root.path(), root.real()].map(|path| RootName { path, project: root.is_checkout() })
    })
}
