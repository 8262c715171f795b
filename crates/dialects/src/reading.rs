//! What both dialects' Read has in common: which part is meant, and what is said about it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toolcrib_files::{
    CellImage, Document, Image, LineNumber, Notebook, Part, Pdf, Ranges, ReadRequest, Text,
};
use toolcrib_tool::{Call, ErrorKind, ToolError};

use crate::facts::{bytes, counted};
use crate::gutter::first_number;

pub(crate) fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}

/// The parameters that choose a part.
pub(crate) struct Chosen<'a> {
    /// The first line, counted from 1.
    pub(crate) first: u64,
    pub(crate) limit: usize,
    pub(crate) tail: Option<usize>,
    pub(crate) pages: Option<&'a str>,
    pub(crate) cells: Option<&'a str>,
    pub(crate) encoding: Option<&'a str>,
}

impl Chosen<'_> {
    /// The part that is meant; two of them at once mean nothing.
    pub(crate) fn part(&self) -> Result<Part, ToolError> {
        let lines = (self.first, self.limit) != (1, default_limit());
        let given = [
            ("tail", self.tail.is_some()),
            ("pages", self.pages.is_some()),
            ("cells", self.cells.is_some()),
            ("encoding", self.encoding.is_some() && self.tail.is_none() && !lines),
        ];
        let given: Vec<&str> = given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
        match given[..] {
            [one, other, ..] => return Err(not_together(one, &format!("'{other}'"))),
            [one] if lines => return Err(not_together(one, "'offset' or 'limit'")),
            _ => {}
        }
        match (self.tail, self.pages, self.cells) {
            (Some(lines), ..) => Ok(Part::Last(lines)),
            (_, Some(pages), _) => Ok(Part::Pages(ranges("pages", pages)?)),
            (_, _, Some(cells)) => Ok(Part::Cells(ranges("cells", cells)?)),
            _ => Ok(Part::From { first: self.first, limit: self.limit }),
        }
    }
}

fn not_together(name: &str, others: &str) -> ToolError {
    let message = format!("Parameter '{name}' cannot be combined with {others}");
    let hint = match name {
        "pages" => "give pages alone; the text of a PDF has no line numbers and no encoding",
        "cells" => "give cells alone; the cells of a notebook have no line numbers and no encoding",
        _ => "give tail alone for the last lines, or offset and limit for others",
    };
    ToolError::new(ErrorKind::InvalidParameter, message).hint(hint)
}

fn ranges(name: &str, text: &str) -> Result<Ranges, ToolError> {
    text.parse().map_err(|error| {
        ToolError::new(ErrorKind::InvalidParameter, format!("Invalid value for parameter '{name}': {error}"))
    })
}

/// Puts an image beside the answer, where doors look for it.
pub(crate) fn attach(call: &Call<'_>, image: &Image) {
    call.note("mime_type", image.mime_type);
    call.note("base64_data", image.base64());
}

/// Puts the images of a notebook beside the answer.
pub(crate) fn attach_all(call: &Call<'_>, images: &[CellImage]) {
    let facts = |shown: &CellImage| {
        let mut facts = Map::new();
        facts.insert("image".into(), shown.number.into());
        facts.insert("cell".into(), shown.cell.into());
        match &shown.image {
            Ok(image) => {
                facts.insert("mime_type".into(), image.mime_type.into());
                facts.insert("width".into(), image.width.into());
                facts.insert("height".into(), image.height.into());
                facts.insert("base64_data".into(), image.base64().into());
            }
            Err(why) => _ = facts.insert("left_out".into(), why.clone().into()),
        }
        Value::Object(facts)
    };
    if !images.is_empty() {
        call.note("images", images.iter().map(facts).collect::<Vec<_>>());
    }
}

/// An image in a sentence.
pub(crate) fn described(image: &Document<Image>) -> String {
    let Image { mime_type, width, height, original, .. } = &image.content;
    let kind = |mime_type: &str| match mime_type.trim_start_matches("image/") {
        "webp" => "WebP".to_owned(),
        other => other.to_uppercase(),
    };
    let size = bytes(image.content.bytes.len() as u64);
    let mut sentence = format!("{} image, {width} × {height} pixels, {size}", kind(mime_type));
    if image.content.is_changed() {
        let was = format!("{} × {}, {}", original.width, original.height, bytes(original.size as u64));
        let how = if image.content.is_scaled() { "scaled down" } else { "converted" };
        sentence.push_str(&format!(" ({how}; the file is {}, {was})", kind(original.mime_type)));
    }
    sentence
}

