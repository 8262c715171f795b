//! `toolcrib undo` and `toolcrib redo`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::json;
use toolcrib::{
    ErrorKind, LogQuery, Past, RecordId, ToolError, UndoKind, UndoOnly, UndoReport, UndoRequest,
    UndoSelection, UndoWhich,
};

use crate::args::Common;
use crate::commands::history::hunks::Numbered;
use crate::commands::history::{Books, Numbers, SHOWS_ALL, numbers, when, within};
use crate::commands::{call, from_here};
use crate::failure::Failure;
use crate::paint::{Paint, plain};
use crate::{json as shape, output, prompt};

#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// The changes, by number or range [default: the latest; with --session, all of that session]
    #[arg(value_name = "N|A..B", value_parser = numbers)]
    numbers: Vec<Numbers>,
    /// All changes since TIME: 2h, yesterday, 2026-11-15
    #[arg(long, value_name = "TIME", value_parser = when::moment, conflicts_with = "numbers")]
    since: Option<SystemTime>,
    /// Only this file; without numbers, the latest change of it
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Only these hunks of the change, as `toolcrib show` numbers them; on a terminal, ask which
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        default_missing_value = "",
        value_delimiter = ',',
        conflicts_with_all = ["since", "file"]
    )]
    hunks: Option<Vec<String>>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) const UNDO_EXAMPLES: &str = "\
Examples:
  toolcrib undo                 # undo the latest change
  toolcrib undo 12 --dry-run    # show what it would do
  toolcrib undo 9 12..14        # several at once: all of them or none
  toolcrib undo --session 7f3a  # everything a session did
  toolcrib undo --since 2h      # back to that moment
  toolcrib undo --file a.txt    # the latest change of a file
  toolcrib undo 12 --hunks 1,3  # a part of a change

If a file has been changed since, later changes to other lines are kept (merged). Changes to the same lines are a conflict, \
and nothing is undone. Undo touches only files that the change wrote, and never runs git.";

pub(crate) const REDO_EXAMPLES: &str = "\
Examples:
  toolcrib redo                 # redo what was undone last
  toolcrib redo 12
  toolcrib redo --session 7f3a  # everything of a session that was undone

What was undone together is redone together.";

