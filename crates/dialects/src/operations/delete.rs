//! A file or directory that is no longer wanted.

use toolcrib_access::Proposed;
use toolcrib_files::{DeleteRequest, Deleted, Refused, Settings};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Deletes a file or a directory.
pub struct Delete;

parameters! {
    /// Which file or directory.
    pub struct DeleteInput;
    file_path: String, schemars(length(min = 1)) => "The file or directory to delete";
    recursive: bool, serde(default) => "Delete a directory with everything in it";
    expected_version: Option<String> => "Version to require, from Read";
}

impl Operation for Delete {
    type Input = DeleteInput;
    type Outcome = Deleted;
    const NAME: &'static str = "delete";
    const TITLE: &'static str = "Delete";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: DeleteInput, caller: &Caller<'_>) -> Result<Proposed<Deleted>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let DeleteInput { recursive, expected_version, .. } = input;
        toolcrib_files::delete(caller.sandbox, &DeleteRequest { path, recursive, expected_version })
    }

    fn facts() -> Facts<Deleted> {
        facts! { Deleted, |it, words|
            "file_path": "What was deleted" => words.path(&it.path);
            "files": "How many files and links a directory had" => it.files;
            "size": "How many bytes it had" => it.bytes;
        }
    }
}