/// What a reader must know beside the pages.
pub(crate) fn page_remarks(pdf: &Pdf) -> Vec<String> {
    let mut remarks = Vec::new();
    if pdf.page_count == 0 {
        remarks.push("the document has no pages".to_owned());
    } else if pdf.without_text && pdf.images > 0 {
        remarks.push(
            "there is no text: the pages are images, as a scanner makes them; only text recognition (OCR) can read them"
                .to_owned(),
        );
    } else if pdf.without_text {
        remarks.push("there is no text on these pages".to_owned());
    }
    if pdf.unknown > 0 {
        let characters = counted(pdf.unknown, "character has", "characters have");
        remarks.push(format!("{characters} no meaning in the document's fonts: they stand here as \u{FFFD}"));
    }
    if let [page] = pdf.cut[..] {
        remarks.push(format!("page {page} could not be read whole"));
    } else if !pdf.cut.is_empty() {
        let pages: Ranges = pdf.cut.iter().copied().collect();
        remarks.push(format!("pages {pages} could not be read whole"));
    }
    if pdf.left_out > 0 {
        remarks
            .push(format!("the page goes on for {}, more than one answer holds", bytes(pdf.left_out as u64)));
    }
    if let Some(rest) = &pdf.rest {
        remarks.push(format!("the document has {} pages: read on with pages \"{rest}\"", pdf.page_count));
    }
    remarks
}

/// What a reader must know beside the cells.
pub(crate) fn cell_remarks(notebook: &Notebook) -> Vec<String> {
    let mut remarks = Vec::new();
    if notebook.cell_count == 0 {
        remarks.push("the notebook has no cells".to_owned());
    }
    for (why, images) in not_attached(notebook) {
        remarks.push(format!("not attached: image {images} ({why})"));
    }
    if notebook.left_out > 0 {
        let left_out = bytes(notebook.left_out as u64);
        remarks.push(format!(
            "the cell goes on for {left_out}, more than one answer holds: name the encoding utf-8 to read the file line by line"
        ));
    }
    if let Some(rest) = &notebook.rest {
        remarks
            .push(format!("the notebook has {} cells: read on with cells \"{rest}\"", notebook.cell_count));
    }
    remarks
}

/// The images that are missing, by the reason for it.
fn not_attached(notebook: &Notebook) -> BTreeMap<&str, Ranges> {
    let mut reasons: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for CellImage { number, image, .. } in &notebook.images {
        if let Err(why) = image {
            reasons.entry(why).or_default().push(*number);
        }
    }
    reasons.into_iter().map(|(why, images)| (why, images.into_iter().collect())).collect()
}

/// A text, and below it what is to be said about it.
pub(crate) fn with_remarks(text: String, remarks: &[String]) -> String {
    let remarks = remarks.iter().map(|remark| format!("({remark})")).collect::<Vec<_>>().join("\n");
    match (text.is_empty(), remarks.is_empty()) {
        (true, _) => remarks,
        (false, true) => text,
        (false, false) => format!("{text}\n\n{remarks}"),
    }
}

/// Says of a directory what lists it.
pub(crate) fn list_instead(error: ToolError, tool: &str) -> ToolError {
    match error.kind() {
        ErrorKind::IsDirectory => error.hint(format!("name a file in it, or list it with {tool}")),
        _ => error,
    }
}

/// Which lines are longer than what is shown of them, and how to read on.
fn cut_lines(text: &Text) -> Option<String> {
    /// How many lines are named.
    const NAMED: usize = 10;
    let cut: Vec<i64> = text
        .lines
        .iter()
        .zip(first_number(text)..)
        .filter(|(line, _)| line.cut)
        .map(|(_, number)| number)
        .collect();
    let named: Vec<String> = cut.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if cut.len() > NAMED { ", …" } else { "" };
    let goes_on = if cut.len() == 1 { "line {} goes on" } else { "lines {} go on" };
    let goes_on = goes_on.replace("{}", &(named.join(", ") + more));
    let last = text.column + ReadRequest::MAX_LINE_LENGTH;
    (!cut.is_empty()).then(|| format!("{goes_on} after character {last}: read on with column {}", last + 1))
}

/// What a reader must know beside the lines, in sentences without a full stop.
pub(crate) fn remarks(text: &Text) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(why) = &text.not_a_notebook {
        remarks.push(format!("shown as a text: {why}"));
    }
    if text.lines.is_empty() {
        remarks.push("the file is empty".to_owned());
    }
    if let LineNumber::FromEnd(_) = text.first {
        remarks.push("numbered from the end, the last line is -1".to_owned());
    }
    if text.left_out > 0 {
        let (shown, asked) = (text.lines.len(), text.lines.len() + text.left_out);
        remarks.push(format!(
            "only the last {shown} of {asked} lines fit in one answer: use offset and limit to read the others"
        ));
    }
    remarks.extend(cut_lines(text));
    if text.undecodable > 0 {
        let (count, encoding) = (text.undecodable, text.encoding.charset);
        let characters = if count == 1 { "place does" } else { "places do" };
        remarks.push(format!("{count} {characters} not decode as {encoding} and stand here as \u{FFFD}"));
    }
    if text.changed {
        remarks
            .push("the file was changed while it was read: not all lines need be of one version".to_owned());
    }
    remarks
}
