//! What the commands share that run an operation: a request in, and its outcome laid out for a person or as JSON.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{Caller, Operation};
use toolcrib::files::{Level, Refused};
use toolcrib::{Dialect, ExecutionContext, Proposed, ToolResult, Toolbox};

use crate::args::Common;
use crate::commands::{call, from_here, open_for_reader, tell_unrecorded};
use crate::failure::Failure;
use crate::flags::with_flags;
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

/// Runs an operation that changes nothing, and lets `show` lay its outcome out. With `json`, the result is that of the
/// dialect's tool.
pub(crate) fn look<O: Operation>(
    common: &Common,
    dialect: Dialect,
    json: bool,
    mut run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    show: impl FnOnce(&O::Outcome) -> Shown,
) -> Result<ExitCode, Failure> {
    in_toolbox(common, dialect, json, |toolbox, context| {
        let _progress = Progress::start();
        if json {
            return Err(Box::new(toolbox.answer::<O>(context, run)));
        }
        let performed = toolbox.perform::<O>(context, |caller| with_flags::<O, _>(caller, &mut run));
        let performed = performed.map_err(|error| Box::new(error.into()))?;
        Ok(show(&performed.facts))
    })
}

/// How the user has given the texts of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// As arguments, which errors call what the help calls them.
    Arguments,
    /// As JSON, under the names that the tools use.
    Json,
}

/// Runs an operation that changes files, and shows what was done and the diff. `level` is how exactly the old text was
/// found.
pub(crate) fn change<O: Operation>(
    common: &Common,
    args: &ChangeArgs,
    given: Given,
    mut run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    level: impl Fn(&O::Outcome) -> Level,
) -> Result<ExitCode, Failure> {
    tell_unrecorded(common)?;
    // This dialect's answer is a sentence and a diff.
    in_toolbox(common, Dialect::Standard, args.json, |toolbox, context| {
        let _progress = Progress::start();
        let mut found = Level::Exact;
        let result = toolbox.answer::<O>(context, |caller| {
            let flags = given == Given::Arguments && !args.json;
            let proposed = if flags { with_flags::<O, _>(caller, &mut run) } else { run(caller) }?;
            found = level(&proposed.outcome);
            Ok(proposed)
        });
        if args.json || !result.success {
            return Err(Box::new(result));
        }
        let overlooked = (found != Level::Exact).then(|| {
            format!("note: the old text did not match exactly; ignored differences: {}", found.name())
        });
        let answer = Paint::new(common.color).diff(&result.to_display());
        Ok(Shown { answer, notes: overlooked.into_iter().collect() })
    })
}

/// Opens the toolbox and shows what `run` gives: an answer for a person, or a result that is printed as it is.
fn in_toolbox(
    common: &Common,
    dialect: Dialect,
    json: bool,
    run: impl FnOnce(&Toolbox, &ExecutionContext) -> Result<Shown, Box<ToolResult>>,
) -> Result<ExitCode, Failure> {
    let toolbox = match open_for_reader(common, dialect) {
        Err(error) if json => return call::print(&error.into(), true),
        toolbox => toolbox?,
    };
    let mut context = toolbox.context().agent("cli").dry_run(common.dry_run).max_output_size(MOST);
    context.session_id.clone_from(&common.session);
    match run(&toolbox, &context) {
        Err(result) => call::print(&result, json),
        Ok(Shown { answer, notes }) => {
            if !answer.is_empty() {
                output::answer(&answer)?;
            }
            notes.iter().for_each(|note| output::say(note));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Where to search: the path that was typed, or the first root, which a call starts from.
pub(crate) fn start(typed: Option<&Path>) -> Result<PathBuf, Failure> {
    Ok(typed.map_or_else(|| Ok(PathBuf::from(".")), from_here)?)
}

/// An answer for a person.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) answer: String,
    /// What is missing from it, and the way to it.
    pub(crate) notes: Vec<String>,
}

/// What is missing from an answer.
#[derive(Default)]
pub(crate) struct LeftOut {
    pub(crate) shown: u64,
    pub(crate) total: Option<u64>,
    pub(crate) next: Option<usize>,
    pub(crate) partial: bool,
    pub(crate) withheld: u64,
    pub(crate) unreadable: u64,
}

impl LeftOut {
    /// It in sentences, about `results` such as files.
    pub(crate) fn notes(self, results: &str) -> Vec<String> {
        let more = self.next.map(|next| {
            let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
            format!("{}{of} {results} shown; continue with --offset {next}", self.shown)
        });
        let partial = "incomplete: the time limit was reached before everything was searched";
        let counted = |count: u64, reason: &str| (count > 0).then(|| format!("{count} {reason}"));
        let notes = [
            more,
            self.partial.then(|| partial.to_owned()),
            counted(self.withheld, "hidden by rules"),
            counted(self.unreadable, "could not be read"),
        ];
        notes.into_iter().flatten().collect()
    }
}
