//! Quotes come in pairs. Where the text spells a caller's plain quotes in another way, a pair must not be torn: one kept
//! as the text has it, the other written as the caller has it.

use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use super::Uncertain;
use super::tokens::Token;
use crate::diff::{Differing, differences};
use crate::fold::plain;

/// The differing tokens of a changed line, so that pairs of quotes stay together.
pub(super) fn differing(
    before: &[Token<'_>],
    after: &[Token<'_>],
    spelled_otherwise: impl Fn(usize) -> bool,
    meter: &Meter<'_>,
) -> Result<Vec<Differing>, Uncertain> {
    let differing = differences(before, after, meter)?;
    let torn = ['"', '\''].into_iter().find(|quote| {
        let (old, new) = (quotes(before, *quote), quotes(after, *quote));
        old.iter().any(|token| spelled_otherwise(*token)) && is_torn(&differing, &old, &new)
    });
    match torn {
        None => Ok(differing),
        Some(quote) => one_by_one(before, after, meter)?.ok_or(Uncertain::Spelling { character: quote }),
    }
}

/// The indices of quotes of one kind.
fn quotes(tokens: &[Token<'_>], quote: char) -> Vec<usize> {
    (0..tokens.len()).filter(|token| quote_of(&tokens[*token]) == Some(quote)).collect()
}

fn quote_of(token: &Token<'_>) -> Option<char> {
    let mut chars = token.text.chars().map(plain);
    chars.next().filter(|c| matches!(c, '"' | '\'') && chars.next().is_none())
}

/// Whether a new pair has one quote that is kept and one that is not, or two that were no pair.
fn is_torn(differing: &[Differing], old: &[usize], new: &[usize]) -> bool {
    let origin = |token: usize| {
        let before = differing.partition_point(|(_, added)| added.start <= token).checked_sub(1);
        let kept = before.map_or(Some(token), |before| {
            let (removed, added) = &differing[before];
            token.checked_sub(added.end).map(|past| removed.end + past)
        });
        kept.and_then(|kept| old.binary_search(&kept).ok())
    };
    new.chunks(2).any(|pair| match (origin(pair[0]), pair.get(1).map(|quote| origin(*quote))) {
        (None, None | Some(None)) => false,
        (Some(open), None) => open % 2 != 0 || open + 1 != old.len(),
        (Some(open), Some(close)) => open % 2 != 0 || close != Some(open + 1),
        (None, Some(Some(_))) => true,
    })
}

/// The differing tokens if the first quote is kept as the first, the second as the second, and so on. There must be as
/// many, of the same kinds.
fn one_by_one(
    before: &[Token<'_>],
    after: &[Token<'_>],
    meter: &Meter<'_>,
) -> Result<Option<Vec<Differing>>, Stopped> {
    let all = |tokens: &[Token<'_>]| {
        (0..tokens.len()).filter(|token| quote_of(&tokens[*token]).is_some()).collect::<Vec<_>>()
    };
    let (old, new) = (all(before), all(after));
    let kinds = |tokens: &[Token<'_>], quotes: &[usize]| {
        quotes.iter().map(|quote| quote_of(&tokens[*quote])).collect::<Vec<_>>()
    };
    if kinds(before, &old) != kinds(after, &new) {
        return Ok(None);
    }
    let mut found = Vec::new();
    let (mut removed, mut added) = (0, 0);
    for (old, new) in old.into_iter().zip(new).chain([(before.len(), after.len())]) {
        found.extend(between(before, removed..old, after, added..new, meter)?);
        (removed, added) = (old + 1, new + 1);
    }
    Ok(Some(found))
}

fn between(
    before: &[Token<'_>],
    old: Range<usize>,
    after: &[Token<'_>],
    new: Range<usize>,
    meter: &Meter<'_>,
) -> Result<Vec<Differing>, Stopped> {
    let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    let differing = differences(&before[old.clone()], &after[new.clone()], meter)?;
    let found = differing.into_iter();
    Ok(found.map(|(removed, added)| (moved(removed, old.start), moved(added, new.start))).collect())
}
