//! The words of a line.

use std::rc::Rc;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::Placed;
use super::bidi::{self, Unit};
use super::lines::Line;

/// How wide a gap is a space, in heights of the font. A space is a quarter of it, and less where a line is set tightly.
const SPACE: f64 = 0.12;

/// How many pieces a line may have for the letter of an accent to be searched in all of it.
const MAX_SEARCHED: usize = 1000;

/// The text of a line.
pub(super) fn text(line: &Line, glyphs: &[Placed]) -> String {
    let mut pieces = pieces(line, glyphs);
    compose(&mut pieces);
    let mut units = spaced(pieces);
    bidi::to_logical(&mut units);
    let mut text = String::new();
    for unit in units {
        if unit.text.as_ref() == " " && text.ends_with(' ') {
            continue;
        }
        text.push_str(&unit.text);
    }
    text.trim().to_owned()
}

/// A glyph of a line, or several that became one.
#[derive(Clone)]
struct Piece {
    text: Rc<str>,
    left: f64,
    right: f64,
    size: f64,
}

impl Unit for Piece {
    fn text(&self) -> &str {
        &self.text
    }
}

impl Piece {
    fn middle(&self) -> f64 {
        f64::midpoint(self.left, self.right)
    }
}

/// The glyphs of a line from left to right. Those of a run stay together, as they were drawn: so words that lie over
/// each other are not mixed. Only what is read to the left may be drawn in either direction.
fn pieces(line: &Line, glyphs: &[Placed]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for run in &line.runs {
        let mut glyphs: Vec<&Placed> = glyphs[run.glyphs.clone()].iter().collect();
        if glyphs.iter().any(|glyph| glyph.text.chars().any(|c| ('\u{590}'..'\u{900}').contains(&c))) {
            glyphs.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
        }
        pieces.extend(glyphs.into_iter().map(|glyph| {
            let Placed { text, left, right, size, .. } = glyph;
            Piece { text: Rc::clone(text), left: *left, right: *right, size: *size }
        }));
    }
    pieces
}

/// Puts accents that are drawn over a letter, before it or after it, into the letter.
fn compose(pieces: &mut Vec<Piece>) {
    let mut at = 0;
    while at < pieces.len() {
        let accent = combining(&pieces[at].text);
        let base = accent.and_then(|_| base_of(pieces, at));
        let (Some(accent), Some(base)) = (accent, base) else {
            at += 1;
            continue;
        };
        let letter = match pieces[base].text.as_ref() {
            "ı" => "i",
            "ȷ" => "j",
            letter => letter,
        };
        pieces[base].text = letter.chars().chain([accent]).nfc().collect::<String>().into();
        pieces.remove(at);
    }
}

/// The letter under the accent at `at`.
fn base_of(pieces: &[Piece], at: usize) -> Option<usize> {
    let accent = &pieces[at];
    // The letter stands next to it, or, if the accent was raised onto a capital, anywhere in the line.
    let reach = if pieces.len() > MAX_SEARCHED { 2 } else { pieces.len() };
    let near = at.saturating_sub(reach)..(at + 1 + reach).min(pieces.len());
    let over = |base: &usize| {
        let letter = &pieces[*base];
        let is_letter = letter.text.chars().next().is_some_and(char::is_alphabetic);
        // A mark takes no room, so its own width says nothing.
        let reach = if accent.right > accent.left { 0.3 * letter.size } else { 0.6 * letter.size };
        is_letter && (accent.middle() - letter.middle()).abs() <= reach
    };
    near.filter(|base| *base != at).filter(over).min_by(|a, b| {
        let distance = |base: &usize| (pieces[*base].middle() - accent.middle()).abs();
        distance(a).total_cmp(&distance(b))
    })
}

/// The accent as a character that goes onto the one before it.
fn combining(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    Some(match c {
        '`' | 'ˋ' => '\u{300}',
        '´' | 'ˊ' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30A}',
        '˝' => '\u{30B}',
        'ˇ' => '\u{30C}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        c if is_combining_mark(c) => c,
        _ => return None,
    })
}

/// The pieces with a space in every gap that is one.
fn spaced(pieces: Vec<Piece>) -> Vec<Piece> {
    let tracking = tracking(&pieces);
    let mut spaced: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut end = f64::NEG_INFINITY;
    for piece in pieces {
        let gap = piece.left - end;
        if end.is_finite() && gap > SPACE * piece.size + tracking {
            let (text, size) = (Rc::from(" "), piece.size);
            spaced.push(Piece { text, left: end, right: piece.left, size });
        }
        end = end.max(piece.right);
        spaced.push(piece);
    }
    spaced
}

/// How far letters of this line are set apart from each other: where most gaps are wide, a wide gap is no space.
fn tracking(pieces: &[Piece]) -> f64 {
    let mut gaps: Vec<f64> = pieces
        .windows(2)
        // Only between letters: the dots of a table of contents stand apart without saying anything about its words.
        .filter(|pair| pair.iter().all(|piece| piece.text.chars().all(char::is_alphanumeric)))
        .map(|pair| pair[1].left - pair[0].right)
        .filter(|gap| *gap > -1.0)
        .collect();
    if gaps.len() < 4 {
        return 0.0;
    }
    gaps.sort_by(f64::total_cmp);
    let median = gaps[gaps.len() / 2];
    let size = pieces.iter().map(|piece| piece.size).fold(0.0, f64::max);
    if (0.06 * size..0.3 * size).contains(&median) { median } else { 0.0 }
}
