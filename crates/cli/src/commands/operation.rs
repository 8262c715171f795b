//! What the commands share that run an operation: a request in, and its outcome laid out for a person or as JSON.
//!
//! A person gets everything, however much it is, and may stop it with Ctrl-C. Bounds are for models.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use toolcrib::dialects::operations::{Caller, Operation};
use toolcrib::files::{Level, Refused};
use toolcrib::{Dialect, ExecutionContext, Proposed, ToolError, ToolResult, Toolbox};

use crate::args::Common;
use crate::commands::{call, from_here, open_for_reader, tell_unrecorded};
use crate::failure::Failure;
use crate::flags::with_flags;
use crate::layout::counted;
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

/// How many bytes of answer a person gets: more than a model, which pays for each. What does not fit comes in pieces.
const MOST: usize = 64 * 1024 * 1024;

/// How much of an answer is in memory that is printed as it comes.
const PIECE: usize = 8 * 1024 * 1024;

/// How long a person waits: until Ctrl-C.
const UNLIMITED: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A toolbox for a person who reads the answers.
pub(crate) struct Reader {
    toolbox: Toolbox,
    context: ExecutionContext,
}

impl Reader {
    pub(crate) fn open(common: &Common, dialect: Dialect) -> Result<Self, ToolError> {
        let toolbox = open_for_reader(common, dialect)?;
        let mut context = toolbox.context().agent("cli").dry_run(common.dry_run).max_output_size(MOST);
        context.session_id.clone_from(&common.session);
        Ok(Self { toolbox, context })
    }

    /// The same for what changes nothing, and so may take any time.
    pub(crate) fn open_to_look(common: &Common, dialect: Dialect) -> Result<Self, ToolError> {
        let reader = Self::open(common, dialect)?;
        Ok(Self { context: reader.context.timeout(UNLIMITED), ..reader })
    }

    /// The same for what is printed as it comes, in pieces of this size.
    pub(crate) fn in_pieces(self) -> Self {
        Self { context: self.context.max_output_size(PIECE), ..self }
    }

    /// Runs an operation for a person, who is told of flags.
    pub(crate) fn perform<O: Operation>(
        &self,
        mut run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> Result<O::Outcome, ToolError> {
        let performed =
            self.toolbox.perform::<O>(&self.context, |caller| with_flags::<O, _>(caller, &mut run));
        performed.map(|performed| performed.facts)
    }

    /// Runs an operation for a program, which gets the result of the dialect's tool.
    pub(crate) fn answer<O: Operation>(
        &self,
        run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> ToolResult {
        self.toolbox.answer::<O>(&self.context, run)
    }
}

/// Runs an operation that changes nothing, and lets `show` lay its outcome out. With `json`, the result is that of the
/// dialect's tool.
pub(crate) fn look<O: Operation>(
    common: &Common,
    dialect: Dialect,
    json: bool,
    run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    show: impl FnOnce(&O::Outcome) -> Shown,
) -> Result<ExitCode, Failure> {
    let reader = Reader::open_to_look(common, dialect)?;
    let progress = Progress::start();
    if json {
        return call::print(reader.answer::<O>(run), true);
    }
    let shown = show(&reader.perform::<O>(run).map_err(Failure::of_tool)?);
    drop(progress);
    shown.print()
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
    let reader = Reader::open(common, Dialect::Standard)?;
    let progress = Progress::start();
    let mut found = Level::Exact;
    let result = reader.answer::<O>(|caller| {
        let flags = given == Given::Arguments && !args.json;
        let proposed = if flags { with_flags::<O, _>(caller, &mut run) } else { run(caller) }?;
        found = level(&proposed.outcome);
        Ok(proposed)
    });
    drop(progress);
    if args.json || !result.success {
        return call::print(result, args.json);
    }
    let overlooked = (found != Level::Exact)
        .then(|| format!("note: the old text did not match exactly; ignored differences: {}", found.name()));
    let answer = Paint::new(common.color).diff(&result.to_display());
    Shown { answer, notes: overlooked.into_iter().collect() }.print()
}

/// Where to search: the paths that were typed, or the first root, which a call starts from.
pub(crate) fn starts(typed: &[PathBuf]) -> Result<Vec<PathBuf>, ToolError> {
    match typed {
        [] => Ok(vec![PathBuf::from(".")]),
        typed => typed.iter().map(|path| from_here(path)).collect(),
    }
}

/// An answer for a person.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) answer: String,
    /// What is missing from it, and the way to it.
    pub(crate) notes: Vec<String>,
}

impl Shown {
    fn print(self) -> Result<ExitCode, Failure> {
        if !self.answer.is_empty() {
            output::answer(&self.answer)?;
        }
        self.notes.iter().for_each(|note| output::say(note));
        Ok(ExitCode::SUCCESS)
    }
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
        let notes = [
            more,
            self.partial.then(|| partial.to_owned()),
            hidden_by_rules(self.withheld),
            unreadable(self.unreadable),
        ];
        notes.into_iter().flatten().collect()
    }
}

/// How much the rules withhold, if anything.
pub(crate) fn hidden_by_rules(count: u64) -> Option<String> {
    (count > 0).then(|| format!("{} hidden by rules (`toolcrib rules` shows them)", counted(count, "path")))
}

/// How much could not be read, if anything.
pub(crate) fn unreadable(count: u64) -> Option<String> {
    (count > 0).then(|| format!("{} could not be read", counted(count, "path")))
}
