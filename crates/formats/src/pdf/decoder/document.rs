//! Reads pages of one document, on the thread that may fail.

use super::content::Content;
use super::fonts::Fonts;
use super::open::open;
use super::pages::Pages;
use super::{Document, Error, Page, go_on, layout};
use crate::{Ranges, Stop};

pub(super) fn read(
    bytes: Vec<u8>,
    pages: &Ranges,
    max_pages: usize,
    stop: &dyn Stop,
) -> Result<Document, Error> {
    let opened = open(bytes, stop)?;
    let tree = Pages::of(&opened, stop)?;
    let selection = pages.select(tree.len(), max_pages)?;
    let mut fonts = Fonts::new();
    let mut read = Vec::with_capacity(selection.numbers.len());
    for number in selection.numbers {
        go_on(stop)?;
        // A page whose object cannot be read is an empty page: the others keep their numbers.
        let page = match tree.get(number) {
            Some(page) => {
                let content = Content::of(&page, &mut fonts, stop)?;
                let text = layout::text(content.glyphs, stop)?;
                Page { number, text, images: content.images, unknown: content.unknown, cut: content.cut }
            }
            None => Page { number, cut: true, ..Page::default() },
        };
        read.push(page);
    }
    Ok(Document { page_count: tree.len(), pages: read, rest: selection.rest })
}
