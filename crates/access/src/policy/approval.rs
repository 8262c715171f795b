//! Asking a person, and remembering what they said.
//!
//! A door implements [`Approver`]. Without an approver, ask is no. A question is what it would allow: its identity is the
//! digest of the change, so no answer can be taken for another question, however alike both look. Yes is for one call.
//! Calls that need the same answer at the same time ask one after the other, so that 'always' and 'no' answer them all.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio_util::sync::CancellationToken;
use toolcrib_workspace::Version;

use super::{Access, Pattern, Subject};
use crate::edited::Edited;
use crate::review::{self, Page, PageSize, ProposedChange};

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovalRequest {
    /// Distinguishes requests of one process.
    pub id: String,
    /// What is to be done.
    pub access: Access,
    /// With which files: absolute paths.
    pub paths: Vec<String>,
    /// By which tool.
    pub tool: String,
    /// In which conversation.
    pub session_id: Option<String>,
    /// For whom.
    pub agent_id: Option<String>,
    /// What would be changed, whole; empty where nothing would be.
    #[serde(skip)]
    pub changes: Vec<ProposedChange>,
    /// What 'always' would cover from now on.
    pub patterns: Vec<Pattern>,
    /// Why the person is asked: a rule, or another reason.
    pub rule: Option<String>,
    /// Names the question by what it would allow: the same for the same access to the same paths, with the same bytes
    /// written over the same versions, and for nothing else.
    #[serde(serialize_with = "as_text")]
    pub digest: Version,
    /// Whether it may be answered with another change, see [`edited`](Self::edited).
    #[serde(skip)]
    pub editable: bool,
}

impl ApprovalRequest {
    /// One page of what would be changed, from 1, for a person to look at. Where nothing would be, it is empty.
    ///
    /// If there is more than one, a door says so before anything else and lets the person see the others.
    #[must_use]
    pub fn page(&self, number: usize, size: PageSize) -> Page {
        review::page(&self.changes, number, size)
    }

    /// What would be changed as a unified diff, whole and to the letter, for programs. A person is shown
    /// [pages](Self::page): here a character may be invisible. None where nothing would be changed.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        (!self.changes.is_empty()).then(|| self.changes.iter().map(ProposedChange::diff).collect())
    }
}

fn as_text<S: serde::Serializer>(digest: &Version, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(digest)
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, to this call.
    Once,
    /// Yes, and for the request's patterns for as long as the session lives.
    Always,
    /// Yes, to this call, with another change than the one that was proposed. [`ApprovalRequest::edited`] makes it.
    Edited(Edited),
    /// No. The agent is told the reason, if there is one.
    No(Option<String>),
    /// The question was put to a person, who closed it without an answer.
    Dismissed,
    /// The question did not reach the user, because of this.
    Unavailable(String),
}

/// Asks a person for approval.
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer. When `cancelled` fires, the answer is no longer needed.
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision;
}

impl<F: Fn(&ApprovalRequest) -> Decision + Send + Sync> Approver for F {
    fn ask(&self, request: &ApprovalRequest, _: &CancellationToken) -> Decision {
        self(request)
    }
}

/// Who is asked, and what was answered for whole sessions.
#[derive(Default)]
pub(crate) struct Approvals {
    approver: Option<Arc<dyn Approver>>,
    granted: Mutex<HashMap<String, Vec<(Access, Pattern)>>>,
    pending: Mutex<HashMap<Question, Arc<Pending>>>,
    count: AtomicU64,
}

/// What makes two requests the same: the session, which 'always' is for, and the digest.
type Question = (Option<String>, Version);

#[derive(Default)]
struct Pending {
    answer: Mutex<Option<Decision>>,
    answered: Condvar,
}

impl Approvals {
    pub(crate) fn new(approver: Option<Arc<dyn Approver>>) -> Self {
        Self { approver, ..Self::default() }
    }

    /// Who is asked where a call has no approver of its own.
    pub(crate) fn approver(&self) -> Option<&Arc<dyn Approver>> {
        self.approver.as_ref()
    }

    /// The next request's id.
    pub(crate) fn next_id(&self) -> String {
        format!("approval-{}", self.count.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Whether this was granted for the whole session before.
    pub(crate) fn is_granted(&self, session: Option<&str>, access: Access, subject: &Subject) -> bool {
        let granted = lock(&self.granted);
        let patterns = session.and_then(|session| granted.get(session)).into_iter().flatten();
        let mut patterns = patterns.filter(|(kind, _)| *kind == access);
        // Every name of the file must be covered: a link into a granted folder is not the folder.
        patterns.any(|(_, pattern)| subject.is_covered_by(pattern))
    }

    /// Asks, unless it has been granted by now. While another call of the session asks the same, its answer is waited for:
    /// 'always' and 'no' count for both, and after a yes this call asks for itself.
    pub(crate) fn ask(
        &self,
        approver: &dyn Approver,
        request: &ApprovalRequest,
        is_granted: &dyn Fn() -> bool,
        cancelled: &CancellationToken,
    ) -> Decision {
        let question: Question = (request.session_id.clone(), request.digest);
        loop {
            let (pending, first) = self.join(&question);
            if first {
                let answer = Answering { approvals: self, question, pending };
                let granted = is_granted();
                return answer.give(if granted {
                    Decision::Always
                } else {
                    self.put(approver, request, cancelled)
                });
            }
            match pending.wait(cancelled) {
                Decision::Once | Decision::Edited(_) => {}
                // Without a session there is nothing that it could be for, so it was for the other call.
                Decision::Always if request.session_id.is_none() => {}
                decision => return decision,
            }
        }
    }

    /// Puts the question to the approver, and remembers what is for the whole session.
    fn put(
        &self,
        approver: &dyn Approver,
        request: &ApprovalRequest,
        cancelled: &CancellationToken,
    ) -> Decision {
        let decision = approver.ask(request, cancelled);
        if let (Decision::Always, Some(session)) = (&decision, &request.session_id) {
            let patterns = request.patterns.iter().map(|pattern| (request.access, pattern.clone()));
            lock(&self.granted).entry(session.clone()).or_default().extend(patterns);
        }
        decision
    }

    fn join(&self, question: &Question) -> (Arc<Pending>, bool) {
        let mut pending = lock(&self.pending);
        if let Some(asked) = pending.get(question) {
            return (Arc::clone(asked), false);
        }
        let asked = Arc::<Pending>::default();
        pending.insert(question.clone(), Arc::clone(&asked));
        (asked, true)
    }
}

impl Pending {
    fn wait(&self, cancelled: &CancellationToken) -> Decision {
        const LOOK_UP: Duration = Duration::from_millis(50);
        let mut answer = lock(&self.answer);
        loop {
            if let Some(decision) = answer.as_ref() {
                return decision.clone();
            }
            if cancelled.is_cancelled() {
                return Decision::Dismissed;
            }
            answer = self.answered.wait_timeout(answer, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Gives the answer to all who wait for it, also if the approver panics.
struct Answering<'a> {
    approvals: &'a Approvals,
    question: Question,
    pending: Arc<Pending>,
}

impl Answering<'_> {
    fn give(self, decision: Decision) -> Decision {
        *lock(&self.pending.answer) = Some(decision.clone());
        decision
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        lock(&self.approvals.pending).remove(&self.question);
        lock(&self.pending.answer).get_or_insert(Decision::No(None));
        self.pending.answered.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
