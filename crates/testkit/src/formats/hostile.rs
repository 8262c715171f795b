//! The hostile files, each made when it is asked for.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::pdf::{Writer, deflated, one_page, show, stream, with_pages};
use super::picture::png;

/// Makes a file.
pub type Make = fn() -> Vec<u8>;

/// Every one of them by name. What it is called begins with its kind.
pub const ALL: &[(&str, Make)] = &[
    ("image: 65535 x 65535 PNG", || png(65_535, 65_535, &zeros(64))),
    ("image: PNG bomb just within the limit", || png(6600, 6600, &zeros_of(0, 125))),
    ("image: GIF of 10,000 frames", gif_of_many_frames),
    ("image: GIF canvas of 65535 x 65535", huge_gif),
    ("image: progressive JPEG of 65535 x 65535", || jpeg(65_535, 65_535)),
    ("image: progressive JPEG of 3600 x 3600", || jpeg(3600, 3600)),
    ("image: TIFF that says 2 GB", huge_tiff),
    ("image: BMP that says 60000 x 60000", huge_bmp),
    ("notebook: 60 MB of one output", long_notebook),
    ("notebook: a million cells", || format!("{{\"cells\":[{}0]}}", "{},".repeat(1_000_000)).into_bytes()),
    ("notebook: 60 MB of brackets", || vec![b'['; 60_000_000]),
    ("notebook: 60 MB of escapes", || {
        format!("{{\"cells\":[{{\"source\":\"{}\"}}]}}", "\\n".repeat(30_000_000)).into_bytes()
    }),
    ("pdf: 1 GB in a page's content", || content_of("/Filter/FlateDecode", &zeros(1024))),
    ("pdf: a bomb in a bomb", || content_of("/Filter[/FlateDecode/FlateDecode]", &deflated(&zeros(1024)))),
    ("pdf: LZW bomb", || content_of("/Filter/LZWDecode", &lzw_bomb())),
    ("pdf: RunLength in RunLength in Flate", run_lengths),
    ("pdf: 60 MB of content, not packed", || content_of("", &vec![b' '; 60_000_000])),
    ("pdf: 23 MB of q", || content_of("/Filter/FlateDecode", &deflated(&b"q ".repeat(11_500_000)))),
    ("pdf: 20 MB of text", || content_of("/Filter/FlateDecode", &deflated(long_text().as_bytes()))),
    ("pdf: a million lines", many_lines),
    ("pdf: two million names of fonts", many_font_names),
    ("pdf: a mark of 1 KB on each of 300,000 glyphs", many_marks),
    ("pdf: 2 MB of inline images", || content_of("", &b"BI ID EI ".repeat(220_000))),
    ("pdf: 5 MB of operands", || content_of("", &b"1 ".repeat(2_500_000))),
    ("pdf: 100,000 times the same stream", same_stream_often),
    ("pdf: object stream bomb", object_stream_bomb),
    ("pdf: encrypted object stream bomb", || include_bytes!("../../fixtures/encrypted-bomb.pdf").to_vec()),
    ("pdf: any stream as object stream", disguised_object_streams),
    ("pdf: cross-reference stream of 60 million", || references(&zeros_of(0, 180))),
    ("pdf: two million objects", || many(b"1 0 obj 0\n", 2_000_000)),
    ("pdf: two million classic entries", many_entries),
    ("pdf: a dictionary of five million names", many_names),
    ("pdf: names in an object stream", names_in_object_stream),
    ("pdf: four million pages in the tree", inline_pages),
    ("pdf: 150,000 pages", many_pages),
    ("pdf: a tree that runs into itself", circular_tree),
    ("pdf: a tree of depth 100,000", deep_tree),
    ("pdf: a form in itself", form_in_itself),
    ("pdf: forms in forms, 10^16 in all", forms_in_forms),
    ("pdf: a million brackets", || object(&[b"[".repeat(1_000_000), b"]".repeat(1_000_000)].concat())),
    ("pdf: a million dictionaries", || object(&b"<</A".repeat(1_000_000))),
    ("pdf: widths for four billion", || font("/W[0 4294967295 500]", "")),
    ("pdf: first character a billion", || font("", "/FirstChar 1000000000/LastChar 1000000001/Widths[1]")),
    ("pdf: a map that is a bomb", || mapped(&zeros(500))),
    ("pdf: a map that uses a map, 300,000 times", || {
        mapped(&deflated(&b"/Adobe-Japan1-UCS2 usecmap\n".repeat(150_000)))
    }),
    ("pdf: a map of a million ranges", || mapped(&deflated(&many_ranges()))),
    ("pdf: streams without an end", || many(b"1 0 obj<</Length 9/Type/ObjStm>>stream\n", 250_000)),
    ("pdf: objects without an end", || many(b"1 0 obj<<", 1_000_000)),
    ("pdf: strings without an end", || many(b"1 0 obj(", 1_000_000)),
    ("pdf: comments", || many(b"%\n", 20_000_000)),
    ("pdf: a chain of tables that is a circle", circular_references),
];

