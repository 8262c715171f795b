//! `toolcrib log`: the recorded changes, the newest first.

use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::json;
use toolcrib::{FilePast, LogQuery, Past, RecordId, ToolError, disk_error};

use crate::args::{Common, at_least};
use crate::commands::history::hunks::Numbered;
use crate::commands::history::{Books, Filter, when};
use crate::failure::Failure;
use crate::layout::WIDTH;
use crate::paint::{Paint, Part, plain};
use crate::{json as shape, pager};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib log
  toolcrib log --stat -n 5
  toolcrib log --since 2h --agent claude-code
  toolcrib log -p -- src/main.rs

Without --root, the journal is that of the current directory or of the nearest one above it.")]
pub(crate) struct LogArgs {
    /// Show the diffs
    #[arg(short, long, conflicts_with_all = ["stat", "oneline"])]
    patch: bool,
    /// Show how many lines changed in each file
    #[arg(long, conflicts_with = "oneline")]
    stat: bool,
    /// Show each change on one line
    #[arg(long)]
    oneline: bool,
    /// Show at most this many changes; -5 is short for -n 5
    #[arg(short = 'n', long, value_name = "COUNT", alias = "max-count", value_parser = at_least::<usize>(0))]
    limit: Option<usize>,
    #[command(flatten)]
    filter: Filter,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    /// This is how it is shown anyway
    #[arg(long, hide = true)]
    brief: bool,
}

pub(crate) fn run(common: &Common, args: &LogArgs) -> Result<ExitCode, Failure> {
    let books = Books::open(common)?;
    let path = args.filter.path()?;
    let query = args.filter.query(common, path.as_deref());
    let is_page = !(args.json || args.no_pager);
    let paint = if args.json { Paint::none() } else { Paint::new(common.color) };
    let changes = changes(&books, args, query, paint);
    books.tell_damage()?;
    let (changes, patches) = changes?;
    let text = laid_out(&changes, &patches, args, paint);
    if args.json {
        return shape::print(&text, &json!({ "changes": changes }));
    }
    if changes.is_empty() {
        args.filter.say_nothing(common);
        return Ok(ExitCode::SUCCESS);
    }
    pager::show(&text, is_page)?;
    Ok(ExitCode::SUCCESS)
}

/// The changes that are asked for, and what changed in each if that is to be shown.
fn changes(
    books: &Books,
    args: &LogArgs,
    query: LogQuery<'_>,
    paint: Paint,
) -> Result<(Vec<Past>, Vec<String>), ToolError> {
    // Diffs are in the answer for programs, and are laid out here for people.
    let numbers = args.filter.numbers();
    let limit = if numbers.is_empty() { args.limit } else { None };
    let (counts, whole) = (!args.oneline, args.patch && args.json);
    let query = LogQuery { counts, whole, limit: limit.unwrap_or(usize::MAX), ..query };
    let (mut changes, mut patches) = (Vec::new(), Vec::new());
    books.toolbox.visit(&query, |past, change| {
        if numbers.is_empty() || numbers.iter().any(|numbers| numbers.has(past.id)) {
            if args.patch {
                let contents = |file| change.contents(file).map_err(disk_error);
                patches.push(Numbered::with(&past, &contents, paint)?.shown);
            }
            changes.push(past);
        }
        Ok(())
    })?;
    if let Some(missing) = numbers.iter().find_map(|numbers| numbers.one())
        && changes.is_empty()
    {
        books.toolbox.past(RecordId::new(missing))?;
    }
    changes.truncate(args.limit.unwrap_or(usize::MAX));
    Ok((changes, patches))
}

fn laid_out(changes: &[Past], patches: &[String], args: &LogArgs, paint: Paint) -> String {
    let now = SystemTime::now();
    let mut text = String::new();
    for (at, change) in changes.iter().enumerate() {
        if args.oneline {
            text.push_str(&one_line(change, now, paint));
            continue;
        }
        if at > 0 && (args.patch || args.stat) {
            text.push('\n');
        }
        text.push_str(&heading(change, now, paint));
        if let Some(patch) = patches.get(at) {
            text.push('\n');
            text.push_str(patch);
        } else if args.stat {
            text.push_str(&stat(&change.files, paint));
        } else {
            text.push_str(&format!("       {}\n", files(&change.files, 73)));
        }
    }
    text
}

