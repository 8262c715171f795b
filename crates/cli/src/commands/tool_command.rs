//! What the commands for people share: one tool call, whose answer is then formatted for the terminal.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value};
use toolcrib::{Dialect, ToolResult, names};

use crate::args::Common;
use crate::commands::{call, from_here, open_for_person, tell_unrecorded};
use crate::failure::Failure;
use crate::output;
use crate::paint::Paint;
use crate::progress::Progress;

// The options of every command that changes files. As a doc comment, this would appear in their help.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeArgs {
    /// Change the file only if it has this version, as printed by read --json
    #[arg(long, value_name = "VERSION")]
    pub(crate) expected_version: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// How many bytes of answer a person gets: more than a model, which pays for each.
const MOST: usize = 64 * 1024 * 1024;

/// A call of a tool by a person.
pub(crate) struct ToolCommand<'a> {
    pub(crate) common: &'a Common,
    /// The dialect whose answer holds what is to be laid out.
    pub(crate) dialect: Dialect,
    pub(crate) tool: &'a str,
    pub(crate) parameters: Map<String, Value>,
    /// Whether the result is wanted as it is.
    pub(crate) json: bool,
}

impl ToolCommand<'_> {
    /// Calls the tool and lets `show` lay its answer out, for which it also gets the first root.
    pub(crate) fn run(self, show: impl FnOnce(&ToolResult, &str) -> Shown) -> Result<ExitCode, Failure> {
        let toolbox = match open_for_person(self.common, self.dialect) {
            Err(error) if self.json => return call::print(&error.into(), true),
            toolbox => toolbox?,
        };
        let mut context = toolbox.context().agent("cli").dry_run(self.common.dry_run).max_output_size(MOST);
        context.session_id.clone_from(&self.common.session);
        let progress = Progress::start();
        let result = toolbox.call_blocking(self.tool, self.parameters.into(), &context);
        drop(progress);
        if self.json || !result.success {
            return call::print(&result, self.json);
        }
        let shown = show(&result, &context.working_dir.to_string_lossy());
        if !shown.answer.is_empty() {
            output::answer(&shown.answer)?;
        }
        shown.notes.iter().for_each(|note| output::say(note));
        Ok(ExitCode::SUCCESS)
    }
}

/// An answer for a person.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) answer: String,
    /// What is missing from it, and the way to it.
    pub(crate) notes: Vec<String>,
}

/// A path as it was typed, in full.
pub(crate) fn path(typed: &Path) -> Result<Value, Failure> {
    Ok(names::show(&from_here(typed)?).into())
}

/// A call that changes files, answered with what was done and the diff.
pub(crate) fn change(
    common: &Common,
    tool: &str,
    mut parameters: Map<String, Value>,
    args: &ChangeArgs,
) -> Result<ExitCode, Failure> {
    tell_unrecorded(common)?;
    let version = args.expected_version.as_ref().map(|version| version.as_str().into());
    parameters.extend(version.map(|version| ("expected_version".to_owned(), version)));
    let paint = Paint::new(common.color);
    // This dialect's answer is a sentence and a diff.
    let dialect = Dialect::Opencode;
    ToolCommand { common, dialect, tool, parameters, json: args.json }.run(|result, _| changed(result, paint))
}

fn changed(result: &ToolResult, paint: Paint) -> Shown {
    let answer = paint.diff(&result.to_display());
    let overlooked = result.metadata.get("match").and_then(Value::as_str).filter(|level| *level != "exact");
    let notes = overlooked
        .map(|level| format!("note: the old text did not match exactly; ignored differences: {level}"));
    Shown { answer, notes: notes.into_iter().collect() }
}

/// A number among the facts of an answer.
pub(crate) fn number(facts: &Value, name: &str) -> u64 {
    facts[name].as_u64().unwrap_or(0)
}

/// What every searching tool may leave out, from the facts that it gives.
pub(crate) fn left_out(facts: &Value, shown: u64, total: Option<u64>, what: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let next = facts.get("next_offset").or_else(|| facts.get("nextOffset")).and_then(Value::as_u64);
    if let Some(next) = next {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        notes.push(format!("{shown}{of} {what} shown; continue with --offset {next}"));
    }
    if facts["partial"] == true {
        notes.push("incomplete: the time limit was reached before everything was searched".to_owned());
    }
    for (name, reason) in [("withheld", "hidden by rules"), ("unreadable", "could not be read")] {
        if let Some(count) = facts.get(name).and_then(Value::as_u64) {
            notes.push(format!("{count} {reason}"));
        }
    }
    notes.extend(facts.get("note").and_then(Value::as_str).map(str::to_owned));
    notes
}
