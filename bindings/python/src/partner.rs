//! A thread that carries a call out for one that must not be away for long.
//!
//! Python handles signals on its main thread, so that one has to look up while a call runs. To start a thread, or to wake
//! one, takes longer than a small call; so a partner that has just been used stays awake for a moment, and so does whoever
//! waits for it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::wait::LOOK_UP;

/// How long a thread that has nothing to do stays awake: longer than a small call, too short to be noticed.
const AWAKE: Duration = Duration::from_micros(50);

/// How long a call that was taken back is waited for. Tools stop sooner; a person who is being asked may not.
const GRACE: Duration = Duration::from_millis(500);

type Job = Box<dyn FnOnce() + Send>;

/// Partners that wait for work, each with the process in which its thread runs: a fork leaves the threads behind.
static IDLE: Mutex<Vec<(u32, Sender<Job>)>> = Mutex::new(Vec::new());

/// Does some work on another thread, and looks up for signals until it is done.
///
/// # Errors
///
/// What a handler of a signal raised; then `cancel` has been fired, and the work has ended or is given up on.
pub(crate) fn with_partner<T: Send + 'static>(
    py: Python<'_>,
    cancel: &CancellationToken,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let process = std::process::id();
    let partner = find(process)?;
    let (answer, mut answered) = sync_channel(1);
    let gone = || PyRuntimeError::new_err("the thread of a call has ended unexpectedly");
    // Whoever no longer waits does not want the answer either.
    partner.send(Box::new(move || _ = answer.send(work()))).map_err(|_| gone())?;
    let done = loop {
        match py.detach(|| receive(&mut answered, LOOK_UP)) {
            Ok(done) => break done,
            Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            cancel.cancel();
            if py.detach(|| receive(&mut answered, GRACE)).is_ok() {
                idle().push((process, partner));
            }
            return Err(interrupt);
        }
    };
    idle().push((process, partner));
    Ok(done)
}

fn find(process: u32) -> PyResult<Sender<Job>> {
    let mut idle = idle();
    // A partner of the process this one was forked from would never answer.
    idle.retain(|(owner, _)| *owner == process);
    if let Some((_, partner)) = idle.pop() {
        return Ok(partner);
    }
    let (partner, jobs) = channel::<Job>();
    let run = move || {
        while let Some(job) = soon(&jobs).or_else(|| jobs.recv().ok()) {
            job();
        }
    };
    let thread = std::thread::Builder::new().name("toolcrib".to_owned()).spawn(run);
    thread
        .map(|_| partner)
        .map_err(|error| PyRuntimeError::new_err(format!("no thread could be started for a call: {error}")))
}

fn idle() -> std::sync::MutexGuard<'static, Vec<(u32, Sender<Job>)>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn receive<T>(from: &mut Receiver<T>, within: Duration) -> Result<T, RecvTimeoutError> {
    match soon(from) {
        Some(value) => Ok(value),
        None => from.recv_timeout(within),
    }
}

/// What arrives within a moment.
fn soon<T>(from: &Receiver<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Ok(value) = from.try_recv() {
            return Some(value);
        }
        if began.elapsed() >= AWAKE {
            return None;
        }
        std::hint::spin_loop();
    }
}
