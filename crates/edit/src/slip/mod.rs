//! Ways in which a caller's text itself is damaged, and the text that was meant.
//!
//! Each gives the old and the new text as they were meant, or nothing if the damage is not certain.

mod escapes;
mod gutter;

use std::borrow::Cow;

use crate::find::Scope;
use crate::{Edit, Level};

/// An edit as it may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wording<'e> {
    pub(crate) old: Cow<'e, str>,
    pub(crate) new: Cow<'e, str>,
    /// What is overlooked by reading the edit so.
    pub(crate) level: Level,
    /// [`Level::FinalNewline`] if the final newline was taken away, else [`Level::Exact`].
    pub(crate) shortened: Level,
    /// How much may be overlooked in comparing.
    pub(crate) loosest: Level,
    pub(crate) scope: Scope,
}

/// Readings of the edit in groups, strictest first. If one group finds a place, those after it have no say.
pub(crate) fn groups(edit: &Edit) -> impl Iterator<Item = Vec<Wording<'_>>> {
    let written = || Wording {
        old: Cow::Borrowed(&*edit.old),
        new: Cow::Borrowed(&*edit.new),
        level: Level::Exact,
        shortened: Level::Exact,
        loosest: Level::Typography,
        scope: Scope::Anywhere,
    };
    let readings: [fn(Wording<'_>) -> Option<Wording<'_>>; 4] = [
        |written| Some(written),
        |written| gutter::without(&written),
        |written| escapes::without(&written),
        |written| Some(Wording { level: Level::Escapes, ..gutter::without(&escapes::without(&written)?)? }),
    ];
    readings.into_iter().filter_map(move |reading| {
        let wording = reading(written())?;
        let shorter = without_final_newline(&wording);
        Some(std::iter::once(wording).chain(shorter).collect())
    })
}

/// The edit without the final newline of its old text, which the text may lack: at its end, where the new text loses
/// its own too; or before a line that the caller took for blank, where the new text must have the same blank line, and
/// nothing else but line endings may be overlooked: a line that is not there is enough.
fn without_final_newline<'e>(wording: &Wording<'e>) -> Option<Wording<'e>> {
    let old = chop(&wording.old)?;
    let shortened = Level::FinalNewline;
    let shorten = |new: &str| Cow::Owned(new.to_owned());
    if chop(old).is_some() {
        let new =
            if wording.new.is_empty() { "" } else { chop(&wording.new).filter(|new| chop(new).is_some())? };
        return Some(Wording {
            old: shorten(old),
            new: shorten(new),
            shortened,
            loosest: Level::LineEndings,
            ..wording.clone()
        });
    }
    let new = chop(&wording.new).unwrap_or(&wording.new);
    let scope = if wording.scope == Scope::Anywhere { Scope::ToEnd } else { Scope::LinesToEnd };
    Some(Wording { old: shorten(old), new: shorten(new), shortened, scope, ..wording.clone() })
}

/// The text without its last line ending, if it ends with one.
fn chop(text: &str) -> Option<&str> {
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').unwrap_or(text))
}
