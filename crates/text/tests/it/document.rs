//! Changes of documents.

use proptest::prelude::*;
use toolcrib_text::{Change, ChangeError, Charset, Document, LineEnding};

use crate::any;

#[track_caller]
fn check(charset: &str, before: &[u8], old: &str, new: &str, after: &[u8]) {
    let document = Document::decode(before.to_vec(), charset.parse().unwrap());
    let at = document.text().find(old).unwrap();
    let changed = document.apply(&[Change { span: at..at + old.len(), text: new }]).unwrap();
    assert_eq!(changed.bytes().escape_ascii().to_string(), after.escape_ascii().to_string());
    assert_eq!(changed.text(), document.text().replacen(old, new, 1));
}

#[test]
fn only_the_span_changes() {
    check("utf-8", b"a\r\nb\nc", "b", "x\r\ny", b"a\r\nx\r\ny\nc");
    check("utf-8", b"\xEF\xBB\xBFa", "a", "b", b"\xEF\xBB\xBFb");
    check("utf-16le", b"\xFF\xFEa\0b\0", "b", "\u{1F600}", b"\xFF\xFEa\0\x3D\xD8\0\xDE");
    check("windows-1252", b"caf\xE9 \x81 noir", "noir", "cr\u{E8}me", b"caf\xE9 \x81 cr\xE8me");
    check("shift_jis", b"\x83\x5C a \x83\x5C", "a", "b", b"\x83\x5C b \x83\x5C");
    check("gb18030", b"\x81\x30\x81\x30a", "a", "", b"\x81\x30\x81\x30");
}

#[test]
fn bytes_that_do_not_decode_stay() {
    check("utf-8", b"\xFF\xC3 old \xE2\x82\n", "old", "new", b"\xFF\xC3 new \xE2\x82\n");
    check("utf-16be", b"\xD8\0\0a\0b\0", "a", "c", b"\xD8\0\0c\0b\0");
    check("euc-kr", b"\xFF a \xB0", "a", "\u{AC00}", b"\xFF \xB0\xA1 \xB0");
}

#[test]
fn shifts_next_to_a_change_belong_to_it() {
    // 漢 is `4A`, 字 is `;z`.
    check("iso-2022-jp", b"\x1B$B4A;z\x1B(B b", "漢", "", b"\x1B$B;z\x1B(B b");
    check("iso-2022-jp", b"\x1B$B4A;z\x1B(B b", "漢字", "x", b"x b");
    check("iso-2022-jp", b"a\x1B$B4A;z\x1B(Bb", "字", "x", b"a\x1B$B4A\x1B(Bxb");
    check("iso-2022-jp", b"a\x1B$B4A;z\x1B(Bb", "漢", "x", b"ax\x1B$B;z\x1B(Bb");
    check("iso-2022-jp", b"a b", " ", "漢", b"a\x1B$B4A\x1B(Bb");
    check("iso-2022-jp", b"\x1B$B4A\x1B(B", "漢", "漢字", b"\x1B$B4A;z\x1B(B");
    check("iso-2022-jp", b"a\x1B$B4A\n", "漢", "x", b"ax\n");
    check("iso-2022-jp", b"a \n", " ", "漢", b"a\x1B$B4A\x1B(B\n");
}

#[test]
fn a_text_that_ends_with_a_shift_can_be_continued() {
    let document = Document::decode(b"\x1B$B4A\x1B(B".to_vec(), Charset::ISO_2022_JP);
    let changed = document.apply(&[Change { span: 3..3, text: "字" }]).unwrap();
    assert_eq!(changed.bytes(), b"\x1B$B4A;z\x1B(B");
}

#[test]
fn changes_that_touch_share_what_is_between_them() {
    let document = Document::decode(b"\x1B$B4A;z\x1B(B".to_vec(), Charset::ISO_2022_JP);
    let changes = [Change { span: 0..3, text: "x" }, Change { span: 3..6, text: "y" }];
    assert_eq!(document.apply(&changes).unwrap().bytes(), b"xy");
}

