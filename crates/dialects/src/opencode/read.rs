//! `Read`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{Content, Document, Image, Notebook, Part, Pdf, ReadRequest, Settings, Text};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::gutter::{first_number, numbered};
use crate::reading::{
    Chosen, attach, attach_all, cell_remarks, default_limit, described, list_instead, page_remarks, remarks,
    with_remarks,
};

pub(crate) struct Read {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadInput {
    /// The absolute path to the file to read
    #[schemars(length(min = 1))]
    file_path: String,
    /// Line number to start reading from (1-indexed)
    #[serde(default = "first_line")]
    #[schemars(range(min = 1))]
    offset: u64,
    /// Maximum number of lines to read
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = ReadRequest::MAX_LIMIT))]
    limit: usize,
    /// Read this many lines from the end of the file instead; fast for files of any size
    #[schemars(range(min = 1, max = ReadRequest::MAX_LIMIT))]
    tail: Option<usize>,
    /// Leave out what stands before this character of each line (1-indexed), to read on in a line that was cut
    #[schemars(range(min = 1, max = ReadRequest::MAX_COLUMN))]
    column: Option<usize>,
    /// The file's encoding, such as utf-8, utf-16le, windows-1252 or shift_jis; by default it is detected
    #[schemars(length(min = 1))]
    encoding: Option<String>,
    /// Pages of a PDF, such as "3", "1-10" or "5-"; by default the first ones
    #[schemars(length(min = 1))]
    pages: Option<String>,
    /// Cells of a notebook, such as "3", "1-10" or "5-"; by default the first ones
    #[schemars(length(min = 1))]
    cells: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadOutput {
    #[serde(skip)]
    content: String,
    /// The file that was read
    file_path: String,
    /// The size of the file in bytes; of an image, as it is given here
    size: u64,
    /// The hash of the file's content; absent for texts of more than 8 MiB
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// Whether there is more of what was asked for, or the file goes on after the last line, page or cell shown
    truncated: bool,
    #[serde(flatten)]
    text: Option<TextFacts>,
    #[serde(flatten)]
    image: Option<ImageFacts>,
    #[serde(flatten)]
    pdf: Option<PdfFacts>,
    #[serde(flatten)]
    notebook: Option<NotebookFacts>,
}

#[derive(Serialize, JsonSchema)]
struct TextFacts {
    /// How many lines the output has
    lines_read: usize,
    /// The number of the first line; negative if lines are numbered from the end
    offset: i64,
    /// How many lines were asked for
    limit: usize,
    /// How many lines the file has; absent when counting them would mean reading on
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Where to go on reading
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The encoding of the file
    encoding: String,
    /// Whether the file begins with a byte order mark
    bom: bool,
    /// How its lines end: lf, crlf, cr or mixed; absent when there is no end of a line
    #[serde(skip_serializing_if = "Option::is_none")]
    line_ending: Option<String>,
    /// Whether the last line ends with a newline; absent when the end was not reached
    #[serde(skip_serializing_if = "Option::is_none")]
    final_newline: Option<bool>,
    /// How many characters of the output stand for bytes that do not decode; absent when there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    undecodable: Option<usize>,
    /// True if the file was changed while it was read; absent otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_while_read: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct ImageFacts {
    /// True for an image
    is_image: bool,
    /// What the image is that is given here
    mime_type: String,
    /// Its width in pixels
    width: u32,
    /// Its height in pixels
    height: u32,
    /// Whether it has fewer pixels than the file
    scaled: bool,
    /// What the image is in the file; absent, as the next three, when it is given as it is
    #[serde(skip_serializing_if = "Option::is_none")]
    original_mime_type: Option<String>,
    /// Its width in the file
    #[serde(skip_serializing_if = "Option::is_none")]
    original_width: Option<u32>,
    /// Its height in the file
    #[serde(skip_serializing_if = "Option::is_none")]
    original_height: Option<u32>,
    /// The size of the file in bytes
    #[serde(skip_serializing_if = "Option::is_none")]
    original_size: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct PdfFacts {
    /// True for a PDF document
    is_pdf: bool,
    /// How many pages the document has
    page_count: usize,
    /// The pages shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<String>,
    /// The pages that were asked for and are not shown: what to ask for next
    #[serde(skip_serializing_if = "Option::is_none")]
    next_pages: Option<String>,
    /// Whether the pages have text; if not, they may be scanned
    has_text: bool,
}

#[derive(Serialize, JsonSchema)]
struct NotebookFacts {
    /// True for a notebook
    is_notebook: bool,
    /// How many cells the notebook has
    cell_count: usize,
    /// The language of its kernel
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The cells shown
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<String>,
    /// The cells that were asked for and are not shown: what to ask for next
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cells: Option<String>,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    const NAME: &'static str = "Read";
    const DESCRIPTION: &'static str = "\
Reads a file: text in whatever encoding, shown with line numbers; an image; a PDF; a Jupyter notebook.

Usage:
- The file_path parameter must be an absolute path
- By default, reads up to 2000 lines from the beginning
- Optionally specify offset and limit for partial reads, or tail for the last lines; the answer says where to go on
- Lines longer than 2000 characters are cut; read on in them with column
- Results include line numbers starting at 1
- Images are shown to you, scaled down if they are large
- Of a PDF, up to 20 pages are shown as text at once; of a notebook, the cells with their outputs. Choose others with pages \
or cells
- To see a notebook as the JSON that Edit works on, name its encoding: utf-8";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ReadInput, call: &mut Call<'_>) -> Result<ReadOutput, ToolError> {
        let chosen = Chosen {
            first: input.offset,
            limit: input.limit,
            tail: input.tail,
            pages: input.pages.as_deref(),
            cells: input.cells.as_deref(),
            encoding: input.encoding.as_deref(),
        };
        let part = chosen.part()?;
        let request = ReadRequest {
            part,
            column: input.column.unwrap_or(1).saturating_sub(1),
            encoding: input.encoding,
            limits: self.settings.read,
            ..ReadRequest::new(absolute(input.file_path, call)?)
        };
        Ok(
            match toolcrib_files::read(call, &request)
                .map_err(|error| list_instead(error, super::ls::Ls::NAME))?
            {
                Content::Text(text) => ReadOutput::text(text, &request.part),
                Content::Image(image) => {
                    attach(call, &image.content);
                    ReadOutput::image(image)
                }
                Content::Pdf(pdf) => ReadOutput::pdf(pdf),
                Content::Notebook(notebook) => {
                    attach_all(call, &notebook.content.images);
                    ReadOutput::notebook(notebook)
                }
            },
        )
    }

