//! Text in a file: one edit, or several in order.

use toolcrib_access::Proposed;
use toolcrib_files::{EditRequest, Edited, Refused, Step};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::changes::line_ranges;
use crate::facts::{Facts, facts};

/// Replaces a text in a file.
pub struct Edit;

/// Makes several replacements in one file, all or none.
pub struct MultiEdit;

parameters! {
    /// Which file, and what to replace in it.
    pub struct EditInput;
    file_path: String, schemars(length(min = 1)) => "Absolute path";
    old_string: String => "Exact text, unique unless replace_all; empty creates a file";
    new_string: String => "Replacement";
    replace_all: bool, serde(default) => "Replace all occurrences";
    expected_version: Option<String> =>
        "Version to require, from Read";
}

parameters! {
    /// Which file, and what to replace in it.
    pub struct MultiEditInput;
    file_path: String, schemars(length(min = 1)) => "Absolute path";
    edits: Vec<OneEdit>, schemars(length(min = 1)) =>
        "In order: each sees what those before left";
    dry_run: bool, serde(default) => "Show what would be changed instead of changing it";
    expected_version: Option<String> =>
        "Version to require, from Read";
}

parameters! {
    struct OneEdit;
    old_string: String => "Exact text, unique unless replace_all; empty in the first edit creates a file";
    new_string: String => "Replacement";
    replace_all: bool, serde(default) => "Replace all occurrences";
}

impl Operation for Edit {
    type Input = EditInput;
    type Outcome = Edited;
    const NAME: &'static str = "edit";
    const TITLE: &'static str = "Edit";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: EditInput, caller: &Caller<'_>) -> Result<Proposed<Edited>, Refused> {
        let EditInput { file_path, old_string, new_string, replace_all, expected_version } = input;
        let edits = vec![OneEdit { old_string, new_string, replace_all }];
        MultiEdit::run(MultiEditInput { file_path, edits, dry_run: false, expected_version }, caller)
    }

    fn facts() -> Facts<Edited> {
        MultiEdit::facts().rename("total_replacements", "replacements").describe(
            "replacements",
            "In how many places text was replaced",
        ).describe("match", "Which differences were ignored to match the text: exact, line_endings, trailing_whitespace, final_newline, indentation, typography, gutter or escapes")
    }
}

impl Operation for MultiEdit {
    type Input = MultiEditInput;
    type Outcome = Edited;
    const NAME: &'static str = "multi_edit";
    const TITLE: &'static str = "MultiEdit";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: MultiEditInput, caller: &Caller<'_>) -> Result<Proposed<Edited>, Refused> {
        let edit = |edit: OneEdit| toolcrib_files::Edit {
            old: edit.old_string,
            new: edit.new_string,
            all: edit.replace_all,
        };
        let request = EditRequest {
            path: caller.file(input.file_path, "file_path")?,
            edits: input.edits.into_iter().map(edit).collect(),
            matching: caller.settings.matching,
            max_growth: caller.settings.max_growth,
            expected_version: input.expected_version,
        };
        let proposed = toolcrib_files::edit(caller.sandbox, &request)?;
        Ok(if input.dry_run { proposed.outcome.into() } else { proposed })
    }

    fn facts() -> Facts<Edited> {
        facts! { Edited, |it, words|
            "file_path": "The file that was edited" => words.path(&it.path);
            "total_replacements": "In how many places text was replaced, by all edits together" => it.replacements();
            "results": "What each edit did", list(Self::result()) => it.steps.iter().collect();
            "match": "The loosest match level used" => it.level().name();
            "lines": "The changed lines, numbered as in the new file" => line_ranges(&it.lines);
            "diff": "What changed, as a unified diff" => it.shown.diff.clone();
            "created": "Whether the file was not there before" => some(it.created);
            "changed_since_read": "Whether another program had changed the file since it was read" =>
                some(it.changed_since_read);
            "hidden_characters": "Invisible or direction-changing characters in the new lines" =>
                some(it.shown.hidden.clone());
        }
    }
}

impl MultiEdit {
    /// The facts about one of the edits.
    #[must_use]
    pub fn result() -> Facts<Step> {
        facts! { Step, |it, words|
            "replacements": "In how many places text was replaced" => it.replacements;
            "match": "Which differences were ignored to match the text" => it.level.name();
        }
    }
}
