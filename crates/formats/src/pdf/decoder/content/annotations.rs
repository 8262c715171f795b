//! What annotations look like: the values of forms, notes on the page.

use hayro_font::kurbo::{Affine, Rect};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::Reader;
use super::state::State;
use crate::pdf::Error;

/// How many annotations of a page are looked at.
const MAX_ANNOTATIONS: usize = 10_000;
/// The flags of those that are not shown.
const HIDDEN: u32 = 1 << 1 | 1 << 5;

impl<'a> Reader<'a, '_> {
    /// Draws the annotations of a page over it.
    pub(super) fn annotations(&mut self, page: &Dict<'a>) -> Result<(), Error> {
        let annotations = page.get::<Array<'a>>(keys::ANNOTS);
        for annotation in annotations.iter().flat_map(Array::iter::<Dict<'a>>).take(MAX_ANNOTATIONS) {
            if self.is_full() {
                break;
            }
            if annotation.get::<u32>(keys::F).unwrap_or(0) & HIDDEN != 0 {
                continue;
            }
            if let Some(stream) = appearance(&annotation) {
                let state = State::new(placed(&annotation, &stream).unwrap_or(Affine::IDENTITY));
                let resources = stream.dict().get::<Dict<'a>>(keys::RESOURCES).unwrap_or_default();
                self.form(&stream, &resources, state, 0)?;
            }
        }
        Ok(())
    }
}

/// The normal look of an annotation, of several the one that it is in.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    match annotation.get::<Dict<'a>>(keys::AP)?.get::<Object<'a>>(keys::N)? {
        Object::Stream(stream) => Some(stream),
        Object::Dict(states) => states.get::<Stream<'a>>(annotation.get::<Name<'_>>(keys::AS)?.as_ref()),
        _ => None,
    }
}

/// Where the look of an annotation goes: its box, as its own matrix turns it, is fitted into the rectangle.
fn placed(annotation: &Dict<'_>, stream: &Stream<'_>) -> Option<Affine> {
    let rect = |[x0, y0, x1, y1]: [f64; 4]| Rect::new(x0, y0, x1, y1).abs();
    let target = rect(annotation.get::<[f64; 4]>(keys::RECT)?);
    let matrix = stream.dict().get::<[f64; 6]>(keys::MATRIX).map_or(Affine::IDENTITY, Affine::new);
    let source = matrix.transform_rect_bbox(rect(stream.dict().get::<[f64; 4]>(keys::BBOX)?));
    if source.width() <= 0.0 || source.height() <= 0.0 {
        return None;
    }
    let scale = Affine::scale_non_uniform(target.width() / source.width(), target.height() / source.height());
    Some(Affine::translate(target.origin().to_vec2()) * scale * Affine::translate(-source.origin().to_vec2()))
}
