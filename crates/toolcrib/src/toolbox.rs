//! Registry, executor and workspace in one handle.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use toolcrib_access::{Approver, FileAccess, HalfDone, History, Ledger, Policy, disk_error};
use toolcrib_dialects::Dialect;
use toolcrib_journal::{Journal, state_folder};
use toolcrib_search::IndexStatus;
use toolcrib_tool::{
    ErrorKind, ExecutionContext, Executor, Format, Registry, Tool, ToolError, ToolExecution, ToolResult,
};
use toolcrib_workspace::{Beside, Lockdown, NoticeBoard, Protected, StateFolder, Workspace};

use crate::Config;

/// All the tools on one workspace. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Toolbox {
    executor: Executor,
    access: Arc<FileAccess>,
    dialect: Dialect,
    sessions: Option<PathBuf>,
    approval_wait: Option<Duration>,
}

impl Toolbox {
    /// The tools of the default dialect on one directory.
    ///
    /// # Errors
    ///
    /// If `root` is not a directory that can be opened.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, ToolError> {
        Self::builder().root(root).open()
    }

    /// For more than one root, or another dialect.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A context for calls from the first root, with the defaults for everything else.
    #[must_use]
    pub fn context(&self) -> ExecutionContext {
        ExecutionContext::new(self.workspace().starts().into_iter().next().unwrap_or_default())
    }

    /// The same tools, reaching only what lies in these directories too: for a client that wants less than the user
    /// allows. The rules stay those of the whole, and so does what a session has read.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-narrow-{}", std::process::id()));
    /// # std::fs::create_dir_all(dir.join("part"))?;
    /// # std::fs::write(dir.join("notes.txt"), "")?;
    /// use serde_json::json;
    /// use toolcrib::Toolbox;
    ///
    /// let part = Toolbox::open(&dir)?.narrow(&[dir.join("part")])?;
    /// let result = part.call_blocking("Read", json!({"file_path": dir.join("notes.txt")}), &part.context());
    /// assert!(result.error.unwrap().starts_with("Path outside workspace"));
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If nothing would be left.
    pub fn narrow(&self, directories: &[PathBuf]) -> Result<Self, ToolError> {
        let access = Arc::new(self.access.narrow(directories)?);
        let executor = self.executor.in_environment(Arc::clone(&access) as Arc<_>);
        Ok(Self { executor, access, ..self.clone() })
    }

    /// Carries a call out. Dropping the future cancels the call.
    pub async fn call(&self, tool: &str, arguments: Value, context: &ExecutionContext) -> ToolResult {
        self.executor.execute(tool, arguments, context).await
    }

    /// Carries a call out on this thread, for programs without a runtime.
    pub fn call_blocking(&self, tool: &str, arguments: Value, context: &ExecutionContext) -> ToolResult {
        self.executor.execute_blocking(tool, arguments, context)
    }

    /// Adds a tool of your own.
    ///
    /// # Errors
    ///
    /// If a tool of that name is there already.
    pub fn register(&self, tool: impl Tool) -> Result<(), ToolError> {
        self.executor.registry().register(tool)
    }

    /// Every tool in the form a model's provider wants.
    #[must_use]
    pub fn schemas(&self, format: Format) -> Vec<Value> {
        self.executor.get_all_schemas(format)
    }

    /// How long the user wants a call to wait for an answer at the [desk](crate::desk), if the configuration says it.
    #[must_use]
    pub fn approval_wait(&self) -> Option<Duration> {
        self.approval_wait
    }

    /// The latest calls, oldest first.
    #[must_use]
    pub fn executions(&self) -> Vec<Arc<ToolExecution>> {
        self.executor.get_executions()
    }

    /// Closes the door a second time (Linux, Landlock): from now on the kernel keeps this thread, and every thread started
    /// later, to the roots and what the rules let in. For a server, before it starts its first thread.
    pub fn lock_down(&self) -> Lockdown {
        self.access.lock_down(self.beside())
    }

    /// The same for every thread that works for a call, before its first one. For a server that learns what it serves only
    /// after it has started.
    pub fn lock_down_threads(&self) -> Lockdown {
        self.access.lock_down_threads(self.beside())
    }

    fn beside(&self) -> Beside {
        // Searches honour the ignore rules that a user has for every repository.
        let readable =
            Config::default_file().into_iter().filter_map(|file| Some(file.parent()?.parent()?.join("git")));
        let journal = self.access.history().and_then(|history| history.folder().ok());
        let writable = self.sessions.as_deref().into_iter().chain(journal).map(Path::to_owned);
        // Other users are told of a change that is half done by names in a folder that all can list.
        let board = NoticeBoard::system();
        let own_notices = journal.and_then(|_| board.own_folder().ok());
        Beside {
            writable: writable.chain(own_notices).collect(),
            readable: readable.collect(),
            listable: vec![board.base().to_owned()],
        }
    }

    /// The journal of its changes: what was done, and the way to undo it.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-journal-{}", std::process::id()));
    /// # std::fs::create_dir_all(dir.join("root"))?;
    /// use serde_json::json;
    /// use toolcrib::{Toolbox, UndoRequest, UndoKind};
    ///
    /// let toolbox = Toolbox::builder().root(dir.join("root")).journal_in(dir.join("state")).open()?;
    /// let file = dir.join("root/notes.txt");
    /// toolbox.call_blocking("Write", json!({"file_path": file, "content": "hello"}), &toolbox.context());
    ///
    /// assert_eq!(toolbox.journal()?.log(1)?[0].tool, "Write");
    /// toolbox.undo(&UndoRequest::of(UndoKind::Undo, None), &toolbox.context())?;
    /// assert!(!file.exists());
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it [has none](Builder::journal_in), or it cannot be opened.
    pub fn journal(&self) -> Result<Arc<Journal>, ToolError> {
        self.history()?.journal().map_err(disk_error)
    }

    /// Changes that were interrupted and cannot be repaired now: some of their files may be old, and others new. Nearly
    /// always there is none, since whatever opens the workspace repairs what was left half done. The answers of calls say
    /// the same, in `half_done`.
    #[must_use]
    pub fn half_done(&self) -> Vec<HalfDone> {
        self.access.history().map(History::repair).unwrap_or_default()
    }

    pub(crate) fn history(&self) -> Result<&History, ToolError> {
        self.access.history().ok_or_else(|| {
            ToolError::new(ErrorKind::NotFound, "There is no journal of the changes here").hint(
                "it needs a folder to stand in (HOME or XDG_STATE_HOME), and must not be disabled in the configuration",
            )
        })
    }

    /// Makes the indexes that searches use now, instead of after the first search that takes a while: for a program that is going
    /// to search a large workspace often. Returns how each root's index stands, in the order of the roots; none for a root
    /// without one, since the [configuration](Config) or [`one_call`](Builder::one_call) says so.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-warm-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # std::fs::write(dir.join("notes.txt"), "needle\n")?;
    /// use serde_json::json;
    /// use toolcrib::Toolbox;
    ///
    /// let toolbox = Toolbox::open(&dir)?;
    /// toolbox.warm_up();
    /// let result = toolbox.call_blocking("Grep", json!({"pattern": "needle"}), &toolbox.context());
    /// assert!(result.success);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm_up(&self) -> Vec<Option<IndexStatus>> {
        for index in self.access.root_indexes().into_iter().flatten() {
            index.build_and_keep();
        }
        self.index_status()
    }

    /// How each root's index stands, in the order of the roots.
    #[must_use]
    pub fn index_status(&self) -> Vec<Option<IndexStatus>> {
        let indexes = self.access.root_indexes().into_iter();
        indexes.map(|index| index.map(|index| index.status())).collect()
    }

    /// What looks tools up and runs them.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// The files its tools reach.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        self.access.workspace()
    }

    /// The rules that its tools obey.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.access.policy()
    }

    pub(crate) fn access(&self) -> &FileAccess {
        &self.access
    }

    /// How its tools speak.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}

