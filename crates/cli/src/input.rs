//! Texts that a person hands over: as an argument, from a file, or on standard input.

use std::io::{self, IsTerminal};
use std::path::Path;

use toolcrib::{ErrorKind, ToolError, names};

use crate::commands::from_here;
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
        let file = from_here(file).unwrap_or_else(|_| file.to_owned());
        let file = names::escape(&file);
        let (kind, message, hint) = match error.kind() {
            io::ErrorKind::NotFound => (
                ErrorKind::NotFound,
                format!("File not found: {file}"),
                "check the path, or pass - to read standard input",
            ),
            io::ErrorKind::IsADirectory => {
                (ErrorKind::IsDirectory, format!("Is a directory: {file}"), "name a file in it")
            }
            io::ErrorKind::InvalidData => {
                (ErrorKind::Unsupported, format!("{file} is not UTF-8 text"), ONLY_TEXT)
            }
            _ => (ErrorKind::Io, format!("Cannot read {file}: {error}"), "choose a file that you can read"),
        };
        ToolError::new(kind, message).hint(hint)
    })
}

const ONLY_TEXT: &str = "convert it to UTF-8 first, for example with iconv";

pub(crate) fn standard_input() -> Result<String, ToolError> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        output::say("(type the text, then press Ctrl-D on an empty line to finish)");
    }
    io::read_to_string(stdin).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            ToolError::new(ErrorKind::InvalidParameter, "Standard input is not UTF-8 text").hint(ONLY_TEXT)
        }
        _ => ToolError::new(ErrorKind::InvalidParameter, format!("Cannot read standard input: {error}")),
    })
}
