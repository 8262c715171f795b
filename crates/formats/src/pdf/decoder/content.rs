//! Follows what a page draws, and keeps the text of it: each glyph with its place.
//!
//! Colours, paths, images and clipping are passed over. Everything that a page can make many of has a limit; a page that
//! reaches one is cut there and says so.

mod annotations;
mod marked;
mod state;

use std::collections::HashMap;
use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::fonts::{Fonts, TextFont};
use super::pages::PageDict;
use super::unicode::Meaning;
use super::{Error, filter, go_on};
use crate::Stop;
use marked::Marked;
use state::{Stack, State};

/// How many bytes one stream may have, unpacked.
const MAX_STREAM: usize = 24 * 1024 * 1024;
/// How many bytes all streams of a page may have, each counted as often as it is drawn.
const MAX_UNPACKED: usize = 64 * 1024 * 1024;
/// How many operators a page may have. A drawing of a city has some hundred thousand.
const MAX_OPERATORS: usize = 5_000_000;
/// How many glyphs a page may have. A page full of small print has some ten thousand.
const MAX_GLYPHS: usize = 300_000;
/// How many bytes of text a page may have: a glyph can mean more than one character.
const MAX_TEXT: usize = 2 * 1024 * 1024;
/// How many names of fonts are remembered. A page uses some dozen.
const MAX_NAMES: usize = 1000;
/// How deep forms may lie in forms.
const MAX_DEPTH: usize = 16;
/// No page is so large; what is drawn further away cannot be seen.
const MAX_PLACE: f64 = 1e6;

/// One drawn character.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    pub(super) text: Rc<str>,
    /// Where it stands.
    pub(super) start: Point,
    /// Where the next one would.
    pub(super) end: Point,
    /// The height of the font.
    pub(super) size: f64,
    /// Whether it belongs to an annotation: the value of a form's field, or a note.
    pub(super) filled_in: bool,
}

/// What a page shows.
#[derive(Default)]
pub(super) struct Content {
    /// In the order in which they are drawn.
    pub(super) glyphs: Vec<Glyph>,
    pub(super) images: usize,
    pub(super) unknown: usize,
    pub(super) cut: bool,
}

impl Content {
    pub(super) fn of<'a>(page: &PageDict<'a>, fonts: &mut Fonts<'a>, stop: &dyn Stop) -> Result<Self, Error> {
        let mut reader = Reader {
            fonts,
            stop,
            content: Self::default(),
            unpacked: 0,
            operators: 0,
            text: 0,
            unknown: Rc::from("\u{FFFD}"),
            filled_in: false,
        };
        let data = reader.contents(&page.dict)?;
        reader.draw(&data, &page.resources, State::new(Affine::IDENTITY), 0)?;
        drop(data);
        reader.filled_in = true;
        reader.annotations(&page.dict)?;
        let mut content = reader.content;
        content.unknown = content.glyphs.iter().filter(|glyph| glyph.text.contains('\u{FFFD}')).count();
        Ok(content)
    }
}

struct Reader<'a, 'r> {
    fonts: &'r mut Fonts<'a>,
    stop: &'r dyn Stop,
    content: Content,
    unpacked: usize,
    operators: usize,
    /// How many bytes of text there are.
    text: usize,
    unknown: Rc<str>,
    filled_in: bool,
}

/// What one content stream can name.
struct Scope<'a> {
    resources: Dict<'a>,
    fonts: HashMap<Vec<u8>, Option<Rc<TextFont<'a>>>>,
    x_objects: Option<Dict<'a>>,
}

