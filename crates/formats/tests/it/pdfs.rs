//! Documents that the tests write themselves, and some that other programs wrote.

use toolcrib_formats::pdf::{Document, Error, read};
use toolcrib_formats::{RangeError, Ranges};
use toolcrib_testkit::formats::fixture;
use toolcrib_testkit::formats::pdf::{Writer, deflated, one_page, show, stream, with_pages};

fn open(bytes: &[u8], pages: &str, limit: usize) -> Result<Document, Error> {
    read(bytes.to_vec(), &pages.parse().unwrap(), limit, &|| false)
}

/// The text of the first page.
#[track_caller]
fn text(bytes: &[u8]) -> String {
    open(bytes, "1", 1).unwrap().pages.remove(0).text
}

#[test]
fn pages_are_read_one_by_one_and_the_rest_is_named() {
    let contents: Vec<String> =
        (1..=5).map(|page| show(72.0, 700.0, 12.0, &format!("Page number {page}"))).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let bytes = with_pages(&contents);
    let document = open(&bytes, "2-", 2).unwrap();
    assert_eq!(document.page_count, 5);
    assert_eq!(document.render(), "--- Page 2 ---\nPage number 2\n\n--- Page 3 ---\nPage number 3\n");
    assert_eq!(document.rest.map(|rest| rest.to_string()).as_deref(), Some("4-5"));
    assert!(open(&bytes, "1-", 0).unwrap().pages.is_empty(), "counting reads none");
    let past = open(&bytes, "6", 9);
    assert_eq!(past, Err(Error::Range(RangeError::PastTheEnd { first: 6, total: 5 })));
}

#[test]
fn words_are_divided_by_gaps_and_lines_by_heights() {
    let content = "BT /F 12 Tf 72 700 Td [(Hel)-10(lo)-300(wor)20(ld)] TJ 0 -14 Td (second line) Tj ET";
    assert_eq!(text(&with_pages(&[content])), "Hello world\nsecond line\n");
}

#[test]
fn what_is_drawn_in_any_order_is_read_from_the_top() {
    let lines = [(3, "third"), (1, "first"), (4, "fourth"), (2, "second")];
    let content: String =
        lines.map(|(row, line)| show(72.0, 700.0 - 14.0 * f64::from(row), 12.0, line)).concat();
    assert_eq!(text(&with_pages(&[&content])), "first\nsecond\nthird\nfourth\n");
}

const LINES: [&str; 8] = [
    "The quick brown fox jumps over it",
    "while the lazy dog sleeps in the",
    "garden behind the house, and no",
    "cat is to be seen anywhere near",
    "the fence that divides the land",
    "from the road which leads to the",
    "village where the school is and",
    "the church with its old tower.",
];

/// Two texts beside each other, under a title.
fn side_by_side(order: &[usize]) -> Vec<u8> {
    let mut pieces: Vec<String> = Vec::new();
    for (column, x) in [("left", 72.0), ("right", 320.0)] {
        for (row, line) in (0_u8..).zip(LINES) {
            pieces.push(show(x, 700.0 - 12.0 * f64::from(row), 10.0, &format!("{column} {line}")));
        }
    }
    let shown: String = order.iter().map(|at| pieces[*at].clone()).collect();
    with_pages(&[&(show(72.0, 740.0, 20.0, "A title that goes over both of the columns") + &shown)])
}

#[test]
fn columns_are_read_one_after_the_other_however_they_are_drawn() {
    let expected = |column: &str| LINES.map(|line| format!("{column} {line}\n")).concat();
    let expected =
        format!("A title that goes over both of the columns\n\n{}\n{}", expected("left"), expected("right"));
    let in_order: Vec<usize> = (0..16).collect();
    assert_eq!(text(&side_by_side(&in_order)), expected);
    let shuffled = [5, 14, 2, 9, 0, 11, 7, 3, 15, 8, 1, 12, 4, 10, 6, 13];
    assert_eq!(text(&side_by_side(&shuffled)), expected);
}

