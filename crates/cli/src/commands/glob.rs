//! `toolcrib glob`: files by patterns over their paths, one a line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{Caller, Glob, GlobOutcome};
use toolcrib::files::{GlobRequest, Matches, Refused, glob};
use toolcrib::{Dialect, ErrorKind, ToolError};

use super::operation::{LeftOut, Shown, look, starts};
use crate::args::{Common, at_least, within};
use crate::failure::Failure;
use crate::paint::plain;

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "toolcrib glob [OPTIONS] <PATTERN>... [DIR]...",
    after_help = "\
Examples:
  toolcrib glob '**/*.rs'
  toolcrib glob 'src/**/*.{ts,tsx}' --limit 20
  toolcrib glob '**/*.md' '**/*.txt' docs notes

Prints the newest files first. Quote the pattern, so that the shell does not
expand it. Of the arguments after the first, those with * ? [ or { are patterns
and the others are directories."
)]
pub(crate) struct GlobArgs {
    /// A glob over paths, with *, ?, **, [abc] and {a,b}; then further globs and the directories to search [default: the first root]
    #[arg(required = true, value_name = "PATTERN")]
    words: Vec<String>,
    /// Match case-insensitively
    #[arg(short = 'i', long)]
    ignore_case: bool,
    /// Skip files that match GLOB; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Include directories
    #[arg(long)]
    directories: bool,
    /// Include hidden files
    #[arg(long, short_alias = '.')]
    hidden: bool,
    /// Include what ignore rules exclude, and folders such as node_modules
    #[arg(short = 'u', long)]
    no_ignore: bool,
    /// Print at most COUNT paths
    #[arg(long, value_name = "COUNT", value_parser = at_least::<usize>(1))]
    limit: Option<usize>,
    /// Skip the first COUNT paths
    #[arg(long, value_name = "COUNT", default_value_t = 0, hide_default_value = true, value_parser = within(0, GlobRequest::MAX_OFFSET))]
    offset: usize,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &GlobArgs) -> Result<ExitCode, Failure> {
    let (patterns, directories) = sorted_out(&args.words);
    let within = starts(&directories)?;
    let several = patterns.len() * within.len() > 1;
    if several && args.offset > 0 {
        let error =
            ToolError::new(ErrorKind::InvalidParameter, "--offset works with one pattern and directory");
        return Err(error.hint("search for one pattern at a time").into());
    }
    let most = args.limit.unwrap_or(if args.json { GlobRequest::MAX_LIMIT } else { usize::MAX });
    let request = |pattern: &str, path: &Path| GlobRequest {
        pattern: pattern.to_owned(),
        path: path.to_owned(),
        ignore_case: args.ignore_case,
        hidden: args.hidden,
        ignored: args.no_ignore,
        directories: args.directories,
        exclude: args.exclude.clone(),
        offset: args.offset,
        limit: if args.json { most.min(GlobRequest::MAX_LIMIT) } else { most },
    };
    let requests: Vec<GlobRequest> =
        within.iter().flat_map(|path| patterns.iter().map(|pattern| request(pattern, path))).collect();
    let find = |caller: &Caller<'_>| {
        let matches = find(caller, &requests)?;
        Ok(GlobOutcome { matches, pattern: patterns.join(" ") }.into())
    };
    look::<Glob>(common, Dialect::Standard, args.json, find, |outcome| show(&outcome.matches, &patterns))
}

/// The patterns, and the directories.
fn sorted_out(words: &[String]) -> (Vec<String>, Vec<PathBuf>) {
    let is_pattern = |word: &String| word.contains(['*', '?', '[', '{']) && !exists(word);
    let mut words = words.iter();
    let mut patterns: Vec<String> = words.next().into_iter().cloned().collect();
    let (more, directories): (Vec<_>, Vec<_>) = words.partition(|word| is_pattern(word));
    patterns.extend(more.into_iter().cloned());
    (patterns, directories.into_iter().map(PathBuf::from).collect())
}

#[expect(clippy::disallowed_methods, reason = "it decides what an argument means, and shows nothing")]
fn exists(path: &str) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// What all requests find together, each path once. Those of each are in their order.
fn find(caller: &Caller<'_>, requests: &[GlobRequest]) -> Result<Matches, Refused> {
    let mut all: Option<Matches> = None;
    for request in requests {
        let found = glob(caller.sandbox, request).map_err(expanded)?;
        all = Some(match all {
            None => found,
            Some(all) => together(all, found),
        });
    }
    all.ok_or_else(|| ToolError::new(ErrorKind::Internal, "There is nothing to search for").into())
}

/// A file in the place of a directory comes from a shell that has expanded the pattern.
fn expanded(error: ToolError) -> ToolError {
    match error.kind() {
        ErrorKind::NotDirectory => {
            error.hint("if the shell expanded the pattern, put it in quotes: toolcrib glob '*.rs'")
        }
        _ => error,
    }
}

fn together(one: Matches, other: Matches) -> Matches {
    let known: BTreeSet<&str> = one.files.iter().map(|file| &*file.absolute).collect();
    let (old, new): (Vec<_>, Vec<_>) =
        other.files.into_iter().partition(|file| known.contains(&*file.absolute));
    Matches {
        total: one.total + other.total - old.len() as u64,
        next: one.next.or(other.next),
        withheld: one.withheld + other.withheld,
        unreadable: one.unreadable + other.unreadable,
        partial: one.partial || other.partial,
        ignored: one.ignored + other.ignored,
        further_down: one.further_down + other.further_down,
        left_out: one.left_out.or(other.left_out),
        files: one.files.into_iter().chain(new).collect(),
        ..one
    }
}

fn show(matches: &Matches, patterns: &[String]) -> Shown {
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
        notes.extend(why_none(matches, patterns));
    }
    Shown { answer, notes }
}

/// Why nothing was found, where that may surprise, and the way to it.
fn why_none(matches: &Matches, patterns: &[String]) -> Option<String> {
    match (matches.further_down, &matches.left_out, matches.ignored) {
        (0, Some(directory), _) => {
            Some(format!("ignore rules exclude '{directory}': pass --no-ignore to search it"))
        }
        (0, None, 0) => None,
        (0, None, 1) => {
            Some("ignore rules exclude 1 file or directory: pass --no-ignore to search it".to_owned())
        }
        (0, None, many) => Some(format!(
            "ignore rules exclude {many} files and directories: pass --no-ignore to search them"
        )),
        (count, ..) => {
            let matching =
                if count == 1 { "1 file matches".to_owned() } else { format!("{count} files match") };
            let deep: Vec<String> = patterns.iter().map(|pattern| format!("'**/{pattern}'")).collect();
            Some(format!("{matching} in subdirectories: use {}", deep.join(" ")))
        }
    }
}