/// Says which directories, which dialect, which rules a [`Toolbox`] gets, and who is asked.
#[derive(Clone, Default)]
pub struct Builder {
    roots: Vec<PathBuf>,
    dialect: Dialect,
    config: Config,
    approver: Option<Arc<dyn Approver>>,
    sessions: Option<PathBuf>,
    journal: Option<PathBuf>,
    protected: Vec<PathBuf>,
    more_tools: bool,
    whole_diffs: bool,
    one_call: bool,
}

impl Builder {
    /// Adds a directory the tools may reach.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// Chooses how the tools speak.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Puts the user's configuration in force. Without, only the default rules are, and what the workspace adds.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Offers the tools that are off by default too, as `more_tools` in the configuration does; false leaves it to that.
    #[must_use]
    pub fn more_tools(mut self, more: bool) -> Self {
        self.more_tools |= more;
        self
    }

    /// Lets answers show the whole diff of a change, for a person to read.
    #[must_use]
    pub fn whole_diffs(mut self) -> Self {
        self.whole_diffs = true;
        self
    }

    /// Says that the toolbox is for one call, such as a command's: it learns nothing about the workspace that a later search
    /// could use.
    #[must_use]
    pub fn one_call(mut self) -> Self {
        self.one_call = true;
        self
    }

    /// How long the user wants a call to wait for an answer at the [desk](crate::desk), if the configuration says it.
    #[must_use]
    pub fn approval_wait(&self) -> Option<Duration> {
        self.config.approval_wait()
    }