#[test]
fn the_rows_of_a_table_are_read_across() {
    let rows = [
        ("Apples", "12", "red"),
        ("Bananas", "7", "yellow"),
        ("Cherries", "150", "dark"),
        ("Dates", "9", "brown"),
    ];
    let mut content = String::new();
    for (row, (name, count, colour)) in (0_u8..).zip(rows) {
        let y = 700.0 - 16.0 * f64::from(row);
        content +=
            &(show(72.0, y, 11.0, name) + &show(200.0, y, 11.0, count) + &show(300.0, y, 11.0, colour));
    }
    assert_eq!(
        text(&with_pages(&[&content])),
        "Apples 12 red\nBananas 7 yellow\nCherries 150 dark\nDates 9 brown\n"
    );
}

#[test]
fn a_page_on_its_side_and_a_word_along_the_margin() {
    let sideways = "BT /F 12 Tf 0 1 -1 0 100 100 Tm (first of two lines) Tj 0 -14 Td (second of two) Tj ET ";
    assert_eq!(text(&with_pages(&[sideways])), "first of two lines\nsecond of two\n");
    let margin = sideways.to_owned() + &show(300.0, 50.0, 8.0, "margin");
    assert_eq!(text(&with_pages(&[&margin])), "first of two lines\nsecond of two\n\nmargin\n");
}

#[test]
fn raised_numbers_and_accents_go_where_they_belong() {
    let content = show(72.0, 700.0, 12.0, "E = mc")
        + &show(110.0, 705.0, 7.0, "2")
        + &show(120.0, 700.0, 12.0, "holds");
    assert_eq!(text(&with_pages(&[&content])), "E = mc2 holds\n");
    // An acute (octal 264 in the font's own encoding is a bullet; 302 is the acute) over the e of cafe.
    let accent = show(72.0, 700.0, 12.0, "cafe") + "BT /F 12 Tf 1 0 0 1 91.6 700 Tm (\\302) Tj ET";
    assert_eq!(text(&with_pages(&[&accent])), "café\n");
}

#[test]
fn bold_by_drawing_twice_is_read_once() {
    let content = show(72.0, 700.0, 12.0, "Heading") + &show(72.4, 700.0, 12.0, "Heading");
    assert_eq!(text(&with_pages(&[&content])), "Heading\n");
}

#[test]
fn forms_are_drawn_where_they_are_placed_and_annotations_too() {
    let mut writer = one_page("/Annots[7 0 R]", "/XObject<</X 6 0 R>>");
    writer.add_stream("", (show(72.0, 700.0, 12.0, "on the page") + "q 1 0 0 1 0 -20 cm /X Do Q").as_bytes());
    let form = show(72.0, 700.0, 12.0, "in a form");
    writer.add_stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", form.as_bytes());
    writer.add("<</Type/Annot/Subtype/Widget/Rect[72 650 272 670]/AP<</N 8 0 R>>>>");
    let value = "BT /F 12 Tf 2 5 Td (a value) Tj ET";
    let entries = "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F 3 0 R>>>>";
    writer.add_stream(entries, value.as_bytes());
    assert_eq!(text(&writer.finish()), "on the page\nin a form\n\na value\n");
}

#[test]
fn the_text_that_a_mark_states_replaces_its_glyphs() {
    let content = "BT /F 12 Tf 72 700 Td (o) Tj /Span<</ActualText(ffi)>>BDC (X) Tj EMC (ce) Tj \
        /Span<</ActualText<FEFF00E4>>>BDC (Y) Tj EMC ET";
    assert_eq!(text(&with_pages(&[content])), "officeä\n");
}

#[test]
fn a_drawn_font_without_names_is_read_by_its_codes() {
    let mut writer = one_page("", "/Font<</F 3 0 R/T 6 0 R>>");
    writer.add_stream("", b"BT /T 12 Tf 72 700 Td (ab ba) Tj ET");
    let widths = "500 ".repeat(256);
    writer.add(format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 0/LastChar 255\
         /Widths[{widths}]/CharProcs<</g1 7 0 R/g2 7 0 R>>/Encoding<</Differences[97/g1/g2]>>>>"
    ));
    writer.add_stream("", b"500 0 d0 0 0 500 500 re f");
    assert_eq!(text(&writer.finish()), "ab ba\n");
}

#[test]
fn a_composite_font_without_a_map_counts_what_it_cannot_say() {
    let mut writer = one_page("", "/Font<</T 6 0 R>>");
    writer.add_stream("", b"BT /T 12 Tf 72 700 Td <00410042> Tj ET");
    writer.add("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[7 0 R]>>");
    writer.add(
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
    );
    let page = open(&writer.finish(), "1", 1).unwrap().pages.remove(0);
    assert_eq!((page.text.as_str(), page.unknown), ("\u{FFFD}\u{FFFD}\n", 2));
}

