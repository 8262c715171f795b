//! The indexes of a workspace's roots, each made when a search has shown that it is worth one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use toolcrib_search::{Index, IndexOptions, Visibility};
use toolcrib_workspace::{MountTable, StateFolder, WorkspacePath, max_user_watches};

use crate::policy::Policy;
use crate::sandbox::Location;
use crate::visibility::PolicyVisibility;

/// One index for each root, shared by everything that works on the same workspace.
pub(crate) struct Indexes {
    policy: Policy,
    /// Where indexes are kept between two runs.
    folder: Option<PathBuf>,
    limit: Option<u64>,
    /// The mounts of the process, and how many files may be watched.
    told: OnceLock<(Option<Arc<MountTable>>, usize)>,
    roots: Vec<OnceLock<Option<Arc<Index>>>>,
}

impl Indexes {
    pub(crate) fn new(policy: Policy, roots: usize, folder: Option<PathBuf>, limit: Option<u64>) -> Self {
        Self {
            policy,
            folder,
            limit,
            told: OnceLock::new(),
            roots: (0..roots).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The index of the root that a place lies in. What lies outside has none.
    pub(crate) fn of(&self, location: &Location, reached: &WorkspacePath) -> Option<Arc<Index>> {
        if location.is_external() {
            return None;
        }
        let place = self.roots.get(reached.root().index())?;
        place.get_or_init(|| self.open(location, reached).map(Arc::new)).clone()
    }

    /// Opens what cannot be opened any more once the process has restricted itself. The folder that indexes are kept in, if
    /// there is one and it does not lie in what stays `writable`: there it is made when there is something to write.
    pub(crate) fn prepare(&self, writable: &[PathBuf]) -> Option<&Path> {
        _ = self.told();
        let folder = self.folder.as_deref()?;
        if writable.iter().any(|open| folder.starts_with(open)) {
            return None;
        }
        StateFolder::open(folder).ok().map(|_| folder)
    }

    fn told(&self) -> &(Option<Arc<MountTable>>, usize) {
        self.told.get_or_init(|| {
            // The other half is for the user's editors.
            (MountTable::open().map(Arc::new), max_user_watches().map_or(FEW_WATCHES, |most| most / 2))
        })
    }

    fn open(&self, location: &Location, reached: &WorkspacePath) -> Option<Index> {
        let root = location.workspace.open_root(reached).ok()?;
        let location = location.at(root.reached().clone());
        let default = IndexOptions::default();
        let options = IndexOptions {
            folder: self.folder.clone(),
            limit: self.limit.unwrap_or(default.limit),
            policy: self.policy.digest(),
            mounts: self.told().0.clone(),
            watches: self.told().1,
            ..default
        };
        Some(Index::new(root, may_read(self.policy.clone(), &location), options))
    }
}

/// How many files are watched where the limit is not known: half of the smallest limit that kernels have.
const FEW_WATCHES: usize = 4096;

/// What may not be read is not indexed.
fn may_read(policy: Policy, root: &Location) -> Arc<dyn Fn(&Path) -> bool + Send + Sync> {
    let visibility = PolicyVisibility::new(policy, root, &root.path);
    Arc::new(move |path| {
        let directory = path.parent().unwrap_or(Path::new(""));
        let may_hide = path.file_name().is_none_or(|name| visibility.may_hide(name));
        !(may_hide || visibility.may_hide_in(directory)) || visibility.shows(path)
    })
}
