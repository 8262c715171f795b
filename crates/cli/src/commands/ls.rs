//! `toolcrib ls`: a tree on a terminal, paths in a pipe.

use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::Dialect;
use toolcrib::dialects::operations::{Caller, List, ListOutcome};
use toolcrib::files::{EntryKind, ListRequest, Listed, Listing, list};

use super::operation::{LeftOut, Shown, look, start};
use crate::args::{Common, at_least, within};
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib ls
  toolcrib ls -r src --depth 2

On a terminal, prints a tree with sizes; in a pipe, one path per line.")]
pub(crate) struct LsArgs {
    /// The directory to list [default: the root]
    path: Option<PathBuf>,
    /// List subdirectories too
    #[arg(short = 'r', long)]
    recursive: bool,
    /// Descend at most this many levels; 1 lists the directory alone
    #[arg(long, value_name = "LEVELS", value_parser = at_least::<usize>(1))]
    depth: Option<usize>,
    /// Leave out entries that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// Include entries that ignore rules exclude
    #[arg(long)]
    no_ignore: bool,
    /// Show at most this many entries
    #[arg(long, value_name = "COUNT", default_value_t = ListRequest::MAX_LIMIT, value_parser = within(1, ListRequest::MAX_LIMIT))]
    limit: usize,
    /// Skip this many entries
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = at_least::<usize>(0))]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &LsArgs) -> Result<ExitCode, Failure> {
    let request = ListRequest {
        path: start(args.path.as_deref())?,
        depth: if args.recursive || args.depth.is_some() { args.depth } else { Some(1) },
        ignore: args.ignore.clone(),
        ignored: args.no_ignore,
        offset: args.offset,
        limit: args.limit,
    };
    let list = |caller: &Caller<'_>| Ok(ListOutcome::Listed(list(caller.sandbox, &request)?).into());
    let paint = Paint::new(common.color);
    look::<List>(common, Dialect::Standard, args.json, list, |outcome| {
        outcome.listing().map(|listing| show(listing, paint)).unwrap_or_default()
    })
}

fn show(listing: &Listing, paint: Paint) -> Shown {
    let top = listing.path.absolute.trim_end_matches('/');
    let mut answer = String::new();
    if paint.for_people {
        answer.push_str(&paint.show(Part::Heading, format_args!("{}/", plain(top))));
        answer.push('\n');
    }
    for entry in &listing.entries {
        answer.push_str(&if paint.for_people { in_tree(entry, paint) } else { below(top, entry, paint) });
        answer.push('\n');
    }
    let left_out = LeftOut {
        shown: listing.entries.len() as u64,
        total: listing.total.map(|total| total as u64),
        next: listing.next,
        partial: listing.partial,
        withheld: listing.withheld as u64,
        unreadable: listing.unreadable,
    };
    Shown { answer, notes: left_out.notes("entries") }
}

/// The path of an entry from the directory that is listed.
fn below(top: &str, entry: &Listed, paint: Paint) -> String {
    let path = &entry.path.absolute;
    named(path.strip_prefix(top).unwrap_or(path).trim_start_matches('/'), entry, paint)
}

fn in_tree(entry: &Listed, paint: Paint) -> String {
    let indent = "  ".repeat(entry.depth + 1);
    let rest = match (&entry.target, entry.size) {
        (Some(target), _) => format!(" -> {}", plain(target)),
        (None, Some(size)) => format!("  {size}"),
        (None, None) => String::new(),
    };
    format!("{indent}{}{}", named(&entry.name, entry, paint), paint.show(Part::Faint, rest))
}

fn named(name: &str, entry: &Listed, paint: Paint) -> String {
    let name = plain(name);
    match entry.kind {
        EntryKind::Directory => paint.show(Part::Directory, format_args!("{name}/")),
        _ => name.into_owned(),
    }
}
