//! Texts of awkward sizes and shapes.

use serde_json::{Value, json};
use toolcrib_testkit::Random;

/// A size: mostly small, now and then large.
pub(crate) fn size(random: &mut Random) -> usize {
    match random.below(100) {
        0..70 => random.below(64),
        70..92 => random.below(4096),
        92..99 => random.below(100_000),
        _ => random.below(1_000_000),
    }
}

/// A text that need not stand anywhere.
pub(crate) fn text(random: &mut Random) -> String {
    let size = size(random);
    let unit = random.pick(&[
        "a",
        "ab",
        "a\n",
        "\n",
        " ",
        "    x = 1;\n",
        "same line\n",
        "\t",
        "é",
        "“q” ",
        "word ",
        "\r\n",
        "x",
        "\\n",
        "1\t",
        "\u{200b}",
        "}\n",
        "\"",
        "0\t0\n",
        "\u{feff}",
    ]);
    let mut text = unit.repeat(size / unit.len() + 1);
    if random.once_in(3) {
        text.push_str(random.pick(&["end", "\n", "x\ny\n", " ", "\u{202e}"]));
    }
    text
}

/// What stands in some of the files.
const STANDING: &[(&str, &[&str])] = &[
    ("small", &["one", "two\n", "one\ntwo\n", "e"]),
    ("letters", &["a", "aa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]),
    ("pairs", &["ab", "ba", "abab"]),
    ("one_line", &["return \"x\"+a;", "'y'", "var b", ";"]),
    ("short_lines", &["a", "a\n", "a\na\n", "\n"]),
    ("newlines", &["\n", "\n\n\n"]),
    ("same_lines", &["same line", "same line\n", "same line\nsame line\n", "e l"]),
    ("two_lines", &["x = 1;", "    x = 1;\n    }\n", "}\n    x", "x = 1;\n}\n"]),
    ("numbers", &["777", "149999\n", "1\n2\n3\n", "0\n1\n"]),
    ("crlf", &["one\ntwo", "three\r\none", "two"]),
    ("spaces", &["x", " ", "    x\n"]),
    ("indented", &["x\n", "  x\n   x\n", "x\n x\n"]),
    ("quotes", &["“a” ‘b’", "\"a\" 'b' - c", "–"]),
    ("quoted_lines", &["\"a\" said 'b' - c\n", "“a” said", "said"]),
    ("latin", &["café olé", "olé\ncafé", "o"]),
    ("japanese", &["漢字 desu\n", "desu", "漢"]),
    ("sjis", &["漢字 abc\n", "abc"]),
    ("wide16", &["wide é text\nwide é text\n", "wide", "é"]),
    ("wide32", &["wide text\n", "text\nwide"]),
    ("broken", &["good line\n", "bad", "\u{fffd}"]),
    ("ab_random", &["abab", "aaaaaaaa", "b\na"]),
    ("code", &["let y = x + 9;\n  y * 2", "fn function_7(x: u32) -> u32 {\n", "    y * 2\n}\n\n", "y"]),
];

/// A text that stands in a file, or nearly.
pub(crate) fn text_in(file: &str, random: &mut Random) -> String {
    let known = STANDING.iter().find(|(name, _)| file.contains(&format!("{name}.")));
    let Some((_, texts)) = known.filter(|_| !random.once_in(6)) else { return old_text(random) };
    let text = random.pick(texts);
    match random.below(16) {
        0 => text.repeat(size(random) / text.len() + 1),
        1 => format!("  {text}"),
        2 => format!("{text}{text}"),
        _ => text.to_owned(),
    }
}

/// A text that stands in one of the files, or nearly.
pub(crate) fn old_text(random: &mut Random) -> String {
    if random.once_in(3) {
        return text(random);
    }
    let known = random.pick(&[
        "a",
        "ab",
        "one",
        "one\ntwo\n",
        "two\nthree\n",
        "same line",
        "same line\nsame line\n",
        "x = 1;",
        "    x = 1;\n    }\n",
        "fn function_7(x: u32) -> u32 {\n    let y = x + 7;\n",
        "let y = x + 9;\n  y * 2",
        "149999\n",
        "1\n2\n3\n",
        "\n",
        "\n\n",
        "“a” ‘b’",
        "\"a\" 'b' - c",
        "“a” said ‘b’ – c\n“a” said ‘b’ – c\n",
        "café olé",
        "漢字 desu\n",
        "wide é text\nwide é text\n",
        "good line\n",
        "x",
        " ",
        "return \"x\"+a;",
        "y * 2\n}\n\nfn function_1999",
        "leaf",
        "\"x\"",
        "{\"cells\"",
        "ru",
    ]);
    match random.below(8) {
        0 => known.repeat(size(random) / known.len().max(1) + 1),
        1 => known.replace('\n', "\r\n"),
        2 => format!("    {known}"),
        3 => known.replace(' ', "  "),
        4 => format!("{known}\n"),
        5 => known.lines().enumerate().map(|(number, line)| format!("{:>6}\t{line}\n", number + 1)).collect(),
        _ => known.to_owned(),
    }
}

/// A number, often at the extremes, perhaps as a text, perhaps none.
pub(crate) fn number(random: &mut Random) -> Value {
    if !random.once_in(4) {
        return random.pick(&[json!(1), json!(2), json!(10), json!(100), json!(1000), json!(999)]);
    }
    random.pick(&[
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(10),
        json!(100),
        json!(1000),
        json!(10_000),
        json!(100_000),
        json!(1_000_000),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(0.5),
        json!(1e18),
        json!(4_294_967_296_u64),
        json!("5"),
        json!("NaN"),
        json!("1e400"),
        json!("-0"),
        Value::Null,
    ])
}

/// A value of any type, to stand where another is wanted.
pub(crate) fn anything(random: &mut Random) -> Value {
    match random.below(8) {
        0 => number(random),
        1 => json!(text(random)),
        2 => json!(random.once_in(2)),
        3 => json!([]),
        4 => Value::Array(vec![json!("x"); size(random) / 4]),
        5 => (0..random.below(100)).fold(json!("deep"), |inner, _| json!([inner])),
        6 => {
            let fields = (0..size(random) / 16).map(|number| (format!("k{number}"), json!(number)));
            Value::Object(fields.collect())
        }
        _ => json!({"a": {"b": [1, null, true]}}),
    }
}
