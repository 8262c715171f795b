//! Text in each encoding is recognised as what it is.

use toolcrib_text::{Charset, Content, Document, Encoding, Sample, detect, detect_sample};

use crate::languages::{
    ARABIC, CHINESE_SIMPLIFIED, CHINESE_TRADITIONAL, FRENCH, GERMAN, GREEK, HEBREW, HUNGARIAN, JAPANESE,
    KOREAN, LITHUANIAN, POLISH, RUSSIAN, THAI, TURKISH, UKRAINIAN,
};

/// An encoding, a text for it, and the name it is recognised by where that is another: a sister that agrees on every
/// character of such texts.
const CASES: &[(&str, &str, &str)] = &[
    ("utf-8", FRENCH, "utf-8"),
    ("utf-8", JAPANESE, "utf-8"),
    ("utf-16le", GERMAN, "utf-16le"),
    ("utf-16be", RUSSIAN, "utf-16be"),
    ("utf-16le", CHINESE_SIMPLIFIED, "utf-16le"),
    ("utf-16be", JAPANESE, "utf-16be"),
    ("utf-16le", THAI, "utf-16le"),
    ("utf-32le", KOREAN, "utf-32le"),
    ("utf-32be", FRENCH, "utf-32be"),
    ("windows-1252", FRENCH, "windows-1252"),
    ("windows-1252", GERMAN, "windows-1252"),
    ("iso-8859-15", FRENCH, "windows-1252"),
    ("windows-1250", POLISH, "windows-1250"),
    ("windows-1250", HUNGARIAN, "windows-1250"),
    ("iso-8859-2", POLISH, "iso-8859-2"),
    ("iso-8859-2", HUNGARIAN, "windows-1250"),
    ("windows-1251", RUSSIAN, "windows-1251"),
    ("windows-1251", UKRAINIAN, "windows-1251"),
    ("koi8-r", RUSSIAN, "koi8-r"),
    ("koi8-u", UKRAINIAN, "koi8-u"),
    ("ibm866", RUSSIAN, "ibm866"),
    ("iso-8859-5", RUSSIAN, "iso-8859-5"),
    ("windows-1253", GREEK, "windows-1253"),
    ("iso-8859-7", GREEK, "windows-1253"),
    ("windows-1254", TURKISH, "windows-1254"),
    ("windows-1255", HEBREW, "windows-1255"),
    ("windows-1256", ARABIC, "windows-1256"),
    ("windows-1257", LITHUANIAN, "windows-1257"),
    ("windows-874", THAI, "windows-874"),
    ("shift_jis", JAPANESE, "shift_jis"),
    ("euc-jp", JAPANESE, "euc-jp"),
    ("iso-2022-jp", JAPANESE, "iso-2022-jp"),
    ("gbk", CHINESE_SIMPLIFIED, "gbk"),
    ("gb18030", CHINESE_SIMPLIFIED, "gbk"),
    ("big5", CHINESE_TRADITIONAL, "big5"),
    ("euc-kr", KOREAN, "euc-kr"),
];

#[test]
fn real_text_is_recognised_and_read_right() {
    let mut faults = Vec::new();
    for (name, text, found) in CASES {
        assert!(text.chars().count() >= 200, "{name}: only {}", text.chars().count());
        let charset: Charset = name.parse().unwrap();
        let bytes = charset.encode(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let document = Document::read(bytes).unwrap();
        let guess = document.encoding();
        if guess != Encoding::from(found.parse::<Charset>().unwrap()) || document.text() != *text {
            faults.push(format!("{name}: {guess:?}\n{}", document.text()));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), CASES.len(), faults.join("\n"));
}

#[test]
fn with_a_mark_the_shortest_text_is_recognised() {
    for charset in
        [Charset::UTF_8, Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE]
    {
        for text in ["", "a", "漢", "\n"] {
            let encoding = Encoding { charset, bom: true };
            let document = Document::read(encoding.encode(text).unwrap()).unwrap();
            assert_eq!((document.encoding(), document.text()), (encoding, text));
        }
    }
}

/// The head of a program is often ASCII, and the one name in another alphabet comes late.
#[test]
fn text_that_is_ascii_for_long_is_recognised_by_what_comes_then() {
    let code = "let total = items.iter().map(|item| item.price * item.count).sum();\n".repeat(3000);
    for (name, text) in
        [("windows-1251", RUSSIAN), ("shift_jis", JAPANESE), ("euc-kr", KOREAN), ("windows-1252", FRENCH)]
    {
        let charset: Charset = name.parse().unwrap();
        let text = format!("{code}{text}{code}");
        assert!(code.len() > 200_000);
        let document = Document::read(charset.encode(&text).unwrap()).unwrap();
        assert_eq!(document.encoding().charset.name(), name);
        assert!(document.text() == text, "{name}");
    }
}

#[test]
fn pieces_of_a_large_text_are_enough() {
    for (name, text, found) in CASES.iter().filter(|(name, ..)| *name != "iso-2022-jp") {
        let charset: Charset = name.parse().unwrap();
        let bytes = charset.encode(&text.repeat(200)).unwrap();
        let piece = |from: usize| &bytes[from - from % 4..][..4096];
        let pieces =
            [&bytes[..4096], piece(bytes.len() / 3), piece(bytes.len() / 2), piece(bytes.len() - 5000)];
        let content = detect_sample(Sample::pieces(&pieces));
        assert_eq!(content, Content::Text(found.parse::<Charset>().unwrap().into()), "{name}");
        assert_eq!(content, detect(&bytes), "{name}");
    }
}