    fn render(&self, output: &ReadOutput) -> Option<String> {
        Some(output.content.clone())
    }
}

impl ReadOutput {
    fn text(text: Text, part: &Part) -> Self {
        let (limit, forward) = match part {
            Part::Last(limit) => (*limit, false),
            Part::From { limit, .. } => (*limit, true),
            Part::Pages(_) | Part::Cells(_) => (default_limit(), true),
        };
        let goes_on = forward && text.next.is_some();
        Self {
            content: content(&text, limit, goes_on),
            size: text.size,
            version: text.version.map(|version| version.to_string()),
            truncated: goes_on || text.left_out > 0 || text.lines.iter().any(|line| line.cut),
            text: Some(TextFacts {
                lines_read: text.lines.len(),
                offset: first_number(&text),
                limit,
                total_lines: text.total_lines,
                next_offset: text.next,
                encoding: text.encoding.charset.name().to_owned(),
                bom: text.encoding.bom,
                line_ending: text.line_ending.map(|ending| ending.as_str().to_owned()),
                final_newline: text.final_newline,
                undecodable: Some(text.undecodable).filter(|count| *count > 0),
                changed_while_read: text.changed.then_some(true),
            }),
            image: None,
            pdf: None,
            notebook: None,
            file_path: text.path.absolute,
        }
    }

    /// Without the facts of its kind.
    fn document<T>(document: Document<T>, content: String) -> Self {
        Self {
            content,
            file_path: document.path.absolute,
            size: document.size,
            version: Some(document.version.to_string()),
            truncated: false,
            text: None,
            image: None,
            pdf: None,
            notebook: None,
        }
    }

    fn image(image: Document<Image>) -> Self {
        let Image { mime_type, width, height, ref bytes, original } = image.content;
        let (size, changed) = (bytes.len() as u64, image.content.is_changed());
        let facts = ImageFacts {
            is_image: true,
            mime_type: mime_type.to_owned(),
            width,
            height,
            scaled: image.content.is_scaled(),
            original_mime_type: changed.then(|| original.mime_type.to_owned()),
            original_width: changed.then_some(original.width),
            original_height: changed.then_some(original.height),
            original_size: changed.then_some(original.size as u64),
        };
        let content = described(&image);
        Self { size, image: Some(facts), ..Self::document(image, content) }
    }

    fn pdf(mut pdf: Document<Pdf>) -> Self {
        let content = with_remarks(std::mem::take(&mut pdf.content.text), &page_remarks(&pdf.content));
        let found = &pdf.content;
        let truncated = found.rest.is_some() || found.left_out > 0;
        let facts = PdfFacts {
            is_pdf: true,
            page_count: found.page_count,
            pages: found.shown.as_ref().map(ToString::to_string),
            next_pages: found.rest.as_ref().map(ToString::to_string),
            has_text: !found.without_text,
        };
        Self { truncated, pdf: Some(facts), ..Self::document(pdf, content) }
    }

    fn notebook(mut notebook: Document<Notebook>) -> Self {
        let content =
            with_remarks(std::mem::take(&mut notebook.content.text), &cell_remarks(&notebook.content));
        let found = &notebook.content;
        let truncated = found.rest.is_some() || found.left_out > 0;
        let facts = NotebookFacts {
            is_notebook: true,
            cell_count: found.cell_count,
            language: found.language.clone(),
            cells: found.shown.as_ref().map(ToString::to_string),
            next_cells: found.rest.as_ref().map(ToString::to_string),
        };
        Self { truncated, notebook: Some(facts), ..Self::document(notebook, content) }
    }
}

fn content(text: &Text, limit: usize, goes_on: bool) -> String {
    let mut remarks = remarks(text);
    // Whoever asked for so many lines knows that there may be more; whoever got fewer than that must be told.
    let unasked = text.lines.len() < limit || limit == default_limit();
    if let Some(next) = text.next.filter(|_| goes_on && unasked) {
        let of = text.total_lines.map_or_else(String::new, |total| format!(" to line {total}"));
        remarks.push(format!("the file goes on{of}: read it from offset {next}"));
    }
    with_remarks(numbered(text, '\t'), &remarks)
}

fn first_line() -> u64 {
    1
}
