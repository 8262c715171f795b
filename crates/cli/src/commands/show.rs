//! `toolcrib show`: one change, with its hunks numbered.

use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::json;
use toolcrib::{ErrorKind, LogQuery, Past, RecordId, ToolError};

use crate::args::Common;
use crate::commands::history::hunks::Numbered;
use crate::commands::history::{Books, Numbers, SHOWS_ALL, no_changes, numbers, when, within};
use crate::commands::log::{standing, stat};
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};
use crate::{clock, json as shape, pager};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib show               # the latest change
  toolcrib show 12
  toolcrib undo 12 --hunks 2  # undo one of the hunks that it shows")]
pub(crate) struct ShowArgs {
    /// The changes, by number or range [default: the latest, or with --session the latest of that session]
    #[arg(value_name = "N|A..B", value_parser = numbers)]
    numbers: Vec<Numbers>,
    /// Show how many lines changed in each file instead of the diffs
    #[arg(long)]
    stat: bool,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &ShowArgs) -> Result<ExitCode, Failure> {
    let books = Books::open(common)?;
    let changes = changes(&books, common, &args.numbers);
    books.tell_damage()?;
    let changes = changes?;
    let paint = if args.json { Paint::none() } else { Paint::new(common.color) };
    let mut text = String::new();
    for change in &changes {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&heading(change, paint));
        text.push('\n');
        match args.stat {
            true => text.push_str(&stat(&change.files, paint)),
            false => text.push_str(&Numbered::of(&books.toolbox, change, paint)?.shown),
        }
    }
    if args.json {
        return shape::print(&text, &json!({ "changes": changes }));
    }
    pager::show(&text, !args.no_pager)?;
    Ok(ExitCode::SUCCESS)
}

fn changes(books: &Books, common: &Common, numbers: &[Numbers]) -> Result<Vec<Past>, ToolError> {
    let query = LogQuery { whole: true, counts: true, ..LogQuery::default() };
    if numbers.is_empty() {
        let latest = LogQuery { limit: 1, session: common.session.as_deref(), ..query };
        let latest = books.toolbox.changes(&latest)?;
        if latest.is_empty() {
            return Err(ToolError::new(ErrorKind::NotFound, no_changes(common)).hint(SHOWS_ALL));
        }
        return Ok(latest);
    }
    let mut changes = Vec::new();
    for numbers in numbers {
        if let Some(number) = numbers.one() {
            changes.push(books.toolbox.whole_past(RecordId::new(number))?);
            continue;
        }
        changes.extend(books.toolbox.changes(&within(&[*numbers], query))?);
    }
    Ok(changes)
}

/// Who made it, how and when, and whether it stands.
fn heading(change: &Past, paint: Paint) -> String {
    let mut text = paint.show(Part::Heading, format_args!("change {}", change.id));
    text.push_str(&format!("  {}", plain(&change.tool)));
    if let Some(agent) = &change.agent {
        text.push_str(&format!("  by {}", plain(agent)));
    }
    let time = clock::second(change.at());
    text.push_str(&format!("\n{time}  ({})\n", when::ago(change.at(), SystemTime::now())));
    if let Some(session) = &change.session {
        text.push_str(&format!("session {}\n", plain(session)));
    }
    if !change.reverts.is_empty() {
        let verb = if change.is_undo { "undoes" } else { "redoes" };
        let part = |files: bool| if files { " (in part)" } else { "" };
        let reverts = change.reverts.iter();
        let listed: Vec<String> =
            reverts.map(|reverts| format!("{}{}", reverts.change, part(reverts.files.is_some()))).collect();
        text.push_str(&format!("{verb} {}\n", listed.join(", ")));
    }
    if let Some(standing) = standing(change) {
        text.push_str(&format!("[{standing}]\n"));
    }
    text
}
