//! Marked content that says what its glyphs mean: the two halves of a word divided at a line's end, a ligature, a
//! formula drawn from pieces.

use std::rc::Rc;

use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Dict, Object, String as PdfString};

use super::Glyph;

/// How deep marks may lie in each other. More are counted and not kept.
const MAX_OPEN: usize = 512;
/// How long a text that replaces glyphs may be.
const MAX_TEXT: usize = 1000;

/// The marks that are open.
#[derive(Default)]
pub(super) struct Marked {
    open: Vec<Mark>,
    beyond: usize,
}

struct Mark {
    /// What the glyphs mean, if the mark says.
    text: Option<Rc<str>>,
    /// The first glyph in it.
    first: usize,
}

impl Marked {
    pub(super) fn begin(&mut self, text: Option<Rc<str>>, first: usize) {
        if self.open.len() < MAX_OPEN {
            self.open.push(Mark { text, first });
        } else {
            self.beyond += 1;
        }
    }

    /// Ends the last mark. If it says what its glyphs mean, one glyph with that text takes their place.
    pub(super) fn end(&mut self, glyphs: &mut Vec<Glyph>) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(Mark { text: Some(text), first }) = self.open.pop() else { return };
        let Some([start, rest @ ..]) = glyphs.get(first..) else { return };
        // Only within a line: the text of a paragraph says nothing about where its lines are.
        let (place, size) = (start.start, start.size);
        let direction = start.end - start.start;
        let on_the_line = |glyph: &Glyph| {
            let offset = glyph.start - place;
            offset.cross(direction).abs() <= 0.6 * size * direction.hypot().max(f64::EPSILON)
        };
        if rest.iter().all(on_the_line) {
            let end = rest.last().map_or(start.end, |last| last.end);
            let filled_in = start.filled_in;
            glyphs.truncate(first);
            if !text.is_empty() {
                glyphs.push(Glyph { text, start: place, end, size, filled_in });
            }
        }
    }
}

/// The text that the properties of a mark give its glyphs: there, or in a list that the resources name.
pub(super) fn actual_text(properties: &Object<'_>, resources: &Dict<'_>) -> Option<Rc<str>> {
    let text = match properties {
        Object::Dict(dict) => decode(dict.get::<PdfString<'_>>(keys::ACTUAL_TEXT)?.as_bytes()),
        Object::Name(name) => {
            let dict = resources.get::<Dict<'_>>(keys::PROPERTIES)?.get::<Dict<'_>>(name.as_ref())?;
            decode(dict.get::<PdfString<'_>>(keys::ACTUAL_TEXT)?.as_bytes())
        }
        _ => None,
    }?;
    let text: String = text.chars().filter(|c| !c.is_control() && *c != '\u{FEFF}').collect();
    Some(text.replace('\u{AD}', "-").replace('\u{A0}', " ").into())
}

fn decode(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_TEXT {
        return None;
    }
    match bytes {
        [0xFE, 0xFF, rest @ ..] => {
            let units: Vec<u16> =
                rest.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
            String::from_utf16(&units).ok()
        }
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        // The format's own encoding is like Latin-1 for letters; what is not ASCII there is not worth a table.
        bytes => bytes.is_ascii().then(|| String::from_utf8_lossy(bytes).into_owned()),
    }
}
