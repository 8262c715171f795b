//! What a reader must know beside the lines, pages or cells, in sentences without a full stop.

use std::collections::BTreeMap;

use toolcrib_files::{CellImage, Content, Document, Image, LineNumber, Notebook, Pdf, Ranges, Text};

use super::{ReadOutcome, first_number};
use crate::units::{bytes, counted};
use crate::words::Words;

impl ReadOutcome {
    /// What a reader must know beside the lines, pages or cells; of an image, what it is.
    #[must_use]
    pub fn remarks(&self, words: &Words<'_>) -> Vec<String> {
        match &self.content {
            Content::Text(text) => lines(text, words),
            Content::Image(image) => vec![described(image)],
            Content::Pdf(pdf) => pages(&pdf.content, words),
            Content::Notebook(notebook) => cells(&notebook.content, words),
        }
    }
}

/// An image in a sentence.
fn described(image: &Document<Image>) -> String {
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
fn pages(pdf: &Pdf, words: &Words<'_>) -> Vec<String> {
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
        let parameter = words.parameter("pages");
        let way = format!(": read on with {parameter} \"{rest}\"");
        let way = if words.takes("pages") { way } else { String::new() };
        remarks.push(format!("the document has {} pages{way}", pdf.page_count));
    }
    remarks
}

/// What a reader must know beside the cells.
fn cells(notebook: &Notebook, words: &Words<'_>) -> Vec<String> {
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
        let (count, parameter) = (notebook.cell_count, words.parameter("cells"));
        let way = format!(": read on with {parameter} \"{rest}\"");
        let way = if words.takes("cells") { way } else { String::new() };
        remarks.push(format!("the notebook has {count} cells{way}"));
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

/// Which lines are longer than what is shown of them, and how to read on.
fn cut_lines(text: &Text, words: &Words<'_>) -> Option<String> {
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
    let shown = text.lines.iter().find(|line| line.cut).map_or(0, |line| line.text.chars().count());
    let last = text.column + shown;
    let column = words.parameter("column");
    // Who asks for a range of lines has no other way to say what part of a file to show.
    let way =
        if words.takes("range") { String::new() } else { format!(": read on with {column} {}", last + 1) };
    (!cut.is_empty()).then(|| format!("{goes_on} after character {last}{way}"))
}

/// What a reader must know beside the lines.
fn lines(text: &Text, words: &Words<'_>) -> Vec<String> {
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
            "only the last {shown} of {asked} lines fit in one answer: use {} and {} to read the others",
            words.parameter(words.first_line()),
            words.parameter("limit")
        ));
    }
    remarks.extend(cut_lines(text, words));
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
