//! Directories under the policy: opening one, and which of the things in it a listing or a search may show.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use toolcrib_search::{Index, Visibility};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Dir, ErrorKind as DiskError, WorkspacePath};

use crate::error::disk_error;
use crate::policy::{Access, Action, Policy, Subject, Verdict};
use crate::sandbox::{Location, Sandbox};

/// A directory that may be listed, open.
pub struct OpenedDir {
    /// The handle.
    pub dir: Dir,
    /// Where it was found, which may be under another spelling than it was asked for.
    pub location: Location,
}

impl<'a> Sandbox<'a> {
    /// Opens a directory. Listing needs no permission, but one outside every root has to be let in, and what is in it is
    /// shown through a [`PolicyVisibility`].
    ///
    /// # Errors
    ///
    /// `Directory not found: PATH`, if it is no directory, or if it lies outside.
    pub fn open_dir(&self, given: &Path) -> Result<OpenedDir, ToolError> {
        let mut location = self.locate_dir(given)?;
        let error = match location.workspace.open_dir(&location.path) {
            Ok(dir) => {
                // What is found below is better shown by the way down than by the detour.
                if location.path.relative().components().any(|name| name == Component::ParentDir) {
                    location.path = dir.reached().clone();
                }
                return Ok(OpenedDir { dir, location });
            }
            Err(error) => error,
        };
        if error.kind() != DiskError::NotFound {
            return Err(self.unless_denied(&location, disk_error(error)));
        }
        if let Some(path) = location.workspace.find_again(&location.path) {
            let dir = location.workspace.open_dir(&path).map_err(disk_error)?;
            location.path = path;
            return Ok(OpenedDir { dir, location });
        }
        Err(self.not_found(&location, disk_error(error)))
    }

    /// Says which of the things below a directory may be shown.
    #[must_use]
    pub fn visibility(&self, opened: &OpenedDir) -> PolicyVisibility {
        PolicyVisibility::new(self.policy().clone(), &opened.location, opened.dir.reached())
    }

    /// The index of the root that a directory lies in, if there is one.
    #[must_use]
    pub fn index(&self, opened: &OpenedDir) -> Option<Arc<Index>> {
        self.access().indexes()?.of(&opened.location, opened.dir.reached())
    }

    /// Where a directory lies. Of one outside, the policy is asked about what is in it: a rule that allows `/opt/x/**`
    /// is about `/opt/x` too.
    fn locate_dir(&self, given: &Path) -> Result<Location, ToolError> {
        match self.locate_inside(given) {
            Err(error) if error.kind() == DiskError::Outside => {
                let mut location = self.external(&self.working_dir().join(given).join("*"), error)?;
                if let Some(root) = location.workspace.roots().first() {
                    location.path = location.workspace.path(root.path(), root.path()).map_err(disk_error)?;
                }
                Ok(location)
            }
            located => located.map_err(disk_error),
        }
    }
}

/// Says of things below one directory whether they may be shown: the policy says neither deny nor ask.
pub struct PolicyVisibility {
    policy: Policy,
    accesses: &'static [Access],
    location: Location,
    reached: WorkspacePath,
    /// The root, if there is only one: what is below is known by no other root.
    root: Option<Subject>,
    /// Whether everything in the root may have to be withheld.
    whole: bool,
    /// Whether a rule says where below the root it begins, so that a directory's name says too little.
    deeper: bool,
}

impl Visibility for PolicyVisibility {
    fn identity(&self) -> Option<u64> {
        let plain = self.reached == self.location.path && !self.location.is_external();
        plain.then(|| self.policy.number())
    }

    fn may_hide_in(&self, directory: &Path) -> bool {
        // What was reached by another name may be withheld under that one.
        if self.reached != self.location.path {
            return true;
        }
        let mut directories = directory.iter();
        let of_name =
            |name: &OsStr| self.accesses.iter().any(|access| self.policy.may_refuse_below(*access, name));
        if self.whole || directories.any(of_name) {
            return true;
        }
        if !self.deeper && self.root.is_some() {
            return false;
        }
        let subject = self.subject(directory);
        self.accesses.iter().any(|access| self.policy.may_refuse_all_in(*access, &subject))
    }

    fn may_hide(&self, name: &OsStr) -> bool {
        self.accesses.iter().any(|access| self.policy.may_refuse(*access, name))
    }

    fn shows(&self, path: &Path) -> bool {
        self.allows(path, Policy::judge)
    }

    // `pkg/kubeconfig` is no kubeconfig.
    fn shows_directory(&self, path: &Path) -> bool {
        self.allows(path, Policy::judge_directory)
    }
}

impl PolicyVisibility {
    /// Of what lies below a directory.
    pub(crate) fn new(policy: Policy, location: &Location, reached: &WorkspacePath) -> Self {
        let accesses: &[Access] =
            if location.is_external() { &[Access::Read, Access::ExternalDirectory] } else { &[Access::Read] };
        let roots = location.workspace.roots();
        let root = location.subject(&roots[reached.root().index()].path_to(Path::new("")));
        Self {
            whole: accesses.iter().any(|access| policy.may_refuse_all_in(*access, &root)),
            deeper: accesses.iter().any(|access| policy.may_refuse_deeper(*access, &root)),
            root: (roots.len() == 1).then_some(root),
            location: location.clone(),
            policy,
            reached: reached.clone(),
            accesses,
        }
    }

    /// Whether what a link in this directory says may be shown: it must not name what may not be read. Links on the way
    /// are not followed, since the name alone is in question.
    #[must_use]
    pub fn shows_target(&self, directory: &WorkspacePath, target: &Path) -> bool {
        let root = &self.location.workspace.roots()[directory.root().index()];
        let named = without_detours(&root.real().join(directory.relative()).join(target));
        let inside = [root.real(), root.path()].into_iter().find_map(|root| named.strip_prefix(root).ok());
        let subject = match inside {
            Some(relative) => self.location.subject(&root.path_to(relative)),
            None => Subject::outside(&named),
        };
        self.policy.judge(Access::Read, &subject).action != Action::Deny
    }

    fn allows(
        &self,
        path: &Path,
        judge: impl for<'p> Fn(&'p Policy, Access, &Subject) -> Verdict<'p>,
    ) -> bool {
        // Only what lies below the directory is asked about.
        let Ok(below) = path.strip_prefix(self.reached.relative()) else { return false };
        let mut subject = self.subject(path);
        if self.reached != self.location.path {
            subject = subject.also(self.location.subject(&self.location.path.join(below)));
        }
        self.accesses.iter().all(|access| match (access, judge(&self.policy, *access, &subject).action) {
            (_, Action::Allow) => true,
            // That the directory may be reached was settled when it was opened.
            (Access::ExternalDirectory, Action::Ask) => true,
            _ => false,
        })
    }

    /// What the policy is asked about a path from the root.
    fn subject(&self, path: &Path) -> Subject {
        match &self.root {
            Some(root) => root.join(path),
            None => {
                let root = &self.location.workspace.roots()[self.reached.root().index()];
                self.location.subject(&root.path_to(path))
            }
        }
    }
}
/// An absolute path with each `..` taken for what it says.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}
