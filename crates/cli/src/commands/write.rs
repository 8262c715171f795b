//! `toolcrib write`: a whole file, from an argument, another file or standard input.

use std::process::ExitCode;

use serde_json::{Map, json};

use super::tool_command::{change, path};
use crate::args::{Common, WriteArgs};
use crate::failure::Failure;
use crate::input;

pub(crate) fn run(common: &Common, args: &WriteArgs) -> Result<ExitCode, Failure> {
    let content = input::text(args.content.as_deref(), args.from.as_deref())?;
    let parameters =
        Map::from_iter([("file_path".to_owned(), path(&args.path)?), ("content".to_owned(), json!(content))]);
    change(common, "Write", parameters, &args.change)
}
