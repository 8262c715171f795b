//! A file that is no longer wanted.

use toolcrib_access::Proposed;
use toolcrib_files::{DeleteRequest, Deleted, Refused, Settings};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Deletes a file.
pub struct Delete;

parameters! {
    /// Which file.
    pub struct DeleteInput;
    file_path: String, schemars(length(min = 1)) => "The file to delete";
    expected_version: Option<String> => "The version that the file must have; the call fails if it has another";
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
        toolcrib_files::delete(
            caller.sandbox,
            &DeleteRequest { path, expected_version: input.expected_version },
        )
    }

    fn facts() -> Facts<Deleted> {
        facts! { Deleted, |it, words|
            "file_path": "The file that was deleted" => words.path(&it.path);
            "size": "How many bytes it had" => it.bytes;
        }
    }
}
