//! The workspace as one call may use it: contained by the workspace, judged by the policy.
//!
//! Every file tool goes through here, so that none can forget to ask. A path is judged twice: under the name that was
//! given, before anything is opened, and under the name that was reached, on the handle that is open by then.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolcrib_workspace::{
    Error, ErrorKind as DiskError, Links, OpenFile, Outcome, Workspace, WorkspacePath, names,
};

use crate::call::Call;
use crate::policy::{Access, Action, ApprovalRequest, Decision, Pattern, Policy, Rule, Subject, Verdict};
use crate::review::digest;
use crate::{ErrorKind, Extent, Ledger, Proposal, ProposedChange, Seen, ToolError, Written};

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

    /// Another path in the same workspace.
    pub(crate) fn at(&self, path: WorkspacePath) -> Self {
        Self { path, ..self.clone() }
    }

    /// Whether both lie in the same workspace, so that one commit can change both.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
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

/// What a call may reach. [`Call::sandbox`] gives it.
pub struct Sandbox<'a, 'c> {
    call: &'a Call<'c>,
    workspace: &'a Workspace,
}

impl<'a, 'c> Sandbox<'a, 'c> {
    pub(crate) fn new(call: &'a Call<'c>, workspace: &'a Workspace) -> Self {
        Self { call, workspace }
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
            located => Ok(located?),
        }
    }

    pub(crate) fn locate_inside(&self, given: &Path) -> Result<Location, Error> {
        let path = self.workspace.path(given, self.working_dir())?;
        Ok(Location { workspace: self.workspace.clone(), path, external: false })
    }

    pub(crate) fn working_dir(&self) -> &'a Path {
        &self.call.context().working_dir
    }

    pub(crate) fn policy(&self) -> &'a Policy {
        self.call.policy()
    }

    pub(crate) fn checkpoint(&self) -> Result<(), ToolError> {
        self.call.checkpoint()
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
        self.call.policy().judge(Access::Read, &location.subject(path)).action == Action::Allow
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
        let written = Written { from: &from, reached: &reached, before: outcome.before, after };
        self.note_kept(self.ledger().wrote(session, written));
    }

    fn note_kept(&self, kept: Result<(), ToolError>) {
        if let Err(error) = kept {
            self.call.note("session_not_kept", error.to_string());
        }
    }

    fn open_at(&self, location: &Location) -> Result<Opened, Failure> {
        self.refuse(Access::Read, location, &location.path)?;
        let file = location.workspace.open_file(&location.path).map_err(Failure::Disk)?;
        let subject = location.subject(&location.path).also(location.subject(file.reached()));
        let subject = self.with_links(Access::Read, subject, location, file.reached(), file.stat())?;
        self.permit(Access::Read, &subject, location)?;
        self.call.note_links(file.stat());
        Ok(Opened { file, location: location.clone() })
    }

    /// Looks once more for a name that may be spelt otherwise, or names what comes near.
    fn open_again(&self, location: Location, error: Error) -> Result<Opened, ToolError> {
        if let Some(path) = location.workspace.find_again(&location.path) {
            return Ok(self.open_at(&Location { path, ..location })?);
        }
        Err(self.not_found(&location, error.into()))
    }

    /// Says that nothing has this name, and names what comes near.
    pub(crate) fn not_found(&self, location: &Location, error: ToolError) -> ToolError {
        let error = self.unless_denied(location, error);
        let Some(names) = self.names_beside(location).filter(|_| error.kind() == ErrorKind::NotFound) else {
            return error;
        };
        let near = location.workspace.near_names(&location.path).into_iter().filter(|name| {
            let subject = names(&names::understand(Path::new(name)));
            self.call.policy().judge(Access::Read, &subject).action != Action::Deny
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
        match self.call.policy().judge(Access::Read, &names(name)) {
            Verdict { action: Action::Deny, rule } => {
                refusal(Access::Read, location, Why::of(rule), &Refused::ByRule)
            }
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
        let verdict = self.call.policy().judge(Access::ExternalDirectory, &named);
        let granted = self.is_granted(Access::ExternalDirectory, &named);
        let let_in = match verdict.action {
            Action::Allow => true,
            Action::Ask => granted || self.call.may_ask_for_outside(),
            Action::Deny => false,
        };
        let (Some(directory), Some(name)) = (given.parent(), given.file_name()) else {
            return Err(outside.into());
        };
        if !let_in {
            return Err(how_to_let_in(outside, directory));
        }
        let workspace = self.workspace.beside(directory)?;
        let path = workspace.path(Path::new(name), directory)?;
        let location = Location { workspace, path, external: true };
        let subject = location.subject(&location.path);
        self.permit(Access::ExternalDirectory, &subject, &location)?;
        if let Some(history) = self.call.history() {
            self.call.note_half_done(&history.repair_in(&location.workspace));
        }
        Ok(location)
    }

    /// Refuses what a rule denies, and asks nobody yet.
    pub(crate) fn refuse(
        &self,
        access: Access,
        location: &Location,
        path: &WorkspacePath,
    ) -> Result<(), ToolError> {
        self.refuse_subject(access, location, &location.subject(path))
    }

    /// The same, for a file that is known by more names.
    pub(crate) fn refuse_subject(
        &self,
        access: Access,
        location: &Location,
        subject: &Subject,
    ) -> Result<(), ToolError> {
        let verdict = self.call.policy().judge(access, subject);
        if verdict.action == Action::Deny {
            return Err(refusal(access, location, Why::of(verdict.rule), &Refused::ByRule));
        }
        Ok(())
    }

    /// Asks for all the changes of a call at once, with what would be written. `foreign` is a reason to ask although no
    /// rule says so.
    pub(crate) fn permit_changes(
        &self,
        proposals: &[Proposal],
        foreign: Option<&str>,
    ) -> Result<(), ToolError> {
        let mut asked: Vec<(&Proposal, Why<'_>)> = Vec::new();
        for proposal in proposals {
            let subject = proposal.subject();
            let verdict = self.call.policy().judge(Access::Edit, &subject);
            let granted = || self.is_granted(Access::Edit, &subject);
            match (verdict.action, foreign) {
                (Action::Deny, _) => {
                    return Err(refusal(
                        Access::Edit,
                        &proposal.location,
                        Why::of(verdict.rule),
                        &Refused::ByRule,
                    ));
                }
                (_, Some(reason)) => asked.push((proposal, Why { rule: None, reason: Some(reason) })),
                (Action::Ask, None) if !granted() => asked.push((proposal, Why::of(verdict.rule))),
                (Action::Ask | Action::Allow, None) => {}
            }
        }
        let Some((first, why)) = asked.first() else { return Ok(()) };
        let locations: Vec<Location> = asked.iter().flat_map(|(proposal, _)| proposal.locations()).collect();
        let locations: Vec<&Location> = locations.iter().collect();
        let request = self.request(Access::Edit, &locations, *why, proposals)?;
        let is_granted = || {
            foreign.is_none()
                && asked.iter().all(|(proposal, _)| self.is_granted(Access::Edit, &proposal.subject()))
        };
        self.answer(&request, &first.location, *why, &is_granted)
    }

    /// Goes on, asks, or refuses, as the policy says.
    pub(crate) fn permit(
        &self,
        access: Access,
        subject: &Subject,
        location: &Location,
    ) -> Result<(), ToolError> {
        let verdict = self.call.policy().judge(access, subject);
        let why = Why::of(verdict.rule);
        match verdict.action {
            Action::Allow => Ok(()),
            Action::Deny => Err(refusal(access, location, why, &Refused::ByRule)),
            Action::Ask if self.is_granted(access, subject) => Ok(()),
            Action::Ask => {
                let request = self.request(access, &[location], why, &[])?;
                self.answer(&request, location, why, &|| self.is_granted(access, subject))
            }
        }
    }

    /// Whether the person has allowed this for the whole session.
    fn is_granted(&self, access: Access, subject: &Subject) -> bool {
        self.call.approvals().is_granted(self.session(), access, subject)
    }

    fn answer(
        &self,
        request: &ApprovalRequest,
        location: &Location,
        why: Why<'_>,
        is_granted: &dyn Fn() -> bool,
    ) -> Result<(), ToolError> {
        let decision = self.call.ask(request, is_granted);
        self.call.checkpoint()?;
        let refused = match decision {
            Decision::Once | Decision::Always => return Ok(()),
            Decision::No(reason) => Refused::ByPerson(reason),
            Decision::Dismissed => Refused::Dismissed,
            Decision::Unavailable(reason) => Refused::NobodyAsked(reason),
        };
        Err(refusal(request.access, location, why, &refused))
    }

    fn request(
        &self,
        access: Access,
        locations: &[&Location],
        why: Why<'_>,
        proposals: &[Proposal],
    ) -> Result<ApprovalRequest, ToolError> {
        let pattern = |location: &&Location| {
            let absolute = location.absolute();
            match access {
                Access::ExternalDirectory => absolute.parent().and_then(Pattern::below),
                Access::Read | Access::Edit => Pattern::literal(&absolute),
            }
        };
        let context = self.call.context();
        let paths: Vec<String> = locations.iter().map(|location| location.show()).collect();
        Ok(ApprovalRequest {
            id: self.call.approvals().next_id(),
            access,
            tool: self.call.tool().to_owned(),
            session_id: context.session_id.clone(),
            agent_id: context.agent_id.clone(),
            changes: proposals.iter().map(ProposedChange::of).collect::<Result<_, _>>()?,
            patterns: locations.iter().filter_map(pattern).collect(),
            rule: why.to_text(),
            digest: digest(access, &paths, proposals),
            paths,
        })
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        self.call.ledger()
    }

    pub(crate) fn requires_reading(&self) -> bool {
        self.call.requires_reading()
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
            Failure::Disk(error) => error.into(),
            Failure::Refused(error) => error,
        }
    }
}

/// Why a person is asked, or a call refused.
#[derive(Clone, Copy)]
struct Why<'a> {
    rule: Option<&'a Rule>,
    /// Something other than a rule.
    reason: Option<&'a str>,
}

impl<'a> Why<'a> {
    fn of(rule: Option<&'a Rule>) -> Self {
        Self { rule, reason: None }
    }

    fn to_text(self) -> Option<String> {
        self.reason.map(str::to_owned).or_else(|| self.rule.map(ToString::to_string))
    }
}

/// Who said no. The agent is told, because what it should do next differs.
enum Refused {
    ByRule,
    ByPerson(Option<String>),
    Dismissed,
    NobodyAsked(String),
}

impl Refused {
    fn name(&self) -> &'static str {
        match self {
            Self::ByRule => "rule",
            Self::ByPerson(_) => "user",
            Self::Dismissed => "dismissed",
            Self::NobodyAsked(_) => "nobody_asked",
        }
    }

    fn sentence(&self, why: Why<'_>) -> String {
        let why = why.reason.map(str::to_owned).or_else(|| why.rule.map(|rule| format!("rule: {rule}")));
        let parts = match self {
            Self::ByRule => [None, why],
            // The rule only made the user be asked; it was the user who refused.
            Self::ByPerson(Some(reason)) => [Some(format!("the user said no: {reason}")), None],
            Self::ByPerson(None) => [Some("the user said no".to_owned()), None],
            Self::Dismissed => [Some("the user closed the question without an answer".to_owned()), why],
            Self::NobodyAsked(reason) => [Some(reason.clone()), why],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::ByRule => {
                "do without it, or ask the user to allow it; `toolcrib rules` shows the rules in force"
            }
            Self::ByPerson(_) => {
                "do not try it another way; go on without it, or ask the user what to do instead"
            }
            Self::Dismissed => "ask the user whether it may be done before you try again",
            Self::NobodyAsked(_) => {
                "do without it, or ask the user to do it or to allow it with a rule; `toolcrib rules` shows the rules in force"
            }
        }
    }
}

fn refusal(access: Access, location: &Location, why: Why<'_>, refused: &Refused) -> ToolError {
    let operation = match access {
        Access::Read => "read",
        Access::Edit => "edit",
        Access::ExternalDirectory => "reach",
    };
    let because = match refused.sentence(why) {
        because if because.is_empty() => because,
        because => format!(" ({because})"),
    };
    let message = format!("Permission denied: Cannot {operation} {}{because}", location.show());
    let error = ToolError::new(ErrorKind::PermissionDenied, message)
        .hint(refused.hint())
        .with("refused_by", refused.name());
    match why.rule {
        Some(rule) => error.with("rule", json!(rule)),
        None => error,
    }
}

fn how_to_let_in(outside: Error, directory: &Path) -> ToolError {
    let error = ToolError::from(outside);
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
