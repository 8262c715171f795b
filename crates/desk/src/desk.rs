//! What waits for an answer and what is at work in this process, and who is connected.
//!
//! Everything is under one lock, and everybody who is connected is told under it: so all are told the same, in the same order, and of
//! two answers one is first. Nothing waits under the lock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use toolcrib_access::{ApprovalRequest, Decision};

use crate::facts::{
    Answer, By, DeskError, Event, Failure, Question, RunningCall, ServerInfo, WholeQuestion, now, word,
};
use crate::wire::{FromDesk, Reply, Wanted, frame};

/// How many failures are remembered.
const MOST_FAILURES: usize = 50;
/// Of how many questions it is remembered who ended them.
const MOST_CLOSED: usize = 256;
/// How many frames may wait for a connection that does not read. Then it is closed.
const AHEAD: usize = 4096;
/// How many processes may be connected.
const MOST_CONNECTED: usize = 16;

/// What waits for an answer and what is at work in this process. Cheap to clone; clones are the same desk.
#[derive(Clone, Debug)]
pub struct Desk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    info: ServerInfo,
    questions: BTreeMap<u64, Asked>,
    closed: VecDeque<(String, By)>,
    calls: BTreeMap<u64, AtWork>,
    failures: VecDeque<Failure>,
    connected: Vec<(u64, SyncSender<Arc<Vec<u8>>>)>,
}

/// Somebody who is connected.
pub(crate) struct Connected {
    pub(crate) number: u64,
    /// What is so when the connection begins, in frames.
    pub(crate) now: Vec<Arc<Vec<u8>>>,
    /// What happens from then on.
    pub(crate) queue: Receiver<Arc<Vec<u8>>>,
}

#[derive(Debug)]
struct Asked {
    question: Question,
    request: Arc<ApprovalRequest>,
    /// Takes the answer of somebody who is connected.
    answer: Arc<Mutex<Option<Decision>>>,
    /// Fires when it is there.
    answered: CancellationToken,
}

#[derive(Debug)]
struct AtWork {
    call: RunningCall,
    cancel: CancellationToken,
    stopped: bool,
}

impl Desk {
    /// A desk of this process.
    #[must_use]
    pub fn new(door: &str, dialect: &str, roots: Vec<String>) -> Self {
        let info = ServerInfo {
            pid: std::process::id(),
            door: door.to_owned(),
            dialect: dialect.to_owned(),
            roots,
            since: now(),
            ..ServerInfo::default()
        };
        Self(Arc::new(Mutex::new(State {
            info,
            questions: BTreeMap::new(),
            closed: VecDeque::new(),
            calls: BTreeMap::new(),
            failures: VecDeque::new(),
            connected: Vec::new(),
        })))
    }

    /// Says which agent the process works for.
    pub fn set_agent(&self, agent: &str) {
        self.lock().change(|info| info.agent = Some(agent.to_owned()));
    }

    /// Says what the process serves, where that is known only later.
    pub fn set_roots(&self, roots: Vec<String>) {
        self.lock().change(|info| info.roots = roots);
    }

