//! The workspace as one call may use it: contained by the workspace, judged by the policy.
//!
//! Every file tool goes through here, so that none can forget to ask. A path is judged twice: under the name that was
//! given, before anything is opened, and under the name that was reached, on the handle that is open by then.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use toolcrib_tool::{Answer, Call, ErrorKind, ExecutionContext, Notes, ToolError};
use toolcrib_workspace::{
    Error, ErrorKind as DiskError, Links, OpenFile, Outcome, Subject as Entry, Workspace, WorkspacePath,
    names,
};

use crate::error::disk_error;
use crate::file_access::{FileAccess, half_done_notes};
use crate::permission::refused_by_rule;
use crate::policy::{Access, Action, Policy, Subject, Verdict};
use crate::{Extent, History, Ledger, Proposed, Seen, Written};

/// Where a path lies: in the workspace of the call, or in one of its own where the policy lets it out.
#[derive(Clone)]
pub struct Location {
    /// What contains it.
    pub workspace: Workspace,
    /// The path in there.
    pub path: WorkspacePath,
    external: bool,
}

impl Location {
    /// A path of the workspace itself.
    pub(crate) fn inside_workspace(workspace: &Workspace, path: WorkspacePath) -> Self {
        Self { workspace: workspace.clone(), path, external: false }
    }

    /// The path from the top of the file system, as the user knows it.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        self.workspace.absolute(&self.path)
    }

    /// The path as a text, with bytes that are not text escaped.
    #[must_use]
    pub fn show(&self) -> String {
        self.workspace.show(&self.path)
    }

    /// A path of this workspace from where calls start; what lies elsewhere in full.
    #[must_use]
    pub fn show_relative(&self, path: &WorkspacePath) -> String {
        if self.external { self.workspace.show(path) } else { self.workspace.show_relative(path) }
    }

    /// Something in the directory that this is.
    #[must_use]
    pub fn inside(&self, way: &Path) -> Self {
        self.at(self.path.join(way))
    }

    /// Another path in the same workspace.
    pub(crate) fn at(&self, path: WorkspacePath) -> Self {
        Self { path, ..self.clone() }
    }

    /// Whether both lie in the same workspace, so that one commit can change both.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        let root = |location: &Self| location.workspace.roots().first().map(|root| root.real().to_owned());
        self.external == other.external && root(self) == root(other)
    }

    /// Whether it lies outside every root of the call's workspace.
    pub(crate) fn is_external(&self) -> bool {
        self.external
    }

    /// The name by which the ledger knows what was reached.
    pub(crate) fn identity(&self, reached: &WorkspacePath) -> PathBuf {
        self.workspace.roots()[reached.root().index()].real().join(reached.relative())
    }
}

/// A file that may be read, open.
pub struct Opened {
    /// The handle.
    pub file: OpenFile,
    /// Where it was found, which may be under another spelling than it was asked for.
    pub location: Location,
}

/// Runs a tool on the files that its call may reach. What the caller should know about them goes into the answer.
///
/// # Errors
///
/// If the executor has no files, or what `run` fails with.
pub fn in_sandbox<T>(
    call: &Call<'_>,
    unread: Unread,
    run: impl FnOnce(&Sandbox<'_>) -> Result<Proposed<T>, ToolError>,
) -> Result<Answer<T>, ToolError> {
    let sandbox = Sandbox { unread, ..Sandbox::new(call)? };
    let outcome = run(&sandbox);
    let notes = sandbox.into_notes();
    match outcome {
        Ok(proposed) => Ok(Answer { notes, ..proposed.into() }),
        Err(error) => Err(notes.into_iter().fold(error, |error, (key, note)| error.with(&key, note))),
    }
}

/// The files as one run of a tool may use them; see [`in_sandbox`]. It collects what the caller should know about them.
pub struct Sandbox<'a> {
    call: &'a Call<'a>,
    access: &'a FileAccess,
    unread: Unread,
    notes: Mutex<Notes>,
}

/// Whether a session may change a file that it has not read. One that it has read and that has changed since is another matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unread {
    /// It must read the file first.
    #[default]
    Refused,
    /// It may, if the change is recorded and so can be undone.
    AllowedIfRecorded,
}

impl<'a> Sandbox<'a> {
    /// The files that this call may reach.
    ///
    /// # Errors
    ///
    /// If the executor has no files.
    pub fn new(call: &'a Call<'a>) -> Result<Self, ToolError> {
        let access = call.environment::<FileAccess>().ok_or_else(|| {
            ToolError::new(ErrorKind::Internal, "This tool needs a workspace, and the executor has none")
                .hint("build the executor with `FileAccess` as its environment, or open a Toolbox")
        })?;
        Ok(Self { call, access, unread: Unread::default(), notes: Mutex::default() })
    }

