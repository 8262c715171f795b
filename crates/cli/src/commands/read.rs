//! `toolcrib read`: the lines of files with their numbers.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{Caller, Read, ReadOutcome};
use toolcrib::files::{Content, LineNumber, Part, Ranges, ReadLimits, ReadRequest, Refused, Text};
use toolcrib::{Dialect, ErrorKind, Proposed, ToolError};

use super::operation::Reader;
use super::{call, from_here};
use crate::args::{Common, at_least, within};
use crate::failure::{Failure, Failures};
use crate::output::{self, Stream};
use crate::paint::{self, Paint, plain, plain_text};
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib read src/main.rs
  toolcrib read src/main.rs --offset 100 --limit 20
  toolcrib read server.log --tail 50
  toolcrib read manual.pdf --pages 5-8")]
pub(crate) struct ReadArgs {
    /// The files to show
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Start at this line, counted from 1
    #[arg(long, value_name = "LINE", value_parser = at_least::<u64>(1))]
    offset: Option<u64>,
    /// Show at most this many lines [default: all]
    #[arg(long, value_name = "COUNT", value_parser = at_least::<usize>(1))]
    limit: Option<usize>,
    /// Show the last COUNT lines instead
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["offset", "limit"], value_parser = at_least::<usize>(1))]
    tail: Option<usize>,
    /// Start each line at this character, counted from 1
    #[arg(long, value_name = "CHARACTER", value_parser = within(1, ReadRequest::MAX_COLUMN))]
    column: Option<usize>,
    /// Show these pages of a PDF, such as 3, 1-10 or 5- [default: all]
    #[arg(long, value_name = "RANGE", conflicts_with_all = LINES, conflicts_with = "cells")]
    pages: Option<Ranges>,
    /// Show these cells of a notebook, such as 3, 1-10 or 5- [default: all]
    #[arg(long, value_name = "RANGE", conflicts_with_all = LINES)]
    cells: Option<Ranges>,
    /// Decode the file with this encoding, such as utf-16le or shift_jis [default: detected]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

/// What chooses or decodes lines, which pages and cells do not have.
const LINES: [&str; 5] = ["offset", "limit", "tail", "column", "encoding"];

/// More lines than an answer holds.
const ALL_LINES: usize = 100_000_000;
/// A longer line, in characters, is cut: it has to be in memory.
const LONGEST_LINE: usize = 8 << 20;

pub(crate) fn run(common: &Common, args: &ReadArgs) -> Result<ExitCode, Failure> {
    let reader = Reader::open_to_look(common, Dialect::Standard)?;
    let progress = Progress::start();
    if args.json {
        let [path] = &args.paths[..] else {
            let error = ToolError::new(ErrorKind::InvalidParameter, "--json reads one file");
            return Err(error.hint("read one file at a time").into());
        };
        let request = args.request(path)?;
        return call::print(reader.answer::<Read>(|caller| read(&request, caller)), true);
    }
    // The last lines come all at once.
    let reader = if args.tail.is_some() { reader } else { reader.in_pieces() };
    let printed = Printer {
        reader: &reader,
        args,
        paint: Paint::new(common.color),
        stream: Stream::new(),
        begun: false,
        notes: Vec::new(),
    };
    let printed = printed.print();
    drop(progress);
    printed
}

/// Reads as much as an answer holds, which is more for a person than for a model.
fn read(request: &ReadRequest, caller: &Caller<'_>) -> Result<Proposed<ReadOutcome>, Refused> {
    let limits =
        ReadLimits { budget: usize::MAX, line: LONGEST_LINE, pages: usize::MAX, ..caller.settings.read };
    Read::perform(ReadRequest { limits, ..request.clone() }, caller)
}

impl ReadArgs {
    fn request(&self, path: &Path) -> Result<ReadRequest, ToolError> {
        Ok(ReadRequest {
            part: match (self.tail, &self.pages, &self.cells) {
                (Some(lines), ..) => Part::Last(lines),
                (_, Some(pages), _) => Part::Pages(pages.clone()),
                (_, _, Some(cells)) => Part::Cells(cells.clone()),
                _ => Part::From { first: self.offset.unwrap_or(1), limit: self.limit.unwrap_or(ALL_LINES) },
            },
            column: self.column.unwrap_or(1) - 1,
            encoding: self.encoding.clone(),
            ..ReadRequest::new(from_here(path)?)
        })
    }
}

