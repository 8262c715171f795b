//! Plans: which grams a text must have to match a pattern.
//!
//! A plan follows from the pattern alone. It must not know files, documents or where grams are stored.
//!
//! The one law: a text that matches the pattern satisfies the plan. A plan may ask for too little, never for too much, so
//! whatever is not understood or too large asks for nothing. The method is that of Google's codesearch, see
//! <https://swtch.com/~rsc/regexp/regexp4.html>; [`shape`] has it.

#[cfg(test)]
mod law;
mod shape;
mod words;

use std::slice;

use regex_syntax::hir::Hir;

use crate::gram::Gram;
use shape::Shape;

/// What a text must have so that it can match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plan {
    /// Any text may match.
    Everything,
    /// No text matches.
    Nothing,
    /// Texts that have this gram.
    Gram(Gram),
    /// Texts that satisfy all of these.
    All(Vec<Plan>),
    /// Texts that satisfy at least one of these.
    Any(Vec<Plan>),
}

impl Plan {
    /// What every text must have in which the pattern matches somewhere.
    ///
    /// It holds for text that is valid UTF-8, also where the pattern is about single bytes. Anchors and word boundaries are
    /// taken to match anywhere.
    pub fn of(hir: &Hir) -> Self {
        Shape::of(hir).into_plan()
    }

    /// Whether a text satisfies the plan; `has` tells whether it has a gram.
    pub fn admits(&self, has: &mut dyn FnMut(Gram) -> bool) -> bool {
        match self {
            Self::Everything => true,
            Self::Nothing => false,
            Self::Gram(gram) => has(*gram),
            Self::All(parts) => parts.iter().all(|part| part.admits(has)),
            Self::Any(parts) => parts.iter().any(|part| part.admits(has)),
        }
    }
}

/// How many nodes a plan may have. Each gram may be a list to read, and reading more than a few thousand of them costs as much
/// as searching thousands of files.
const LARGEST: usize = 4096;

impl Plan {
    /// All of these plans, in as few nodes as is easy.
    fn all(parts: Vec<Self>) -> Self {
        let mut parts = flattened(parts, |part| match part {
            Self::All(parts) => Ok(parts),
            other => Err(other),
        });
        parts.retain(|part| *part != Self::Everything);
        match parts.len() {
            _ if parts.contains(&Self::Nothing) => Self::Nothing,
            0 => Self::Everything,
            1 => parts.remove(0),
            _ => Self::All(parts),
        }
    }

    /// Any of these plans, in as few nodes as is easy.
    fn any(parts: Vec<Self>) -> Self {
        let mut parts = flattened(parts, |part| match part {
            Self::Any(parts) => Ok(parts),
            other => Err(other),
        });
        parts.retain(|part| *part != Self::Nothing);
        match parts.len() {
            _ if parts.contains(&Self::Everything) => Self::Everything,
            0 => Self::Nothing,
            1 => parts.remove(0),
            _ => factored(parts),
        }
    }

    /// A plan of at most so many nodes, which asks for no more than this one.
    fn within(self, budget: usize) -> Self {
        match self {
            small if small.nodes() <= budget => small,
            Self::All(parts) => {
                // One node is for the conjunction itself, unless a single part is left.
                let mut left = budget.saturating_sub(1).max(1);
                Self::all(parts.into_iter().filter(|part| take(&mut left, part.nodes())).collect())
            }
            _ => Self::Everything,
        }
    }

    fn nodes(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => 1 + parts.iter().map(Self::nodes).sum::<usize>(),
            _ => 1,
        }
    }

    /// The plans of which all must be satisfied.
    fn members(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            other => slice::from_ref(other),
        }
    }
}

/// The parts, sorted and distinct, with those that are groups replaced by what is in them.
fn flattened(parts: Vec<Plan>, group: fn(Plan) -> Result<Vec<Plan>, Plan>) -> Vec<Plan> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match group(part) {
            Ok(inner) => flat.extend(inner),
            Err(part) => flat.push(part),
        }
    }
    flat.sort_unstable();
    flat.dedup();
    flat
}

/// Any of the parts, with what they have in common written once: `ab | ac` is `a (b | c)`.
fn factored(parts: Vec<Plan>) -> Plan {
    let Some((first, others)) = parts.split_first() else {
        return Plan::Nothing;
    };
    let shared = |member: &&Plan| others.iter().all(|part| part.members().binary_search(member).is_ok());
    let mut common: Vec<_> = first.members().iter().filter(shared).cloned().collect();
    if common.is_empty() {
        return Plan::Any(parts);
    }
    let is_own = |member: &&Plan| common.binary_search(member).is_err();
    let own = |part: &Plan| part.members().iter().filter(is_own).cloned().collect();
    let rest = parts.iter().map(|part| Plan::all(own(part))).collect();
    common.push(Plan::any(rest));
    Plan::all(common)
}