/// A small file of each kind.
pub fn small() -> Vec<(&'static str, Vec<u8>)> {
    let picture: DynamicImage =
        RgbImage::from_fn(24, 16, |x, y| Rgb([x, y, x * y].map(|value| value as u8))).into();
    let file = |format| {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    let notebook = br#"{"nbformat":4,"metadata":{"language_info":{"name":"python"}},"cells":[{"cell_type":"code",
        "source":["a\n","b"],"outputs":[{"output_type":"stream","name":"stdout","text":["\u001b[1mx\n"]},
        {"output_type":"display_data","data":{"image/png":"iVBORw0KGgo=","text/plain":"p"}},
        {"output_type":"error","ename":"E","evalue":"v","traceback":["t"]}]},{"cell_type":"markdown","source":"m"}]}"#;
    vec![
        ("PNG", file(ImageFormat::Png)),
        ("JPEG", file(ImageFormat::Jpeg)),
        ("GIF", file(ImageFormat::Gif)),
        ("WebP", file(ImageFormat::WebP)),
        ("BMP", file(ImageFormat::Bmp)),
        ("TIFF", file(ImageFormat::Tiff)),
        ("notebook", notebook.to_vec()),
        (
            "PDF",
            with_pages(&[
                &show(72.0, 700.0, 12.0, "some text"),
                "q 1 0 0 1 5 5 cm BT /F 9 Tf [(a)-5(b)] TJ ET Q",
            ]),
        ),
        ("PDF with object streams", include_bytes!("../../fixtures/object-streams.pdf").to_vec()),
        ("PDF, AES-256", include_bytes!("../../fixtures/aes256.pdf").to_vec()),
        ("PDF, AES-128, streams", include_bytes!("../../fixtures/aes128-object-streams.pdf").to_vec()),
    ]
}

/// So many megabytes of spaces, packed.
pub fn zeros(megabytes: usize) -> Vec<u8> {
    zeros_of(b' ', megabytes)
}

fn zeros_of(byte: u8, megabytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let piece = vec![byte; 1024 * 1024];
    for _ in 0..megabytes {
        encoder.write_all(&piece).unwrap();
    }
    encoder.finish().unwrap()
}

fn gif_of_many_frames() -> Vec<u8> {
    let mut bytes = b"GIF89a\x20\x03\x20\x03\x80\0\0\xFF\xFF\xFF\0\0\0".to_vec();
    for _ in 0..10_000 {
        // A graphic control, and an image of one pixel in the corner.
        bytes.extend_from_slice(b"!\xF9\x04\0\x0A\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0");
    }
    bytes.push(b';');
    bytes
}

fn huge_gif() -> Vec<u8> {
    b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\xFF\xFF\xFF\0\0\0,\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02D\x01\0;".to_vec()
}

