//! `toolcrib grep`: matching lines, grouped by file on a terminal, `path:line:text` in a pipe.
//!
//! It takes the options of `grep` and of `rg`, where they agree or one of them is in wide use.

mod page;
mod request;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgAction;
use toolcrib::Dialect;
use toolcrib::dialects::operations::{Grep, GrepOutcome};
use toolcrib::files::{FileTypes, Found, GrepMode, GrepRequest, Grepped, Sort, grep, grep_each};

use self::page::{Format, notes};
use super::operation::Reader;
use super::{call, help};
use crate::args::{Common, at_least, within};
use crate::failure::{Failure, Failures};
use crate::layout::labelled;
use crate::output::{self, Stream};
use crate::paint::Paint;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    override_usage = "toolcrib grep [OPTIONS] <PATTERN> [PATH]...\n       toolcrib grep [OPTIONS] -e <PATTERN>... [PATH]...",
    after_help = "\
Examples:
  toolcrib grep 'fn \\w+_blocking'
  toolcrib grep -F 'a.b(' src --type rust -C 2
  toolcrib grep -l TODO -g '!docs/**'

On a terminal, matches are grouped under the path of their file. In a pipe, a
match is path:line:text and a line of context is path-line-text.

-n, -r, -R, -E and -P are accepted and change nothing: line numbers are shown,
directories are searched recursively, and look-around works in any pattern.

Exit status: 0 a line matched, 1 none did, 2 an error occurred"
)]
pub(crate) struct GrepArgs {
    /// The regular expression to search for
    #[arg(required_unless_present_any = ["patterns", "pattern_files", "type_list", "no_filename", "files_only"])]
    pattern: Option<String>,
    /// The files and directories to search [default: the first root]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Search for this pattern; repeatable, and may start with -
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    patterns: Vec<String>,
    /// Read patterns from this file, one on each line; repeatable
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pattern_files: Vec<PathBuf>,
    /// Treat the pattern as literal text
    #[arg(short = 'F', long, alias = "literal")]
    fixed_strings: bool,
    /// Search case-insensitively
    #[arg(short = 'i', long, overrides_with_all = ["smart_case", "case_sensitive"])]
    ignore_case: bool,
    /// Case-insensitive unless the pattern contains an uppercase letter
    #[arg(short = 'S', long, overrides_with_all = ["ignore_case", "case_sensitive"])]
    smart_case: bool,
    /// Search case-sensitively (the default)
    #[arg(short = 's', long, overrides_with_all = ["ignore_case", "smart_case"])]
    case_sensitive: bool,
    /// Match whole words only
    #[arg(short = 'w', long, alias = "word")]
    word_regexp: bool,
    /// Match whole lines only
    #[arg(short = 'x', long)]
    line_regexp: bool,
    /// Select the lines that do not match
    #[arg(short = 'v', long, alias = "invert")]
    invert_match: bool,
    /// Let matches span lines, and let . match a newline
    #[arg(short = 'U', long)]
    multiline: bool,