pub(crate) fn run(common: &Common, kind: UndoKind, args: &UndoArgs) -> Result<ExitCode, Failure> {
    match revert(common, kind, args) {
        Ok((report, _)) if args.json => shape::print(&to_text(&report, kind, Paint::none()), &facts(&report)),
        Err(error) if args.json => call::print(error.into(), true),
        Err(error) => Err(error.into()),
        Ok((report, paint)) => {
            let with_diff = paint.for_people || report.recorded.is_none();
            let text =
                if with_diff { self::with_diff(&report, kind, paint) } else { to_text(&report, kind, paint) };
            output::answer(&text)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn revert(common: &Common, kind: UndoKind, args: &UndoArgs) -> Result<(UndoReport, Paint), ToolError> {
    let books = Books::open(common)?;
    let selection = selection(&books, common, kind, args)?;
    let context = books.toolbox.context().agent("cli").dry_run(common.dry_run);
    let report = books.toolbox.undo(&UndoRequest::new(kind, selection), &context)?;
    Ok((report, Paint::new(common.color)))
}

fn selection(
    books: &Books,
    common: &Common,
    kind: UndoKind,
    args: &UndoArgs,
) -> Result<UndoSelection, ToolError> {
    let which = match (&args.numbers[..], args.since, &common.session) {
        ([], Some(since), _) => UndoWhich::Since(since),
        ([], None, Some(session)) => UndoWhich::Session(session.clone()),
        ([], None, None) => UndoWhich::Latest,
        (numbers, ..) => UndoWhich::Changes(chosen(books, kind, numbers)?),
    };
    let only = match (&args.file, &args.hunks) {
        (Some(file), _) => UndoOnly::File(from_here(file)?),
        (None, Some(hunks)) => return hunks_of(books, common, &which, hunks),
        (None, None) => UndoOnly::Everything,
    };
    Ok(UndoSelection { which, only })
}

/// The changes that are named. Of a range, those that can be undone or redone.
fn chosen(books: &Books, kind: UndoKind, numbers: &[Numbers]) -> Result<Vec<u64>, ToolError> {
    let named = numbers.iter().filter_map(|numbers| numbers.one());
    let mut chosen: Vec<u64> = named.collect();
    for range in numbers.iter().filter(|numbers| numbers.one().is_none()) {
        let query = within(&[*range], LogQuery { diffs: false, ..LogQuery::default() });
        let fits = |change: &&Past| match kind {
            UndoKind::Undo => change.reverts.is_empty() && matches!(change.state, "done" | "unknown"),
            UndoKind::Redo => change.state == "undone" || !change.undone_parts.is_empty(),
        };
        chosen.extend(books.toolbox.changes(&query)?.iter().filter(fits).map(|change| change.id));
    }
    if chosen.is_empty() {
        let what = if kind == UndoKind::Undo { "undo" } else { "redo" };
        return Err(ToolError::new(ErrorKind::NotFound, format!("There is nothing to {what} in this range"))
            .hint(SHOWS_ALL));
    }
    Ok(chosen)
}

/// The hunks that are chosen, by their numbers, or by the person at the terminal.
fn hunks_of(
    books: &Books,
    common: &Common,
    which: &UndoWhich,
    typed: &[String],
) -> Result<UndoSelection, ToolError> {
    let change = match which {
        UndoWhich::Changes(ids) if ids.len() == 1 => books.toolbox.whole_past(RecordId::new(ids[0]))?,
        UndoWhich::Latest => latest(books)?,
        _ => {
            return Err(ToolError::new(
                ErrorKind::InvalidParameter,
                "Hunks can be chosen in one change at a time",
            ));
        }
    };
    let numbered = Numbered::of(&books.toolbox, &change, Paint::beside(common.color))?;
    let asked = typed.iter().all(String::is_empty);
    let answer = if asked { Some(ask(common, &numbered, change.id)?) } else { None };
    let typed: Vec<&str> = match &answer {
        Some(answer) => answer.split([',', ' ']).filter(|word| !word.is_empty()).collect(),
        None => typed.iter().map(|word| word.trim()).collect(),
    };
    let numbers: Option<Vec<usize>> = typed.iter().map(|word| word.parse().ok()).collect();
    let hunks = numbers.filter(|numbers| !numbers.is_empty()).and_then(|numbers| numbered.chosen(&numbers));
    let hunks = hunks.ok_or_else(|| {
        let count = numbered.len();
        let message =
            format!("Change {} has hunks 1 to {count}; '{}' names none of them", change.id, typed.join(","));
        ToolError::new(ErrorKind::InvalidParameter, message)
            .hint(format!("`toolcrib show {}` shows them with their numbers", change.id))
    })?;
    Ok(UndoSelection { which: UndoWhich::Changes(vec![change.id]), only: UndoOnly::Hunks(hunks) })
}

/// The latest change that stands.
fn latest(books: &Books) -> Result<Past, ToolError> {
    let query = LogQuery { diffs: false, limit: 1000, ..LogQuery::default() };
    let changes = books.toolbox.changes(&query)?;
    let stands = |change: &Past| change.reverts.is_empty() && matches!(change.state, "done" | "unknown");
    changes
        .into_iter()
        .find(stands)
        .ok_or_else(|| ToolError::new(ErrorKind::NotFound, "There is nothing to undo").hint(SHOWS_ALL))
}

/// Shows the hunks and asks which.
fn ask(common: &Common, numbered: &Numbered, change: u64) -> Result<String, ToolError> {
    let nobody = || {
        ToolError::new(
            ErrorKind::InvalidParameter,
            "--hunks without numbers asks on a terminal, and there is none",
        )
        .hint(format!("`toolcrib show {change}` numbers the hunks; then: toolcrib undo {change} --hunks 1,3"))
    };
    if !std::io::stderr().is_terminal() {
        return Err(nobody());
    }
    output::say_painted(numbered.shown.trim_end());
    prompt::ask("Undo which hunks? Numbers, such as 1,3: ", common.color).ok_or_else(nobody)
}

fn facts(report: &UndoReport) -> serde_json::Value {
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| json!({"path": file.path.relative, "action": file.action.name()}))
        .collect();
    let merged: Vec<&str> = report.merged.iter().map(|path| &*path.relative).collect();
    json!({
        "dry_run": report.recorded.is_none(),
        "taken_back": report.change(),
        "changes": report.changes,
        "change": report.recorded,
        "files": files,
        "merged": merged,
        "diff": report.diff,
    })
}

fn to_text(report: &UndoReport, kind: UndoKind, paint: Paint) -> String {
    if report.recorded.is_none() {
        return with_diff(report, kind, paint);
    }
    let verb = match kind {
        UndoKind::Undo => "Undid",
        UndoKind::Redo => "Redid",
    };
    let mut text = format!("{verb} {}:\n", listed(&report.changes));
    if report.files.is_empty() {
        text.push_str("  the files were like that already\n");
    }
    report.files.iter().for_each(|file| text.push_str(&format!("  {}\n", plain(&file.path.relative))));
    for file in &report.merged {
        text.push_str(&format!("Merged: kept later changes to other lines of {}\n", plain(&file.relative)));
    }
    text
}

/// What was done, or would be, with the diff in front of it.
fn with_diff(report: &UndoReport, kind: UndoKind, paint: Paint) -> String {
    let diff = if report.diff.is_empty() { String::new() } else { paint.diff(&report.diff) };
    if report.recorded.is_some() {
        return format!("{diff}{}", to_text(report, kind, paint));
    }
    let verb = match kind {
        UndoKind::Undo => "undo",
        UndoKind::Redo => "redo",
    };
    // What has no diff, such as a directory, is named.
    let without = report.files.iter().filter(|file| file.shown.diff.is_empty());
    let named = without.map(|file| format!("  {}: {}\n", plain(&file.path.relative), file.action.name()));
    let named: String = named.collect();
    format!("[Dry Run] Would {verb} {}\n{named}{diff}", listed(&report.changes))
}

/// The changes, the newest first.
fn listed(changes: &[u64]) -> String {
    match changes {
        [only] => format!("change {only}"),
        [first @ .., last] if first.len() < 12 => {
            let first: Vec<String> = first.iter().map(u64::to_string).collect();
            format!("changes {} and {last}", first.join(", "))
        }
        many => format!("{} changes", many.len()),
    }
}