    /// Says who is asked where a rule says ask. Without, ask is no.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolcrib::{ApprovalRequest, Decision, Toolbox};
    ///
    /// let toolbox = Toolbox::builder()
    ///     .root(env!("CARGO_MANIFEST_DIR"))
    ///     .approver(Arc::new(|request: &ApprovalRequest| match request.changes.is_empty() {
    ///         true => Decision::Once,
    ///         false => Decision::No(Some("this folder is only for reading".into())),
    ///     }))
    ///     .open()?;
    /// # Ok::<(), toolcrib::ToolError>(())
    /// ```
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Keeps what sessions have read in this folder, so that calls of other processes can go on with them. Without, it is
    /// remembered as long as the toolbox lives.
    #[must_use]
    pub fn keep_sessions_in(mut self, state: impl Into<PathBuf>) -> Self {
        self.sessions = Some(state.into());
        self
    }

    /// Writes every change down in this folder before it is made, as the [configuration](Config) says: so a crash leaves
    /// nothing half done, changes of one file queue, and each can be undone. [`state_folder`](crate::state_folder) is
    /// the usual one. Without, changes are made and forgotten.
    ///
    /// Nothing is made there before the first change. What a crash has left half done is repaired when the toolbox is
    /// opened.
    #[must_use]
    pub fn journal_in(mut self, state: impl Into<PathBuf>) -> Self {
        self.journal = Some(state.into());
        self
    }

    /// Keeps every tool from this absolute path and all that lies in it, whatever the rules say. The configuration, the
    /// state folder and the running program always are; this is for what else the guard depends on, such as the package
    /// that a program was loaded from.
    #[must_use]
    pub fn protect(mut self, path: impl Into<PathBuf>) -> Self {
        self.protected.push(path.into());
        self
    }

    /// What no tool may reach: an agent that could change it could remove the rules.
    fn guarded(&self) -> Protected {
        let default = Config::default_file();
        let own = [
            // All of the folder: an editor puts a new file there before it takes the old one's place.
            default.as_deref().and_then(Path::parent).map(Path::to_owned),
            // And the file itself, which may have other names.
            default,
            self.config.file().map(Path::to_owned),
            state_folder(),
            self.journal.clone(),
            self.sessions.clone(),
            std::env::current_exe().ok(),
        ];
        let mut paths: Vec<PathBuf> = own.into_iter().flatten().chain(self.protected.clone()).collect();
        paths.sort();
        paths.dedup();
        Protected::new(paths)
    }

    /// Opens the directories and registers the tools.
    ///
    /// # Errors
    ///
    /// If there is no root, if one of them is not a directory that can be opened, or if its `.toolcrib.toml` is wrong.
    pub fn open(self) -> Result<Toolbox, ToolError> {
        if self.roots.is_empty() {
            return Err(ToolError::new(ErrorKind::InvalidParameter, "A toolbox needs at least one root"));
        }
        let builder = Workspace::builder().mounts(self.config.mounts()).protect(self.guarded());
        let roots = self.roots.iter().fold(builder, |builder, root| builder.root(root));
        let workspace = roots.open().map_err(disk_error)?;
        let registry = Registry::new();
        let mut settings = self.config.settings();
        settings.more_tools |= self.more_tools;
        settings.whole_diffs = self.whole_diffs;
        registry.register_many(self.dialect.tools(settings))?;
        let unread_writes = self.config.unread_writes();
        let approval_wait = self.config.approval_wait();
        let index_limit = self.config.index_limit().filter(|_| !self.one_call);
        let index_folder = self.journal.as_ref().map(|state| state.join("index"));
        let history = self.journal.and_then(|state| self.config.history(&state, &workspace));
        let policy = self.config.policy(&workspace)?;
        let mut access = FileAccess::builder(workspace).policy(policy).unread_writes(unread_writes);
        if let Some(limit) = index_limit {
            access = access.index(index_folder, limit);
        }
        if let Some(approver) = self.approver {
            access = access.approver(approver);
        }
        if let Some(history) = history {
            // What cannot be repaired is no reason not to open: `half_done` says it, and so does the answer of every call.
            let _ = history.repair();
            access = access.history(history);
        }
        if let Some(state) = &self.sessions {
            let sessions = StateFolder::open(&state.join("sessions")).map_err(disk_error)?;
            access = access.ledger(Ledger::kept_in(sessions));
        }
        let access = Arc::new(access.build());
        let executor =
            Executor::builder(Arc::new(registry)).environment(Arc::clone(&access) as Arc<_>).build();
        Ok(Toolbox { executor, access, dialect: self.dialect, sessions: self.sessions, approval_wait })
    }
}
