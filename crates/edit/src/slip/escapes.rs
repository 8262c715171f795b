//! Text that was escaped once too often: `\n`, `\t`, `\"` instead of what they stand for.
//!
//! It is certain only if it is consistent. The old text must not have the plain form of an escape beside the escape, and
//! no backslash that is not part of one; the new text must not use an escape that the old one does not vouch for.

use std::borrow::Cow;

use super::Wording;
use crate::Level;

/// The escape and what it stands for.
const ESCAPES: [(char, char); 6] =
    [('n', '\n'), ('t', '\t'), ('r', '\r'), ('"', '"'), ('\'', '\''), ('\\', '\\')];

/// The edit with its escapes resolved on both sides.
pub(super) fn without<'e>(wording: &Wording<'_>) -> Option<Wording<'e>> {
    let old = Resolved::of(&wording.old)?;
    let new = Resolved::of(&wording.new)?;
    let consistent = old.used.iter().all(|escape| !old.has_plainly(*escape));
    let vouched = new.used.iter().all(|escape| old.used.contains(escape) && !new.has_plainly(*escape));
    (!old.used.is_empty() && consistent && vouched).then_some(())?;
    let (old, new) = (Cow::Owned(old.text), Cow::Owned(new.text));
    Some(Wording {
        old,
        new,
        level: Level::Escapes,
        shortened: Level::Exact,
        loosest: Level::Typography,
        scope: wording.scope,
    })
}

struct Resolved {
    text: String,
    /// The characters that stood there as escapes.
    used: Vec<char>,
    /// The characters that stood there as themselves.
    plain: Vec<char>,
}

impl Resolved {
    /// Nothing if there is a backslash that belongs to none of the escapes.
    fn of(text: &str) -> Option<Self> {
        let mut resolved =
            Self { text: String::with_capacity(text.len()), used: Vec::new(), plain: Vec::new() };
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let (meant, list) = if c == '\\' {
                let escape = chars.next()?;
                (ESCAPES.iter().find(|known| known.0 == escape)?.1, &mut resolved.used)
            } else {
                (c, &mut resolved.plain)
            };
            resolved.text.push(meant);
            if !list.contains(&meant) && ESCAPES.iter().any(|known| known.1 == meant) {
                list.push(meant);
            }
        }
        Some(resolved)
    }

    fn has_plainly(&self, meant: char) -> bool {
        self.plain.contains(&meant)
    }
}
