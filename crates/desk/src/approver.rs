//! Asks everybody at once: those who are connected, and whoever the process can ask by itself. The first answer counts.

use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolcrib_access::{ApprovalRequest, Approver, Decision};

use crate::desk::{Began, Desk};
use crate::facts::{By, now};

/// How long a call waits for somebody who is connected, where the process itself can ask nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// What the user has configured, whoever is connected.
    pub configured: Option<Duration>,
    /// What it is otherwise, if somebody is connected. If nobody is, the call does not wait.
    pub watched: Duration,
}

impl Patience {
    /// Less than the minute after which many clients give a call up: then the agent still learns why it failed.
    pub const USUAL: Duration = Duration::from_secs(50);

    fn with(self, desk: &Desk) -> Duration {
        let usual = || if desk.is_watched() { self.watched } else { Duration::ZERO };
        self.configured.unwrap_or_else(usual)
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self { configured: None, watched: Self::USUAL }
    }
}

/// Asks everybody who is connected to a [`Desk`], and an approver of the process's own.
pub struct AtDesk {
    desk: Desk,
    own: Option<Arc<dyn Approver>>,
    patience: Patience,
    /// The call that asks.
    call: Option<Arc<Began>>,
}

impl AtDesk {
    /// Asks those who are connected to this desk.
    #[must_use]
    pub fn new(desk: &Desk, patience: Patience) -> Self {
        Self { desk: desk.clone(), own: None, patience, call: None }
    }

    /// Asks this one too.
    #[must_use]
    pub fn and(mut self, own: Option<Arc<dyn Approver>>) -> Self {
        self.own = own;
        self
    }

    /// Says which call asks, so that it is shown as waiting.
    #[must_use]
    pub fn for_call(mut self, call: Arc<Began>) -> Self {
        self.call = Some(call);
        self
    }

    /// Asks the process's own approver, and goes on with those who are connected if that one cannot ask.
    fn ask_everybody(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let patience = self.patience.with(&self.desk);
        if self.own.is_none() && patience.is_zero() {
            return Decision::Unavailable(NOBODY.to_owned());
        }
        let deadline = self.own.is_none().then(|| now().saturating_add(millis(patience)));
        let pending = self.desk.put(request, deadline, cancelled);
        let mut cannot = None;
        if let Some(own) = &self.own {
            match own.ask(request, pending.answered()) {
                Decision::Unavailable(why) if !pending.answered().is_cancelled() && !patience.is_zero() => {
                    cannot = Some(why);
                }
                decision => return pending.settle(decision, ended(cancelled, By::Here)),
            }
        }
        wait(pending.answered(), patience);
        let decision = if cancelled.is_cancelled() {
            Decision::Dismissed
        } else {
            let nobody = format!("nobody answered within {}; {WHERE}", humantime::format_duration(patience));
            Decision::Unavailable(cannot.map_or(nobody.clone(), |why| format!("{why}; {nobody}")))
        };
        pending.settle(decision, ended(cancelled, By::TimedOut))
    }
}

/// Why nobody could be asked.
const NOBODY: &str = "there is no user to ask: no `toolcrib ui` is open, where the user could answer";
const WHERE: &str = "the user can answer such questions in `toolcrib ui`";

impl Approver for AtDesk {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        if let Some(call) = &self.call {
            call.waits_for(Some("waits for a person to answer, for example in `toolcrib ui`"));
        }
        let decision = self.ask_everybody(request, cancelled);
        if let Some(call) = &self.call {
            call.waits_for(None);
        }
        decision
    }
}

fn ended(cancelled: &CancellationToken, otherwise: By) -> By {
    if cancelled.is_cancelled() { By::Cancelled } else { otherwise }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Waits on this thread until the token fires, or for so long.
pub fn wait(token: &CancellationToken, patience: Duration) {
    struct Waiting(Thread);
    impl Wake for Waiting {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Waiting(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut fired = Box::pin(token.cancelled());
    let started = Instant::now();
    while fired.as_mut().poll(&mut context).is_pending() {
        let Some(left) = patience.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) else {
            return;
        };
        thread::park_timeout(left);
    }
}
