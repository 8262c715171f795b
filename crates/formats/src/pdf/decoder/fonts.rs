//! Fonts: checked before they are loaded, and asked for each character only once.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::load_embedded;
use hayro_font::{CMapResolverFn, Font, FontCache, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, Object, Stream};

use super::filter;
use super::unicode::{CidMap, Meaning, meaning};

/// How many bytes one font program may have.
const MAX_PROGRAM: usize = 24 * 1024 * 1024;
/// How many bytes all font programs of one call may have.
const MAX_PROGRAMS: usize = 48 * 1024 * 1024;
/// How many bytes a map from codes to characters may have. hayro keeps some four times that.
const MAX_MAP: usize = 4 * 1024 * 1024;
/// How many fonts one call may load.
const MAX_FONTS: usize = 2000;
/// How many characters of a font are remembered. A font for Chinese has half as many.
const MAX_REMEMBERED: usize = 65_536;
/// How many characters a font may state widths for. A code has at most this many values that anybody uses.
const MAX_WIDTHS: i64 = 0x0011_0000;

/// The fonts of a document.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    maps: CMapResolverFn,
    loaded: HashMap<Vec<u8>, Option<Rc<TextFont<'a>>>>,
    fallback: Option<Rc<TextFont<'a>>>,
    /// What is left of [`MAX_PROGRAMS`].
    room: usize,
}

/// A font, as far as text is concerned.
pub(super) struct TextFont<'a> {
    font: Font<'a>,
    kind: Kind,
    cids: Option<CidMap>,
    characters: std::cell::RefCell<HashMap<u32, Character>>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// One byte a character.
    Simple,
    /// Several, by a map.
    Composite,
    /// Its glyphs are drawings, and their names often say nothing.
    Drawn,
}

/// One character of a font.
#[derive(Clone)]
pub(super) struct Character {
    pub(super) meaning: Meaning,
    /// How far the next one is, in thousandths of the size: across, or down if the font is written downwards.
    pub(super) advance: f64,
}

impl<'a> Fonts<'a> {
    pub(super) fn new() -> Self {
        let programs: FontResolverFn = Arc::new(|query| {
            Some(match query {
                FontQuery::Standard(font) => font.get_font_data(),
                FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
            })
        });
        Self {
            cache: FontCache::new(),
            programs,
            maps: Arc::new(load_embedded),
            loaded: HashMap::new(),
            fallback: None,
            room: MAX_PROGRAMS,
        }
    }

    /// The font of this dictionary, unless it cannot be loaded or is too large.
    pub(super) fn get(&mut self, dict: &Dict<'a>) -> Option<Rc<TextFont<'a>>> {
        // The same dictionary may stand in the file twice; what is written is what it is.
        if let Some(font) = self.loaded.get(dict.data()) {
            return font.clone();
        }
        let font = self.load(dict).map(Rc::new);
        self.loaded.insert(dict.data().to_vec(), font.clone());
        font
    }

    /// The font that is shown if a page names none.
    pub(super) fn fallback(&mut self) -> Option<Rc<TextFont<'a>>> {
        if self.fallback.is_none() {
            let font = self.cache.standard_font(StandardFont::Helvetica, &self.programs)?;
            self.fallback = Some(Rc::new(TextFont::new(font, Kind::Simple, None)));
        }
        self.fallback.clone()
    }

    fn load(&mut self, dict: &Dict<'a>) -> Option<TextFont<'a>> {
        if self.loaded.len() >= MAX_FONTS || !self.is_harmless(dict) {
            return None;
        }
        let kind = match dict.get::<hayro_syntax::object::Name<'_>>(keys::SUBTYPE).as_deref() {
            Some(keys::TYPE0) => Kind::Composite,
            Some(keys::TYPE3) => Kind::Drawn,
            _ => Kind::Simple,
        };
        let font = self.cache.font(dict, &self.programs, &self.maps)?;
        let cids = if kind == Kind::Composite { CidMap::of(dict) } else { None };
        Some(TextFont::new(font, kind, cids))
    }

