//! What holds for any bytes at all: no panic, and the same answer twice.

use proptest::prelude::*;
use toolcrib_formats::{Ranges, image, notebook, pdf, sniff};

use toolcrib_testkit::formats::pdf::{show, with_pages};

/// Whether reading these bytes as each format ends without a panic, also one that is held.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let _ = sniff(bytes);
    let image =
        image::prepare(bytes.to_vec(), image::Limits { side: 100, ..image::Limits::default() }, &|| false);
    prop_assert_ne!(image.as_ref().err(), Some(&image::Error::Fault));
    let document = pdf::read(bytes.to_vec(), &Ranges::all(), 5, &|| false);
    prop_assert_ne!(document.as_ref().err(), Some(&pdf::Error::Fault));
    prop_assert_eq!(&pdf::read(bytes.to_vec(), &Ranges::all(), 5, &|| false), &document);
    if let Ok(notebook) = notebook::parse(bytes, notebook::Limits::default(), &|| false) {
        let all: Vec<usize> = (0..notebook.cells.len() + 2).collect();
        let _ = notebook::render(&notebook, &all);
        prop_assert!(
            notebook
                .images(&all)
                .all(|image| image.bytes().is_none_or(|bytes| bytes.len() <= image.size() + 3))
        );
    }
    Ok(())
}

/// Pieces of documents, in any order.
fn pdf_pieces() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "1 0 obj",
        "2 0 obj",
        "3 0 obj",
        "endobj",
        "<<",
        ">>",
        "[",
        "]",
        "/Type/Catalog",
        "/Type/Pages",
        "/Type/Page",
        "/Kids[3 0 R]",
        "/Pages 2 0 R",
        "/Contents 1 0 R",
        "/Filter/FlateDecode",
        "/Filter[/LZWDecode/A85]",
        "/Length 9",
        "/Type/ObjStm/N 2/First 4",
        "/W[1 2 1]/Size 9",
        "stream\n",
        "endstream",
        "trailer",
        "/Root 1 0 R",
        "xref\n0 2\n",
        "0000000009 00000 n \n",
        "startxref\n",
        "99",
        "%%EOF",
        "(text",
        ")",
        "BT /F 9 Tf",
        "(a) Tj",
        "ET",
        "q",
        "Q",
        "0 1 -1 0 5 5 cm",
        "/X Do",
        "/Span<</ActualText(x)>>BDC",
        "EMC",
        "BI /W 1 /H 1 ID ",
        "EI",
        "\n",
        " ",
        "%",
        "/Encrypt 3 0 R",
        "/Font<</F 3 0 R>>",
        "/Subtype/Type0/Encoding/Identity-H",
        "/Subtype/Type3",
        "/ToUnicode 2 0 R",
        "R",
        "1 1 1 1 1",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60)
        .prop_map(|pieces| [b"%PDF-1.7\n".as_slice(), pieces.join(" ").as_bytes()].concat())
}

/// What a page may draw, in any order.
fn contents() -> impl Strategy<Value = String> {
    let operators = [
        "BT",
        "ET",
        "q",
        "Q",
        "/F 12 Tf",
        "/G 0 Tf",
        "/F -9 Tf",
        "1 0 0 1 72 700 Tm",
        "0 1 -1 0 9 9 Tm",
        "0 0 0 0 0 0 Tm",
        "1e9 0 0 1e-9 5 5 cm",
        "1 0 0 1 1e30 1 cm",
        "(some words) Tj",
        "(\\216\\330\\264) Tj",
        "[(a)-9999999(b)1e38(c)] TJ",
        "5 Tc",
        "-5 Tw",
        "0 Tz",
        "-100 Tz",
        "12 TL",
        "T*",
        "(next) '",
        "1 2 (three) \"",
        "7 Tr",
        "9 Ts",
        "0 -14 Td",
        "300 0 Td",
        "/Span<</ActualText(x)>>BDC",
        "EMC",
        "/X Do",
        "BI /W 1 /H 1 ID x EI",
        "( ) Tj",
        "(\\(\\)) Tj",
        "5 0 0 5 0 0 cm",
    ];
    prop::collection::vec(prop::sample::select(operators.to_vec()), 0..80)
        .prop_map(|operators| operators.join("\n"))
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0..8_usize) {
        let starts: [&[u8]; 8] = [
            b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xFF\xD8\xFF\xE0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8L",
            b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", b"II*\0\x08\0\0\0", b"%PDF-1.4\n",
        ];
        check(&[starts[start], &bytes].concat())?;
    }

    #[test]
    fn any_pieces_of_a_document(bytes in pdf_pieces()) {
        check(&bytes)?;
    }

    #[test]
    fn any_content_of_a_page(content in contents(), words in "[a-z ]{0,20}") {
        check(&with_pages(&[&content, &show(72.0, 700.0, 12.0, &words)]))?;
    }

    #[test]
    fn any_json_that_may_be_a_notebook(json in "(\\{|\\}|\\[|\\]|\"cells\":|\"source\":|\"outputs\":|\"text\"|\"a\"|,|:|1|null| ){0,30}") {
        check(json.as_bytes())?;
    }

    #[test]
    fn the_words_of_a_page_come_back_in_order(lines in prop::collection::vec("[A-Za-z]{1,8}( [A-Za-z]{1,8}){0,6}", 1..20)) {
        let content: String = (0_u8..).zip(&lines).map(|(row, line)| show(72.0, 780.0 - 14.0 * f64::from(row), 11.0, line)).collect();
        let document = pdf::read(with_pages(&[&content]), &Ranges::all(), 1, &|| false).unwrap();
        prop_assert_eq!(document.pages[0].text.trim_end(), lines.join("\n"));
    }
}
