//! `toolcrib read`: the lines of a file with their numbers.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::Dialect;
use toolcrib::dialects::operations::{Caller, Read, ReadOutcome};
use toolcrib::files::{Content, LineNumber, Part, Ranges, ReadRequest, Text};

use super::from_here;
use super::operation::{Shown, look};
use crate::args::{Common, at_least, within};
use crate::failure::Failure;
use crate::paint::{self, Paint, plain, plain_text};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib read src/main.rs
  toolcrib read src/main.rs --offset 100 --limit 20
  toolcrib read server.log --tail 50
  toolcrib read manual.pdf --pages 5-8")]
pub(crate) struct ReadArgs {
    /// The file to show
    path: PathBuf,
    /// Start at this line, counted from 1
    #[arg(long, value_name = "LINE", value_parser = at_least::<u64>(1))]
    offset: Option<u64>,
    /// Show at most this many lines [default: 2000]
    #[arg(long, value_name = "COUNT", value_parser = within(1, ReadRequest::MAX_LIMIT))]
    limit: Option<usize>,
    /// Show the last COUNT lines instead
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["offset", "limit"], value_parser = within(1, ReadRequest::MAX_LIMIT))]
    tail: Option<usize>,
    /// Start each line at this character, counted from 1
    #[arg(long, value_name = "CHARACTER", value_parser = within(1, ReadRequest::MAX_COLUMN))]
    column: Option<usize>,
    /// Show these pages of a PDF, such as 3, 1-10 or 5- [default: the first 20]
    #[arg(long, value_name = "RANGE", conflicts_with_all = LINES, conflicts_with = "cells")]
    pages: Option<Ranges>,
    /// Show these cells of a notebook, such as 3, 1-10 or 5- [default: as many as fit]
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

pub(crate) fn run(common: &Common, args: &ReadArgs) -> Result<ExitCode, Failure> {
    let request = ReadRequest {
        part: match (args.tail, &args.pages, &args.cells) {
            (Some(lines), ..) => Part::Last(lines),
            (_, Some(pages), _) => Part::Pages(pages.clone()),
            (_, _, Some(cells)) => Part::Cells(cells.clone()),
            _ => Part::From {
                first: args.offset.unwrap_or(1),
                limit: args.limit.unwrap_or(ReadRequest::DEFAULT_LIMIT),
            },
        },
        column: args.column.unwrap_or(1) - 1,
        encoding: args.encoding.clone(),
        ..ReadRequest::new(from_here(&args.path)?)
    };
    let remarks = Cell::default();
    let read = |caller: &Caller<'_>| {
        let request = ReadRequest { limits: caller.settings.read, ..request.clone() };
        let read = Read::perform(request, caller)?;
        remarks.set(read.outcome.remarks(caller.words));
        Ok(read)
    };
    let paint = Paint::new(common.color);
    look::<Read>(common, Dialect::Standard, args.json, read, |outcome| show(outcome, remarks.take(), paint))
}

fn show(outcome: &ReadOutcome, mut remarks: Vec<String>, paint: Paint) -> Shown {
    let text = match &outcome.content {
        Content::Text(text) => text,
        Content::Pdf(_) | Content::Notebook(_) => {
            let answer = plain_text(outcome.plain().unwrap_or_default()).into_owned();
            return Shown { answer, notes: remarks };
        }
        // What can be said of an image is the answer.
        Content::Image(_) => return Shown { answer: remarks.join("\n"), notes: Vec::new() },
    };
    // Those who asked for so many lines know that there may be more.
    let unasked = text.lines.len() < outcome.limit() || outcome.limit() == ReadRequest::DEFAULT_LIMIT;
    if let Some(next) = outcome.goes_on().filter(|_| unasked) {
        let end = text.total_lines.map(|total| format!(" to line {total}")).unwrap_or_default();
        remarks.push(format!("the file goes on{end}; continue with --offset {next}"));
    }
    Shown { answer: numbered(text, paint), notes: remarks }
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
