//! `toolcrib diff`: what several changes together did, as one diff.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::files::{Names, whole_difference};
use toolcrib::{LogQuery, NetFile, line_counts};

use crate::args::Common;
use crate::commands::history::{Books, Filter};
use crate::commands::log::bars;
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};
use crate::{json as shape, output, pager};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib diff --session 7f3a  # everything a session did
  toolcrib diff --since 2h --stat
  toolcrib diff 3..7 -- src

For each file, the diff is from what it held before the first of these changes to what it held after the last. Changes that were \
undone are left out.")]
pub(crate) struct DiffArgs {
    /// Show how many lines changed in each file
    #[arg(long, conflicts_with = "name_only")]
    stat: bool,
    /// Show only the names of the files
    #[arg(long)]
    name_only: bool,
    #[command(flatten)]
    filter: Filter,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &DiffArgs) -> Result<ExitCode, Failure> {
    let books = Books::open(common)?;
    let path = args.filter.path()?;
    let query = args.filter.query(common, path.as_deref());
    let files = books.toolbox.net_changes(&query);
    books.tell_damage()?;
    let files = files?;
    let paint = if args.json { Paint::none() } else { Paint::new(common.color) };
    let text = match (args.name_only, args.stat) {
        (true, _) => files.iter().map(|file| format!("{}\n", plain(&file.path))).collect(),
        (_, true) => bars(&files.iter().map(|file| (name(file), counts(file))).collect::<Vec<_>>(), paint),
        _ => files.iter().map(|file| shown(file, paint)).collect::<String>(),
    };
    if args.json {
        return shape::print(&text, &json!({ "files": files.iter().map(facts).collect::<Vec<_>>() }));
    }
    if files.is_empty() {
        match books.toolbox.changes(&LogQuery { limit: 1, ..query })?.is_empty() {
            true => args.filter.say_nothing(common),
            false => output::say("These changes leave no difference"),
        }
        return Ok(ExitCode::SUCCESS);
    }
    pager::show(&text, !args.no_pager)?;
    Ok(ExitCode::SUCCESS)
}

fn facts(file: &NetFile) -> serde_json::Value {
    let counts = counts(file);
    json!({
        "path": file.path,
        "from": file.from,
        "added": counts.map(|(added, _)| added),
        "removed": counts.map(|(_, removed)| removed),
        "kept": file.kept,
    })
}

fn counts(file: &NetFile) -> Option<(usize, usize)> {
    file.kept.then(|| line_counts(file.before.as_deref(), file.after.as_deref())).flatten()
}

fn name(file: &NetFile) -> String {
    match &file.from {
        Some(from) => format!("{} -> {}", plain(from), plain(&file.path)),
        None => plain(&file.path).into_owned(),
    }
}

fn shown(file: &NetFile, paint: Paint) -> String {
    let moved = file
        .from
        .as_ref()
        .map(|_| format!("{}\n", paint.show(Part::Files, format_args!("move {}", name(file)))));
    let mut text = moved.unwrap_or_default();
    if !file.kept {
        return format!("{text}{}\n  the contents were not stored\n", paint.show(Part::Files, name(file)));
    }
    let (before, after) = (file.before.as_deref(), file.after.as_deref());
    let old = file.from.as_deref().unwrap_or(&file.path);
    let names = Names { old: before.map(|_| old), new: after.map(|_| file.path.as_str()) };
    let difference = whole_difference(before, after, names);
    if !difference.is_empty() {
        text.push_str(&paint.diff(&difference));
    }
    text
}
