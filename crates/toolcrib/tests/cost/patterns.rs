//! Patterns that are made to cost much: regular expressions and globs.

use toolcrib_testkit::Random;

use crate::texts;

/// A regular expression, or what looks like one.
pub(crate) fn regex(random: &mut Random) -> String {
    let mut pattern = piece(random, 3);
    while random.once_in(2) {
        pattern.push_str(&piece(random, 3));
    }
    if random.once_in(12) {
        pattern = pattern.repeat(texts::size(random) / pattern.len().max(1) + 1);
    }
    pattern
}

fn piece(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.once_in(3) {
        let odd = random.once_in(12);
        let sound = &[
            "a",
            "b",
            "ab",
            "x",
            "\\w",
            "\\d",
            "\\s",
            ".",
            "[ab]",
            "[^a]",
            "\\b",
            "^",
            "$",
            "same",
            "é",
            "\\p{L}",
            "\\PL",
            "[\\w&&[^a]]",
            "(?i)a",
            "fn",
            "line",
            "[[:alpha:]]",
            "\\x{10FFFF}",
            "",
            "[\\x00-\\x{10FFFF}]",
        ];
        let unsound = &[
            "\\n",
            "\\1",
            "(?-u)\\xff",
            "\\Q",
            "(",
            "[",
            "{",
            "*",
            "\\",
            "(?<n>a)",
            "\\k<n>",
            "\\K",
            "(?(1)a|b)",
            ")",
            "a{2,1}",
        ];
        return random.pick(if odd { &unsound[..] } else { &sound[..] }).to_owned();
    }
    let inner = piece(random, depth - 1);
    let count = random.pick(&[1, 2, 10, 100, 1000, 65_535, 1_000_000]);
    match random.below(16) {
        0 => format!("({inner})*"),
        1 => format!("({inner})+"),
        2 => format!("({inner}+)+"),
        3 => format!("({inner}*)*b"),
        4 => format!("(?:{inner}){{{count}}}"),
        5 => format!("(?:{inner}){{0,{count}}}"),
        6 => format!("(?={inner})"),
        7 => format!("(?!{inner})"),
        8 => format!("(?<={inner})"),
        9 => format!("(?<!{inner})"),
        10 => format!("({inner})\\1"),
        11 => format!("(?:{inner}|{})", piece(random, depth - 1)),
        12 => format!("(?>{inner})"),
        13 => format!("(?<={inner}*)a"),
        14 => (0..count.min(300)).map(|n| format!("{inner}{n}")).collect::<Vec<_>>().join("|"),
        _ => format!("{inner}?"),
    }
}

/// A glob, or what looks like one.
pub(crate) fn glob(random: &mut Random) -> String {
    let units: &[&str] = &[
        "**",
        "*",
        "?",
        "a",
        "/",
        ".rs",
        "{a,b}",
        "[a-z]",
        "*a",
        "**/",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "file1",
        "deep/",
        "d",
        "..",
        ".",
        "{a,{b,c}}",
        "[!a]",
        "é",
        "!",
        "#",
        "//",
        "{a/b,c}",
        "[[:alpha:]]",
        "{,a}",
        "*.{rs,txt}",
    ];
    match random.below(8) {
        0 => "{a,b}".repeat(random.below(40)),
        1 => {
            let depth = random.pick(&[3, 15, 17, 300, 20_000]);
            "{a,".repeat(depth) + "b" + &"}".repeat(depth)
        }
        2 => random.pick(units).repeat(texts::size(random).min(20_000)),
        3 => "*/".repeat(random.below(300)) + "*",
        _ => (0..1 + random.below(8)).map(|_| random.pick(units)).collect(),
    }
}
