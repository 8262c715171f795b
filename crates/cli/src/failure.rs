//! What ends a command early: an error, with its hint and its exit status.

use std::fmt;
use std::io;
use std::process::ExitCode;

use toolcrib::{ErrorKind, ToolError};

use crate::flags::for_person;
use crate::{json, output};

/// A reason to stop, and the status to stop with.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    error: ToolError,
}

const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

impl Failure {
    /// Something went wrong that the user did not type.
    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        Self { status: FAILED, error: ToolError::new(ErrorKind::Io, message.to_string()) }
    }

    /// What was typed is not what the command takes.
    pub(crate) fn usage(error: &clap::Error, hint: Option<&str>) -> Self {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(first).trim_end();
        let error = ToolError::new(ErrorKind::InvalidParameter, message);
        Self { status: WRONG_USAGE, error: error.hint(hint.unwrap_or("--help lists what the command takes")) }
    }

    /// A tool failed: what it was called with was not what it takes, or something went wrong.
    pub(crate) fn of_tool(error: ToolError) -> Self {
        Self { status: FAILED, error }
    }

    /// With this status instead.
    pub(crate) fn with_status(self, status: u8) -> Self {
        Self { status, ..self }
    }

    /// Whether a person has said no.
    pub(crate) fn is_refusal(&self) -> bool {
        self.error.kind() == ErrorKind::PermissionDenied
    }

    /// Says it: on standard error, or as a result in JSON on standard output.
    pub(crate) fn report(self, as_json: bool) -> ExitCode {
        let status = ExitCode::from(self.status);
        if as_json {
            // A result that cannot be written has nowhere else to go.
            _ = json::print_result(self.error.into());
        } else {
            let error = for_person(self.error);
            output::complain(error.message(), error.next_step());
        }
        status
    }
}

/// The failures of a command on several paths, of which one does not keep it from the others. Each is said when the next one
/// comes; the last one ends the command.
#[derive(Default)]
pub(crate) struct Failures(Option<ToolError>);

impl Failures {
    pub(crate) fn add(&mut self, error: ToolError) {
        if let Some(error) = self.0.replace(error).map(for_person) {
            output::complain(error.message(), error.next_step());
        }
    }

    pub(crate) fn last(self) -> Option<ToolError> {
        self.0
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let wrong_usage = matches!(error.kind(), ErrorKind::UnknownTool | ErrorKind::InvalidParameter);
        Self { status: if wrong_usage { WRONG_USAGE } else { FAILED }, error }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::failed(error)
    }
}
