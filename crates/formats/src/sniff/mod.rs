//! Tells what bytes are by looking at them, never by a name.
//!
//! It names what it is sure of and is silent otherwise: whether the rest is text is for the caller, who knows
//! encodings. Text wins over a signature that is itself text: a document that starts with `GIF89a` is a document. SVG
//! is text.

mod signatures;

use signatures::SIGNATURES;

/// How many bytes from the start of a file are worth looking at.
pub const HEAD: usize = 8 * 1024;

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A PNG image.
    Png,
    /// A JPEG image.
    Jpeg,
    /// A GIF image.
    Gif,
    /// A WebP image.
    WebP,
    /// A Windows bitmap.
    Bmp,
    /// A TIFF image.
    Tiff,
    /// An AVIF image.
    Avif,
    /// A PDF document.
    Pdf,
    /// Other data with a name, such as `ELF program`.
    Binary(&'static str),
    /// Nothing known: text, or data without a signature.
    Unknown,
}

impl Kind {
    /// Whether it is an image, also one that cannot be decoded here.
    #[must_use]
    pub fn is_image(self) -> bool {
        self.mime_type().is_some_and(|mime_type| mime_type.starts_with("image/"))
    }

    /// The media type of images and PDF.
    #[must_use]
    pub fn mime_type(self) -> Option<&'static str> {
        Some(match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Tiff => "image/tiff",
            Self::Avif => "image/avif",
            Self::Pdf => "application/pdf",
            Self::Binary(_) | Self::Unknown => return None,
        })
    }

    /// What to call it in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG image",
            Self::Jpeg => "JPEG image",
            Self::Gif => "GIF image",
            Self::WebP => "WebP image",
            Self::Bmp => "BMP image",
            Self::Tiff => "TIFF image",
            Self::Avif => "AVIF image",
            Self::Pdf => "PDF document",
            Self::Binary(name) => name,
            Self::Unknown => "unknown data",
        }
    }
}

/// What the bytes are that start with `head`. The first [`HEAD`] bytes are enough.
///
/// ```
/// use toolcrib_formats::{Kind, sniff};
///
/// assert_eq!(sniff(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Kind::Png);
/// assert_eq!(sniff(b"\x7fELF\x02\x01\x01\0\0").name(), "ELF program");
/// assert_eq!(sniff(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Kind::Unknown);
/// ```
#[must_use]
pub fn sniff(head: &[u8]) -> Kind {
    let head = &head[..head.len().min(HEAD)];
    if is_pdf(head) {
        return Kind::Pdf;
    }
    if is_plain_text(head) {
        return Kind::Unknown;
    }
    SIGNATURES
        .iter()
        .find(|signature| signature.matches(head))
        .map_or(Kind::Unknown, |signature| signature.kind)
}

/// The header of a PDF, which may stand after up to 1 KiB of something else. All of a PDF can be plain text, so in a
/// text the header must be the whole first line.
fn is_pdf(head: &[u8]) -> bool {
    const MARK: &[u8] = b"%PDF-";
    let searched = &head[..head.len().min(1024 + MARK.len())];
    let Some(at) = memchr::memmem::find(searched, MARK) else { return false };
    let (before, after) = (&head[..at], &head[at + MARK.len()..]);
    if !matches!(after, [b'0'..=b'9', b'.', b'0'..=b'9', ..]) {
        return false;
    }
    let blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    let line = after[3..].split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    !is_plain_text(head) || blank(line) && blank(before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before))
}

/// UTF-8, apart from a character that the end of the head may cut, without the control characters that texts do not
/// have. No bytes are a text.
fn is_plain_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let control = |byte: &u8| matches!(byte, 0..=6 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    // Whole blocks without a way out in the middle are compared many bytes at once.
    let controls = |block: &[u8]| block.iter().fold(false, |found, byte| found | control(byte));
    valid && !head.chunks(256).any(controls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_about_a_format_is_a_text() {
        for text in [
            "GIF89a is how a GIF starts",
            "BM 40 Dampfer",
            "%PDF is a comment",
            "%PDF-1.4 is the version of the file",
            "PK\n",
            "RIFF and WEBP",
            "In Python: open(x).read().startswith('%PDF-1.4\n')",
            "MZ\r\nsome text",
            "U+FFFD: \u{FFFD}",
            "{\\rtf1\\ansi hello}",
            "",
        ] {
            assert_eq!(sniff(text.as_bytes()), Kind::Unknown, "{text:?}");
        }
    }

    #[test]
    fn a_pdf_is_found_by_its_header() {
        assert_eq!(sniff(b"%PDF-1.4\n1 0 obj"), Kind::Pdf);
        assert_eq!(sniff(b"\xEF\xBB\xBF\n %PDF-2.0\r\n%\x80\x81"), Kind::Pdf);
        let mut late = vec![0; 300];
        late.extend_from_slice(b"%PDF-1.7\n");
        assert_eq!(sniff(&late), Kind::Pdf);
        let mut too_late = vec![0; 2000];
        too_late.extend_from_slice(b"%PDF-1.7\n");
        assert_eq!(sniff(&too_late), Kind::Unknown);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..600), which in 0..SIGNATURES.len()) {
            let _ = sniff(&bytes);
            // Behind every signature, too.
            let mut start = SIGNATURES[which].example();
            start.append(&mut bytes);
            for length in 0..start.len().min(40) {
                let _ = sniff(&start[..length]);
            }
            let _ = sniff(&start);
        }

        #[test]
        fn no_text_has_another_kind(text in "\\PC{0,40}") {
            prop_assert_eq!(sniff(text.as_bytes()), Kind::Unknown);
        }
    }
}