/// A progressive JPEG of these dimensions with one scan that holds next to nothing.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0];
    bytes.extend_from_slice(&[1; 64]);
    bytes.extend_from_slice(&[0xFF, 0xC2, 0, 17, 8]);
    bytes.extend_from_slice(&height.to_be_bytes());
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&[3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
    // One code of one bit that means 0.
    bytes.extend_from_slice(&[0xFF, 0xC4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend_from_slice(&[0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]);
    bytes.extend_from_slice(&vec![0; 600_000]);
    bytes.extend_from_slice(&[0xFF, 0xD9]);
    bytes
}

/// One strip of eight bits grey, 65000 x 32000.
fn huge_tiff() -> Vec<u8> {
    let entries: [(u16, u16, u32); 9] = [
        (256, 4, 65_000),
        (257, 4, 32_000),
        (258, 3, 8),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 8),
        (277, 3, 1),
        (278, 4, 32_000),
        (279, 4, 2_080_000_000),
    ];
    let mut bytes = b"II*\0\x08\0\0\0\x09\0".to_vec();
    for (tag, kind, value) in entries {
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(&kind.to_le_bytes());
        bytes.extend_from_slice(&1_u32.to_le_bytes());
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes.extend_from_slice(&[0; 100]);
    bytes
}

fn huge_bmp() -> Vec<u8> {
    let mut bytes = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bytes.extend_from_slice(&60_000_u32.to_le_bytes());
    bytes.extend_from_slice(&60_000_u32.to_le_bytes());
    bytes.extend_from_slice(&[1, 0, 24, 0]);
    bytes.extend_from_slice(&[0; 200]);
    bytes
}

fn long_notebook() -> Vec<u8> {
    let line = "\"0123456789012345678901234567890123456789012345678901234567890123456789\\n\",";
    let lines = line.repeat(60_000_000 / line.len());
    format!("{{\"nbformat\":4,\"cells\":[{{\"cell_type\":\"code\",\"source\":\"x\",\"outputs\":[{{\"output_type\":\"stream\",\"text\":[{lines}\"\"]}}]}}]}}")
        .into_bytes()
}

/// One page with this content.
fn content_of(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut writer = one_page("", "");
    writer.add_stream(entries, data);
    writer.finish()
}

/// Codes of nine bits and more, each the one before and a byte: strings that grow by one every time.
fn lzw_bomb() -> Vec<u8> {
    let mut encoder = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    encoder.encode(&vec![b' '; 60 * 1024 * 1024]).unwrap()
}

fn run_lengths() -> Vec<u8> {
    // Pairs of "repeat 128 times" and a byte, packed; unpacked once, they are again such pairs.
    let inner = [129, 129].repeat(6 * 1024 * 1024);
    content_of("/Filter[/FlateDecode/RunLengthDecode/RunLengthDecode]", &deflated(&inner))
}

fn long_text() -> String {
    format!("BT /F 12 Tf 72 700 Td ({}) Tj ET", "a".repeat(20_000_000))
}

fn many_lines() -> Vec<u8> {
    let mut content = String::from("BT /F 1 Tf 0.001 TL ");
    content.push_str(&"(a b) ' ".repeat(1_000_000));
    content_of("/Filter/FlateDecode", &deflated(content.as_bytes()))
}

fn many_font_names() -> Vec<u8> {
    let names: String = (0..2_000_000_u32).map(|name| format!("/{name:x} 1 Tf\n")).collect();
    content_of("/Filter/FlateDecode", &deflated(names.as_bytes()))
}

fn many_marks() -> Vec<u8> {
    let mut writer = one_page("", &format!("/Properties<</P<</ActualText({})>>>>", "a".repeat(1000)));
    let marks = "/Span/P BDC(a)Tj EMC ".repeat(300_000);
    writer.add_stream("/Filter/FlateDecode", &deflated(["BT /F 9 Tf ", &marks].concat().as_bytes()));
    writer.finish()
}

fn same_stream_often() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add("<</Type/Pages/Count 1/Kids[3 0 R]>>");
    writer.add(format!("<</Type/Page/Parent 2 0 R/Contents[{}]>>", "4 0 R ".repeat(100_000)));
    writer.add_stream("/Filter/FlateDecode", &zeros(20));
    writer.finish()
}

/// A document with a cross-reference stream in which object 2, the page tree, is in the stream of number 3.
fn in_object_stream(object_stream: &[u8]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n".to_vec();
    let place = bytes.len();
    bytes.extend_from_slice(b"3 0 obj\n");
    bytes.extend_from_slice(object_stream);
    bytes.extend_from_slice(b"\nendobj\n");
    let table = bytes.len();
    let mut entries = vec![0, 0, 0, 0, 0, 0];
    entries.extend_from_slice(&[1, 0, 0, 0, 9, 0]);
    entries.extend_from_slice(&[2, 0, 0, 0, 3, 0]);
    entries.push(1);
    entries.extend_from_slice(&u32::try_from(place).unwrap().to_be_bytes());
    entries.push(0);
    bytes.extend_from_slice(b"4 0 obj\n");
    bytes.extend_from_slice(&stream("/Type/XRef/Size 4/W[1 4 1]/Root 1 0 R", &entries));
    bytes.extend_from_slice(format!("\nendobj\nstartxref\n{table}\n%%EOF\n").as_bytes());
    bytes
}

fn object_stream_bomb() -> Vec<u8> {
    in_object_stream(&stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zeros(1024)))
}

fn disguised_object_streams() -> Vec<u8> {
    in_object_stream(&stream(
        "/Type/Metadata/N 1/First 4/Filter[/FlateDecode/FlateDecode]",
        &deflated(&zeros(1024)),
    ))
}

fn names_in_object_stream() -> Vec<u8> {
    let mut data = String::from("2 0 <<");
    for name in 0..4_000_000 {
        data.push_str(&format!("/{name:x} 1"));
    }
    in_object_stream(&stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &deflated(data.as_bytes())))
}

/// A document whose cross-reference stream is this, packed.
fn references(packed: &[u8]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n".to_vec();
    let table = bytes.len();
    bytes.extend_from_slice(b"4 0 obj\n");
    let entries = "/Type/XRef/Size 60000000/W[1 1 1]/Root 1 0 R/Filter/FlateDecode";
    bytes.extend_from_slice(&stream(entries, packed));
    bytes.extend_from_slice(format!("\nendobj\nstartxref\n{table}\n%%EOF\n").as_bytes());
    bytes
}

