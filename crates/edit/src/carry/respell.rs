//! What the region shows about how the caller's text is spelled.
//!
//! A caller who wrote a typographic quote where the text has a plain one will have done so in the new lines too. The
//! reverse is not learned: a plain character says nothing about which typographic one might be meant.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::align::{Alignment, Row};
use crate::fold::{is_typographic, plain};
use crate::{Level, Uncertain};

#[derive(Debug, Default)]
pub(super) struct Respelling {
    typographic: BTreeMap<char, Stands>,
    /// The caller's trailing white space is not in the text, wherever there is any.
    stray_trailing: bool,
}

/// What a typographic character of the caller stands for in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Itself,
    Plain,
    Both,
}

impl Respelling {
    pub(super) fn learn(text: &str, old: &str, alignment: &Alignment) -> Self {
        if alignment.level < Level::TrailingWhitespace {
            return Self::default();
        }
        Self {
            typographic: typographic(text, old, alignment),
            stray_trailing: stray_trailing(text, old, alignment),
        }
    }

    pub(super) fn body<'n>(&self, new: &'n str) -> Result<Cow<'n, str>, Uncertain> {
        if new.is_ascii() || self.typographic.is_empty() {
            return Ok(Cow::Borrowed(new));
        }
        new.chars()
            .map(|c| match self.typographic.get(&c) {
                Some(Stands::Plain) => Ok(plain(c)),
                Some(Stands::Both) => Err(Uncertain::Spelling { character: c }),
                Some(Stands::Itself) | None => Ok(c),
            })
            .collect()
    }

    pub(super) fn trailing<'n>(&self, new: &'n str) -> &'n str {
        if self.stray_trailing { "" } else { new }
    }
}

fn typographic(text: &str, old: &str, alignment: &Alignment) -> BTreeMap<char, Stands> {
    let mut seen: BTreeMap<char, Stands> = BTreeMap::new();
    let parts = |row: &Row| {
        let pairs = [(&row.old.indent, &row.text.indent), (&row.old.body, &row.text.body)];
        pairs.map(|(meant, found)| (&old[meant.clone()], &text[found.clone()]))
    };
    for (meant, found) in alignment.rows.iter().flat_map(parts) {
        for (meant, found) in meant.chars().zip(found.chars()).filter(|(meant, _)| is_typographic(*meant)) {
            let stands = if plain(meant) == found { Stands::Plain } else { Stands::Itself };
            let known = seen.entry(meant).or_insert(stands);
            *known = if *known == stands { stands } else { Stands::Both };
        }
    }
    seen
}

fn stray_trailing(text: &str, old: &str, alignment: &Alignment) -> bool {
    let ends = |row: &Row| (&old[row.old.trailing.clone()], &text[row.text.trailing.clone()]);
    let written = || alignment.rows.iter().map(ends).filter(|(written, _)| !written.is_empty());
    written().next().is_some() && written().all(|(written, found)| written != found)
}