    /// Print only the paths of files with a match
    #[arg(short = 'l', long, help_heading = OUTPUT, overrides_with_all = ["files_without_match", "count"])]
    files_with_matches: bool,
    /// Print only the paths of files without a match
    #[arg(short = 'L', long, help_heading = OUTPUT, overrides_with_all = ["files_with_matches", "count"])]
    files_without_match: bool,
    /// Print only the number of matching lines of each file
    #[arg(short = 'c', long, help_heading = OUTPUT, overrides_with_all = ["files_with_matches", "files_without_match"])]
    count: bool,
    /// Print only the matching parts of lines
    #[arg(short = 'o', long, help_heading = OUTPUT)]
    only_matching: bool,
    /// Print nothing; the exit status tells whether a line matched
    #[arg(short = 'q', long, help_heading = OUTPUT)]
    quiet: bool,
    /// Print COUNT lines after each match
    #[arg(short = 'A', long = "after-context", alias = "after", help_heading = OUTPUT, value_name = "COUNT", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    after: Option<usize>,
    /// Print COUNT lines before each match
    #[arg(short = 'B', long = "before-context", alias = "before", help_heading = OUTPUT, value_name = "COUNT", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    before: Option<usize>,
    /// Print COUNT lines before and after each match
    #[arg(short = 'C', long, help_heading = OUTPUT, value_name = "COUNT", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    context: Option<usize>,
    /// Stop after COUNT matching lines in each file
    #[arg(short = 'm', long, help_heading = OUTPUT, value_name = "COUNT", value_parser = at_least::<u64>(1))]
    max_count: Option<u64>,
    /// Print the path with each match, even if one file is searched
    #[arg(short = 'H', long, help_heading = OUTPUT, overrides_with = "no_filename")]
    with_filename: bool,
    /// Print no paths
    #[arg(short = 'h', short_alias = 'I', long, help_heading = OUTPUT, overrides_with = "with_filename")]
    no_filename: bool,
    /// Print no line numbers
    #[arg(short = 'N', long, help_heading = OUTPUT)]
    no_line_number: bool,
    /// Sort by path, modified (newest first) or relevance
    #[arg(long, help_heading = OUTPUT, value_name = "ORDER", default_value = "path", value_parser = order)]
    sort: Sort,
    /// Print at most COUNT matches (or files, with -l, -L or -c)
    #[arg(long, help_heading = OUTPUT, value_name = "COUNT", value_parser = at_least::<usize>(0))]
    limit: Option<usize>,
    /// Skip the first COUNT matches (or files)
    #[arg(long, help_heading = OUTPUT, value_name = "COUNT", default_value_t = 0, hide_default_value = true, value_parser = within(0, GrepRequest::MAX_OFFSET))]
    offset: usize,
    /// Print the result as one JSON object
    #[arg(long, help_heading = OUTPUT)]
    json: bool,

    /// Search only files that match GLOB, or with ! before it, all others; repeatable
    #[arg(short = 'g', long, help_heading = FILES, value_name = "GLOB", alias = "include")]
    glob: Vec<String>,
    /// Skip files and directories that match GLOB; repeatable
    #[arg(long, help_heading = FILES, value_name = "GLOB", alias = "exclude-dir")]
    exclude: Vec<String>,
    /// Search only files of this type, such as py or rust; repeatable
    #[arg(short = 't', long = "type", help_heading = FILES, value_name = "TYPE")]
    types: Vec<String>,
    /// Skip files of this type; repeatable
    #[arg(short = 'T', long = "type-not", help_heading = FILES, value_name = "TYPE")]
    types_not: Vec<String>,
    /// List the types and their globs
    #[arg(long, help_heading = FILES)]
    type_list: bool,
    /// Search hidden files too
    #[arg(long, short_alias = '.', help_heading = FILES)]
    hidden: bool,
    /// Search what ignore rules exclude, and folders such as node_modules
    #[arg(long, help_heading = FILES)]
    no_ignore: bool,
    /// Like --no-ignore; -uu searches hidden files too
    #[arg(short = 'u', long, help_heading = FILES, action = ArgAction::Count)]
    unrestricted: u8,
    /// Skip files larger than SIZE, such as 500K or 10M
    #[arg(long, help_heading = FILES, value_name = "SIZE", alias = "max-file-size", value_parser = size)]
    max_filesize: Option<u64>,

    #[arg(long, action = ArgAction::Help, help = "Print help")]
    help: Option<bool>,

    #[arg(short = 'n', long = "line-number", hide = true)]
    line_number: bool,
    #[arg(short = 'r', short_alias = 'R', long = "recursive", hide = true)]
    recursive: bool,
    #[arg(
        short = 'E',
        short_alias = 'P',
        long = "extended-regexp",
        alias = "perl-regexp",
        alias = "pcre2",
        hide = true
    )]
    extended: bool,
    #[arg(long = "files", hide = true)]
    files_only: bool,
}

const OUTPUT: &str = "Output";
const FILES: &str = "Which files";

