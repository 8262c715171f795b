//! Questions and calls as another process sees them, here over the same sockets from within one process.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod calls;
mod frames;
mod others;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolcrib_access::{Access, ApprovalRequest, Approver, Decision, ProposedChange};
use toolcrib_desk::{Accepting, Answer, AtDesk, Desk, Desks, Event, Listening, Patience, Verdict};
use toolcrib_workspace::Version;

/// Longer than anything takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

/// A process that asks.
struct Asking {
    desk: Desk,
    _accepting: Accepting,
    dir: tempfile::TempDir,
}

impl Asking {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let desk = Desk::new("mcp", "standard", vec!["/w".to_owned()]);
        let accepting = Listening::open(dir.path(), &desk).unwrap().accept_on_a_thread();
        Self { desk, _accepting: accepting, dir }
    }

    fn state(&self) -> &Path {
        self.dir.path()
    }

    /// Asks on a thread of its own.
    fn ask(&self, request: ApprovalRequest, cancelled: &CancellationToken) -> Receiver<Decision> {
        self.ask_with(AtDesk::new(&self.desk, waiting()), request, cancelled)
    }

    fn ask_with(
        &self,
        approver: AtDesk,
        request: ApprovalRequest,
        cancelled: &CancellationToken,
    ) -> Receiver<Decision> {
        let (sender, receiver) = channel();
        let cancelled = cancelled.clone();
        std::thread::spawn(move || sender.send(approver.ask(&request, &cancelled)));
        receiver
    }
}

/// Waits as long as a test can take.
fn waiting() -> Patience {
    Patience { configured: Some(LONG), ..Patience::default() }
}

/// Somebody who is connected.
struct Watching {
    desks: Desks,
    events: Receiver<Event>,
}

impl Watching {
    fn of(state: &Path) -> Self {
        Self::of_roots(state, &["/w"])
    }

    fn of_roots(state: &Path, roots: &[&str]) -> Self {
        let (sender, events) = channel();
        let roots = roots.iter().map(Into::into).collect();
        let desks = Desks::open(state, roots, move |event| _ = sender.send(event)).unwrap();
        Self { desks, events }
    }

    /// The first of the events to come that this is about.
    fn next<T>(&self, mut about: impl FnMut(Event) -> Option<T>) -> T {
        loop {
            if let Some(found) = about(self.events.recv_timeout(LONG).unwrap()) {
                return found;
            }
        }
    }

    fn question(&self) -> toolcrib_desk::Question {
        self.next(|event| if let Event::Question(question) = event { Some(question) } else { None })
    }

    fn closed(&self) -> (String, toolcrib_desk::By, Option<String>) {
        self.next(|event| match event {
            Event::Closed { id, by, verdict, .. } => Some((id, by, verdict)),
            _ => None,
        })
    }
}

fn answer(question: &toolcrib_desk::Question, verdict: Verdict) -> Answer {
    Answer { digest: question.digest.clone(), verdict }
}

/// A change of one file.
fn request(before: &str, after: &str) -> ApprovalRequest {
    ApprovalRequest {
        id: "1".into(),
        access: Access::Edit,
        paths: vec!["/w/a".into()],
        tool: "Edit".into(),
        session_id: Some("s".into()),
        agent_id: Some("agent 1".into()),
        changes: vec![ProposedChange::new("/w/a", Some(before.as_bytes()), Some(after.as_bytes()))],
        patterns: vec!["/w/a".parse().unwrap()],
        rule: Some("ask edit a".into()),
        digest: Version::of(format!("{before}\0{after}").as_bytes()),
        editable: true,
    }
}

fn own(decide: impl Fn(&CancellationToken) -> Decision + Send + Sync + 'static) -> Arc<dyn Approver> {
    struct Own<F>(F);
    impl<F: Fn(&CancellationToken) -> Decision + Send + Sync> Approver for Own<F> {
        fn ask(&self, _: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
            (self.0)(cancelled)
        }
    }
    Arc::new(Own(decide))
}
