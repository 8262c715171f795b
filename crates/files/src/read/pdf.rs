//! Pages of a PDF document, as many as the answer holds.

use toolcrib_formats::Ranges;
use toolcrib_formats::pdf::{self, Error, MAX_BYTES};
use toolcrib_tool::ToolError;

use super::image::until_cancelled;
use super::source::Source;
use super::{Document, Part, ReadRequest, fault, fitting};
use crate::bounds::reserve;

/// Some pages of a PDF document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdf {
    /// How many pages it has.
    pub page_count: usize,
    /// Their text, each under `--- Page N ---`.
    pub text: String,
    /// Which pages these are; `None` if there are none at all.
    pub shown: Option<Ranges>,
    /// The pages that were asked for and are not here: what to ask for next.
    pub rest: Option<Ranges>,
    /// How many bytes of the only page are left out, because the answer would grow too long.
    pub left_out: usize,
    /// Whether none of the pages has text.
    pub without_text: bool,
    /// How many images they show.
    pub images: usize,
    /// How many of their characters no font gives a meaning. They stand in the text as U+FFFD.
    pub unknown: usize,
    /// The pages of which only a part was read, because they are too large or damaged.
    pub cut: Vec<usize>,
}

pub(super) fn read(
    source: &Source<'_>,
    request: &ReadRequest,
    budget: usize,
) -> Result<Document<Pdf>, ToolError> {
    let pages = match &request.part {
        Part::Pages(pages) => pages.clone(),
        part if part.is_start() => Ranges::all(),
        part => return Err(fault::no_such_part(source.path(), part, fault::Holds::Pdf)),
    };
    let fail = |error: &Error| fault::pdf(source.path(), source.size(), error);
    if source.size() > MAX_BYTES as u64 {
        return Err(fail(&Error::TooLarge("it has more than 64 MB")));
    }
    let (bytes, version) = source.all()?;
    let _memory = reserve(to_read(bytes.len()))?;
    let document = pdf::read(bytes.into_owned(), &pages, request.limits.pages, &until_cancelled(source));
    // If the call has ended, that is the reason.
    source.call().checkpoint()?;
    let document = document.map_err(|error| fail(&error))?;
    let content = within(&document, &pages, budget);
    Ok(Document { path: source.path().clone(), size: source.size(), version, content })
}

/// How much memory it takes to read a document of so many bytes: itself, and what is packed in it, as far as that is
/// unpacked.
fn to_read(bytes: usize) -> usize {
    /// How many times as large a thing can be that was packed.
    const UNPACKED: usize = 1100;
    const MOST: usize = 128 << 20;
    bytes.saturating_mul(UNPACKED).min(MOST).saturating_add(bytes.saturating_mul(2))
}

fn within(document: &pdf::Document, asked: &Ranges, budget: usize) -> Pdf {
    let (text, left_out, count) = fitting(document.pages.iter().map(pdf::Page::render), budget);
    let shown = &document.pages[..count];
    let last = shown.last().map_or(0, |page| page.number);
    Pdf {
        page_count: document.page_count,
        text,
        shown: (count > 0).then(|| shown.iter().map(|page| page.number).collect()),
        rest: asked.after(last, document.page_count),
        left_out,
        without_text: shown.iter().all(|page| page.text.is_empty()),
        images: shown.iter().map(|page| page.images).sum(),
        unknown: shown.iter().map(|page| page.unknown).sum(),
        cut: shown.iter().filter(|page| page.cut).map(|page| page.number).collect(),
    }
}
