//! A file: text, an image, a PDF, a notebook.

mod remarks;

use serde_json::{Value, json};
use toolcrib_access::{Proposed, Sandbox};
use toolcrib_files::{
    CellImage, Content, Document, FilePath, Image, LineNumber, Notebook, Part, Pdf, Ranges, ReadRequest,
    Refused, Text, Version,
};
use toolcrib_tool::{Effect, ErrorKind, ToolError};

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};
use crate::gutter::numbered;
use crate::words::Words;

/// Reads a file.
pub struct Read;

parameters! {
    /// Which file, and what of it.
    pub struct ReadInput;
    file_path: String, schemars(length(min = 1)) => "Absolute path";
    offset: u64, serde(default = "first_line"), schemars(range(min = 1)) =>
        "First line (1-based)";
    skip: u64, serde(default) => "Lines to skip";
    limit: usize, serde(default = "default_limit"), schemars(range(min = 1, max = ReadRequest::MAX_LIMIT)) =>
        "Most lines";
    last: Option<u64>, schemars(range(min = 1)) => "Last line (1-based, inclusive)";
    tail: Option<usize>, schemars(range(min = 1, max = ReadRequest::MAX_LIMIT)) =>
        "Last lines instead; fast in any file";
    column: Option<usize>, schemars(range(min = 1, max = ReadRequest::MAX_COLUMN)) =>
        "First character of each line (1-based), to go on in one cut after 2000";
    encoding: Option<String>, schemars(length(min = 1)) =>
        "Such as utf-16le or windows-1252 (default: detected); utf-8 shows a notebook's JSON, for edits";
    pages: Option<String>, schemars(length(min = 1)) =>
        "Of a PDF: \"3\", \"1-10\" or \"5-\"";
    cells: Option<String>, schemars(length(min = 1)) =>
        "Of a notebook, likewise";
}

fn first_line() -> u64 {
    1
}

fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}

/// What was read, and what was asked for.
pub struct ReadOutcome {
    /// What the file holds.
    pub content: Content,
    /// Which part was asked for.
    pub part: Part,
}

impl Operation for Read {
    type Input = ReadInput;
    type Outcome = ReadOutcome;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ReadInput, caller: &Caller<'_>) -> Result<Proposed<ReadOutcome>, Refused> {
        let request = ReadRequest {
            part: input.part(caller.words)?,
            column: input.column.unwrap_or(1).saturating_sub(1),
            encoding: input.encoding,
            limits: caller.settings.read,
            ..ReadRequest::new(caller.file(input.file_path, "file_path")?)
        };
        Self::perform(request, caller)
    }

    fn facts() -> Facts<ReadOutcome> {
        let file = facts! { ReadOutcome, |it, words|
            "file_path": "The file that was read" => words.path(it.file().0);
            "size": "The size of the file in bytes; of an image, as it is given here" =>
                it.image().map_or(it.file().1, |image| image.bytes.len() as u64);
            "version": "The hash of the file's content; absent for texts of more than 8 MiB" => it.version();
            "truncated": "Whether there is more of what was asked for, or the file goes on after the last line, page or cell shown" =>
                it.truncated();
        };
        file.and(text()).and(image()).and(paged())
    }
}

impl Read {
    /// Reads what a request asks for, with images beside the answer, where doors look for them.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub fn perform(request: ReadRequest, caller: &Caller<'_>) -> Result<Proposed<ReadOutcome>, Refused> {
        let content = toolcrib_files::read(caller.sandbox, &request).map_err(|refused| match refused {
            Refused::Failed(error) if error.kind() == ErrorKind::IsDirectory => {
                let list = caller.words.tool("list");
                Refused::Failed(error.hint(format!("name a file in it, or list it with {list}")))
            }
            other => other,
        })?;
        attach(caller.sandbox, &content);
        Ok(ReadOutcome { content, part: request.part }.into())
    }
}

fn text() -> Facts<ReadOutcome> {
    facts! { ReadOutcome, |it, words|
        "lines_read": "How many lines the output has" => Some(it.text()?.lines.len());
        "line_count": "How many lines the content has; 0 for an image" => it.line_count();
        "offset": "The number of the first line; negative if lines are numbered from the end" =>
            it.text().map(first_number);
        "limit": "How many lines were asked for" => it.text().map(|_| it.limit());
        "total_lines": "How many lines the file has; absent when counting them would mean reading on" =>
            it.text()?.total_lines;
        "next_offset": "Where to go on reading" => it.text()?.next;
        "next_skip": "How many lines to skip to go on reading" => Some(it.text()?.next? - 1);
        "encoding": "The encoding of the file" => Some(it.text()?.encoding.charset.name());
        "bom": "Whether the file begins with a byte order mark" => Some(it.text()?.encoding.bom);
        "line_ending": "How its lines end: lf, crlf, cr or mixed; absent when there is no end of a line" =>
            Some(it.text()?.line_ending?.as_str());
        "final_newline": "Whether the last line ends with a newline; absent when the end was not reached" =>
            it.text()?.final_newline;
        "undecodable": "How many characters of the output stand for bytes that do not decode; absent when there is none" =>
            some(it.text()?.undecodable);
        "changed_while_read": "True if the file was changed while it was read; absent otherwise" =>
            some(it.text()?.changed);
    }
}

