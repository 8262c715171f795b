//! The table of `docs/formats.md` says what the code does.

use toolcrib_formats::image::{self, DECODED};
use toolcrib_formats::{Kind, notebook as notebooks, pdf as documents};

use super::{ReadLimits, ReadRequest, notebook, source};

const DOCUMENT: &str = include_str!("../../../../docs/formats.md");
const KB: usize = 1024;
const MB: usize = 1024 * KB;

/// The cells of the row that begins with a kind.
fn row(kind: &str) -> (&'static str, &'static str) {
    let row = DOCUMENT.lines().find(|line| line.starts_with(&format!("| {kind}")));
    let row = row.unwrap_or_else(|| panic!("no row for {kind}"));
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    (cells[0], cells[2])
}

fn names(kinds: impl Iterator<Item = Kind>) -> String {
    kinds.map(Kind::name).collect::<Vec<_>>().join(", ")
}

#[test]
fn limits_of_text() {
    let (default, most) = (ReadRequest::DEFAULT_LIMIT, ReadRequest::MAX_LIMIT);
    let (length, budget) = (ReadRequest::MAX_LINE_LENGTH, ReadLimits::default().budget / KB);
    assert_eq!(
        row("text").1,
        format!(
            "{default} lines by default, at most {most}; {length} characters a line; {budget} KB of text an answer"
        )
    );
    let whole = usize::try_from(source::WHOLE).unwrap() / MB;
    assert!(DOCUMENT.contains(&format!("A file of up to {whole} MiB is read whole")));
}

#[test]
fn kinds_and_limits_of_images() {
    let limits = image::Limits::default();
    let untouched = names(limits.untouched.iter().copied());
    let anew = names(DECODED.iter().copied().filter(|kind| !limits.untouched.contains(kind)));
    assert_eq!(row(&anew), (anew.as_str(), "the same"));
    assert_eq!(
        row(&untouched),
        (
            untouched.as_str(),
            format!(
                "longest side {} px, {} MB; a file of at most {} MB; {} MB of decoded pixels",
                limits.side,
                limits.bytes / MB,
                image::MAX_BYTES / MB,
                limits.decoded / MB as u64
            )
            .as_str()
        )
    );
    assert!(!DECODED.contains(&Kind::Avif), "the table says that AVIF is refused");
    assert_eq!(row(Kind::Avif.name()).1, "");
}

#[test]
fn limits_of_documents_and_notebooks() {
    let limits = ReadLimits::default();
    let budget = limits.budget / KB;
    assert_eq!(
        row(Kind::Pdf.name()).1,
        format!(
            "{} pages and {budget} KB of text an answer; a file of at most {} MB",
            limits.pages,
            documents::MAX_BYTES / MB
        )
    );
    assert_eq!(
        row("notebook").1,
        format!(
            "{budget} KB of text an answer, {} KB an output; {} images, {} MB together; a file of at most {} MB",
            notebooks::Limits::default().output / 1000,
            notebook::MAX_IMAGES,
            limits.image_bytes / MB,
            notebooks::MAX_BYTES / MB
        )
    );
}
