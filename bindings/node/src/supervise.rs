//! Calls that do not end when they are asked to.
//!
//! A call runs on a thread of the runtime and is delivered from there, which is one hand-over less than to wait for it elsewhere. Only
//! a call that takes longer than a moment gets somebody who watches its deadline: a task that looks at all calls now and then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Notify, oneshot};
use toolcrib::{ReceivedCall, ToolResult};

use crate::ready::Place;

/// How long a call runs before it is watched.
const MOMENT: Duration = Duration::from_millis(50);
/// How long the task goes on looking after the last call. To wake it costs as much as a small call.
const LINGER: Duration = Duration::from_secs(2);

/// The threads of this process on which calls run.
///
/// # Errors
///
/// If the system gives no thread.
pub(crate) fn runtime() -> Result<&'static Handle, String> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name("toolcrib").enable_time().build();
        runtime.map_err(|error| format!("no thread could be started for calls: {error}"))
    });
    made.as_ref().map(Runtime::handle).map_err(String::clone)
}

/// Carries a call out on this thread, and gives its result to `deliver`; or the watcher does, if the call does not end. The thread takes
/// no other work meanwhile.
pub(crate) fn run(call: ReceivedCall, place: Place, deliver: impl FnOnce(ToolResult) + Send + 'static) {
    let watched = Arc::new(Watched {
        call,
        since: Instant::now(),
        deliver: Mutex::new(Some(Box::new(deliver))),
        result: Mutex::default(),
        seen: AtomicBool::new(false),
    });
    Watch::get().add(Arc::clone(&watched));
    let result = watched.call.run();
    drop(place);
    Watch::get().remove(&watched);
    let supervisor = locked(&watched.result).take();
    match supervisor {
        // The one who watches it hears it first: it may have given the call up already.
        Some(supervisor) => {
            if let Err(result) = supervisor.send(result) {
                watched.deliver(result);
            }
        }
        None => watched.deliver(result),
    }
}

/// A call that runs, and who gets its result.
struct Watched {
    call: ReceivedCall,
    since: Instant,
    deliver: Mutex<Option<Deliver>>,
    /// The one who watches it.
    result: Mutex<Option<oneshot::Sender<ToolResult>>>,
    seen: AtomicBool,
}

type Deliver = Box<dyn FnOnce(ToolResult) + Send>;

impl Watched {
    /// The first result counts.
    fn deliver(&self, result: ToolResult) {
        let deliver = locked(&self.deliver).take();
        if let Some(deliver) = deliver {
            deliver(result);
        }
    }

    async fn supervise(self: Arc<Self>, result: oneshot::Receiver<ToolResult>) {
        let result = self.call.supervise(async { result.await.ok() }).await;
        self.deliver(result);
    }
}

/// The calls that run.
#[derive(Default)]
struct Watch {
    calls: Mutex<Vec<Arc<Watched>>>,
    /// Whether the task looks at them by itself, and need not be woken.
    awake: AtomicBool,
    wake: Notify,
}

impl Watch {
    fn get() -> &'static Self {
        static WATCH: OnceLock<Watch> = OnceLock::new();
        WATCH.get_or_init(|| {
            // Calls run on a thread of the runtime.
            Handle::current().spawn(async { Self::get().look().await });
            Self::default()
        })
    }

    fn add(&self, call: Arc<Watched>) {
        locked(&self.calls).push(call);
        if !self.awake.load(Ordering::SeqCst) {
            self.wake.notify_one();
        }
    }

    fn remove(&self, call: &Arc<Watched>) {
        let mut calls = locked(&self.calls);
        if let Some(at) = calls.iter().position(|other| Arc::ptr_eq(other, call)) {
            calls.swap_remove(at);
        }
    }

    async fn look(&self) {
        let mut busy = Instant::now();
        loop {
            tokio::time::sleep(MOMENT).await;
            if self.watch_late() {
                busy = Instant::now();
            } else if busy.elapsed() > LINGER {
                self.awake.store(false, Ordering::SeqCst);
                if locked(&self.calls).is_empty() {
                    self.wake.notified().await;
                }
                self.awake.store(true, Ordering::SeqCst);
                busy = Instant::now();
            }
        }
    }

    /// Has every call watched that takes long, and tells whether there is any call.
    fn watch_late(&self) -> bool {
        let calls = locked(&self.calls);
        for call in calls.iter() {
            if call.since.elapsed() < MOMENT || call.seen.swap(true, Ordering::SeqCst) {
                continue;
            }
            let (sender, receiver) = oneshot::channel();
            *locked(&call.result) = Some(sender);
            Handle::current().spawn(Arc::clone(call).supervise(receiver));
        }
        !calls.is_empty()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