fn image() -> Facts<ReadOutcome> {
    facts! { ReadOutcome, |it, words|
        "is_image": "True for an image" => it.image().map(|_| true);
        "mime_type": "What the image is that is given here" => Some(it.image()?.mime_type);
        "width": "Its width in pixels" => Some(it.image()?.width);
        "height": "Its height in pixels" => Some(it.image()?.height);
        "scaled": "Whether it has fewer pixels than the file" => Some(it.image()?.is_scaled());
        "original_mime_type": "What the image is in the file; absent, as the next three, when it is given as it is" =>
            Some(it.changed_image()?.original.mime_type);
        "original_width": "Its width in the file" => Some(it.changed_image()?.original.width);
        "original_height": "Its height in the file" => Some(it.changed_image()?.original.height);
        "original_size": "The size of the file in bytes" => Some(it.changed_image()?.original.size);
    }
}

fn paged() -> Facts<ReadOutcome> {
    facts! { ReadOutcome, |it, words|
        "is_pdf": "True for a PDF document" => it.pdf().map(|_| true);
        "page_count": "How many pages the document has" => Some(it.pdf()?.page_count);
        "pages": "The pages shown" => Some(it.pdf()?.shown.as_ref()?.to_string());
        "next_pages": "The pages that were asked for and are not shown: what to ask for next" =>
            Some(it.pdf()?.rest.as_ref()?.to_string());
        "has_text": "Whether the pages have text; if not, they may be scanned" => Some(!it.pdf()?.without_text);
        "is_notebook": "True for a notebook" => it.notebook().map(|_| true);
        "cell_count": "How many cells the notebook has" => Some(it.notebook()?.cell_count);
        "language": "The language of its kernel" => it.notebook()?.language.clone();
        "cells": "The cells shown" => Some(it.notebook()?.shown.as_ref()?.to_string());
        "next_cells": "The cells that were asked for and are not shown: what to ask for next" =>
            Some(it.notebook()?.rest.as_ref()?.to_string());
        "note": "What else there is to know" =>
            { let remarks = if it.image().is_some() { Vec::new() } else { it.remarks(words) }; some(remarks.join("; ")) };
    }
}

impl ReadOutcome {
    /// The lines, if it is a text.
    #[must_use]
    pub fn text(&self) -> Option<&Text> {
        if let Content::Text(text) = &self.content { Some(text) } else { None }
    }

    fn image(&self) -> Option<&Image> {
        if let Content::Image(image) = &self.content { Some(&image.content) } else { None }
    }

    /// An image that is another than the one in the file.
    fn changed_image(&self) -> Option<&Image> {
        self.image().filter(|image| image.is_changed())
    }

    fn pdf(&self) -> Option<&Pdf> {
        if let Content::Pdf(pdf) = &self.content { Some(&pdf.content) } else { None }
    }

    fn notebook(&self) -> Option<&Notebook> {
        if let Content::Notebook(notebook) = &self.content { Some(&notebook.content) } else { None }
    }

    /// The path, size and version of the file.
    fn file(&self) -> (&FilePath, u64, Option<Version>) {
        match &self.content {
            Content::Text(Text { path, size, version, .. }) => (path, *size, *version),
            Content::Image(Document { path, size, version, .. })
            | Content::Pdf(Document { path, size, version, .. })
            | Content::Notebook(Document { path, size, version, .. }) => (path, *size, Some(*version)),
        }
    }

    pub(super) fn version(&self) -> Option<String> {
        self.file().2.map(|version| version.to_string())
    }

    /// Whether there is more than shown of what was asked for, or of the file after it.
    #[must_use]
    pub fn truncated(&self) -> bool {
        match &self.content {
            Content::Text(text) => {
                self.goes_on().is_some() || text.left_out > 0 || text.lines.iter().any(|line| line.cut)
            }
            Content::Image(_) => false,
            Content::Pdf(Document { content, .. }) => content.rest.is_some() || content.left_out > 0,
            Content::Notebook(Document { content, .. }) => content.rest.is_some() || content.left_out > 0,
        }
    }