/// A run on one or several files. One that cannot be read does not keep the others from being read.
struct Printer<'a> {
    reader: &'a Reader,
    args: &'a ReadArgs,
    paint: Paint,
    stream: Stream,
    /// Whether something was printed.
    begun: bool,
    /// What there is to know beside the lines.
    notes: Vec<String>,
}

impl Printer<'_> {
    fn print(mut self) -> Result<ExitCode, Failure> {
        let mut failures = Failures::default();
        let several = self.args.paths.len() > 1;
        for path in &self.args.paths {
            let heading = if several { self.heading(path) } else { String::new() };
            match self.file(path, &heading) {
                Ok(ControlFlow::Break(())) => break,
                Ok(ControlFlow::Continue(())) => {}
                Err(error) => failures.add(error),
            }
        }
        self.stream.end()?;
        self.notes.dedup();
        self.notes.iter().for_each(|note| output::say(note));
        failures.last().map_or(Ok(ExitCode::SUCCESS), |error| Err(Failure::of_tool(error)))
    }

    /// As `head` and `tail` have it.
    fn heading(&self, path: &Path) -> String {
        let name = format!("==> {} <==", plain(&path.display().to_string()));
        let gap = if self.begun { "\n" } else { "" };
        format!("{gap}{}\n", self.paint.show(paint::Part::Heading, name))
    }

    /// Prints a file below a heading: lines piece by piece, however many there are.
    fn file(&mut self, path: &Path, heading: &str) -> Result<ControlFlow<()>, ToolError> {
        let mut request = self.args.request(path)?;
        let mut heading = Some(heading);
        loop {
            let mut remarks = Vec::new();
            let outcome = self.reader.perform::<Read>(|caller| {
                let read = read(&request, caller)?;
                remarks = read.outcome.remarks(caller.words);
                Ok(read)
            })?;
            let shown = shown(&outcome, &mut remarks, self.paint);
            let name = |remark: String| match self.args.paths.len() {
                1 => remark,
                _ => format!("{}: {remark}", path.display()),
            };
            self.notes.extend(remarks.into_iter().map(name));
            self.begun = true;
            let heading = heading.take().unwrap_or_default();
            if self.stream.put(&format!("{heading}{shown}")).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let (Some(first), Part::From { limit, .. }) = (outcome.goes_on(), request.part) else { break };
            let left = limit - outcome.text().map_or(limit, |text| text.lines.len());
            if left == 0 {
                break;
            }
            request.part = Part::From { first, limit: left };
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What was read, as it is printed. What can be said of an image is the answer.
fn shown(outcome: &ReadOutcome, remarks: &mut Vec<String>, paint: Paint) -> String {
    let text = match &outcome.content {
        Content::Text(text) => return numbered(text, paint),
        Content::Pdf(_) | Content::Notebook(_) => {
            plain_text(outcome.plain().unwrap_or_default()).into_owned()
        }
        Content::Image(_) => std::mem::take(remarks).join("\n"),
    };
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// The lines as `cat -n` shows them. Those that are counted from the end of the file have negative numbers.
fn numbered(text: &Text, paint: Paint) -> String {
    let first = match text.first {
        LineNumber::FromStart(first) => i128::from(first),
        LineNumber::FromEnd(back) => -i128::from(back),
    };
    let cut_before = if text.column > 0 { "..." } else { "" };
    let mut answer = String::new();
    for (line, number) in text.lines.iter().zip(first..) {
        let number = paint.show(paint::Part::Number, format_args!("{number:>6}"));
        let cut_after = if line.cut { "..." } else { "" };
        answer.push_str(&format!("{number}\t{cut_before}{}{cut_after}\n", plain(&line.text)));
    }
    answer
}
