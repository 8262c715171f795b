//! `toolcrib glob`: files by a pattern over their paths, one a line.

use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::Dialect;
use toolcrib::dialects::operations::{Caller, Glob, GlobOutcome};
use toolcrib::files::{GlobRequest, Matches, glob};

use super::operation::{LeftOut, Shown, look, start};
use crate::args::{Common, within};
use crate::failure::Failure;
use crate::paint::plain;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib glob '**/*.rs'
  toolcrib glob 'src/**/*.{ts,tsx}' --limit 20")]
pub(crate) struct GlobArgs {
    /// The glob: *, ?, **, [abc] and {a,b} are special
    pattern: String,
    /// The directory to search, which the glob is relative to [default: the root]
    path: Option<PathBuf>,
    /// Include directories
    #[arg(long)]
    directories: bool,
    /// Include hidden files
    #[arg(long)]
    hidden: bool,
    /// Include files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    no_ignore: bool,
    /// Show at most this many paths
    #[arg(long, value_name = "COUNT", default_value_t = GlobRequest::MAX_LIMIT, value_parser = within(1, GlobRequest::MAX_LIMIT))]
    limit: usize,
    /// Skip this many paths
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = within(0, GlobRequest::MAX_OFFSET))]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &GlobArgs) -> Result<ExitCode, Failure> {
    let request = GlobRequest {
        pattern: args.pattern.clone(),
        path: start(args.path.as_deref())?,
        ignore_case: false,
        hidden: args.hidden,
        ignored: args.no_ignore,
        directories: args.directories,
        exclude: Vec::new(),
        offset: args.offset,
        limit: args.limit,
    };
    let find = |caller: &Caller<'_>| {
        let matches = glob(caller.sandbox, &request)?;
        Ok(GlobOutcome { matches, pattern: request.pattern.clone() }.into())
    };
    look::<Glob>(common, Dialect::Standard, args.json, find, |outcome| show(&outcome.matches))
}

fn show(matches: &Matches) -> Shown {
    let answer = matches.files.iter().map(|file| format!("{}\n", plain(&file.relative))).collect();
    let left_out = LeftOut {
        shown: matches.files.len() as u64,
        total: Some(matches.total),
        next: matches.next,
        partial: matches.partial,
        withheld: matches.withheld,
        unreadable: matches.unreadable,
    };
    let mut notes = left_out.notes("files");
    if matches.total == 0 {
        notes.insert(0, "No files found".to_owned());
    }
    notes.extend(why_none(matches));
    Shown { answer, notes }
}

/// Why nothing was found, where that may surprise, and the way to it.
fn why_none(matches: &Matches) -> Option<String> {
    match (matches.further_down, &matches.left_out, matches.ignored) {
        (0, Some(directory), _) => {
            Some(format!("'{directory}' is left out by ignore rules: pass --no-ignore to look there"))
        }
        (0, None, 0) => None,
        (0, None, 1) => Some(
            "1 file or directory left out by ignore rules: pass --no-ignore to look there too".to_owned(),
        ),
        (0, None, many) => Some(format!(
            "{many} files and directories left out by ignore rules: pass --no-ignore to look there too"
        )),
        (1, ..) => Some("1 file matches further down: put **/ in front of the pattern".to_owned()),
        (many, ..) => Some(format!("{many} files match further down: put **/ in front of the pattern")),
    }
}