#[test]
fn half_of_a_pair_that_has_no_code_of_its_own_cannot_stay() {
    let document = Document::decode(b"\x88\x62 x".to_vec(), "big5".parse().unwrap());
    assert_eq!(document.text(), "\u{CA}\u{304} x");
    let error = document.apply(&[Change { span: 2..4, text: "" }]).unwrap_err();
    assert!(
        matches!(error, ChangeError::Unencodable { source, .. } if source.character == '\u{CA}'),
        "{error:?}"
    );
    let changed = document.apply(&[Change { span: 0..4, text: "E" }]).unwrap();
    assert_eq!(changed.bytes(), b"E x");
    assert_eq!(document.bytes_of(0..4), 0..2);
}

#[test]
fn several_changes_at_once() {
    let document = Document::decode(b"\xE9 one two three \xE9".to_vec(), "windows-1252".parse().unwrap());
    let text = document.text();
    let at = |word: &str| text.find(word).unwrap()..text.find(word).unwrap() + word.len();
    let changed = document
        .apply(&[
            Change { span: 0..0, text: "\u{E0}" },
            Change { span: at("one"), text: "1" },
            Change { span: at(" two"), text: "" },
            Change { span: at("three"), text: "3\u{E0}" },
        ])
        .unwrap();
    assert_eq!(changed.bytes(), b"\xE0\xE9 1 3\xE0 \xE9");
}

#[test]
fn what_cannot_be_written_is_named() {
    let document = Document::decode(b"caf\xE9".to_vec(), "windows-1252".parse().unwrap());
    let changes = [Change { span: 0..1, text: "C" }, Change { span: 2..3, text: "ab→" }];
    let Err(ChangeError::Unencodable { change, source }) = document.apply(&changes) else { panic!() };
    assert_eq!((change, source.character, source.at), (1, '→', 2));
}

#[test]
fn bytes_that_would_become_something_else_are_not_joined() {
    // The first half of a character stands alone; an `A` after it would complete it.
    let document = Document::decode(b"\x81\nA".to_vec(), "shift_jis".parse().unwrap());
    let newline = document.text().find('\n').unwrap();
    let error = document.apply(&[Change { span: newline..newline + 1, text: "" }]).unwrap_err();
    assert!(matches!(error, ChangeError::Joins { .. }), "{error:?}");
    // And a mark is no character.
    let document = Document::decode(b"a".to_vec(), Charset::UTF_8);
    let error = document.apply(&[Change { span: 0..0, text: "\u{FEFF}" }]).unwrap_err();
    assert_eq!(error, ChangeError::Joins { at: 0 });
}

#[test]
fn spans_that_do_not_fit_are_refused() {
    let document = Document::decode("äb".as_bytes().to_vec(), Charset::UTF_8);
    let change = |span| Change { span, text: "" };
    for (changes, wrong) in [
        (vec![change(1..2)], 0),
        (vec![change(2..9)], 0),
        (vec![change(2..3), change(0..1)], 1),
        (vec![change(0..3), change(2..3)], 1),
    ] {
        assert_eq!(document.apply(&changes).unwrap_err(), ChangeError::Span { change: wrong }, "{changes:?}");
    }
}

#[test]
fn line_endings_are_those_of_the_text() {
    let bytes = Charset::UTF_16BE.encode("a\r\nb\r\n").unwrap();
    let endings = Document::decode(bytes, Charset::UTF_16BE).line_endings();
    assert!(endings.is_wholly_crlf());
    assert_eq!(endings.kind(), Some(LineEnding::Crlf));
}

