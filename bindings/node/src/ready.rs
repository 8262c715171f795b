//! The shortest way to a thread of the engine and back.
//!
//! To wake a thread and to be woken by it takes longer than a small call. So one thread of the engine stays awake for a moment after
//! a call, since another may follow; and the thread of JavaScript waits for the answer for a moment, which saves its event loop from
//! being woken. It waits and does nothing else: no file is touched there, so whatever a call waits for, it costs no more than [`MOST`].

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

/// How long the thread of JavaScript waits for an answer at most.
const MOST: Duration = Duration::from_micros(200);
/// How long the thread of the engine waits for more work before it sleeps.
const LINGER: Duration = Duration::from_micros(50);

/// Some work, which is told where it runs.
pub(crate) type Start = Box<dyn FnOnce(Place) + Send>;

/// Where some work runs. Dropped, it is free for other work, so that happens before the answer is given.
pub(crate) struct Place(Option<Arc<Slot>>);

impl Place {
    /// On a thread of the pool, which has enough of them.
    pub(crate) fn in_the_pool() -> Self {
        Self(None)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(slot) = &self.0 {
            slot.is_free.store(true, Ordering::Release);
        }
    }
}

/// What the thread does next.
struct Slot {
    is_free: AtomicBool,
    is_filled: AtomicBool,
    start: Mutex<Option<Start>>,
}

/// A thread that takes one piece of work after the other.
pub(crate) struct Ready {
    thread: Thread,
    slot: Arc<Slot>,
}

impl Ready {
    /// The thread of this process; none if it could not be started.
    pub(crate) fn get(runtime: &'static Handle) -> Option<&'static Self> {
        static READY: OnceLock<Option<Ready>> = OnceLock::new();
        let start = || {
            let slot = Arc::new(Slot {
                is_free: AtomicBool::new(true),
                is_filled: AtomicBool::new(false),
                start: Mutex::default(),
            });
            let served = Arc::clone(&slot);
            let serve = move || {
                let _runtime = runtime.enter();
                served.serve();
            };
            let started = Builder::new().name("toolcrib-ready".to_owned()).spawn(serve).ok()?;
            Some(Self { thread: started.thread().clone(), slot })
        };
        READY.get_or_init(start).as_ref()
    }

    /// Has this done now. If the thread does other work, which may take long, gives it back.
    pub(crate) fn offer(&self, start: Start) -> Result<(), Start> {
        if !self.slot.is_free.swap(false, Ordering::AcqRel) {
            return Err(start);
        }
        *locked(&self.slot.start) = Some(start);
        self.slot.is_filled.store(true, Ordering::Release);
        // Costs nothing while the thread is awake.
        self.thread.unpark();
        Ok(())
    }
}

impl Slot {
    fn serve(self: &Arc<Self>) {
        loop {
            self.wait();
            let start = locked(&self.start).take();
            // A panic is told where the work is; the place is free again either way.
            _ = catch_unwind(AssertUnwindSafe(|| start.map(|start| start(Place(Some(Arc::clone(self)))))));
        }
    }

    fn wait(&self) {
        let since = Instant::now();
        while !self.is_filled.swap(false, Ordering::AcqRel) {
            if since.elapsed() < LINGER {
                std::hint::spin_loop();
            } else {
                std::thread::park();
            }
        }
    }
}

/// The answer of some work for which the thread of JavaScript waits for a moment.
#[derive(Default)]
pub(crate) struct Awaited {
    state: AtomicU8,
    text: Mutex<Option<String>>,
}

/// Nobody has come yet, the answer or the end of the wait.
const OPEN: u8 = 0;
/// The answer was first.
const ANSWERED: u8 = 1;
/// The wait has ended first.
const LEFT: u8 = 2;

impl Awaited {
    /// Gives the answer to who waits; or back, if nobody does any more.
    pub(crate) fn answer(&self, text: String) -> Result<(), String> {
        *locked(&self.text) = Some(text);
        match self.become_(ANSWERED) {
            true => Ok(()),
            false => Err(locked(&self.text).take().unwrap_or_default()),
        }
    }

    /// Waits for the answer, for a moment.
    pub(crate) fn wait(&self) -> Option<String> {
        let since = Instant::now();
        while self.state.load(Ordering::Acquire) == OPEN && since.elapsed() < MOST {
            std::hint::spin_loop();
        }
        if self.become_(LEFT) { None } else { locked(&self.text).take() }
    }

    fn become_(&self, state: u8) -> bool {
        self.state.compare_exchange(OPEN, state, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// The tools whose calls took longer than that lately. On a busy machine this is nearly every call, and waiting is of no use.
#[derive(Default)]
pub(crate) struct Late(Mutex<HashMap<String, Skips>>);

/// How many calls are not waited for: now, and after the next one that takes longer.
struct Skips {
    left: u32,
    next: u32,
}

impl Late {
    /// The first call after a pause is late, since the thread sleeps, and the next one is not.
    const FEWEST: u32 = 1;
    const MOST: u32 = 1024;

    /// Whether the next call of this tool is waited for.
    pub(crate) fn waits_for(&self, tool: &str) -> bool {
        let mut late = locked(&self.0);
        match late.get_mut(tool).filter(|skips| skips.left > 0) {
            Some(skips) => {
                skips.left -= 1;
                false
            }
            None => true,
        }
    }

    /// A call of this tool was waited for, and was answered in time or not.
    pub(crate) fn waited(&self, tool: &str, in_time: bool) {
        let mut late = locked(&self.0);
        if in_time {
            late.remove(tool);
            return;
        }
        let next = late.get(tool).map_or(Self::FEWEST, |skips| skips.next);
        late.insert(tool.to_owned(), Skips { left: next, next: Self::MOST.min(next * 2) });
    }
}

/// Whether waiting can be of use: with one processor, it only keeps the work from being done.
pub(crate) fn is_worth_waiting() -> bool {
    static IS_WORTH: OnceLock<bool> = OnceLock::new();
    *IS_WORTH
        .get_or_init(|| std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
