//! Waiting for a call without keeping Python from anything else.
//!
//! Calls run on the threads of one runtime. A thread that waits gives the interpreter's lock away meanwhile, and looks
//! up now and then for a signal: `KeyboardInterrupt` cancels the call.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

/// How long a user who presses Ctrl-C waits at most until it is seen.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(50);

/// The runtime of this process. A process that was forked has none of the threads of its parent and gets its own.
pub(crate) fn runtime() -> PyResult<Handle> {
    static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);
    let mut kept = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, runtime)) = &*kept
        && *owner == process
    {
        return Ok(runtime.handle().clone());
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("toolcrib").enable_time().build();
    let runtime = runtime
        .map_err(|error| PyRuntimeError::new_err(format!("no thread could be started for calls: {error}")))?;
    let handle = runtime.handle().clone();
    // The parent's is not dropped: that would wait for threads that are not here.
    std::mem::forget(kept.replace((process, Arc::new(runtime))));
    Ok(handle)
}

/// Waits for a call that `cancel` cancels.
///
/// # Errors
///
/// What a handler of a signal raised. The call has ended then.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    cancel: &CancellationToken,
    call: impl Future<Output = T> + Send,
) -> PyResult<T> {
    let runtime = runtime()?;
    let mut call = pin!(call);
    loop {
        let looked = py.detach(|| runtime.block_on(async { tokio::time::timeout(LOOK_UP, &mut call).await }));
        if let Ok(done) = looked {
            return Ok(done);
        }
        if let Err(interrupt) = py.check_signals() {
            cancel.cancel();
            py.detach(|| runtime.block_on(call));
            return Err(interrupt);
        }
    }
}