    /// The text of pages or cells.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match &self.content {
            Content::Pdf(pdf) => Some(&pdf.content.text),
            Content::Notebook(notebook) => Some(&notebook.content.text),
            Content::Text(_) | Content::Image(_) => None,
        }
    }

    /// The lines with their numbers, or the text of pages or cells; of an image, what it is.
    #[must_use]
    pub fn shown(&self, separator: char, words: &Words<'_>) -> String {
        match (self.text(), self.plain()) {
            (Some(text), _) => numbered(text, separator),
            (_, Some(plain)) => plain.to_owned(),
            _ => self.remarks(words).join("; "),
        }
    }

    fn line_count(&self) -> usize {
        match self.text() {
            Some(text) => text.lines.len(),
            None => self.plain().map_or(0, |text| text.lines().count()),
        }
    }

    /// How many lines were asked for.
    #[must_use]
    pub fn limit(&self) -> usize {
        match self.part {
            Part::Last(limit) | Part::From { limit, .. } => limit,
            Part::Pages(_) | Part::Cells(_) => default_limit(),
        }
    }

    /// The first line that was asked for.
    #[must_use]
    pub fn first_line(&self) -> u64 {
        if let Part::From { first, .. } = self.part { first } else { 1 }
    }

    /// The line with which a text that was read forward goes on.
    #[must_use]
    pub fn goes_on(&self) -> Option<u64> {
        self.text()?.next.filter(|_| !matches!(self.part, Part::Last(_)))
    }
}

/// The number of the first line; negative if it is counted from the end.
pub(crate) fn first_number(text: &Text) -> i64 {
    match text.first {
        LineNumber::FromStart(first) => i64::try_from(first).unwrap_or(i64::MAX),
        LineNumber::FromEnd(back) => i64::try_from(back).map_or(i64::MIN, |back| -back),
    }
}

impl ReadInput {
    /// The part that is meant; two of them at once mean nothing.
    fn part(&self, words: &Words<'_>) -> Result<Part, ToolError> {
        let first = self.offset.saturating_add(self.skip);
        let limit = match self.last {
            None => self.limit,
            Some(last) if last < first => {
                let [first, last] = [words.first_line(), "last"].map(|name| words.parameter(name));
                let message = format!("{first} cannot be greater than {last}");
                return Err(ToolError::new(ErrorKind::InvalidParameter, message));
            }
            Some(last) => usize::try_from(last - first + 1).unwrap_or(usize::MAX).min(ReadRequest::MAX_LIMIT),
        };
        let lines = self.last.is_some() || (first, limit) != (first_line(), default_limit());
        let given = [
            ("tail", self.tail.is_some()),
            ("pages", self.pages.is_some()),
            ("cells", self.cells.is_some()),
            ("encoding", self.encoding.is_some() && self.tail.is_none() && !lines),
        ];
        let given: Vec<&str> = given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
        match given[..] {
            [one, other, ..] => return Err(not_together(one, &[other], words)),
            [one] if lines => return Err(not_together(one, &[words.first_line(), "limit"], words)),
            _ => {}
        }
        match (self.tail, &self.pages, &self.cells) {
            (Some(lines), ..) => Ok(Part::Last(lines)),
            (_, Some(pages), _) => Ok(Part::Pages(ranges("pages", pages, words)?)),
            (_, _, Some(cells)) => Ok(Part::Cells(ranges("cells", cells, words)?)),
            _ => Ok(Part::From { first, limit }),
        }
    }
}

fn not_together(one: &str, others: &[&str], words: &Words<'_>) -> ToolError {
    let name = |canonical: &str| words.parameter(canonical);
    let others: Vec<String> = others.iter().map(|other| format!("'{}'", name(other))).collect();
    let message = format!("Parameter '{}' cannot be combined with {}", name(one), others.join(" or "));
    let nor = "no line numbers and no encoding";
    let hint = match one {
        "pages" => format!("give {} alone; the text of a PDF has {nor}", name(one)),
        "cells" => format!("give {} alone; the cells of a notebook have {nor}", name(one)),
        _ => {
            let [tail, start, limit] = ["tail", words.first_line(), "limit"].map(name);
            format!("give {tail} alone for the last lines, or {start} and {limit} for others")
        }
    };
    ToolError::new(ErrorKind::InvalidParameter, message).hint(hint)
}

fn ranges(name: &str, text: &str, words: &Words<'_>) -> Result<Ranges, ToolError> {
    text.parse().map_err(|error| {
        let message = format!("Invalid value for parameter '{}': {error}", words.parameter(name));
        ToolError::new(ErrorKind::InvalidParameter, message)
    })
}

/// Puts images beside the answer, where doors look for them.
fn attach(sandbox: &Sandbox<'_>, content: &Content) {
    match content {
        Content::Image(image) => {
            sandbox.note("mime_type", image.content.mime_type);
            sandbox.note("base64_data", image.content.base64());
        }
        Content::Notebook(notebook) if !notebook.content.images.is_empty() => {
            sandbox.note("images", notebook.content.images.iter().map(attached).collect::<Vec<_>>());
        }
        _ => {}
    }
}

fn attached(shown: &CellImage) -> Value {
    let (number, cell) = (shown.number, shown.cell);
    match &shown.image {
        Ok(image) => json!({
            "image": number, "cell": cell, "mime_type": image.mime_type, "width": image.width, "height": image.height,
            "base64_data": image.base64(),
        }),
        Err(why) => json!({"image": number, "cell": cell, "left_out": why}),
    }
}
