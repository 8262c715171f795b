//! Facts about a file or directory.

use toolcrib_access::Proposed;
use toolcrib_files::{EntryKind, FileStat, Refused, Settings, StatRequest};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};
use crate::units::time;

/// Looks at a file or directory without reading it.
pub struct Stat;

parameters! {
    /// Which file or directory.
    pub struct StatInput;
    path: String, schemars(length(min = 1)) => "The file or directory to look at";
}

impl Operation for Stat {
    type Input = StatInput;
    type Outcome = FileStat;
    const NAME: &'static str = "stat";
    const TITLE: &'static str = "Stat";
    const EFFECT: Effect = Effect::Reads;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: StatInput, caller: &Caller<'_>) -> Result<Proposed<FileStat>, Refused> {
        Ok(toolcrib_files::stat(caller.sandbox, &StatRequest { path: input.path.into() })?.into())
    }

    fn facts() -> Facts<FileStat> {
        facts! { FileStat, |it, words|
            "path": "Where it is" => words.path(&it.path);
            "type": "file or directory" => if it.kind == EntryKind::Directory { "directory" } else { "file" };
            "size": "The size of a file in bytes" => it.size;
            "modified": "When the content last changed" => time(it.modified);
            "mode": "The permission bits in octal, such as 644" => format!("{:o}", it.mode);
        }
    }
}
