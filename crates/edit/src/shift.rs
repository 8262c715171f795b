//! The one difference in indentation that lies between a caller's lines and those of the text.
//!
//! A shift is the same for all lines or there is none. Blank lines have no say.

/// How the text's indentation follows from the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    None,
    /// The text has this before the caller's.
    Deeper(String),
    /// The caller has this before the text's.
    Shallower(String),
    /// The caller has `width` spaces for each tab of the text, and `extra` more.
    Tabs {
        width: isize,
        extra: isize,
    },
    /// The text has `width` spaces for each tab of the caller, and `extra` more.
    Spaces {
        width: isize,
        extra: isize,
    },
}

/// The tab widths that are believed. Any other quotient is no sign of tabs against spaces.
const WIDTHS: [isize; 4] = [2, 3, 4, 8];

impl Shift {
    /// The shift that explains every pair of the caller's and the text's indentation.
    pub(crate) fn between<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Option<Self> {
        if pairs.clone().all(|(old, text)| old == text) {
            return Some(Self::None);
        }
        let (old, text) = pairs.clone().next()?;
        if let Some(more) = text.strip_suffix(old)
            && pairs.clone().all(|(old, text)| text.strip_suffix(old) == Some(more))
        {
            return Some(Self::Deeper(more.to_owned()));
        }
        if let Some(less) = old.strip_suffix(text)
            && pairs.clone().all(|(old, text)| old.strip_suffix(text) == Some(less))
        {
            return Some(Self::Shallower(less.to_owned()));
        }
        let tabs = linear(pairs.clone().map(|(old, text)| Some((count(text, '\t')?, count(old, ' ')?))));
        let spaces = || linear(pairs.map(|(old, text)| Some((count(old, '\t')?, count(text, ' ')?))));
        tabs.map(|(width, extra)| Self::Tabs { width, extra })
            .or_else(|| spaces().map(|(width, extra)| Self::Spaces { width, extra }))
    }

    /// What a caller's indentation is in the text, if the shift reaches so far.
    pub(crate) fn apply(&self, indent: &str) -> Option<String> {
        match self {
            Self::None => Some(indent.to_owned()),
            Self::Deeper(more) => Some(format!("{more}{indent}")),
            Self::Shallower(less) => indent.strip_prefix(less.as_str()).map(str::to_owned),
            Self::Tabs { width, extra } => {
                let columns = count(indent, ' ')? - extra;
                (columns % width == 0).then_some(())?;
                repeat("\t", columns / width)
            }
            Self::Spaces { width, extra } => repeat(" ", count(indent, '\t')? * width + extra),
        }
    }
}

/// `width` and `extra` such that `spaces = width * tabs + extra` for every pair of tabs and spaces, and `extra` is a
/// whole number of levels.
///
/// One depth alone cannot tell width from shift; then both sides are taken to stand equally deep.
fn linear(pairs: impl Iterator<Item = Option<(isize, isize)>> + Clone) -> Option<(isize, isize)> {
    let (tabs, spaces) = pairs.clone().next()??;
    let other = pairs.clone().flatten().find(|pair| pair.0 != tabs);
    let (rise, run) = other.map_or((spaces, tabs), |other| (other.1 - spaces, other.0 - tabs));
    let width = WIDTHS.into_iter().find(|width| width * run == rise && run != 0)?;
    let extra = spaces - width * tabs;
    let fits =
        |pair: Option<(isize, isize)>| pair.is_some_and(|(tabs, spaces)| spaces == width * tabs + extra);
    (extra % width == 0 && pairs.clone().all(fits)).then_some((width, extra))
}

/// How often the character occurs, if there is no other.
fn count(indent: &str, c: char) -> Option<isize> {
    if indent.chars().all(|other| other == c) { isize::try_from(indent.len()).ok() } else { None }
}

fn repeat(unit: &str, times: isize) -> Option<String> {
    Some(unit.repeat(usize::try_from(times).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(pairs: &[(&str, &str)]) -> Option<Shift> {
        Shift::between(pairs.iter().copied())
    }

    #[test]
    fn one_shift_explains_all_lines() {
        for (pairs, new, shifted) in [
            (&[("", ""), ("  ", "  ")][..], "    ", Some("    ")),
            (&[("", "    "), ("  ", "      ")], "    ", Some("        ")),
            (&[("    ", ""), ("      ", "  ")], "        ", Some("    ")),
            (&[("    ", ""), ("      ", "  ")], "  ", None),
            (&[("", "\t"), ("\t", "\t\t")], "", Some("\t")),
            // Four spaces for each tab, seen from two depths.
            (&[("    ", "\t"), ("        ", "\t\t")], "            ", Some("\t\t\t")),
            (&[("    ", "\t"), ("        ", "\t\t")], "      ", None),
            // The same, and one level deeper in the text.
            (&[("", "\t"), ("  ", "\t\t")], "    ", Some("\t\t\t")),
            (&[("\t", "  "), ("\t\t", "    ")], "", Some("")),
            (&[("\t", "      "), ("\t\t", "        ")], "\t\t\t", Some("          ")),
            // One depth: both sides stand equally deep.
            (&[("    ", "\t"), ("    ", "\t")], "        ", Some("\t\t")),
            (&[("\t\t", "        ")], "\t", Some("    ")),
        ] {
            let shift = between(pairs);
            assert!(shift.is_some(), "{pairs:?}");
            assert_eq!(shift.and_then(|shift| shift.apply(new)).as_deref(), shifted, "{pairs:?} {new:?}");
        }
    }

    #[test]
    fn what_is_not_uniform_is_no_shift() {
        for pairs in [
            &[("", "  "), ("  ", "  ")][..],
            &[("", "    "), ("  ", "        ")],
            &[("    ", "\t"), ("        ", "\t")],
            &[("    ", "\t"), ("      ", "\t\t\t")],
            &[("  ", "\t"), ("      ", "\t\t")],
            // No editor shows a tab as ten columns.
            &[("          ", "\t")],
            &[(" \t", "\t "), ("", "")],
            &[("  ", "  "), ("    ", "   ")],
        ] {
            assert_eq!(between(pairs), None, "{pairs:?}");
        }
    }
}
