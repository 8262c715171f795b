//! `toolcrib edit`: one text for another.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, json};
use toolcrib::{ErrorKind, ToolError};

use super::tool_command::{change, path};
use crate::args::{Common, EditArgs};
use crate::failure::Failure;
use crate::input;

pub(crate) fn run(common: &Common, args: &EditArgs) -> Result<ExitCode, Failure> {
    let (old, new) = texts(args)?;
    let parameters = Map::from_iter([
        ("file_path".to_owned(), path(&args.path)?),
        ("old_string".to_owned(), json!(old)),
        ("new_string".to_owned(), json!(new)),
        ("replace_all".to_owned(), json!(args.all)),
    ]);
    change(common, "Edit", parameters, &args.change)
}

/// The old and the new text: those that come from no file are arguments, in this order.
fn texts(args: &EditArgs) -> Result<(String, String), ToolError> {
    let wrong = |message: &str| {
        ToolError::new(ErrorKind::InvalidParameter, message).hint(
            "usage: toolcrib edit FILE OLD NEW; OLD and NEW can also come from files, with --old-from and --new-from",
        )
    };
    let mut given = args.texts.iter();
    let mut text = |file: Option<&Path>, missing: &str| match file {
        Some(file) => input::from(file),
        None => given.next().cloned().ok_or_else(|| wrong(missing)),
    };
    let old = text(args.old_from.as_deref(), "Missing OLD, the text to replace")?;
    let new = text(args.new_from.as_deref(), "Missing NEW, the replacement text")?;
    if given.next().is_some() {
        return Err(wrong("Too many arguments: expected OLD and NEW"));
    }
    Ok((old, new))
}