pub(crate) fn run(common: &Common, args: &GrepArgs) -> Result<ExitCode, Failure> {
    if args.type_list {
        return Ok(list_types(common)?);
    }
    if args.no_filename && args.pattern.is_none() && args.patterns.is_empty() && args.pattern_files.is_empty()
    {
        return Ok(help::print("grep")?);
    }
    // As with grep and rg: 1 is for no match.
    search(common, args).map_err(|failure| failure.with_status(ERROR))
}

const NONE: u8 = 1;
const ERROR: u8 = 2;

fn search(common: &Common, args: &GrepArgs) -> Result<ExitCode, Failure> {
    let requests = args.requests()?;
    // In this dialect, the JSON has every line apart.
    let reader = Reader::open_to_look(common, Dialect::Ekacode)?;
    let progress = Progress::start();
    if args.json {
        let result = reader.answer::<Grep>(|caller| {
            let mut all: Option<Grepped> = None;
            for request in &requests {
                let found = grep(caller.sandbox, request)?;
                all = Some(match all {
                    None => found,
                    Some(all) => request::together(all, found),
                });
            }
            let found = all.ok_or_else(request::nothing_to_search)?;
            let (pattern, mode) = (requests[0].pattern.clone(), requests[0].mode);
            Ok(GrepOutcome { found, pattern, mode, line_numbers: true }.into())
        });
        let found = result.metadata.get("count").is_some_and(|count| *count != 0);
        let status = if !result.success { ERROR } else { u8::from(!found) * NONE };
        call::print(result, true)?;
        return Ok(ExitCode::from(status));
    }
    let searched = print_matches(&reader.in_pieces(), common, args, &requests);
    drop(progress);
    searched
}

/// Searches one path after the other. One that cannot be searched does not keep the others from being searched.
fn print_matches(
    reader: &Reader,
    common: &Common,
    args: &GrepArgs,
    requests: &[GrepRequest],
) -> Result<ExitCode, Failure> {
    let mut stream = Stream::new();
    let mut format = Format::new(args, requests, Paint::new(common.color));
    let (mut found, mut failures, mut said) = (false, Failures::default(), Vec::new());
    for request in requests {
        let mut each = |file: Found| {
            found = true;
            if args.quiet { ControlFlow::Break(()) } else { stream.put(&format.file(&file)) }
        };
        let searched = reader.perform::<Grep>(|caller| {
            let found = grep_each(caller.sandbox, request, &mut each)?;
            let (pattern, mode) = (String::new(), request.mode);
            Ok(GrepOutcome { found, pattern, mode, line_numbers: true }.into())
        });
        match searched {
            Ok(outcome) => said.extend(notes(request, &outcome.found)),
            Err(error) => failures.add(error),
        }
        if found && args.quiet {
            return Ok(ExitCode::SUCCESS);
        }
    }
    stream.end()?;
    if let Some(error) = failures.last() {
        return Err(error.into());
    }
    if !args.quiet {
        if !found && args.mode() != GrepMode::FilesWithout {
            output::say("No matches found");
        }
        said.dedup();
        said.iter().for_each(|note| output::say(note));
    }
    Ok(ExitCode::from(u8::from(!found) * NONE))
}

fn list_types(common: &Common) -> Result<ExitCode, std::io::Error> {
    let paint = Paint::new(common.color);
    let types = FileTypes::all().into_iter().filter(|(name, _)| name != "all");
    let lines = types.map(|(name, globs)| {
        let text = labelled(&format!("{name}:"), &globs.join(", "), 16);
        let rest = text.strip_prefix(&*name).unwrap_or(&text).to_owned();
        format!("{}{rest}\n", paint.show(crate::paint::Part::Heading, &name))
    });
    output::answer(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn order(name: &str) -> Result<Sort, String> {
    match name {
        "path" => Ok(Sort::Path),
        "modified" => Ok(Sort::Modified),
        "relevance" => Ok(Sort::Relevance),
        _ => Err("expected path, modified or relevance".to_owned()),
    }
}

/// A number of bytes, or of units of 1,024, as `rg` takes it.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "must be a number of bytes, or such as 500K, 10M or 1G".to_owned();
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)
}
