//! Signals, while Python's main thread is at work in the engine.
//!
//! Python notes a signal when it arrives and handles it on its main thread, when that runs Python again. So a call that this
//! thread carries out looks up now and then, at the engine's checkpoints, and what a handler raises cancels the call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

use pyo3::prelude::*;
use tokio_util::sync::CancellationToken;
use toolcrib::ExecutionContext;

use crate::wait::LOOK_UP;

/// What has come between a call and its answer.
pub(crate) struct Interrupt {
    thread: ThreadId,
    began: Instant,
    /// When it looked up last, in microseconds since it began.
    looked: AtomicU64,
    cancel: CancellationToken,
    raised: Mutex<Option<PyErr>>,
}

impl Interrupt {
    /// Lets a call that this thread carries out check for signals.
    pub(crate) fn of(context: ExecutionContext) -> (Arc<Self>, ExecutionContext) {
        let interrupt = Arc::new(Self {
            thread: std::thread::current().id(),
            began: Instant::now(),
            looked: AtomicU64::new(0),
            cancel: context.cancel.clone(),
            raised: Mutex::default(),
        });
        let looking = Arc::clone(&interrupt);
        (interrupt, context.on_checkpoint(Arc::new(move || looking.check_signals())))
    }

    fn check_signals(&self) {
        // The helpers of a search ask too, and could do nothing.
        if std::thread::current().id() != self.thread {
            return;
        }
        let now = self.began.elapsed();
        if now.as_micros() < u128::from(self.looked.load(Ordering::Relaxed)) + LOOK_UP.as_micros() {
            return;
        }
        self.looked.store(u64::try_from(now.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(Err(error)) = Python::try_attach(|py| py.check_signals()) {
            self.raise(error);
        }
    }

    /// Cancels the call because of this.
    pub(crate) fn raise(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.cancel.cancel();
    }

    /// What was raised, if anything was.
    pub(crate) fn check(&self) -> PyResult<()> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)
    }
}