    /// Whether anybody is connected.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        !self.lock().connected.is_empty()
    }

    /// Says that a call begins, which `cancel` cancels. It ends when what this gives is dropped.
    #[must_use]
    pub fn begin(
        &self,
        tool: &str,
        path: Option<&str>,
        agent: Option<&str>,
        session: Option<&str>,
        cancel: &CancellationToken,
    ) -> Began {
        let mut state = self.lock();
        let id = number();
        let call = RunningCall {
            id,
            tool: tool.to_owned(),
            path: path.map(str::to_owned),
            agent: agent.map(str::to_owned),
            since: now(),
            message: None,
        };
        let pid = state.info.pid;
        state.tell(|| Event::CallBegan { pid, call: call.clone() });
        state.calls.insert(id, AtWork { call, cancel: cancel.clone(), stopped: false });
        Began { desk: self.clone(), id, session: session.map(str::to_owned) }
    }

    /// Puts a question to everybody who is connected, now and later. `token` fires when it needs no answer any more.
    pub(crate) fn put(
        &self,
        request: &ApprovalRequest,
        deadline: Option<u64>,
        cancelled: &CancellationToken,
    ) -> Pending {
        let mut state = self.lock();
        let (n, asked) = (number(), now());
        let id = format!("{}-{}-{n}", state.info.pid, state.info.since);
        let question = Question::of(request, id, asked, deadline);
        let (answer, answered) = (Arc::<Mutex<Option<Decision>>>::default(), cancelled.child_token());
        state.tell(|| Event::Question(question.clone()));
        let request = Arc::new(request.clone());
        let asked = Asked { question, request, answer: Arc::clone(&answer), answered: answered.clone() };
        state.questions.insert(n, asked);
        Pending { desk: self.clone(), n, answer, answered }
    }

    /// Connects somebody: what is so now, and what happens from now on. None if too many are.
    pub(crate) fn connect(&self) -> Option<Connected> {
        let mut state = self.lock();
        if state.connected.len() >= MOST_CONNECTED {
            return None;
        }
        let (sender, receiver) = sync_channel(AHEAD);
        let number = number();
        let mut now = vec![FromDesk::Event { event: Box::new(Event::Server(state.info_with_calls())) }];
        let questions = state.questions.values().map(|asked| Event::Question(asked.question.clone()));
        let failures = state.failures.iter().cloned().map(Event::Failed);
        now.extend(failures.chain(questions).map(|event| FromDesk::Event { event: Box::new(event) }));
        now.push(FromDesk::Ready);
        state.connected.push((number, sender));
        let now = now.iter().filter_map(|message| frame(message).ok()).map(Arc::new);
        Some(Connected { number, now: now.collect(), queue: receiver })
    }

    pub(crate) fn disconnect(&self, number: u64) {
        self.lock().connected.retain(|(other, _)| *other != number);
    }

    /// Does what somebody who is connected wants, and says what came of it to nobody else.
    pub(crate) fn serve(&self, connection: u64, request: u64, wanted: Wanted) {
        let done = |result: Result<(), DeskError>| result.map_or_else(Reply::Failed, |()| Reply::Done);
        let reply = match wanted {
            Wanted::Question { id } => match self.whole(&id) {
                Ok(whole) => Reply::Whole(Box::new(whole)),
                Err(error) => Reply::Failed(error),
            },
            Wanted::Answer { id, answer } => done(self.answer(&id, &answer)),
            Wanted::Stop { call } => done(self.stop(call)),
        };
        if let Ok(frame) = frame(&FromDesk::Reply { request, reply }) {
            self.lock().send_to(connection, &Arc::new(frame));
        }
    }

    fn whole(&self, id: &str) -> Result<WholeQuestion, DeskError> {
        let (question, request) = {
            let state = self.lock();
            let asked = state.find(id)?.1;
            (asked.question.clone(), Arc::clone(&asked.request))
        };
        Ok(WholeQuestion::of(question, &request))
    }

    fn answer(&self, id: &str, answer: &Answer) -> Result<(), DeskError> {
        let request = Arc::clone(&self.lock().find(id)?.1.request);
        if request.digest.to_string() != answer.digest {
            return Err(DeskError::OtherDigest);
        }
        // Which content hunks lead to is found out without the lock.
        let decision = answer.verdict.decide(&request)?;
        let mut state = self.lock();
        let n = state.find(id)?.0;
        let verdict = word(&decision);
        if let Some(asked) = state.close(n, By::Page, verdict) {
            *lock(&asked.answer) = Some(decision);
            drop(state);
            asked.answered.cancel();
        }
        Ok(())
    }

    fn stop(&self, call: u64) -> Result<(), DeskError> {
        let mut state = self.lock();
        let at_work = state.calls.get_mut(&call).ok_or(DeskError::Gone { by: None })?;
        at_work.stopped = true;
        let cancel = at_work.cancel.clone();
        drop(state);
        cancel.cancel();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    fn info_with_calls(&self) -> ServerInfo {
        let calls = self.calls.values().map(|at_work| at_work.call.clone()).collect();
        ServerInfo { calls, ..self.info.clone() }
    }

    fn change(&mut self, change: impl FnOnce(&mut ServerInfo)) {
        let before = self.info.clone();
        change(&mut self.info);
        if self.info != before {
            let info = self.info_with_calls();
            self.tell(|| Event::Server(info));
        }
    }

    fn find(&self, id: &str) -> Result<(u64, &Asked), DeskError> {
        let found = self.questions.iter().find(|(_, asked)| asked.question.id == id);
        let closed = || self.closed.iter().find(|(closed, _)| closed == id).map(|(_, by)| *by);
        found.map(|(n, asked)| (*n, asked)).ok_or_else(|| DeskError::Gone { by: closed() })
    }

    /// Ends a question, if nobody has ended it before.
    fn close(&mut self, n: u64, by: By, verdict: Option<&str>) -> Option<Asked> {
        let asked = self.questions.remove(&n)?;
        let (id, pid) = (asked.question.id.clone(), self.info.pid);
        self.closed.push_back((id.clone(), by));
        if self.closed.len() > MOST_CLOSED {
            self.closed.pop_front();
        }
        self.tell(|| Event::Closed { id, pid, by, verdict: verdict.map(str::to_owned) });
        Some(asked)
    }

    /// Tells everybody who is connected. Where nobody is, nothing is made.
    fn tell(&mut self, event: impl FnOnce() -> Event) {
        if self.connected.is_empty() {
            return;
        }
        let Ok(frame) = frame(&FromDesk::Event { event: Box::new(event()) }) else { return };
        let frame = Arc::new(frame);
        // Who does not read is not waited for: the connection ends when its queue is gone.
        self.connected.retain(|(_, queue)| queue.try_send(Arc::clone(&frame)).is_ok());
    }

    fn send_to(&mut self, connection: u64, frame: &Arc<Vec<u8>>) {
        self.connected
            .retain(|(number, queue)| *number != connection || queue.try_send(Arc::clone(frame)).is_ok());
    }
}

