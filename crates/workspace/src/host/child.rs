//! A command that is run for the user: what has to be told to it, beside what the standard library can.

use rustix::process::{Pid, Signal, kill_process};

/// Passes a signal on to a child that this process has not waited for yet. One that is gone needs none.
pub fn pass_signal_on(child: u32, signal: i32) {
    let (Some(pid), Some(signal)) =
        (i32::try_from(child).ok().and_then(Pid::from_raw), Signal::from_named_raw(signal))
    else {
        return;
    };
    let _ = kill_process(pid, signal);
}
