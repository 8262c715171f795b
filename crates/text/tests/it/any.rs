//! Texts, charsets and bytes to try things on.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use toolcrib_text::Charset;

/// Any charset.
pub(crate) fn charset() -> impl Strategy<Value = Charset> {
    proptest::sample::select(Charset::NAMES).prop_map(|name| name.parse().unwrap())
}

/// Words that some charset or other can hold.
const WORDS: &[&str] = &[
    "a",
    "bc",
    " ",
    "key = value",
    "\\n ~",
    "x;y",
    "0123",
    "tab\t",
    "äöü",
    "ß",
    "éèç",
    "€",
    "привет",
    "ё",
    "й",
    "日本",
    "語漢字",
    "かな",
    "カナ、",
    "ｱ",
    "。",
    "中文",
    "简体",
    "繁體，",
    "한국",
    "어",
    "αβγ",
    "שלום",
    "ไทย",
    "Ê̄",
    "¥",
    "😀",
    "𝄞",
    "\u{FFFD}",
    "\u{A0A}",
    "\u{D0D}",
    "\u{2028}",
    "\u{10A0D}",
];

/// A text with line endings of every kind.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(WORDS);
    let ending = proptest::sample::select(&["\n", "\n", "\r\n", "\r\n", "\r", "", "", "", ""][..]);
    proptest::collection::vec((word, ending), 0..16)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, ending)| [word, ending]).collect())
}

/// The text without what the charset cannot hold.
pub(crate) fn within(charset: Charset, text: &str) -> String {
    thread_local!(static KNOWN: RefCell<HashMap<(&'static str, char), bool>> = RefCell::default());
    let holds = |c: &char| {
        let holds = || charset.encode(c.encode_utf8(&mut [0; 4])).is_ok();
        KNOWN.with_borrow_mut(|known| *known.entry((charset.name(), *c)).or_insert_with(holds))
    };
    text.chars().filter(holds).collect()
}

/// Text in a charset, with bytes in between that mostly do not decode.
pub(crate) fn damaged() -> impl Strategy<Value = (Charset, Vec<u8>)> {
    let damage = prop_oneof![
        3 => Just(Vec::new()),
        1 => proptest::collection::vec(prop_oneof![any::<u8>(), 0x80..=0xFF_u8], 0..4),
    ];
    let parts = proptest::collection::vec((text(), damage), 1..4);
    (charset(), parts, any::<bool>()).prop_map(|(charset, parts, marked)| {
        let mut bytes = if marked { charset.mark().to_vec() } else { Vec::new() };
        for (text, damage) in parts {
            bytes.extend(charset.encode(&within(charset, &text)).unwrap());
            bytes.extend(damage);
        }
        (charset, bytes)
    })
}
