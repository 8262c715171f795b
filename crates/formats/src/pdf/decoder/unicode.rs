//! What a character of a font means.

use std::rc::Rc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::{Font, FontGlyph};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, Name, String as PdfString};
use unicode_normalization::UnicodeNormalization as _;

use super::fonts::Kind;

/// What a character means, if the font says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Text(Rc<str>),
    /// Nothing that can be seen or read.
    Nothing,
    Unknown,
}

/// How long the text of one character may be. The longest ligature of all has 18 letters.
const MAX_LENGTH: usize = 64;

pub(super) fn meaning(font: &Font<'_>, kind: Kind, cids: Option<&CidMap>, code: u32) -> Meaning {
    let glyph = font.map_code(code);
    let stated = match font.glyph(glyph, code) {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    };
    let stated = stated.map(|text| match text {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    });
    // A zero is how some writers say that they do not know.
    let stated = stated.filter(|text| !text.chars().all(|c| c == '\0'));
    let text = stated.or_else(|| guess(kind, cids, code));
    text.map_or(Meaning::Unknown, |text| clean(&text))
}

/// What the font does not say, but others would read, too.
fn guess(kind: Kind, cids: Option<&CidMap>, code: u32) -> Option<String> {
    match kind {
        Kind::Composite => cids.and_then(|cids| cids.lookup(code)),
        // The names of drawn glyphs are made up, but their codes are mostly those of letters: ASCII, and what TeX calls
        // Cork, which is Latin-1 for letters with accents.
        Kind::Drawn | Kind::Simple => {
            let likely = |c: &char| {
                c.is_ascii_graphic() || *c == ' ' || kind == Kind::Drawn && ('\u{C0}'..='\u{FF}').contains(c)
            };
            char::from_u32(code).filter(likely).map(|c| c.to_string())
        }
    }
}

/// As it is written in a text: no control characters, ligatures and presentation forms as their letters.
fn clean(text: &str) -> Meaning {
    let mut clean = String::new();
    for c in text.chars().take(MAX_LENGTH) {
        match c {
            '\t' | '\n' | '\r' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{3000}' => {
                clean.push(' ')
            }
            // A soft hyphen that is drawn is a hyphen.
            '\u{AD}' => clean.push('-'),
            // The bullet of the symbol fonts.
            '\u{F0B7}' => clean.push('•'),
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' => {}
            '\u{FB00}'..='\u{FB06}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
                clean.extend(c.nfkc())
            }
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    if clean.is_empty() { Meaning::Nothing } else { Meaning::Text(clean.into()) }
}

/// From the codes of a font for Chinese, Japanese or Korean to Unicode, by way of Adobe's numbers for the characters.
pub(super) struct CidMap {
    /// From codes to numbers; `None` if they are the same.
    encoding: Option<CMap>,
    characters: CMap,
}

impl CidMap {
    pub(super) fn of(dict: &Dict<'_>) -> Option<Self> {
        let descendant = dict.get::<Array<'_>>(keys::DESCENDANT_FONTS)?.iter::<Dict<'_>>().next()?;
        let info = descendant.get::<Dict<'_>>(keys::CIDSYSTEMINFO)?;
        let registry = info.get::<PdfString<'_>>(keys::REGISTRY)?;
        let ordering = info.get::<PdfString<'_>>(keys::ORDERING)?;
        let family = CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes());
        let characters = embedded(family.ucs2_cmap()?)?;
        let encoding = match dict.get::<Name<'_>>(keys::ENCODING).map(|name| embedded_name(&name)) {
            Some(None) => None,
            Some(Some(encoding)) => Some(encoding?),
            None => return None,
        };
        Some(Self { encoding, characters })
    }

    fn lookup(&self, code: u32) -> Option<String> {
        let cid = match &self.encoding {
            None => code,
            Some(encoding) => (1..=4).find_map(|length| encoding.lookup_cid_code(code, length))?,
        };
        Some(match self.characters.lookup_bf_string(cid)? {
            BfString::Char(c) => c.to_string(),
            BfString::String(text) => text,
        })
    }
}

/// `None` if codes are numbers; otherwise the map, if there is one of this name.
fn embedded_name(name: &Name<'_>) -> Option<Option<CMap>> {
    match CMapName::from_bytes(name.as_ref()) {
        CMapName::IdentityH | CMapName::IdentityV => None,
        name => Some(embedded(name)),
    }
}

fn embedded(name: CMapName<'_>) -> Option<CMap> {
    CMap::parse(load_embedded(name)?, load_embedded)
}
