//! The files that the calls of an executor may use: a workspace, and everything that decides about it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use toolcrib_search::Index;
use toolcrib_tool::{Call, Environment, Notes, Proposals, Settled, ToolError};
use toolcrib_workspace::{Beside, Lockdown, Root, Workspace, WorkspacePath};

use crate::error::disk_error;
use crate::indexes::Indexes;
use crate::policy::{Access, Action, Approvals, Approver, Origin, Policy};
use crate::sandbox::Location;
use crate::settle::settle;
use crate::{HalfDone, History, Ledger};

/// A workspace as calls may use it. It is the [`Environment`] of an executor; a tool gets a [`Sandbox`](crate::Sandbox) of it.
///
/// ```
/// # let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let (root, state) = (root.path(), state.path());
/// use std::sync::Arc;
/// use toolcrib_access::{FileAccess, History};
/// use toolcrib_tool::{Executor, Registry};
/// use toolcrib_workspace::Workspace;
///
/// let workspace = Workspace::open(root)?;
/// let history = History::new(state, &workspace);
/// let files = FileAccess::builder(workspace).history(history).build();
/// let executor = Executor::builder(Arc::new(Registry::new())).environment(Arc::new(files)).build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileAccess {
    workspace: Workspace,
    policy: Policy,
    approvals: Arc<Approvals>,
    ledger: Arc<Ledger>,
    history: Option<Arc<History>>,
    /// What is known of the files without opening them.
    indexes: Option<Arc<Indexes>>,
    /// Whether a session may change files that it has not read.
    unread_writes: bool,
    /// Whether a person makes the calls.
    persons: bool,
    /// Whether the kernel keeps the process inside, whatever a person allows.
    locked: Arc<AtomicBool>,
    /// What every thread restricts itself to before it works for a call, if threads do.
    thread_lock: Arc<OnceLock<(Workspace, Beside)>>,
}

impl FileAccess {
    /// The default rules on this workspace, without an approver and without a history.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self::builder(workspace).build()
    }

    /// For other rules, an approver, or a history.
    #[must_use]
    pub fn builder(workspace: Workspace) -> FileAccessBuilder {
        FileAccessBuilder(Self {
            workspace,
            policy: Policy::default(),
            approvals: Arc::default(),
            ledger: Arc::default(),
            history: None,
            indexes: None,
            unread_writes: false,
            persons: false,
            locked: Arc::default(),
            thread_lock: Arc::default(),
        })
    }

    /// Less of the same: only what is in these directories too. Everything else is shared. See [`Workspace::narrow`].
    ///
    /// # Errors
    ///
    /// If nothing of the workspace would be left.
    pub fn narrow(&self, directories: &[PathBuf]) -> Result<Self, ToolError> {
        let workspace = self.workspace.narrow(directories).map_err(disk_error)?;
        Ok(Self { workspace, ..self.clone() })
    }

    /// The same files for a person, who needs no permission for what the rules keep agents from. Containment stays.
    #[must_use]
    pub fn for_person(&self) -> Self {
        Self { policy: Policy::of_person(), unread_writes: true, persons: true, ..self.clone() }
    }

    /// The files.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The rules.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether the journal may keep the contents of a file: not if a rule denies to read it.
    pub(crate) fn may_keep(&self, location: &Location) -> bool {
        let subject = location.subject(&location.path);
        self.policy.judge(Access::Read, &subject).action != Action::Deny
    }

    /// The same for a path of the workspace.
    #[must_use]
    pub fn may_keep_at(&self, path: &WorkspacePath) -> bool {
        self.may_keep(&Location::inside_workspace(&self.workspace, path.clone()))
    }

    /// Where changes are recorded.
    #[must_use]
    pub fn history(&self) -> Option<&History> {
        self.history.as_deref()
    }

    /// The index of each root; none where there is none.
    #[must_use]
    pub fn root_indexes(&self) -> Vec<Option<Arc<Index>>> {
        let of = |root: &Root| {
            let path = root.path_to(Path::new(""));
            self.indexes.as_ref()?.of(&Location::inside_workspace(&self.workspace, path.clone()), &path)
        };
        self.workspace.roots().iter().map(of).collect()
    }

    pub(crate) fn indexes(&self) -> Option<&Indexes> {
        self.indexes.as_deref()
    }

    pub(crate) fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn requires_reading(&self) -> bool {
        !self.unread_writes
    }

    pub(crate) fn is_persons(&self) -> bool {
        self.persons
    }

    pub(crate) fn is_locked_down(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// Restricts this thread, and every thread that is started later, to the workspace, the directories that a rule allows,
    /// and what is `beside` them: the kernel enforces it from now on. See [`Workspace::lock_down`].
    pub fn lock_down(&self, beside: Beside) -> Lockdown {
        let lockdown = self.workspace.lock_down(&self.with_what_calls_need(beside));
        let locked = !matches!(lockdown, Lockdown::Unavailable(_));
        self.locked.store(locked, Ordering::Release);
        lockdown
    }

    /// The same for every thread that works for a call, before its first one. For a server that learns only after it has
    /// started what it serves: the threads that exist by then were not started later.
    pub fn lock_down_threads(&self, beside: Beside) -> Lockdown {
        let lockdown = self.lock_down(beside.clone());
        if !matches!(lockdown, Lockdown::Unavailable(_)) {
            let beside = self.with_what_calls_need(beside);
            _ = self.thread_lock.set((self.workspace.clone(), beside));
        }
        lockdown
    }

    /// The directories that rules allow, and the folder of the indexes.
    fn with_what_calls_need(&self, mut beside: Beside) -> Beside {
        let indexes = self.indexes().and_then(|indexes| indexes.prepare(&beside.writable));
        beside.writable.extend(indexes.map(Path::to_owned));
        let allowed = self.policy.rules().iter().filter(|rule| {
            rule.kind == Access::ExternalDirectory
                && rule.action == Action::Allow
                && rule.origin != Origin::Workspace
        });
        beside.writable.extend(allowed.filter_map(|rule| rule.pattern.directory()));
        beside
    }

    fn lock_this_thread(&self) {
        thread_local! {
            static LOCKED: Cell<bool> = const { Cell::new(false) };
        }
        if let Some((workspace, beside)) = self.thread_lock.get()
            && !LOCKED.replace(true)
        {
            workspace.lock_down(beside);
        }
    }
}