/// Takes so much of what is left, if there is as much.
fn take(left: &mut usize, amount: usize) -> bool {
    let enough = *left >= amount;
    *left -= if enough { amount } else { 0 };
    enough
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn shown(plan: &Plan) -> String {
        let list = |parts: &[Plan], sign: &str| parts.iter().map(shown).collect::<Vec<_>>().join(sign);
        match plan {
            Plan::Everything => "everything".to_owned(),
            Plan::Nothing => "nothing".to_owned(),
            Plan::Gram(gram) => gram.number().to_be_bytes()[1..].escape_ascii().to_string(),
            Plan::All(parts) => list(parts, " "),
            Plan::Any(parts) => format!("({})", list(parts, "|")),
        }
    }

    fn of(pattern: &str) -> Plan {
        Plan::of(&law::hir(pattern, false).unwrap())
    }

    #[track_caller]
    fn check(pattern: &str, plan: &str) {
        assert_eq!(shown(&of(pattern)), plan, "{pattern}");
    }

    #[test]
    fn a_literal_must_be_there_in_any_case() {
        check("foobar", "bar foo oba oob");
        check("FooBar", "bar foo oba oob");
        check("(?i)kiss", "iss kis");
        check("aaaaa", "aaa");
        check(r"a\r\nb", r"\n\nb a\n\n");
    }

    #[test]
    fn a_short_literal_asks_for_nothing() {
        for pattern in ["", "ab", ".", r"\w+", "ab.*cd", "(foo)?", "(foo)*", "foo|", "foo|b", "^$"] {
            check(pattern, "everything");
        }
    }

    #[test]
    fn what_matches_nothing_needs_no_text() {
        check("[a&&b]", "nothing");
        check("foo[a&&b]", "nothing");
        check("foo|[a&&b]", "foo");
    }

    #[test]
    fn the_parts_of_a_pattern_are_all_required() {
        check(r"foo\w+bar", "bar foo");
        check(r"\bfoo\b.*(?P<n>bar)$", "bar foo");
        check("(?:foobar)+x", "arx bar foo oba oob");
        check("(?:foo){2,}", "foo ofo oof");
        check("(?:ab){2}", "aba bab");
        check(r"a(bcd\w*)", "abc bcd");
        check(r"(\w*bcd)a", "bcd cda");
        check("foo?bar", "bar oba (fob|foo oob)");
    }

    #[test]
    fn alternatives_are_required_with_what_is_around_them() {
        check("foo|bar", "(bar|foo)");
        check("a(bc|de)f", "(abc bcf|ade def)");
        check("foo[12]", "foo (oo1|oo2)");
        check("fo[o0]bar", "bar (0ba fo0 o0b|foo oba oob)");
        check(r"(?:foo|\w+bar)qux", "qux (bar|foo) (arq rqu|ooq oqu)");
        check(r"(?:foo\w+|bar)qux", "qux (bar|foo)");
        check("(?i)éab", r"(\x89ab \xc3\x89a|\xa9ab \xc3\xa9a)");
    }

    #[test]
    fn bytes_that_are_no_text_ask_for_nothing() {
        check(r"(?-u:\xE2\x84)foo", "foo");
        check(r"(?-u:\xE2\x84\xAA)fo", "kfo");
        check(r"(?-u:[\x80-\x82])foo(?-u:[ab])", "foo (ooa|oob)");
        check(r"fo(?-u:\xE2\x84)ob", "everything");
    }

    #[test]
    fn very_large_patterns_are_cut_down_quickly() {
        let words: Vec<_> = (0..3600_u32).map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761))).collect();
        let nested = (0..80).fold("[abc]x[de]y".to_owned(), |inner, _| format!("(?:{inner}){{2,9}}"));
        let branches = (0..60).fold("foo".to_owned(), |inner, n| format!("(?:{inner}|bar{n}.*qux)"));
        let (classes, long, any_case) =
            ("[abc]".repeat(6500), "word ".repeat(6500), format!("(?i){}", "ké".repeat(10_000)));
        let patterns = [
            words.join("|"),
            nested,
            branches,
            classes,
            long,
            any_case,
            "((a{1000}){1000}){1000}".to_owned(),
        ];
        for pattern in patterns {
            let hir = law::hir(&pattern, false).unwrap();
            let began = Instant::now();
            let plan = Plan::of(&hir);
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
            assert!(plan != Plan::Everything && plan.nodes() <= LARGEST, "{} nodes", plan.nodes());
        }
    }

    #[test]
    fn a_plan_is_not_larger_than_its_budget() {
        let plan = || of("foobar(ab|cd)quxx");
        for budget in 1..plan().nodes() {
            assert!(plan().within(budget).nodes() <= budget);
        }
        assert_eq!((plan().within(100), of("foo|bar").within(2)), (plan(), Plan::Everything));
    }
}
