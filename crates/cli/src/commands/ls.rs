//! `toolcrib ls`: a tree on a terminal, one entry a line in a pipe, details with `-l`.

mod page;

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{List, ListOutcome};
use toolcrib::files::{
    EntryKind, FileStat, ListRequest, Listed, Listing, StatRequest, list, list_each, stat,
};
use toolcrib::{Dialect, ErrorKind, ToolError};

use self::page::Format;
use super::operation::{LeftOut, Reader, starts};
use super::{call, help};
use crate::args::{Common, at_least};
use crate::failure::{Failure, Failures};
use crate::output::{self, Stream};
use crate::paint::Paint;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  toolcrib ls
  toolcrib ls -R src --depth 2
  toolcrib ls -lt

On a terminal, prints a tree with sizes; in a pipe, one entry on each line.
Hidden entries are always listed, so -a and -A change nothing."
)]
pub(crate) struct LsArgs {
    /// The directories and files to list [default: the first root]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print permissions, size and time of modification
    #[arg(short = 'l', long)]
    long: bool,
    /// With -l, print sizes with units
    #[arg(short = 'h', long = "human-readable")]
    human: bool,
    /// List subdirectories recursively
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Descend at most LEVELS levels; 1 lists the directory alone
    #[arg(long, value_name = "LEVELS", value_parser = at_least::<usize>(1))]
    depth: Option<usize>,
    /// List directories themselves, not what is in them
    #[arg(short = 'd', long, conflicts_with_all = ["recursive", "depth"])]
    directory: bool,
    /// Print one entry on each line, as in a pipe
    #[arg(short = '1')]
    one: bool,
    /// Sort by time, newest first
    #[arg(short = 't', overrides_with = "by_size")]
    by_time: bool,
    /// Sort by size, largest first
    #[arg(short = 'S', overrides_with = "by_time")]
    by_size: bool,
    /// Reverse the order
    #[arg(short = 'r', long)]
    reverse: bool,
    /// Leave out entries that match GLOB; repeatable
    #[arg(short = 'I', long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// With -R, list what ignore rules exclude, too
    #[arg(short = 'u', long)]
    no_ignore: bool,
    /// Print at most COUNT entries
    #[arg(long, value_name = "COUNT", value_parser = at_least::<usize>(1))]
    limit: Option<usize>,
    /// Skip the first COUNT entries
    #[arg(long, value_name = "COUNT", default_value_t = 0, hide_default_value = true, value_parser = at_least::<usize>(0))]
    offset: usize,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[arg(long, action = clap::ArgAction::Help, help = "Print help")]
    help: Option<bool>,
    #[arg(short = 'a', short_aliases = ['A', 'F', 'p'], long, alias = "almost-all", hide = true)]
    all: bool,
}

pub(crate) fn run(common: &Common, args: &LsArgs) -> Result<ExitCode, Failure> {
    if args.human && !args.long {
        return Ok(help::print("ls")?);
    }
    let paths = starts(&args.paths)?;
    let reader = Reader::open_to_look(common, Dialect::Standard)?;
    let progress = Progress::start();
    if args.json {
        let [path] = &paths[..] else {
            let error = ToolError::new(ErrorKind::InvalidParameter, "--json lists one path");
            return Err(error.hint("list one path at a time").into());
        };
        let request = args.request(path);
        let result =
            reader.answer::<List>(|caller| Ok(ListOutcome::Listed(list(caller.sandbox, &request)?).into()));
        return call::print(result, true);
    }
    let (format, stream) = (Format::new(args, Paint::new(common.color)), Stream::new());
    let mut ls =
        Ls { reader: &reader, args, format, stream, notes: Vec::new(), failures: Failures::default() };
    ls.print(&paths);
    drop(progress);
    ls.end()
}

/// A run on several paths. One that cannot be listed does not keep the others from it.
struct Ls<'a> {
    reader: &'a Reader,
    args: &'a LsArgs,
    format: Format,
    stream: Stream,
    /// What is missing, and the way to it.
    notes: Vec<String>,
    failures: Failures,
}

