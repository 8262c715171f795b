//! The journal of an executor's changes: opened by the first change, and not for those who only read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use toolcrib_journal::{Journal, Options, Repairer, Unrepaired};
use toolcrib_workspace::{Durability, Error, StateFolder, Workspace};

/// Where the changes of a workspace are written down before they are made, so that a crash leaves nothing half done and
/// each of them can be undone.
///
/// A [`FileAccess`](crate::FileAccess) gets one with [`FileAccessBuilder::history`](crate::FileAccessBuilder::history).
#[derive(Debug)]
pub struct History {
    state: PathBuf,
    workspace: Workspace,
    options: Options,
    durability: Durability,
    own: Mutex<Option<Arc<Journal>>>,
    /// Finds what is half done in the workspace, once it was looked at as a whole.
    repairer: Mutex<Option<Arc<Repairer>>>,
}

impl History {
    /// A history in the user's state folder. Nothing is made there before the first change.
    #[must_use]
    pub fn new(state: impl Into<PathBuf>, workspace: &Workspace) -> Self {
        Self {
            state: state.into(),
            workspace: workspace.clone(),
            options: Options::default(),
            durability: Durability::default(),
            own: Mutex::default(),
            repairer: Mutex::default(),
        }
    }

    /// Says how much it keeps, and how long a change waits for another.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Says what a change waits for.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Repairs what a crash has left half done in the files of the workspace, under whichever root that was, and says what
    /// could not be repaired. Where nothing is half done, this is a look and no more.
    ///
    /// What is told here is told by every call, until it is repaired: no agent should read half a change without being
    /// told.
    pub fn repair(&self) -> Vec<HalfDone> {
        let known = self.repairer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(repairer) = known {
            return told(repairer.repair());
        }
        let half_done = told(Journal::repair(&self.state, &self.workspace, self.options));
        if half_done.is_empty() {
            // Nothing was left of an earlier run of the machine. From now on a look at what is under way will do.
            let repairer = Repairer::new(&self.state, &self.workspace, self.options);
            *self.repairer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(repairer));
        }
        half_done
    }

    /// The same for a directory outside the workspace that the rules let in.
    pub(crate) fn repair_in(&self, workspace: &Workspace) -> Vec<HalfDone> {
        told(Journal::repair(&self.state, workspace, self.options))
    }

    /// The journal of the workspace.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn journal(&self) -> Result<Arc<Journal>, Error> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(journal) = &*own {
            return Ok(Arc::clone(journal));
        }
        let journal = Arc::new(Journal::open_with(&self.state, &self.workspace, self.options)?);
        *own = Some(Arc::clone(&journal));
        Ok(journal)
    }

    /// What a change waits for in this workspace.
    #[must_use]
    pub fn waits_for(&self) -> Durability {
        self.durability
    }

    /// The folder it stands in, made if it is missing.
    ///
    /// # Errors
    ///
    /// If it cannot be made or belongs to another user.
    pub fn folder(&self) -> Result<&Path, Error> {
        StateFolder::open(&self.state)?;
        Ok(&self.state)
    }

    /// The journal of a workspace: the own one, or that of a directory which the rules let in.
    pub(crate) fn journal_of(&self, workspace: &Workspace) -> Result<Arc<Journal>, Error> {
        let root = |workspace: &Workspace| workspace.roots().first().map(|root| root.real().to_owned());
        if root(workspace) == root(&self.workspace) {
            return self.journal();
        }
        Journal::open_with(&self.state, workspace, self.options).map(Arc::new)
    }
}

/// A change that was interrupted and cannot be repaired now, so that some of its files may be old, and others new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalfDone {
    /// What is half done, and why that cannot be repaired.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

fn told(repaired: Result<Vec<Unrepaired>, Error>) -> Vec<HalfDone> {
    match repaired {
        Ok(unrepaired) => unrepaired
            .iter()
            .map(|unrepaired| HalfDone { what: unrepaired.to_string(), hint: unrepaired.hint() })
            .collect(),
        Err(error) => vec![HalfDone {
            what: format!("Whether a change was interrupted here cannot be found out ({error})"),
            hint: error.hint().unwrap_or("run `toolcrib doctor`, which says what is wrong").to_owned(),
        }],
    }
}

impl std::fmt::Display for HalfDone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.what, self.hint)
    }
}
