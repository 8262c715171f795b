//! Asking a person, and remembering what they said.
//!
//! A door implements [`Approver`]. With nobody to ask, ask is no. Many calls that need the same answer at once ask once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{Access, Pattern, Subject};

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
    /// Exactly what would be changed, as a unified diff.
    pub diff: Option<String>,
    /// What 'always' would cover from now on.
    pub patterns: Vec<Pattern>,
    /// The rule because of which the person is asked.
    pub rule: Option<String>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, this time.
    Once,
    /// Yes, and for the request's patterns for as long as the session lives.
    Always,
    /// No. The agent is told the reason, if there is one.
    No(Option<String>),
}

/// Somebody who can be asked.
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer. When `cancelled` fires nobody needs the answer any more.
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

/// What makes two requests the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    access: Access,
    paths: Vec<String>,
    session_id: Option<String>,
    diff: Option<String>,
}

#[derive(Default)]
struct Pending {
    answer: Mutex<Option<Decision>>,
    answered: Condvar,
}

impl Approvals {
    pub(crate) fn new(approver: Option<Arc<dyn Approver>>) -> Self {
        Self { approver, ..Self::default() }
    }

    /// Who is asked where a call brings nobody of its own.
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

    /// Asks, unless somebody else is asking the same right now: then their answer counts.
    pub(crate) fn ask(
        &self,
        approver: &dyn Approver,
        request: &ApprovalRequest,
        cancelled: &CancellationToken,
    ) -> Decision {
        let question = Question {
            access: request.access,
            paths: request.paths.clone(),
            session_id: request.session_id.clone(),
            diff: request.diff.clone(),
        };
        let (pending, first) = self.join(&question);
        if !first {
            return pending.wait(cancelled);
        }
        let answer = Answering { approvals: self, question, pending };
        let decision = approver.ask(request, cancelled);
        if let (Decision::Always, Some(session)) = (&decision, &request.session_id) {
            let patterns = request.patterns.iter().map(|pattern| (request.access, pattern.clone()));
            lock(&self.granted).entry(session.clone()).or_default().extend(patterns);
        }
        answer.give(decision)
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
                return Decision::No(None);
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