impl Ls<'_> {
    /// Files first, then what is in each directory, as `ls` does.
    fn print(&mut self, paths: &[PathBuf]) {
        let typed = self.args.paths.iter().map(|path| path.display().to_string());
        let typed = typed.chain(self.args.paths.is_empty().then(|| ".".to_owned()));
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for (typed, path) in typed.zip(paths) {
            match self.stat(path) {
                Ok(found) if found.kind == EntryKind::Directory && !self.args.directory => {
                    directories.push((typed, path, found.path.absolute));
                }
                Ok(found) => files.push(as_entry(found, typed)),
                Err(error) => self.failures.add(error),
            }
        }
        self.args.sort(&mut files);
        let mut text: String = files.iter().map(|file| self.format.in_list(&file.name, file)).collect();
        let several = paths.len() > 1;
        for (typed, path, absolute) in directories {
            text.push_str(if text.is_empty() && self.format.is_new() { "" } else { "\n" });
            text.push_str(&self.format.heading(&absolute, several.then_some(&*typed)));
            if self.put(&std::mem::take(&mut text)).is_break() {
                return;
            }
            match self.directory(path) {
                Ok(ControlFlow::Break(())) => return,
                Ok(ControlFlow::Continue(())) => {}
                Err(error) => self.failures.add(error),
            }
        }
        _ = self.put(&text);
    }

    fn put(&mut self, text: &str) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        self.format.begun = true;
        self.stream.put(text)
    }

    fn stat(&self, path: &Path) -> Result<FileStat, ToolError> {
        let request = StatRequest { path: path.to_owned() };
        let mut found = None;
        self.reader.perform::<List>(|caller| {
            found = Some(stat(caller.sandbox, &request)?);
            Ok(ListOutcome::Missing(String::new()).into())
        })?;
        found.ok_or_else(|| ToolError::new(ErrorKind::Internal, "A look at the path has found nothing"))
    }

    /// Prints what is in a directory.
    fn directory(&mut self, path: &Path) -> Result<ControlFlow<()>, ToolError> {
        let request = self.args.request(path);
        let (mut kept, mut flow, mut count) = (Vec::new(), ControlFlow::Continue(()), 0);
        let Self { reader, args, format, stream, .. } = self;
        let mut each = |entry: Listed| {
            count += 1;
            if args.sorts() {
                kept.push(entry);
            } else {
                flow = stream.put(&format.entry(&entry));
            }
            flow
        };
        let outcome = reader.perform::<List>(|caller| {
            Ok(ListOutcome::Listed(list_each(caller.sandbox, &request, &mut each)?).into())
        })?;
        args.sort(&mut kept);
        let sorted: String = kept.iter().map(|entry| format.entry(entry)).collect();
        if !sorted.is_empty() {
            flow = stream.put(&sorted);
        }
        self.notes.extend(outcome.listing().map(|listing| left_out(listing, count)).unwrap_or_default());
        Ok(flow)
    }

    fn end(self) -> Result<ExitCode, Failure> {
        self.stream.end()?;
        self.notes.iter().for_each(|note| output::say(note));
        self.failures.last().map_or(Ok(ExitCode::SUCCESS), |error| Err(Failure::of_tool(error)))
    }
}

fn left_out(listing: &Listing, count: u64) -> Vec<String> {
    let left_out = LeftOut {
        shown: count,
        total: listing.total.map(|total| total as u64),
        next: listing.next,
        partial: listing.partial,
        withheld: listing.withheld as u64,
        unreadable: listing.unreadable,
    };
    left_out.notes("entries")
}

/// A path that was typed, as an entry.
fn as_entry(found: FileStat, typed: String) -> Listed {
    Listed {
        name: typed,
        kind: found.kind,
        size: found.size,
        modified: found.modified,
        mode: Some(found.mode),
        target: None,
        depth: 0,
        path: found.path,
    }
}

impl LsArgs {
    fn request(&self, path: &Path) -> ListRequest {
        let most = if self.json { ListRequest::MAX_LIMIT } else { usize::MAX };
        ListRequest {
            path: path.to_owned(),
            depth: if self.recursive || self.depth.is_some() { self.depth } else { Some(1) },
            ignore: self.ignore.clone(),
            ignored: self.no_ignore,
            offset: self.offset,
            limit: self.limit.unwrap_or(most).min(most),
        }
    }

    /// Whether the order is another than that of the walk.
    fn sorts(&self) -> bool {
        self.by_time || self.by_size || self.reverse
    }

    fn sort(&self, entries: &mut [Listed]) {
        if self.by_time {
            entries.sort_by_key(|entry| Reverse(entry.modified));
        } else if self.by_size {
            entries.sort_by_key(|entry| Reverse(entry.size));
        }
        if self.reverse {
            entries.reverse();
        }
    }
}