/// Two places of a text, in order and between characters.
fn span(text: &str, from: usize, to: usize) -> std::ops::Range<usize> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let (from, to) = (places[from % places.len()], places[to % places.len()]);
    from.min(to)..from.max(to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn a_change_touches_only_its_span(
        (charset, bytes) in any::damaged(), from in any::<usize>(), to in any::<usize>(), new in any::text(),
    ) {
        let document = Document::decode(bytes.clone(), charset);
        prop_assert_eq!(document.bytes(), &bytes[..]);
        let span = span(document.text(), from, to);
        let new = any::within(charset, &new);
        let mut expected = document.text().to_owned();
        expected.replace_range(span.clone(), &new);

        match document.apply(&[Change { span: span.clone(), text: &new }]) {
            Ok(changed) => {
                prop_assert_eq!(changed.text(), &expected);
                prop_assert_eq!(changed.encoding(), document.encoding());
                let old = document.bytes_of(span.clone());
                // In ISO-2022-JP the shifts next to the span belong to it.
                let shifts = if charset == Charset::ISO_2022_JP { 9 } else { 0 };
                let before = old.start.saturating_sub(shifts);
                let after = (old.end + shifts).min(bytes.len());
                prop_assert_eq!(&changed.bytes()[..before], &bytes[..before]);
                prop_assert!(changed.bytes().ends_with(&bytes[after..]));
                if charset != Charset::ISO_2022_JP {
                    let length = charset.encode(&new).unwrap().len();
                    prop_assert_eq!(changed.bytes().len(), bytes.len() - old.len() + length);
                }
                if new == document.text()[span] && document.undecodable() == 0 && charset != Charset::ISO_2022_JP {
                    prop_assert_eq!(changed.bytes(), &bytes[..]);
                }
            }
            // Only damage can stand in the way, or half of a pair that has no code of its own.
            Err(error) => prop_assert!(
                document.undecodable() > 0 || charset.encode(&expected).is_err() || new.contains('\u{FEFF}'),
                "{:?}", error
            ),
        }
    }

    #[test]
    fn what_is_decoded_is_what_encoding_wrote(text in any::text(), charset in any::charset()) {
        let text = any::within(charset, &text);
        let document = Document::decode(charset.encode(&text).unwrap(), charset);
        prop_assert_eq!(document.text(), &text);
        prop_assert_eq!(document.undecodable(), 0);
    }
}

/// Longer than the steps of the map, so that marks lie within, between and after damage.
#[test]
fn long_documents_are_mapped_all_the_way() {
    for name in Charset::NAMES {
        let charset: Charset = name.parse().unwrap();
        let line = any::within(charset, "plain ascii, äöü, при вет, 日本語, 中文, 한국어 😀\r\n");
        let mut bytes = charset.encode(&line.repeat(60)).unwrap();
        let damage = vec![0xFF; charset.unit() * 3];
        bytes.extend_from_slice(&damage);
        bytes.extend(charset.encode(&any::within(charset, "漢字и").repeat(900)).unwrap());
        bytes.extend(charset.encode(&line.repeat(60)).unwrap());
        let document = Document::decode(bytes.clone(), charset);
        for number in [0, 17, 59, 60, 61, 118, 119] {
            let (at, word) = document.text().match_indices("plain").nth(number).unwrap();
            assert_eq!(
                document.bytes()[document.bytes_of(at..at + word.len())],
                charset.encode("plain").unwrap()[..]
            );
            let changed = document.apply(&[Change { span: at..at + word.len(), text: "PLAIN" }]).unwrap();
            let mut expected = document.text().to_owned();
            expected.replace_range(at..at + 5, "PLAIN");
            assert_eq!(changed.text(), expected, "{name} {number}");
            let old = document.bytes_of(at..at + 5);
            assert!(
                bytes[..old.start] == changed.bytes()[..old.start]
                    && changed.bytes().ends_with(&bytes[old.end..])
            );
        }
    }
}

/// A mark of the map must not fall between the halves of a character.
#[test]
fn long_documents_of_wide_characters_are_not_torn() {
    for (charset, text) in [
        ("utf-16le", "😀"),
        ("utf-16be", "𝄞"),
        ("utf-8", "漢"),
        ("gbk", "漢"),
        ("gb18030", "😀"),
        ("shift_jis", "ソ"),
    ] {
        let charset: Charset = charset.parse().unwrap();
        for before in 0..4 {
            let text = "x".repeat(before) + &text.repeat(3000) + "\n";
            let mut bytes = charset.encode(&text).unwrap();
            // Something that does not decode, so that UTF-8 is mapped too.
            bytes.push(0xFF);
            let document = Document::decode(bytes, charset);
            assert_eq!(document.undecodable(), 1, "{charset} {before}");
            assert!(document.text() == text + "\u{FFFD}", "{charset} {before}");
        }
    }
}
