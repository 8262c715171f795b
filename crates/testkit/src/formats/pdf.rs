//! Writes PDFs, also such as no program would write.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A document under construction. The first object is the catalogue.
#[derive(Default)]
pub struct Writer {
    objects: Vec<Vec<u8>>,
}

impl Writer {
    /// Adds an object and gives its number.
    pub fn add(&mut self, body: impl AsRef<[u8]>) -> usize {
        self.objects.push(body.as_ref().to_vec());
        self.objects.len()
    }

    /// Adds a stream with these entries in its dictionary.
    pub fn add_stream(&mut self, entries: &str, data: &[u8]) -> usize {
        self.add(stream(entries, data))
    }

    /// The file, with a table of where its objects are.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut places = Vec::new();
        for (at, body) in self.objects.iter().enumerate() {
            places.push(bytes.len());
            bytes.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
            bytes.extend_from_slice(body);
            bytes.extend_from_slice(b"\nendobj\n");
        }
        let table = bytes.len();
        bytes.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).as_bytes());
        for place in &places {
            bytes.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
        }
        let size = places.len() + 1;
        let end = format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n");
        bytes.extend_from_slice(end.as_bytes());
        bytes
    }
}

/// The body of a stream with these entries in its dictionary.
pub fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut body = format!("<<{entries}/Length {}>>\nstream\n", data.len()).into_bytes();
    body.extend_from_slice(data);
    body.extend_from_slice(b"\nendstream");
    body
}

/// A document whose pages have these contents and Helvetica as `/F`.
pub fn with_pages(contents: &[&str]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    let kids: String = (0..contents.len()).map(|at| format!("{} 0 R ", 4 + 2 * at)).collect();
    writer
        .add(format!("<</Type/Pages/Count {}/Kids[{kids}]/Resources<</Font<</F 3 0 R>>>>>>", contents.len()));
    writer.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    for (at, content) in contents.iter().enumerate() {
        writer.add(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R>>", 5 + 2 * at));
        writer.add_stream("", content.as_bytes());
    }
    writer.finish()
}

/// A document of one page: its first four objects are catalogue, tree, font and page, the page's content is the fifth.
pub fn one_page(page: &str, resources: &str) -> Writer {
    let mut writer = Writer::default();
    writer.add("<</Type/Catalog/Pages 2 0 R>>");
    writer.add("<</Type/Pages/Count 1/Kids[4 0 R]>>");
    writer.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    writer.add(format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F 3 0 R>>{resources}>>{page}>>"
    ));
    writer
}

/// Text at a place, in a size.
pub fn show(x: f64, y: f64, size: f64, text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("BT /F {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}

/// Data as Flate has it.
pub fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}
