//! A new directory.

use toolcrib_access::Proposed;
use toolcrib_files::{MadeDirectory, MakeDirectoryRequest, Refused, Settings};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Makes a directory.
pub struct MakeDirectory;

parameters! {
    /// Which directory.
    pub struct MakeDirectoryInput;
    path: String, schemars(length(min = 1)) => "The directory, with those above it";
}

impl Operation for MakeDirectory {
    type Input = MakeDirectoryInput;
    type Outcome = MadeDirectory;
    const NAME: &'static str = "make_directory";
    const TITLE: &'static str = "Make directory";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: MakeDirectoryInput, caller: &Caller<'_>) -> Result<Proposed<MadeDirectory>, Refused> {
        let path = caller.file(input.path, "path")?;
        Ok(toolcrib_files::make_directory(caller.sandbox, &MakeDirectoryRequest { path })?)
    }

    fn facts() -> Facts<MadeDirectory> {
        facts! { MadeDirectory, |it, words|
            "path": "The directory" => words.path(&it.path);
            "existed": "Whether it existed before" => it.existed;
        }
    }
}
