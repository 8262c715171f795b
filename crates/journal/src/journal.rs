//! [`Journal`]: changes are written down, made, and written down as made.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolcrib_workspace::{
    ChangeSet, CommitError, Committed, Durability, Error, Held, LockSet, Locks, NoticeBoard, Restoration,
    StateFolder, Workspace, WorkspacePath,
};

use crate::damage::Damage;
use crate::intent::Purpose;
use crate::liveness::Liveness;
use crate::log::Log;
use crate::needs_repair::Repairer;
use crate::reach::short;
use crate::record::RecordId;
use crate::register::Register;
use crate::transact::Proposal;
use crate::unrepaired::Unrepaired;

/// The history of one workspace, and the way to change it.
///
/// ```
/// # use std::path::Path;
/// use toolcrib_journal::{Entry, Journal};
/// use toolcrib_workspace::{ChangeSet, Durability, Workspace};
/// # let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let (root, state) = (root.path(), state.path());
///
/// let workspace = Workspace::open(root)?;
/// let journal = Journal::open(state, &workspace)?;
/// let mut changes = ChangeSet::default();
/// changes.create(workspace.path(Path::new("notes.txt"), root)?, "hello\n");
/// let made = journal.commit(&changes, Durability::Safe, &Entry::new("Write"))?;
///
/// assert_eq!(journal.log(10)?[0].id, made.id);
/// journal.undo(made.id, Durability::Safe, &Entry::new("undo"))?;
/// assert!(!root.join("notes.txt").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    /// What it is called.
    pub(crate) name: OsString,
    pub(crate) workspace: Workspace,
    pub(crate) log: Log,
    pub(crate) locks: Locks,
    pub(crate) liveness: Liveness,
    pub(crate) repairer: Repairer,
    /// The changes of this process that are over. One that is still open in the log was left half done.
    over: Mutex<BTreeSet<u64>>,
    pub(crate) options: Options,
}

/// How a journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many bytes it may hold; the oldest changes go first.
    pub limit: u64,
    /// What happens to a change whose old content does not fit, or finds no room on the disk.
    pub contents: Contents,
    /// How long a change waits for another to the same file.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: 1 << 30, contents: Contents::Required, patience: Duration::from_secs(30) }
    }
}

/// Whether a change may be made that cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contents {
    /// It is refused before it touches the file.
    #[default]
    Required,
    /// It is made, and recorded without the contents.
    IfPossible,
}

/// Who makes a change, and how.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The session in which it was called.
    pub session: Option<&'a str>,
    /// The agent that called it.
    pub agent: Option<&'a str>,
    /// Whether the contents of a file may be kept. A change of one that may not is recorded without them, and cannot be
    /// undone.
    pub may_keep: &'a dyn Fn(&WorkspacePath) -> bool,
    /// Whether the caller does not want the change any more. Asked while nothing has changed yet.
    pub stop: &'a dyn Fn() -> bool,
}

impl<'a> Entry<'a> {
    /// A change by a tool, outside any session.
    pub fn new(tool: &'a str) -> Self {
        Self { tool, session: None, agent: None, may_keep: &|_| true, stop: &|| false }
    }
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tool, session, agent, .. } = self;
        f.debug_struct("Entry").field("tool", tool).field("session", session).field("agent", agent).finish()
    }
}

/// A change that was made and recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the journal.
    pub id: RecordId,
    /// What was done.
    pub committed: Committed,
}

impl Journal {
    /// Opens the journal of a workspace in the user's state folder, and repairs what a crash has left half done.
    ///
    /// It belongs to the workspace's first root, by that directory's identity: it is found again when the directory was
    /// renamed, and not taken for that of another under the same name.
    pub fn open(state: &Path, workspace: &Workspace) -> Result<Self, Error> {
        Self::open_with(state, workspace, Options::default())
    }

    /// Like [`open`](Journal::open), with other settings.
    pub fn open_with(state: &Path, workspace: &Workspace, options: Options) -> Result<Self, Error> {
        let journal = Self::open_alone(state, workspace, options)?.0;
        journal.recover_others()?;
        Ok(journal)
    }

    /// Opens one journal and repairs what stands in it. Gives what could not be repaired.
    pub(crate) fn open_alone(
        state: &Path,
        workspace: &Workspace,
        options: Options,
    ) -> Result<(Self, Vec<Unrepaired>), Error> {
        let state = StateFolder::open(state)?;
        let name = identity(workspace, 0)?;
        let folder = state.folder(JOURNALS.as_ref())?.folder(&name)?;
        let register = Register::new(&state, name.clone(), NoticeBoard::system())?;
        let journal = Self {
            name,
            workspace: workspace.clone(),
            liveness: Liveness::new(folder.folder("live".as_ref())?),
            log: Log::open(folder, register, options.limit)?,
            locks: Locks::new(state.folder("locks".as_ref())?),
            repairer: Repairer::new(state.path(), workspace, options),
            over: Mutex::default(),
            options,
        };
        let unrepaired = journal.recover()?;
        Ok((journal, unrepaired))
    }

    /// What is known to be damaged. [`scrub`](Journal::scrub) looks for more.
    pub fn damage(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.log.head()?.damage)
    }

    /// Takes the locks of these files, for a caller that reads and then changes them without another in between.
    /// What a process that died with these locks has left half done is repaired first.
    pub fn lock(&self, set: &LockSet, stop: &dyn Fn() -> bool) -> Result<Held<'_>, Error> {
        let held = self.locks.acquire(set, self.options.patience, stop)?;
        self.recover()?;
        Ok(held)
    }

    /// Makes all changes, or none, and records them. After a crash at any point the next to open the journal finds them
    /// made or not made, never between.
    pub fn commit(
        &self,
        changes: &ChangeSet,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Recorded, CommitError> {
        let held = self.lock(&self.workspace.lock_set_of(changes)?, entry.stop)?;
        self.commit_locked(&held, changes, durability, entry)
    }

    /// Like [`commit`](Journal::commit) for a caller that [holds the locks](Journal::lock) of the files already.
    pub fn commit_locked(
        &self,
        held: &Held<'_>,
        changes: &ChangeSet,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Recorded, CommitError> {
        self.commit_locked_in(held, &self.workspace, changes, durability, entry)
    }

    /// Like [`commit_locked`](Journal::commit_locked), reaching no further than this workspace, which has the same roots
    /// and may be [narrower](Workspace::narrow).
    pub fn commit_locked_in(
        &self,
        _held: &Held<'_>,
        workspace: &Workspace,
        changes: &ChangeSet,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Recorded, CommitError> {
        let proposal =
            Proposal { workspace, changes, restoration: Restoration::default(), purpose: &Purpose::Change };
        self.transact(proposal, durability, entry)
    }

    pub(crate) fn over(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the journal of a root is called: by that directory's identity.
pub(crate) fn identity(workspace: &Workspace, root: usize) -> Result<OsString, Error> {
    Ok(short(workspace.roots()[root].identity()?, 32).into())
}

/// Where the journals stand in the state folder.
pub(crate) const JOURNALS: &str = "journals";
