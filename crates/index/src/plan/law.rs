//! The law of plans, tried on random patterns and texts: what matches is admitted.

#[path = "../../../../fuzz/src/plan.rs"]
mod target;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::Plan;
use crate::gram::Grams;

pub(super) use target::{check, hir};

/// What patterns and texts are made of.
const LETTERS: [&str; 18] =
    ["a", "B", "b", "k", "K", "\u{212A}", "s", "S", "ſ", "é", "É", "ß", "İ", "i", "0", " ", "\n", "\r"];

/// What patterns are written with.
const SYNTAX: [&str; 28] = [
    "|",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?s:",
    "(?-u:",
    "(?x:",
    "[",
    "]",
    "[^",
    "&&",
    "-",
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{0,1}",
    "{3,}",
    r"\b",
    r"\xE2",
    r"\x{212A}",
    r"\n",
    r"\d",
    r"\pL",
    "^",
    "$",
];

fn cases(count: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(count);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn pattern() -> impl Strategy<Value = String> {
    let letters = || vec(select(&LETTERS[..]), 1..5).prop_map(|letters| letters.concat());
    let class = prop_oneof![
        letters().prop_map(|letters| format!("[{letters}]")),
        letters().prop_map(|letters| format!("[^{letters}]")),
        select(&["[a-z]", "[0-4]", r"\w", r"\W", ".", "[A-C]", "[é-ë]", "[a&&b]"][..])
            .prop_map(str::to_owned),
    ];
    let bytes = select(
        &[
            r"\x84\xAA",
            r"\xE2\x84",
            r"\xE2",
            r"\xC5",
            r"\xBF",
            r"\xBFa",
            r"\xE2[\x83\x84]\xAA",
            r"[\xC4\xC5]\xBF",
            "[a-c]",
            r"[\x80-\xFF]",
            ".",
        ][..],
    )
    .prop_map(|bytes| format!("(?-u:{bytes})"));
    let look = select(&["^", "$", r"\b", r"\B", r"\A", r"\z", ""][..]).prop_map(str::to_owned);
    let leaf = prop_oneof![6 => letters(), 2 => class, 1 => bytes, 1 => look];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let parts = vec(inner.clone(), 2..5);
        let times = select(&["*", "+", "?", "{2}", "{1,3}", "{5}", "{2,}", "+?"][..]);
        let group = select(&["(", "(?:", "(?i:", "(?-i:", "(?s:", "(?-m:", "(?-u:"][..]);
        prop_oneof![
            3 => parts.clone().prop_map(|parts| parts.concat()),
            2 => parts.clone().prop_map(|parts| format!("({})", parts.join(")("))),
            2 => parts.prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), times).prop_map(|(inner, times)| format!("(?:{inner}){times}")),
            2 => (group, inner).prop_map(|(group, inner)| format!("{group}{inner})")),
        ]
    })
}

fn noise() -> impl Strategy<Value = String> {
    vec(select(&LETTERS[..]), 0..6).prop_map(|letters| letters.concat())
}

/// Writes what the pattern matches, if its anchors happen to hold. The choices come from the number.
fn write(hir: &Hir, choice: &mut u64, text: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend_from_slice(&literal.0),
        HirKind::Class(class) => text.extend(member(class, choice)),
        HirKind::Capture(capture) => write(&capture.sub, choice, text),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(2));
            let times = repetition.min as usize + below(choice, (most - repetition.min) as usize + 1);
            (0..times).for_each(|_| write(&repetition.sub, choice, text));
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, choice, text)),
        HirKind::Alternation(parts) => write(&parts[below(choice, parts.len())], choice, text),
    }
}

fn member(class: &Class, choice: &mut u64) -> Vec<u8> {
    match class {
        Class::Unicode(class) if !class.ranges().is_empty() => {
            let range = class.ranges()[below(choice, class.ranges().len())];
            let at = below(choice, range.len().min(64));
            (range.start()..=range.end()).nth(at).unwrap().to_string().into_bytes()
        }
        Class::Bytes(class) if !class.ranges().is_empty() => {
            let range = class.ranges()[below(choice, class.ranges().len())];
            vec![(range.start()..=range.end()).nth(below(choice, range.len())).unwrap()]
        }
        _ => Vec::new(),
    }
}

fn below(choice: &mut u64, count: usize) -> usize {
    *choice = choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*choice >> 33) as usize % count
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn what_matches_is_admitted(
        pattern in pattern(),
        any_case: bool,
        before in noise(),
        after in noise(),
        mut choice: u64,
    ) {
        if let Some(hir) = hir(&pattern, any_case) {
            for _ in 0..4 {
                let mut text = before.clone().into_bytes();
                write(&hir, &mut choice, &mut text);
                if let Ok(text) = String::from_utf8(text) {
                    let text = text + &after;
                    check(&pattern, any_case, &text);
                    check(&pattern, any_case, &text.replace('\n', "\r"));
                }
            }
        }
        check(&pattern, any_case, &(before + &after));
    }

    #[test]
    fn the_fuzz_target_holds(pieces in vec(prop_oneof![select(&LETTERS[..]), select(&SYNTAX[..])], 1..12), texts in vec(noise(), 3)) {
        let pattern = pieces.concat();
        for text in [texts.concat(), format!("{}{pattern}{}", texts[0], texts[1])] {
            target::plan(&[pattern.as_bytes(), &[0xFF], text.as_bytes()].concat());
        }
    }
}

#[test]
fn letters_that_fold_to_ascii_are_admitted() {
    assert!(check("(?i)kiss", false, "\u{212A}Iſs"));
    assert!(check("\u{212A}iſs", true, "KISS"));
    assert!(check("\u{212A}iſs", false, "\u{212A}iſs"));
    assert!(check(r"(?-u:\x84\xAA)iss", false, "\u{212A}iss"));
}

#[test]
fn each_of_very_many_alternatives_is_admitted() {
    let word = |n: u32| format!("{:06x}", n.wrapping_mul(2_654_435_761) >> 8);
    // Most of them begin and end alike, and the last does not.
    let alike = |n: u32| if n < 2999 { format!("01{n:04}23") } else { "4567".to_owned() };
    for count in [10, 65, 200, 1000, 5000] {
        each_is_admitted(&(0..count).map(word).collect::<Vec<_>>());
    }
    each_is_admitted(&(0..3000).map(alike).collect::<Vec<_>>());
}

fn each_is_admitted(words: &[String]) {
    let plan = Plan::of(&hir(&format!("ab({})CD", words.join("|")), false).unwrap());
    let mut grams = Grams::new();
    for word in words {
        let grams = grams.of(format!("ab{word}CD").as_bytes());
        assert!(plan.admits(&mut |gram| grams.contains(&gram)), "{word} of {}", words.len());
    }
}

#[test]
fn parts_with_too_many_texts_to_combine_are_admitted() {
    for parts in ["([abc]12[abc]34[abc])([abc]56[abc])", r"(\w*[abc]12[abc]34[abc])([abc]56[abc])"] {
        assert!(check(&format!("xy({parts})zz"), false, "xya12b34cc56azz"));
    }
    let long = "0123456789".repeat(200);
    assert!(check(&format!("xy(({long})(ab|cd))zz"), true, &format!("XY{long}CDZZ")));
}
