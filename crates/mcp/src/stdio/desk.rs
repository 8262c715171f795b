//! Who reads the input. One thread at a time does, and it may do something that takes long: carry out a call, or write to a client
//! that does not read. Meanwhile it leaves the [`Reader`] at the desk. If it is not back soon, another thread takes the reader and
//! goes on, so that pings and cancellations are never waited with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::service::{RoleServer, RxJsonRpcMessage};
use tokio::sync::{Notify, mpsc, oneshot};
use toolcrib::ToolResult;

use super::input::Input;
use crate::server::DirectCall;

/// How often the desk is looked at while there is something to do. What takes less is never taken over, what takes twice as long is.
const TICK: Duration = Duration::from_millis(5);
/// A tool that takes less is faster than a hand-over to another thread.
const SHORT: Duration = Duration::from_micros(250);
/// A tool that takes less does not keep a single call waiting noticeably.
const BEARABLE: Duration = Duration::from_millis(2);
/// How long a tool counts as slow.
const FORGOTTEN: Duration = Duration::from_secs(1);

/// What the thread that reads has, and nobody else.
pub(super) struct Reader {
    pub(super) input: Input,
    /// What goes the usual way.
    pub(super) protocol: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    pub(super) pace: Pace,
}

/// How long tools took lately.
#[derive(Default)]
pub(super) struct Pace(HashMap<String, (Duration, Instant)>);

impl Pace {
    /// Whether a call of this tool keeps what comes after it waiting for so long that it should run elsewhere.
    pub(super) fn is_slow(&self, tool: &str, something_waits: bool) -> bool {
        let most = if something_waits { SHORT } else { BEARABLE };
        self.0.get(tool).is_some_and(|(took, when)| *took > most && when.elapsed() < FORGOTTEN)
    }

    pub(super) fn took(&mut self, tool: &str, took: Duration) {
        if took > SHORT {
            self.0.insert(tool.to_owned(), (took, Instant::now()));
        } else {
            self.0.remove(tool);
        }
    }
}

/// A call that a thread is carrying out.
pub(super) struct Running {
    pub(super) call: DirectCall,
    /// Who waits for the result, once another thread reads.
    taken_over: Mutex<Option<oneshot::Sender<ToolResult>>>,
}

impl Running {
    pub(super) fn new(call: DirectCall) -> Self {
        Self { call, taken_over: Mutex::default() }
    }

    /// Says that somebody else waits for the result.
    fn take_over(&self) -> oneshot::Receiver<ToolResult> {
        let (sender, receiver) = oneshot::channel();
        *lock(&self.taken_over) = Some(sender);
        receiver
    }

    /// Gives the result to whoever waits for it.
    pub(super) fn hand_over(&self, result: ToolResult) {
        if let Some(sender) = lock(&self.taken_over).take() {
            // Who does not wait any more has given up on the call.
            _ = sender.send(result);
        }
    }
}

/// What another thread takes over.
pub(super) struct TakenOver {
    pub(super) reader: Reader,
    /// The call that took so long, and where its result will come.
    pub(super) call: Option<(Arc<Running>, oneshot::Receiver<ToolResult>)>,
}

#[derive(Default)]
pub(super) struct Desk {
    state: Mutex<State>,
    busy: Notify,
}

#[derive(Default)]
struct State {
    left: Option<(Reader, Option<Arc<Running>>)>,
    /// How many readers have been left so far.
    count: u64,
    is_watched: bool,
}

impl Desk {
    /// Does something that may take long. None for the reader: another thread has it now.
    pub(super) fn leave<T>(
        &self,
        reader: Reader,
        call: Option<&Arc<Running>>,
        work: impl FnOnce() -> T,
    ) -> (Option<Reader>, T) {
        let mine = {
            let mut state = lock(&self.state);
            state.left = Some((reader, call.cloned()));
            state.count += 1;
            if !state.is_watched {
                state.is_watched = true;
                self.busy.notify_one();
            }
            state.count
        };
        let done = work();
        let mut state = lock(&self.state);
        let reader = if state.count == mine { state.left.take() } else { None };
        (reader.map(|(reader, _)| reader), done)
    }

    /// Waits until a thread does not come back, and takes what it has left.
    pub(super) async fn watch(&self) -> TakenOver {
        loop {
            self.busy.notified().await;
            let mut before = 0;
            loop {
                tokio::time::sleep(TICK).await;
                let mut state = lock(&self.state);
                if state.count != before {
                    before = state.count;
                } else if let Some((reader, call)) = state.left.take() {
                    // The next one to leave it says so.
                    state.is_watched = false;
                    let call = call.map(|call| {
                        let result = call.take_over();
                        (call, result)
                    });
                    return TakenOver { reader, call };
                } else {
                    state.is_watched = false;
                    break;
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
