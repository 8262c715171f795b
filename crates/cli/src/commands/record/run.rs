//! A command with our own input and output: waited for, and told of the signals that reach us.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use tokio::process::Command;
use tokio::signal::unix::{Signal, SignalKind, signal};
use toolcrib::{ErrorKind, ToolError, names, pass_signal_on};

/// Runs it to its end. The answer is its exit status; of one that a signal ended, 128 and the signal's number, as in a shell.
pub(super) fn run(command: &[OsString]) -> Result<u8, ToolError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(ToolError::new(ErrorKind::InvalidParameter, "There is no command to run"));
    };
    let failed = |error: io::Error| {
        let kind =
            if error.kind() == io::ErrorKind::NotFound { ErrorKind::NotFound } else { ErrorKind::Internal };
        let error = ToolError::new(kind, format!("{} cannot be run: {error}", names::escape(program)));
        if kind == ErrorKind::NotFound { error.hint(NO_SHELL) } else { error }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let status = runtime.block_on(async {
        // From here on a signal does not end us, so that what the command did is recorded.
        let mut signals = Signals::new().map_err(failed)?;
        let mut child = Command::new(program).args(arguments).spawn().map_err(failed)?;
        loop {
            tokio::select! {
                status = child.wait() => return status.map_err(failed),
                number = signals.next() => {
                    if let (Some(child), true) = (child.id(), signals.is_for_us_alone(number)) {
                        pass_signal_on(child, number);
                    }
                }
            }
        }
    })?;
    Ok(code(status))
}

const NO_SHELL: &str =
    "check the spelling; for what only a shell knows: toolcrib record -- sh -c 'cd src && make'";

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
    user1: Signal,
    user2: Signal,
    on_terminal: bool,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            user1: signal(SignalKind::user_defined1())?,
            user2: signal(SignalKind::user_defined2())?,
            on_terminal: io::stdin().is_terminal(),
        })
    }

    async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.quit.recv() => SignalKind::quit(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.hangup.recv() => SignalKind::hangup(),
            _ = self.user1.recv() => SignalKind::user_defined1(),
            _ = self.user2.recv() => SignalKind::user_defined2(),
        };
        kind.as_raw_value()
    }

    /// A terminal sends what is typed there (Ctrl-C, Ctrl-\) to the command too.
    fn is_for_us_alone(&self, number: i32) -> bool {
        let typed = [SignalKind::interrupt(), SignalKind::quit()].map(|kind| kind.as_raw_value());
        !(self.on_terminal && typed.contains(&number))
    }
}
