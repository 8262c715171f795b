//! A progress line on the terminal, when a call takes longer than half a second.
//!
//! It stands on standard error, on a line that is wiped before anything else is said there.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Whether the line stands there. Who holds the lock may write on the terminal.
static LINE: Mutex<bool> = Mutex::new(false);
const PATIENCE: Duration = Duration::from_millis(500);
const PACE: Duration = Duration::from_millis(200);

/// Something is being done until this is dropped.
pub(crate) struct Progress {
    /// Dropping it tells the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins, if standard error is a terminal.
    pub(crate) fn start() -> Option<Self> {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if dumb || !io::stderr().is_terminal() {
            return None;
        }
        let (done, ended) = mpsc::channel();
        let started = Instant::now();
        let thread = thread::spawn(move || {
            let mut wait = PATIENCE;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                draw(started.elapsed());
                wait = PACE;
            }
        });
        Some(Self { done: Some(done), thread: Some(thread) })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // It draws and sleeps; there is nothing in it that could be told.
            _ = thread.join();
        }
        drop(quiet());
    }
}

/// Wipes the line, and keeps it away as long as the guard lives.
pub(crate) fn quiet() -> MutexGuard<'static, bool> {
    let mut drawn = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *drawn) {
        write("\r\u{1b}[K");
    }
    drawn
}

fn draw(elapsed: Duration) {
    let mut drawn = match LINE.try_lock() {
        Ok(drawn) => drawn,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    write(&format!("\r\u{1b}[Kworking… {:.1} s (press Ctrl-C to stop)", elapsed.as_secs_f32()));
    *drawn = true;
}

fn write(text: &str) {
    let mut terminal = io::stderr().lock();
    // A terminal that is gone needs no sign of life.
    _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}