    /// Whether hayro can load it without taking more memory than there is. It follows what is written.
    fn is_harmless(&mut self, dict: &Dict<'a>) -> bool {
        let descendant =
            dict.get::<Array<'a>>(keys::DESCENDANT_FONTS).and_then(|fonts| fonts.iter::<Dict<'a>>().next());
        let fonts = [Some(dict.clone()), descendant];
        fonts.into_iter().flatten().all(|font| {
            let maps = [keys::TO_UNICODE, keys::ENCODING];
            let maps =
                maps.into_iter().filter_map(|key| font.get::<Stream<'a>>(key)).all(|map| is_small_map(&map));
            let glyphs = font.get::<Stream<'a>>(keys::CID_TO_GID_MAP);
            let glyphs = glyphs.is_none_or(|map| filter::measure(&map, MAX_MAP).is_some());
            let codes = [keys::FIRST_CHAR, keys::LAST_CHAR].into_iter().all(|key| {
                font.get::<Object<'a>>(key)
                    .is_none_or(|code| number(&code).is_some_and(|code| (0..65_536).contains(&code)))
            });
            let widths = [keys::W, keys::W2]
                .into_iter()
                .filter_map(|key| font.get::<Array<'a>>(key))
                .all(|widths| few_widths(&widths));
            let programs =
                font.get::<Dict<'a>>(keys::FONT_DESC).is_none_or(|descriptor| self.has_room(&descriptor));
            maps && glyphs && codes && widths && programs
        })
    }

    /// Whether the font programs of this descriptor can be unpacked.
    fn has_room(&mut self, descriptor: &Dict<'a>) -> bool {
        let programs = [keys::FONT_FILE, keys::FONT_FILE2, keys::FONT_FILE3];
        programs.into_iter().filter_map(|key| descriptor.get::<Stream<'a>>(key)).all(|program| {
            let raw = program.raw_data().len();
            match filter::measure(&program, MAX_PROGRAM.min(self.room)) {
                None => false,
                Some(bound) => {
                    // A short program is only known to have at most a thousand times its length; four is more like it.
                    self.room -= bound.min(raw.saturating_mul(4)).min(self.room);
                    true
                }
            }
        })
    }
}

impl<'a> TextFont<'a> {
    fn new(font: Font<'a>, kind: Kind, cids: Option<CidMap>) -> Self {
        Self { font, kind, cids, characters: std::cell::RefCell::default() }
    }

    pub(super) fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    /// The codes of a string, each with how many bytes it has.
    pub(super) fn codes(&self, bytes: &[u8]) -> impl Iterator<Item = (u32, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (code, length) = (at < bytes.len()).then(|| self.font.read_code(bytes, at))?;
            at += length.max(1);
            Some((code, length))
        })
    }

    pub(super) fn character(&self, code: u32) -> Character {
        if let Some(known) = self.characters.borrow().get(&code) {
            return known.clone();
        }
        let advance = self.font.code_advance(code);
        let character = Character {
            meaning: meaning(&self.font, self.kind, self.cids.as_ref(), code),
            advance: finite(if self.font.is_horizontal() { advance.x } else { advance.y }),
        };
        let mut characters = self.characters.borrow_mut();
        if characters.len() < MAX_REMEMBERED {
            characters.insert(code, character.clone());
        }
        character
    }
}

pub(super) fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// A map that is not long, and refers to others no more often than once or twice: each time, hayro reads all of it.
fn is_small_map(map: &Stream<'_>) -> bool {
    if filter::measure(map, MAX_MAP).is_none() {
        return false;
    }
    let data = map.decoded_data().unwrap_or_default();
    memchr::memmem::find_iter(&data, b"usecmap").take(5).count() < 5
}

/// `first [w w w]` or `first last w`, again and again; of a range, hayro keeps every single number.
fn few_widths(widths: &Array<'_>) -> bool {
    let mut total = 0_i64;
    let mut pending = Vec::new();
    for item in widths.iter::<Object<'_>>() {
        match item {
            Object::Array(list) => {
                total = total.saturating_add(i64::try_from(list.data().len()).unwrap_or(i64::MAX) / 2);
                pending.clear();
            }
            item => pending.push(number(&item).unwrap_or(0)),
        }
        if let [first, last, _] = pending[..] {
            total = total.saturating_add(last.saturating_sub(first).max(0));
            pending.clear();
        }
        if total > MAX_WIDTHS {
            return false;
        }
    }
    true
}

fn number(object: &Object<'_>) -> Option<i64> {
    if let Object::Number(number) = object { Some(number.as_i64()) } else { None }
}
