//! Text between two lines of a file.

use toolcrib_access::Proposed;
use toolcrib_files::{InsertRequest, Inserted, Refused, Settings};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::changes::line_ranges;
use crate::facts::{Facts, facts};

/// Inserts lines into a file.
pub struct Insert;

parameters! {
    /// Which file, what to insert, and where.
    pub struct InsertInput;
    file_path: String, schemars(length(min = 1)) => "The file to change";
    line: usize => "The line to insert after; 0 is before the first";
    content: String, schemars(length(min = 1)) => "Whole lines";
    expected_version: Option<String> => "Version to require, from Read";
}

impl Operation for Insert {
    type Input = InsertInput;
    type Outcome = Inserted;
    const NAME: &'static str = "insert";
    const TITLE: &'static str = "Insert";
    const EFFECT: Effect = Effect::Proposes;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: InsertInput, caller: &Caller<'_>) -> Result<Proposed<Inserted>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let InsertInput { line, content, expected_version, .. } = input;
        toolcrib_files::insert(caller.sandbox, &InsertRequest { path, line, content, expected_version })
    }

    fn facts() -> Facts<Inserted> {
        facts! { Inserted, |it, words|
            "file_path": "The file that was changed" => words.path(&it.path);
            "lines": "The new lines, numbered as in the new file" => line_ranges(&[it.lines]);
            "hidden_characters": "Invisible or direction-changing characters in the new lines" =>
                some(it.shown.hidden.clone());
        }
    }
}