#[test]
fn japanese_without_an_embedded_font() {
    let mut writer = one_page("", "/Font<</T 6 0 R>>");
    writer.add_stream("", b"BT /T 12 Tf 72 700 Td <93FA967B8CEA> Tj ET");
    writer.add(
        "<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/90ms-RKSJ-H/DescendantFonts[7 0 R]>>",
    );
    writer.add(
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>",
    );
    assert_eq!(text(&writer.finish()), "日本語\n");
}

#[test]
fn images_without_text_look_scanned_and_an_empty_page_does_not() {
    let mut writer = one_page("", "/XObject<</I 6 0 R>>");
    writer.add_stream("", b"q 595 0 0 842 0 0 cm /I Do Q");
    writer.add_stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        b"\0",
    );
    let scanned = open(&writer.finish(), "1", 1).unwrap();
    assert!(!scanned.has_text() && scanned.is_scanned());
    assert_eq!(scanned.render(), "--- Page 1 ---\n[no text, 1 image]\n");
    let empty = open(&with_pages(&["0 0 100 100 re f"]), "1", 1).unwrap();
    assert!(!empty.has_text() && !empty.is_scanned());
}

#[test]
fn encrypted_documents_open_with_an_empty_password_only() {
    for name in ["aes256.pdf", "rc4.pdf", "aes128-object-streams.pdf"] {
        assert!(text(&fixture(name)).starts_with("The secret of this page is"), "{name}");
    }
    assert_eq!(open(&fixture("password.pdf"), "1", 1), Err(Error::Encrypted));
}

#[test]
fn object_streams_are_read() {
    assert!(text(&fixture("object-streams.pdf")).starts_with("The secret of this page is"));
}

#[test]
fn what_is_broken_is_read_as_far_as_it_goes() {
    let whole = with_pages(&[&show(72.0, 700.0, 12.0, "still here")]);
    let at = whole.windows(9).rposition(|window| window == b"startxref").unwrap();
    let no_table = [&whole[..at], b"startxref\n99999999\n%%EOF"].concat();
    assert_eq!(text(&no_table), "still here\n");
    let table = whole.windows(6).position(|window| window == b"xref\n0").unwrap();
    assert_eq!(text(&whole[..table]), "still here\n", "objects without a table");
    let junk_before = [&[7; 300], b"\n".as_slice(), &whole].concat();
    assert_eq!(text(&junk_before), "still here\n");
    let mut wrong_places = whole.clone();
    for byte in &mut wrong_places[table + 30..table + 100] {
        if *byte == b'1' {
            *byte = b'3';
        }
    }
    assert_eq!(text(&wrong_places), "still here\n");
}

#[test]
fn what_is_no_document_is_damaged() {
    for bytes in [
        b"".as_slice(),
        b"%PDF-1.7\n",
        b"plain text",
        &[0; 1000],
        b"%PDF-1.7\n1 0 obj <</Type/Catalog>> endobj",
    ] {
        assert!(matches!(open(bytes, "1", 1), Err(Error::Damaged(_))), "{}", bytes.escape_ascii());
    }
}

#[test]
fn content_in_several_packed_streams_is_one() {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add("<</Type/Pages/Count 1/Kids[4 0 R]>>");
    writer.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    writer.add("<</Type/Page/Parent 2 0 R/Contents[5 0 R 6 0 R]/Resources<</Font<</F 3 0 R>>>>>>");
    writer.add_stream("/Filter/FlateDecode", &deflated(b"BT /F 12 Tf 72 700 Td"));
    let hex: String = deflated(b"(two parts) Tj ET").iter().map(|byte| format!("{byte:02x}")).collect();
    writer.add(stream("/Filter[/ASCIIHexDecode/FlateDecode]", (hex + ">").as_bytes()));
    assert_eq!(text(&writer.finish()), "two parts\n");
}

#[test]
fn a_stop_ends_it() {
    let bytes = with_pages(&["BT ET"]);
    assert_eq!(read(bytes, &Ranges::all(), 1, &|| true), Err(Error::Stopped));
}
