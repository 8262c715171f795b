//! A file or directory under another name.

use toolcrib_access::Proposed;
use toolcrib_files::{MoveRequest, Moved, Refused, Settings};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Moves a file or a directory.
pub struct Move;

parameters! {
    /// Which file or directory, and where to.
    pub struct MoveInput;
    from: String, schemars(length(min = 1)) => "The file or directory to move";
    to: String, schemars(length(min = 1)) => "Its whole new path; missing directories above it are created";
    overwrite: bool, serde(default) => "Replace a file that exists there";
    expected_version: Option<String> => "Version to require, from Read";
}

impl Operation for Move {
    type Input = MoveInput;
    type Outcome = Moved;
    const NAME: &'static str = "move";
    const TITLE: &'static str = "Move";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: MoveInput, caller: &Caller<'_>) -> Result<Proposed<Moved>, Refused> {
        let (from, to) = (caller.file(input.from, "from")?, caller.file(input.to, "to")?);
        let MoveInput { overwrite, expected_version, .. } = input;
        toolcrib_files::move_file(caller.sandbox, &MoveRequest { from, to, overwrite, expected_version })
    }

    fn facts() -> Facts<Moved> {
        facts! { Moved, |it, words|
            "from": "Where it was" => words.path(&it.from);
            "to": "Where it is now" => words.path(&it.to);
            "entries": "How many files and directories a directory has in it" => it.entries;
            "replaced": "Whether it took the place of another file" => it.replaced;
        }
    }
}