/// The first line of a change: its number, age, agent, tool, how much it changed, and what became of it.
pub(crate) fn heading(change: &Past, now: SystemTime, paint: Paint) -> String {
    let mut line = Line { text: String::new(), width: 0, paint };
    line.put(Some(Part::Heading), format!("{:>5}", change.id));
    line.put(Some(Part::Faint), format!("  {:<14}  ", when::ago(change.at(), now)));
    if let Some(agent) = &change.agent {
        line.put(None, format!("{}  ", plain(agent)));
    }
    line.put(None, plain(&change.tool).into_owned());
    if let [first, rest @ ..] = &change.reverts[..] {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        line.put(None, format!(" of {}{more}", first.change));
    }
    let (added, removed) = sum(&change.files);
    if added + removed > 0 {
        line.put(Some(Part::Added), format!("  +{added}"));
        line.put(Some(Part::Removed), format!(" -{removed}"));
    }
    if let Some(standing) = standing(change) {
        line.put(None, format!("  [{standing}]"));
    }
    if let Some(session) = &change.session {
        let session = format!("  session {}", plain(session));
        if line.width + session.chars().count() > WIDTH {
            line.text.push_str("\n     ");
        }
        line.put(Some(Part::Faint), session);
    }
    line.text.push('\n');
    line.text
}

/// A line and how wide it is without its colours.
struct Line {
    text: String,
    width: usize,
    paint: Paint,
}

impl Line {
    fn put(&mut self, part: Option<Part>, text: String) {
        self.width += text.chars().count();
        self.text.push_str(&part.map_or(text.clone(), |part| self.paint.show(part, text)));
    }
}

/// What became of a change; none if it stands.
pub(crate) fn standing(change: &Past) -> Option<String> {
    match (change.undone_by, change.state) {
        (Some(by), _) => Some(format!("undone by {by}")),
        (None, "done") if change.undone_parts.is_empty() => None,
        (None, "done") => Some("partly undone".to_owned()),
        (None, "under way") => Some("in progress".to_owned()),
        (None, other) => Some(other.to_owned()),
    }
}

fn sum(files: &[FilePast]) -> (usize, usize) {
    let count = |of: fn(&FilePast) -> Option<usize>| files.iter().filter_map(of).sum();
    (count(|file| file.added), count(|file| file.removed))
}

/// What a file is called, and what was done to it unless it was edited.
fn name(file: &FilePast) -> String {
    let ending = if file.kind == "directory" && !file.relative.ends_with('/') { "/" } else { "" };
    let path = format!("{}{ending}", plain(&file.relative));
    match (file.action, &file.from) {
        ("update", _) => path,
        ("move", Some(from)) => format!("{} -> {path}", plain(from)),
        ("add", _) => format!("{path} (new)"),
        ("delete", _) => format!("{path} (deleted)"),
        (other, _) => format!("{path} ({other})"),
    }
}

/// The files of a change on one line, and how many more there are.
fn files(files: &[FilePast], width: usize) -> String {
    let mut text = String::new();
    for (at, file) in files.iter().enumerate() {
        let name = name(file);
        let between = if at == 0 { "" } else { ", " };
        let left = files.len() - at;
        if at > 0 && text.chars().count() + name.chars().count() + 2 > width - 12 {
            text.push_str(&format!(" and {left} more"));
            break;
        }
        text.push_str(between);
        text.push_str(&name);
    }
    text
}

fn one_line(change: &Past, now: SystemTime, paint: Paint) -> String {
    let agent = change.agent.as_ref().map(|agent| format!(", {}", plain(agent))).unwrap_or_default();
    let standing = standing(change).map(|standing| format!(" [{standing}]")).unwrap_or_default();
    let about = format!("({}{agent}){standing}", when::ago(change.at(), now));
    format!(
        "{} {} {} {}\n",
        paint.show(Part::Heading, change.id),
        plain(&change.tool),
        files(&change.files, 48),
        paint.show(Part::Faint, about)
    )
}

/// How many lines changed in each file, with a bar, as git shows it.
pub(crate) fn stat(files: &[FilePast], paint: Paint) -> String {
    let lines: Vec<(String, Option<(usize, usize)>)> =
        files.iter().map(|file| (name(file), file.added.zip(file.removed))).collect();
    bars(&lines, paint)
}

/// Names with the lines that were added and removed.
pub(crate) fn bars(lines: &[(String, Option<(usize, usize)>)], paint: Paint) -> String {
    const BAR: usize = 24;
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().min(44);
    let most = lines.iter().filter_map(|(_, counts)| counts.map(|(added, removed)| added + removed)).max();
    let scale = most.unwrap_or_default().max(BAR);
    let mut text = String::new();
    for (name, counts) in lines {
        let pad = " ".repeat(width.saturating_sub(name.chars().count()));
        let Some((added, removed)) = counts else {
            text.push_str(&format!("       {name}{pad} |\n"));
            continue;
        };
        let bar = |count: usize, sign: &str| sign.repeat((count * BAR).div_ceil(scale).min(BAR));
        let (plus, minus) = (bar(*added, "+"), bar(*removed, "-"));
        let bar = format!("{}{}", paint.show(Part::Added, plus), paint.show(Part::Removed, minus));
        text.push_str(&format!("       {name}{pad} | {:>4} {bar}", added + removed));
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
