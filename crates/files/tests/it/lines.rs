//! For any text in any encoding: the lines shown are the lines of the file.

use proptest::prelude::*;
use toolcrib_files::{LineNumber, Part, ReadLimits, ReadRequest};
use toolcrib_testkit::languages::ENCODED;
use toolcrib_text::{Charset, Encoding, LineEnding};
use toolcrib_workspace::Version;

use crate::support::{Home, texts};

/// What `str::lines` says, and `\r` where there is no `\n`.
fn lines_of(text: &str) -> Vec<String> {
    if !text.contains('\n') {
        return text.split_terminator('\r').map(str::to_owned).collect();
    }
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line).to_owned())
        .collect()
}

const WORDS: &[&str] = &[
    "a",
    "",
    "let x = 1;",
    "é",
    "ß€",
    "привет",
    "日本語",
    "漢",
    "한국",
    "中文，",
    "😀",
    "\t",
    "\u{A0A}\u{D0D}",
];
const ENDINGS: &[&str] = &["\n", "\n", "\r\n", "\r\n", "\r", ""];

fn any_text() -> impl Strategy<Value = String> {
    let part = (proptest::sample::select(WORDS), proptest::sample::select(ENDINGS));
    proptest::collection::vec(part, 0..30)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, ending)| [word, ending]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_lines_shown_are_the_lines_of_the_file(
        text in any_text(), name in proptest::sample::select(Charset::NAMES), bom in any::<bool>(),
        first in 1_u64..40, limit in 1_usize..40, last in 1_usize..40,
    ) {
        let charset: Charset = name.parse().unwrap();
        let text: String = text.chars().filter(|c| charset.encode(c.encode_utf8(&mut [0; 4])).is_ok()).collect();
        let encoding = Encoding { charset, bom: bom && !charset.mark().is_empty() };
        let bytes = encoding.encode(&text).unwrap();
        let home = Home::with("file", &bytes);
        let lines = lines_of(&text);
        let total = lines.len() as u64;
        let request = |part| ReadRequest { part, encoding: Some(name.to_string()), ..ReadRequest::new("file") };

        match home.read(request(Part::From { first, limit })) {
            Ok(shown) => {
                let skip = usize::try_from(first - 1).unwrap();
                let expected: Vec<&str> = lines.iter().skip(skip).take(limit).map(String::as_str).collect();
                prop_assert_eq!(texts(&shown), expected.clone());
                prop_assert_eq!(shown.first, LineNumber::FromStart(first));
                prop_assert_eq!(shown.total_lines, Some(total));
                let next = first + expected.len() as u64;
                prop_assert_eq!(shown.next, (next <= total).then_some(next));
                prop_assert_eq!(shown.encoding, encoding);
                prop_assert_eq!(shown.undecodable, 0);
                prop_assert_eq!(shown.version, Some(Version::of(&bytes)));
                prop_assert_eq!(shown.size, bytes.len() as u64);
                let ends = text.ends_with('\n') || text.ends_with('\r') && !text.contains('\n');
                prop_assert_eq!(shown.final_newline, (total > 0).then_some(ends));
            }
            Err(error) => {
                prop_assert!(first > total.max(1), "{}", error);
                prop_assert!(error.message().contains(" is past the end"), "{}", error);
            }
        }

        let shown = home.read(request(Part::Last(last))).unwrap();
        let expected: Vec<&str> = lines[lines.len().saturating_sub(last)..].iter().map(String::as_str).collect();
        prop_assert_eq!(shown.first, LineNumber::FromStart(total - expected.len() as u64 + 1));
        prop_assert_eq!(texts(&shown), expected);
        prop_assert_eq!((shown.total_lines, shown.left_out), (Some(total), 0));
    }
}

#[test]
fn a_budget_bounds_the_answer_from_either_side() {
    let content: String = (1..=100).map(|number| format!("{number:030}\n")).collect();
    let home = Home::with("file", content);
    let within = |budget| ReadLimits { budget, ..ReadLimits::default() };
    let request = |part| ReadRequest { part, limits: within(200), ..ReadRequest::new("file") };
    let head = home.read(request(Part::From { first: 1, limit: 50 })).unwrap();
    assert_eq!((head.lines.len(), head.next, head.left_out), (5, Some(6), 0));
    let tail = home.read(request(Part::Last(50))).unwrap();
    assert_eq!((tail.lines.len(), tail.first, tail.left_out), (5, LineNumber::FromStart(96), 45));
    assert!(texts(&tail)[4].ends_with("100"));
    // One line is always given.
    let tail = home.read(ReadRequest { limits: within(1), ..request(Part::Last(3)) }).unwrap();
    assert_eq!((tail.lines.len(), tail.left_out), (1, 2));
}

#[test]
fn real_text_in_each_encoding_is_detected_and_shown() {
    let home = Home::new();
    for (name, text, found) in ENCODED {
        home.write("file", name.parse::<Charset>().unwrap().encode(text).unwrap());
        let shown = home.read(ReadRequest::new("file")).unwrap();
        assert_eq!(texts(&shown), lines_of(text), "{name}");
        assert_eq!((shown.encoding.charset.name(), shown.undecodable), (*found, 0), "{name}");
    }
}

#[test]
fn utf16_without_an_order_follows_the_mark() {
    let encoding = Encoding { charset: Charset::UTF_16BE, bom: true };
    let home = Home::with("file", encoding.encode("größe\r\n").unwrap());
    let shown =
        home.read(ReadRequest { encoding: Some("UTF-16".into()), ..ReadRequest::new("file") }).unwrap();
    assert_eq!((texts(&shown), shown.encoding), (vec!["größe"], encoding));
    assert_eq!(shown.line_ending, Some(LineEnding::Crlf));
}

#[test]
fn a_nul_behind_the_head_is_refused_only_where_it_is_shown() {
    let mut content = "text\n".repeat(20_000).into_bytes();
    content.extend_from_slice(b"\0\0\0\nmore\n");
    let home = Home::with("file", content);
    assert_eq!(home.range("file", 1, 10).unwrap().lines.len(), 10);
    assert_eq!(texts(&home.range("file", 20_002, 10).unwrap()), ["more"]);
    let error = home.range("file", 20_000, 3).unwrap_err();
    assert!(error.message().starts_with("Cannot read binary file: "), "{error}");
    assert_eq!(error.next_step(), Some("line 20001 holds NUL bytes; read the lines before or after it"));
    assert!(home.last("file", 3).is_err());
    assert_eq!(texts(&home.last("file", 1).unwrap()), ["more"]);
}
