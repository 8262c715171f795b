//! Text in each encoding is recognised as what it is.

use toolcrib_testkit::languages::{ENCODED, FRENCH, JAPANESE, KOREAN, RUSSIAN};
use toolcrib_text::{Charset, Content, Document, Encoding, Sample, detect, detect_sample};

#[test]
fn real_text_is_recognised_and_read_right() {
    let mut faults = Vec::new();
    for (name, text, found) in ENCODED {
        assert!(text.chars().count() >= 200, "{name}: only {}", text.chars().count());
        let charset: Charset = name.parse().unwrap();
        let bytes = charset.encode(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let document = Document::read(bytes).unwrap();
        let guess = document.encoding();
        if guess != Encoding::from(found.parse::<Charset>().unwrap()) || document.text() != *text {
            faults.push(format!("{name}: {guess:?}\n{}", document.text()));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), ENCODED.len(), faults.join("\n"));
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
    for (name, text, found) in ENCODED.iter().filter(|(name, ..)| *name != "iso-2022-jp") {
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