    /// The call that uses the files.
    #[must_use]
    pub fn call(&self) -> &'a Call<'a> {
        self.call
    }

    pub(crate) fn access(&self) -> &'a FileAccess {
        self.access
    }

    /// The roots that the call may reach, from the top of the file system.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        let roots = self.access.workspace().roots().iter();
        roots.map(|root| names::escape(root.path()).into_owned()).collect()
    }

    /// What the caller decided.
    #[must_use]
    pub fn context(&self) -> &'a ExecutionContext {
        self.call.context()
    }

    /// Ends the call when it should; see [`Call::checkpoint`].
    ///
    /// # Errors
    ///
    /// If the call is cancelled, its time is up, or there is too little memory.
    pub fn checkpoint(&self) -> Result<(), ToolError> {
        self.call.checkpoint()
    }

    /// What the caller should know about the files that were used. It goes into the answer, also into an error.
    #[must_use]
    pub fn into_notes(self) -> Notes {
        self.notes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a fact to the answer's metadata, also if the call fails later.
    pub fn note(&self, key: &str, value: impl Into<Value>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value.into());
    }

    /// Understands a path that was given. One outside every root is let through only by a rule or an approval.
    ///
    /// # Errors
    ///
    /// `Path outside workspace: PATH`, or what is wrong with the path itself.
    pub fn locate(&self, given: &Path) -> Result<Location, ToolError> {
        match self.locate_inside(given) {
            Err(error) if error.kind() == DiskError::Outside => {
                self.external(&self.working_dir().join(given), error)
            }
            located => located.map_err(disk_error),
        }
    }

    pub(crate) fn locate_inside(&self, given: &Path) -> Result<Location, Error> {
        let workspace = self.access.workspace();
        let path = workspace.path(given, self.working_dir())?;
        Ok(Location { workspace: workspace.clone(), path, external: false })
    }

    pub(crate) fn working_dir(&self) -> &'a Path {
        &self.call.context().working_dir
    }

    pub(crate) fn policy(&self) -> &'a Policy {
        self.access.policy()
    }

    /// Whether a file may be changed of which the session has not read all.
    pub(crate) fn may_change_unread(&self) -> bool {
        self.unread == Unread::AllowedIfRecorded && self.history().is_some()
    }

    pub(crate) fn history(&self) -> Option<&'a History> {
        self.access.history()
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// If there is none, if it lies outside, or if a rule or a person says no.
    pub fn open_file(&self, given: &Path) -> Result<Opened, ToolError> {
        let location = self.locate(given)?;
        match self.open_at(&location) {
            Err(Failure::Disk(error)) if error.kind() == DiskError::NotFound => {
                self.open_again(location, error)
            }
            opened => Ok(opened?),
        }
    }

    /// Whether a listing or a search may show this path: the policy says neither deny nor ask.
    #[must_use]
    pub fn may_show(&self, location: &Location, path: &WorkspacePath) -> bool {
        self.policy().judge(Access::Read, &location.subject(path)).action == Action::Allow
    }

    /// Remembers, for the session, that this much of the file was read. If that cannot be kept, the answer says so.
    pub fn saw(&self, opened: &Location, reached: &WorkspacePath, seen: Seen, extent: Extent) {
        if let Some(session) = self.reader() {
            self.note_kept(self.ledger().read(session, &opened.identity(reached), seen, extent));
        }
    }

    /// Remembers, for the session, that it made this change.
    pub(crate) fn wrote(&self, location: &Location, outcome: &Outcome) {
        let (Some(session), Some(after)) = (self.reader(), outcome.after) else { return };
        let reached = location.identity(&outcome.reached);
        let from = outcome.from.as_ref().map_or_else(|| reached.clone(), |from| location.identity(from));
        match outcome.subject {
            Entry::File => {}
            Entry::Directory => return self.note_kept(self.ledger().moved(session, &from, &reached)),
            Entry::Link => return,
        }
        let written = Written { from: &from, reached: &reached, before: outcome.before, after };
        self.note_kept(self.ledger().wrote(session, written));
    }

    fn note_kept(&self, kept: Result<(), ToolError>) {
        if let Err(error) = kept {
            self.note("session_not_kept", error.to_string());
        }
    }

    fn open_at(&self, location: &Location) -> Result<Opened, Failure> {
        self.refuse(Access::Read, location, &location.path)?;
        let file = location.workspace.open_file(&location.path).map_err(Failure::Disk)?;
        let subject = location.subject(&location.path).also(location.subject(file.reached()));
        let subject = self.with_links(Access::Read, subject, location, file.reached(), file.stat())?;
        self.permit(Access::Read, &subject, location)?;
        if file.stat().nlink > 1 {
            self.note("hard_links", file.stat().nlink);
        }
        Ok(Opened { file, location: location.clone() })
    }

    /// Looks once more for a name that may be spelt otherwise, or names what comes near.
    fn open_again(&self, location: Location, error: Error) -> Result<Opened, ToolError> {
        if let Some(path) = location.workspace.find_again(&location.path) {
            return Ok(self.open_at(&Location { path, ..location })?);
        }
        Err(self.not_found(&location, disk_error(error)))
    }

    /// Says that nothing has this name, and names what comes near.
    pub(crate) fn not_found(&self, location: &Location, error: ToolError) -> ToolError {
        let error = self.unless_denied(location, error);
        let Some(names) = self.names_beside(location).filter(|_| error.kind() == ErrorKind::NotFound) else {
            return error;
        };
        let near = location.workspace.near_names(&location.path).into_iter().filter(|name| {
            let subject = names(&names::unescape(Path::new(name)));
            self.policy().judge(Access::Read, &subject).action != Action::Deny
        });
        let near: Vec<String> = near.collect();
        if near.is_empty() {
            return error;
        }
        error.hint(format!("did you mean {}?", near.join(" or "))).with("near", near)
    }

    /// What is wrong with a path. Where a rule denies it, that is all that is said: whether something has the name, and
    /// what it is, is not for the caller to find out.
    pub(crate) fn unless_denied(&self, location: &Location, error: ToolError) -> ToolError {
        let name = location.path.relative().file_name();
        let Some((names, name)) = self.names_beside(location).zip(name) else { return error };
        match self.policy().judge(Access::Read, &names(name)) {
            Verdict { action: Action::Deny, rule } => refused_by_rule(Access::Read, location, rule),
            _ => error,
        }
    }

    /// What a policy is asked about names in the directory of this path: the directory's own name, and the one that was
    /// reached, which a link may hide. None if there is no such directory.
    fn names_beside<'s>(&self, location: &'s Location) -> Option<impl Fn(&OsStr) -> Subject + use<'s>> {
        let named = location.path.parent()?;
        let reached = location.workspace.reach(&named, Links::Follow).ok()?;
        Some(move |name: &OsStr| {
            location.subject(&named.join(name)).also(location.subject(&reached.join(name)))
        })
    }

    /// A path outside every root, if the policy lets it in: in a workspace of its own, its directory.
    pub(crate) fn external(&self, given: &Path, outside: Error) -> Result<Location, ToolError> {
        let given = lexically_normal(given);
        let named = Subject::outside(&given);
        let verdict = self.policy().judge(Access::ExternalDirectory, &named);
        let granted = self.is_granted(Access::ExternalDirectory, &named);
        let let_in = match verdict.action {
            Action::Allow => true,
            Action::Ask => granted || self.may_ask_for_outside(),
            Action::Deny => false,
        };
        let (Some(directory), Some(name)) = (given.parent(), given.file_name()) else {
            return Err(disk_error(outside));
        };
        if !let_in {
            return Err(how_to_let_in(outside, directory));
        }
        let workspace = self.access.workspace().beside(directory).map_err(disk_error)?;
        let path = workspace.path(Path::new(name), directory).map_err(disk_error)?;
        let location = Location { workspace, path, external: true };
        let subject = location.subject(&location.path);
        self.permit(Access::ExternalDirectory, &subject, &location)?;
        if let Some(history) = self.history() {
            let half_done = half_done_notes(&history.repair_in(&location.workspace));
            half_done.into_iter().for_each(|(key, sentences)| self.note(&key, sentences));
        }
        Ok(location)
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        self.access.ledger()
    }

    pub(crate) fn requires_reading(&self) -> bool {
        self.access.requires_reading()
    }

    /// Whether a person makes this call, and not an agent.
    pub(crate) fn is_persons(&self) -> bool {
        self.access.is_persons()
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.call.context().session_id.as_deref()
    }

    /// Under which name it is kept what this call reads and has read.
    pub(crate) fn reader(&self) -> Option<&str> {
        let session = self.session()?;
        Some(self.call.context().reader_id.as_deref().unwrap_or(session))
    }
}

/// A failure that may yet be looked into.
enum Failure {
    Disk(Error),
    Refused(ToolError),
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Disk(error) => disk_error(error),
            Failure::Refused(error) => error,
        }
    }
}

fn how_to_let_in(outside: Error, directory: &Path) -> ToolError {
    let error = disk_error(outside);
    let inside = error.next_step().map(|hint| format!("{hint}, or ")).unwrap_or_default();
    let hint = format!(
        "{inside}ask the user to add the root {0} or a rule: kind = \"external_directory\", pattern = \"{0}/**\", action = \"allow\"",
        directory.display()
    );
    error.hint(hint)
}

/// The path without `.` and `..`, for a rule to look at. What it really is, the open decides.
fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = normal.pop(),
            std::path::Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}
