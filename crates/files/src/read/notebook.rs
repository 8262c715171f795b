//! Cells of a notebook, as many as the answer holds, and the images among their outputs.

use std::path::Path;

use toolcrib_formats::image::{Image, Limits, Original, prepare};
use toolcrib_formats::notebook::{self, Error, MAX_BYTES, parse, render_cell};
use toolcrib_formats::{Ranges, Stop};
use toolcrib_tool::ToolError;

use super::image::{limits, until_cancelled};
use super::source::Source;
use super::{Document, Part, ReadRequest, fault, fitting};
use crate::FilePath;
use crate::bounds::reserve;

/// Some cells of a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notebook {
    /// How many cells it has.
    pub cell_count: usize,
    /// The language of its kernel, if it says.
    pub language: Option<String>,
    /// The cells with their outputs, each under `--- Cell N (code|markdown|raw) ---`. An image stands there as
    /// `[Image K: image/png, 12 KB]`.
    pub text: String,
    /// Which cells these are; `None` if there are none at all.
    pub shown: Option<Ranges>,
    /// The cells that were asked for and are not here: what to ask for next.
    pub rest: Option<Ranges>,
    /// How many bytes of the only cell are left out, because the answer would grow too long.
    pub left_out: usize,
    /// The images of the text, in its order.
    pub images: Vec<CellImage>,
}

/// An image among the outputs of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellImage {
    /// Its number in the text.
    pub number: usize,
    /// The cell it belongs to.
    pub cell: usize,
    /// The image, or why it cannot be given.
    pub image: Result<Image, String>,
}

/// How many images one answer gives.
pub(super) const MAX_IMAGES: usize = 20;

/// Whether a text is to be looked at as a notebook.
pub(super) fn is_meant(path: &FilePath, request: &ReadRequest) -> bool {
    let named =
        || Path::new(&path.relative).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ipynb"));
    request.encoding.is_none() && (matches!(request.part, Part::Cells(_)) || named())
}

/// Reads it, or says why it can only be shown as a text.
pub(super) fn read(
    source: &Source<'_>,
    request: &ReadRequest,
    budget: usize,
) -> Result<Result<Document<Notebook>, String>, ToolError> {
    let cells = match &request.part {
        Part::Cells(cells) => Some(cells),
        _ => None,
    };
    let give_up = |error: &Error| match cells {
        Some(_) => Err(fault::notebook(source.path(), source.size(), error)),
        None => Ok(Err(error.to_string())),
    };
    if source.size() > MAX_BYTES as u64 {
        return give_up(&Error::TooLarge { bytes: usize::try_from(source.size()).unwrap_or(usize::MAX) });
    }
    let (bytes, version) = source.all()?;
    let _memory = reserve(to_read(bytes.len()))?;
    let stop = until_cancelled(source);
    let parsed = parse(&bytes, notebook::Limits::default(), &stop);
    source.call().checkpoint()?;
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return give_up(&error),
    };
    if cells.is_none() && !request.part.is_start() {
        return Err(fault::no_such_part(source.path(), &request.part, fault::Holds::Notebook));
    }
    let all = Ranges::all();
    let content = within(&parsed, cells.unwrap_or(&all), budget, limits(request.limits), &stop)
        .map_err(|error| fault::range("cell", &error))?;
    source.call().checkpoint()?;
    Ok(Ok(Document { path: source.path().clone(), size: source.size(), version, content }))
}

/// How much memory it takes to read a notebook of so many bytes: each of its values is some bytes of text.
fn to_read(bytes: usize) -> usize {
    const EACH_BYTE: usize = 32;
    const MOST: usize = 96 << 20;
    bytes.saturating_mul(EACH_BYTE).min(MOST).saturating_add(bytes)
}

fn within(
    notebook: &notebook::Notebook<'_>,
    asked: &Ranges,
    budget: usize,
    limits: Limits,
    stop: &dyn Stop,
) -> Result<Notebook, toolcrib_formats::RangeError> {
    let cell_count = notebook.cells.len();
    let numbers = asked.select(cell_count, usize::MAX)?.numbers;
    let mut images = 0;
    let cells =
        numbers.iter().filter_map(|number| Some(render_cell(*number, notebook.cell(*number)?, &mut images)));
    let (text, left_out, count) = fitting(cells, budget);
    let shown = &numbers[..count];
    Ok(Notebook {
        cell_count,
        language: notebook.language.clone(),
        text,
        shown: (count > 0).then(|| shown.iter().copied().collect()),
        rest: asked.after(shown.last().copied().unwrap_or(0), cell_count),
        left_out,
        images: pictures(notebook, shown, limits, stop),
    })
}

/// The images of these cells, as far as a model takes them. What one image may have, all of them may have together.
fn pictures(
    notebook: &notebook::Notebook<'_>,
    cells: &[usize],
    mut limits: Limits,
    stop: &dyn Stop,
) -> Vec<CellImage> {
    let mut found = Vec::new();
    let mut room = limits.bytes;
    let of_each = |cell| notebook.images(std::slice::from_ref(cell)).map(move |image| (*cell, image));
    for ((cell, image), number) in cells.iter().flat_map(of_each).zip(1..) {
        let image = if number > MAX_IMAGES {
            Err(format!("only {MAX_IMAGES} are given at once"))
        } else {
            picture(image, &mut limits, &mut room, stop)
        };
        found.push(CellImage { number, cell, image });
    }
    found
}

fn picture(
    image: &notebook::Image<'_>,
    limits: &mut Limits,
    room: &mut usize,
    stop: &dyn Stop,
) -> Result<Image, String> {
    let bytes = image.bytes().ok_or("it is not base64")?;
    let image = prepare(bytes, *limits, stop).map_err(|error| error.to_string())?;
    let Original { width, height, .. } = image.original;
    limits.decoded = limits.decoded.saturating_sub(u64::from(width) * u64::from(height) * 4);
    *room = room.checked_sub(image.bytes.len()).ok_or("all of them together are too large")?;
    Ok(image)
}
