//! Texts that a person hands over: as an argument, from a file, or on standard input.

use std::io::IsTerminal;
use std::path::Path;

use toolcrib::{ErrorKind, ToolError};

use crate::output;

/// The argument, or else what is in the file, or else what comes on standard input.
pub(crate) fn text(argument: Option<&str>, file: Option<&Path>) -> Result<String, ToolError> {
    match (argument, file) {
        (Some(argument), _) => Ok(argument.to_owned()),
        (None, Some(file)) => from(file),
        (None, None) => standard_input(),
    }
}

/// What is in a file, or with `-` what comes on standard input.
pub(crate) fn from(file: &Path) -> Result<String, ToolError> {
    if file == Path::new("-") {
        return standard_input();
    }
    #[expect(clippy::disallowed_methods, reason = "the person hands it over, as a shell does with <")]
    let text = std::fs::read_to_string(file);
    text.map_err(|error| {
        ToolError::new(
            ErrorKind::InvalidParameter,
            format!("{} cannot be read as text: {error}", file.display()),
        )
    })
}

pub(crate) fn standard_input() -> Result<String, ToolError> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        output::say("(type the text, then press Ctrl-D on an empty line to finish)");
    }
    std::io::read_to_string(stdin).map_err(|error| {
        ToolError::new(ErrorKind::InvalidParameter, format!("Standard input cannot be read as text: {error}"))
    })
}