/// The number of a question, a call or a connection: in this process there is none twice.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A question that waits.
pub(crate) struct Pending {
    desk: Desk,
    n: u64,
    answer: Arc<Mutex<Option<Decision>>>,
    answered: CancellationToken,
}

impl Pending {
    /// Fires when the question needs no other answer: it was answered by somebody who is connected, or the call was cancelled.
    pub(crate) fn answered(&self) -> &CancellationToken {
        &self.answered
    }

    /// Ends the question with the answer that came first: the one of somebody who is connected, or this one.
    pub(crate) fn settle(self, own: Decision, by: By) -> Decision {
        let mut state = self.desk.lock();
        if state.close(self.n, by, word(&own)).is_some() {
            return own;
        }
        drop(state);
        lock(&self.answer).take().unwrap_or(own)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // Only if whoever was asked has panicked is the question still there.
        let _ = self.desk.lock().close(self.n, By::Cancelled, None);
    }
}

/// A call that is at work. It ends when this is dropped.
#[derive(Debug)]
pub struct Began {
    desk: Desk,
    id: u64,
    session: Option<String>,
}

impl Began {
    /// The number of the call.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Says what the call is waiting for; none if it goes on.
    pub fn waits_for(&self, message: Option<&str>) {
        let mut state = self.desk.lock();
        let pid = state.info.pid;
        let Some(at_work) = state.calls.get_mut(&self.id) else { return };
        at_work.call.message = message.map(str::to_owned);
        let call = at_work.call.clone();
        state.tell(|| Event::CallProgress { pid, call });
    }

    /// What it is waiting for.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.desk.lock().calls.get(&self.id)?.call.message.clone()
    }

    /// Whether somebody who is connected has stopped it.
    #[must_use]
    pub fn was_stopped(&self) -> bool {
        self.desk.lock().calls.get(&self.id).is_some_and(|at_work| at_work.stopped)
    }

    /// Says that the call has failed, and what the agent is told.
    pub fn failed(&self, message: &str) {
        let mut state = self.desk.lock();
        let Some(at_work) = state.calls.get(&self.id) else { return };
        let failure = Failure {
            pid: state.info.pid,
            time: now(),
            tool: at_work.call.tool.clone(),
            agent: at_work.call.agent.clone(),
            session: self.session.clone(),
            message: bounded(message),
            path: at_work.call.path.clone(),
        };
        state.failures.push_back(failure.clone());
        if state.failures.len() > MOST_FAILURES {
            state.failures.pop_front();
        }
        state.tell(|| Event::Failed(failure));
    }
}

impl Drop for Began {
    fn drop(&mut self) {
        let mut state = self.desk.lock();
        let pid = state.info.pid;
        if state.calls.remove(&self.id).is_some() {
            let call = self.id;
            state.tell(|| Event::CallEnded { pid, call });
        }
    }
}

/// A message can be as long as a path that an agent makes up.
fn bounded(message: &str) -> String {
    const MOST: usize = 2000;
    if message.len() <= MOST {
        return message.to_owned();
    }
    format!("{}…", &message[..message.floor_char_boundary(MOST)])
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
