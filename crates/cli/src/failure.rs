//! What ends a command early: one sentence, a hint, an exit status.

use std::fmt;
use std::io;
use std::process::ExitCode;

use toolcrib::{ErrorKind, ToolError};

use crate::output;

/// A reason to stop, and the status to stop with.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    message: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Status {
    Failed = 1,
    WrongUsage = 2,
}

impl Failure {
    /// Something went wrong that the user did not type.
    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        Self { status: Status::Failed, message: message.to_string(), hint: None }
    }

    /// Says it on standard error.
    pub(crate) fn report(self) -> ExitCode {
        output::complain(&self.message, self.hint.as_deref());
        ExitCode::from(self.status as u8)
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let wrong_usage = matches!(error.kind(), ErrorKind::UnknownTool | ErrorKind::InvalidParameter);
        let status = if wrong_usage { Status::WrongUsage } else { Status::Failed };
        Self { status, message: error.message().to_owned(), hint: error.next_step().map(str::to_owned) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::failed(error)
    }
}