impl<'a> Reader<'a, '_> {
    /// The content of a page, which may stand in several streams.
    fn contents(&mut self, page: &Dict<'a>) -> Result<Vec<u8>, Error> {
        if let Some(stream) = page.get::<Stream<'a>>(keys::CONTENTS) {
            return Ok(self.unpack(&stream));
        }
        let mut data = Vec::new();
        let streams = page.get::<Array<'a>>(keys::CONTENTS);
        for stream in streams.iter().flat_map(Array::iter::<Stream<'a>>) {
            go_on(self.stop)?;
            let part = self.unpack(&stream);
            if data.len() + part.len() > MAX_STREAM {
                self.content.cut = true;
                break;
            }
            data.extend_from_slice(&part);
            // A word does not go over the end of a stream.
            data.push(b' ');
        }
        Ok(data)
    }

    fn unpack(&mut self, stream: &Stream<'a>) -> Vec<u8> {
        let room = MAX_STREAM.min(MAX_UNPACKED - self.unpacked);
        let (data, whole) = filter::content(stream, room);
        self.unpacked += data.len().min(room);
        self.content.cut |= !whole;
        data
    }

    fn is_full(&self) -> bool {
        self.operators >= MAX_OPERATORS || self.content.glyphs.len() >= MAX_GLYPHS || self.text >= MAX_TEXT
    }

    fn draw(
        &mut self,
        data: &[u8],
        resources: &Dict<'a>,
        state: State<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        let mut scope = Scope { resources: resources.clone(), fonts: HashMap::new(), x_objects: None };
        let mut stack = Stack::new(state);
        let mut marked = Marked::default();
        let mut operators = TypedIter::new(data);
        while let Some(operator) = operators.next() {
            self.operators += 1;
            if self.operators.is_multiple_of(256) {
                go_on(self.stop)?;
            }
            if self.is_full() {
                self.content.cut = true;
                return Ok(());
            }
            self.operator(&operator, &mut scope, &mut stack, &mut marked, depth)?;
        }
        Ok(())
    }

    fn operator(
        &mut self,
        operator: &TypedInstruction<'_, '_>,
        scope: &mut Scope<'a>,
        stack: &mut Stack<'a>,
        marked: &mut Marked,
        depth: usize,
    ) -> Result<(), Error> {
        match operator {
            TypedInstruction::ShowText(text) => self.show(stack, scope, text.0.as_bytes()),
            TypedInstruction::ShowTexts(texts) => {
                for item in texts.0.iter::<Object<'_>>() {
                    match item {
                        Object::Number(number) => stack.adjust(number.as_f64()),
                        Object::String(text) => self.show(stack, scope, text.as_bytes()),
                        _ => {}
                    }
                }
            }
            TypedInstruction::NextLineAndShowText(text) => {
                stack.next_line();
                self.show(stack, scope, text.0.as_bytes());
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                stack.set_spaces(text.0.as_f64(), text.1.as_f64());
                stack.next_line();
                self.show(stack, scope, text.2.as_bytes());
            }
            TypedInstruction::TextFont(font) => {
                stack.set_font(self.font(scope, font.0), font.1.as_f64());
            }
            TypedInstruction::XObject(name) => {
                if let Some(stream) = scope.x_object(name.0) {
                    self.x_object(&stream, scope, stack, depth)?;
                }
            }
            TypedInstruction::InlineImage(_) => self.content.images += 1,
            TypedInstruction::BeginMarkedContent(_) => marked.begin(None, self.content.glyphs.len()),
            TypedInstruction::BeginMarkedContentWithProperties(content) => {
                let actual = marked::actual_text(content.1, &scope.resources);
                self.text += actual.as_ref().map_or(0, |text| text.len());
                marked.begin(actual, self.content.glyphs.len());
            }
            TypedInstruction::EndMarkedContent(_) => marked.end(&mut self.content.glyphs),
            operator => stack.apply(operator),
        }
        Ok(())
    }

    fn font(&mut self, scope: &mut Scope<'a>, name: &Name<'_>) -> Option<Rc<TextFont<'a>>> {
        if let Some(font) = scope.fonts.get(name.as_ref()) {
            return font.clone();
        }
        let fonts = scope.resources.get::<Dict<'a>>(keys::FONT);
        let font = match fonts.and_then(|fonts| fonts.get::<Dict<'a>>(name.as_ref())) {
            Some(dict) => self.fonts.get(&dict),
            None => self.fonts.fallback(),
        };
        if scope.fonts.len() < MAX_NAMES {
            scope.fonts.insert(name.as_ref().to_vec(), font.clone());
        }
        font
    }

    fn show(&mut self, stack: &mut Stack<'a>, scope: &mut Scope<'a>, bytes: &[u8]) {
        if stack.state().font.is_none() && scope.fonts.is_empty() {
            // Text before any font: shown in the usual one, as others do.
            let font = self.fonts.fallback();
            scope.fonts.insert(Vec::new(), font.clone());
            stack.set_fallback(font);
        }
        let Some(font) = stack.state().font.clone() else { return };
        let horizontal = font.is_horizontal();
        for (code, length) in font.codes(bytes) {
            if self.is_full() {
                return;
            }
            let character = font.character(code);
            let place = stack.glyph_transform();
            let step = character.advance / 1000.0;
            let (step, up) = if horizontal { ((step, 0.0), (0.0, 1.0)) } else { ((0.0, step), (1.0, 0.0)) };
            let start = place * Point::ORIGIN;
            let size = (place * Point::from(up) - start).hypot();
            let text = match &character.meaning {
                Meaning::Text(text) => Some(text),
                Meaning::Nothing => None,
                Meaning::Unknown => Some(&self.unknown),
            };
            self.text += text.map_or(0, |text| text.len());
            let (end, filled_in) = (place * Point::from(step), self.filled_in);
            let glyph = text.map(|text| Glyph { text: Rc::clone(text), start, end, size, filled_in });
            self.content.glyphs.extend(glyph.filter(is_on_the_page));
            stack.advance(character.advance, length == 1 && code == 32, horizontal);
        }
    }

    fn x_object(
        &mut self,
        stream: &Stream<'a>,
        scope: &Scope<'a>,
        stack: &Stack<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        let dict = stream.dict();
        match dict.get::<Name<'_>>(keys::SUBTYPE).as_deref() {
            Some(keys::IMAGE) => self.content.images += 1,
            Some(keys::FORM) => {
                let resources = dict.get::<Dict<'a>>(keys::RESOURCES);
                let resources = resources.as_ref().unwrap_or(&scope.resources);
                self.form(stream, resources, stack.state().clone(), depth)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn form(
        &mut self,
        stream: &Stream<'a>,
        resources: &Dict<'a>,
        mut state: State<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        if depth >= MAX_DEPTH {
            self.content.cut = true;
            return Ok(());
        }
        go_on(self.stop)?;
        let matrix = stream.dict().get::<[f64; 6]>(keys::MATRIX).map_or(Affine::IDENTITY, Affine::new);
        state.ctm *= matrix;
        let data = self.unpack(stream);
        self.draw(&data, resources, state, depth + 1)
    }
}

impl<'a> Scope<'a> {
    fn x_object(&mut self, name: &Name<'_>) -> Option<Stream<'a>> {
        let resources = &self.resources;
        let known = self
            .x_objects
            .get_or_insert_with(|| resources.get::<Dict<'a>>(keys::XOBJECT).unwrap_or_default());
        known.get::<Stream<'a>>(name.as_ref())
    }
}

fn is_on_the_page(glyph: &Glyph) -> bool {
    let Glyph { start, end, size, .. } = glyph;
    let near = |point: &Point| point.x.abs() < MAX_PLACE && point.y.abs() < MAX_PLACE;
    near(start) && near(end) && *size > 1e-3 && *size < MAX_PLACE
}