/// The same text again and again, in what starts like a document.
fn many(text: &[u8], times: usize) -> Vec<u8> {
    [b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n".as_slice(), &text.repeat(times)].concat()
}

fn many_entries() -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    bytes.extend_from_slice(b"xref\n0 2000000\n");
    bytes.extend_from_slice(&b"0000000009 00000 n \n".repeat(2_000_000));
    bytes.extend_from_slice(b"trailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF");
    bytes
}

fn many_names() -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R".to_vec();
    for name in 0..5_000_000_u32 {
        bytes.extend_from_slice(format!("/{name:x} 1").as_bytes());
    }
    bytes.extend_from_slice(b">>endobj trailer<</Root 1 0 R>>");
    bytes
}

fn inline_pages() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add(["<</Type/Pages/Kids[", &"<<>>".repeat(4_000_000), "]>>"].concat());
    writer.finish()
}

fn many_pages() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    let kids: String = (3..150_003).map(|number| format!("{number} 0 R ")).collect();
    writer.add(format!("<</Type/Pages/Count 150000/Kids[{kids}]>>"));
    for _ in 0..150_000 {
        writer.add("<</Type/Page>>");
    }
    writer.finish()
}

fn circular_tree() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add("<</Type/Pages/Kids[3 0 R 2 0 R 3 0 R]/Count 3>>");
    writer.add("<</Type/Pages/Kids[2 0 R 3 0 R 4 0 R 4 0 R]/Count 3>>");
    writer.add("<</Type/Page>>");
    writer.finish()
}

fn deep_tree() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    for number in 3..100_003 {
        writer.add(format!("<</Type/Pages/Kids[{number} 0 R]/Count 1>>"));
    }
    writer.add("<</Type/Page>>");
    writer.finish()
}

fn form_in_itself() -> Vec<u8> {
    let mut writer = one_page("", "/XObject<</X 6 0 R>>");
    writer.add_stream("", b"/X Do");
    let entries =
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>/Font<</F 3 0 R>>>>";
    writer.add_stream(entries, (show(0.0, 0.0, 9.0, "again") + "/X Do /X Do").as_bytes());
    writer.finish()
}

fn forms_in_forms() -> Vec<u8> {
    let mut writer = one_page("", "/XObject<</X 6 0 R>>");
    writer.add_stream("", b"/X Do");
    for number in 7..30 {
        let entries =
            format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {number} 0 R>>>>");
        writer.add_stream(&entries, &b"/X Do ".repeat(10));
    }
    writer.finish()
}

/// A document with this as an object that is needed.
fn object(body: &[u8]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    writer.add([b"<</Type/Page/Contents ".as_slice(), body, b">>"].concat());
    writer.finish()
}

/// A document with a font whose dictionaries have these entries.
fn font(descendant: &str, simple: &str) -> Vec<u8> {
    let mut writer = one_page("", "/Font<</T 6 0 R/S 8 0 R>>");
    writer.add_stream("", b"BT /T 12 Tf 72 700 Td <00410042> Tj /S 12 Tf (abc) Tj ET");
    writer.add("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[7 0 R]>>");
    writer.add(format!("<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>{descendant}>>"));
    writer.add(format!("<</Type/Font/Subtype/TrueType/BaseFont/Helvetica{simple}>>"));
    writer.finish()
}

/// A document with a font whose map to Unicode is this, packed.
fn mapped(packed: &[u8]) -> Vec<u8> {
    let mut writer = one_page("", "/Font<</T 6 0 R>>");
    writer.add_stream("", b"BT /T 12 Tf 72 700 Td (abc) Tj ET");
    writer.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>");
    writer.add_stream("/Filter/FlateDecode", packed);
    writer.finish()
}

fn many_ranges() -> Vec<u8> {
    let mut map = b"1 begincodespacerange <00> <FF> endcodespacerange 9 beginbfrange\n".to_vec();
    map.extend_from_slice(&b"<0000><FFFF><0041>\n".repeat(200_000));
    map.extend_from_slice(b"endbfrange");
    map
}

fn circular_references() -> Vec<u8> {
    let mut bytes =
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]>>endobj\n"
            .to_vec();
    let first = bytes.len();
    let second = first + 60;
    let table = |next: usize| format!("xref\n0 0\ntrailer<</Root 1 0 R/Prev {next:06}>>");
    bytes.extend_from_slice(format!("{:60}", table(second)).as_bytes());
    bytes.extend_from_slice(format!("{:60}startxref\n{first}\n%%EOF", table(first)).as_bytes());
    bytes
}