impl Environment for FileAccess {
    fn enter(&self, _: &Call<'_>) -> Result<Notes, ToolError> {
        self.lock_this_thread();
        self.workspace.check_roots().map_err(disk_error)?;
        let half_done = self.history().map(History::repair).unwrap_or_default();
        Ok(half_done_notes(&half_done))
    }

    fn settle(
        &self,
        call: &Call<'_>,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Settled, ToolError> {
        settle(self, call, attempt)
    }
}

/// Says in an answer that files may be half changed.
pub(crate) fn half_done_notes(half_done: &[HalfDone]) -> Notes {
    let mut notes = Notes::new();
    if !half_done.is_empty() {
        let sentences = half_done.iter().map(|one| Value::from(one.to_string()));
        notes.insert("half_done".to_owned(), sentences.collect());
    }
    notes
}

/// Says what a [`FileAccess`] has.
pub struct FileAccessBuilder(FileAccess);

impl FileAccessBuilder {
    /// Uses these rules instead of the default ones.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.0.policy = policy;
        self
    }

    /// Says who is asked where a rule says ask. Without, the answer is no.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.0.approvals = Arc::new(Approvals::new(Some(approver)));
        self
    }

    /// Remembers what sessions have read in this ledger, instead of in memory alone.
    #[must_use]
    pub fn ledger(mut self, ledger: Ledger) -> Self {
        self.0.ledger = Arc::new(ledger);
        self
    }

    /// Records changes before they are made. Without, a crash in the middle of a change of several files leaves some of them
    /// changed, concurrent changes of one file are refused instead of queued, and none can be undone.
    #[must_use]
    pub fn history(mut self, history: History) -> Self {
        self.0.history = Some(Arc::new(history));
        self
    }

    /// Keeps what is learned about the files, so that later searches open fewer of them: for what lives longer than one call.
    /// With a folder, it is there for the next process too. `limit` is how many bytes it may have. The rules have to be given
    /// before.
    #[must_use]
    pub fn index(mut self, folder: Option<PathBuf>, limit: Option<u64>) -> Self {
        let roots = self.0.workspace.roots().len();
        self.0.indexes = Some(Arc::new(Indexes::new(self.0.policy.clone(), roots, folder, limit)));
        self
    }

    /// Lets a session change files that it has not read.
    #[must_use]
    pub fn unread_writes(mut self, allowed: bool) -> Self {
        self.0.unread_writes = allowed;
        self
    }

    /// The files, as calls may use them.
    #[must_use]
    pub fn build(self) -> FileAccess {
        self.0
    }
}
