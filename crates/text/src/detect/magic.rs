//! Starts that no text has.
//!
//! Only what NULs do not give away: compressed data, pictures and documents whose first thousands of bytes may hold
//! none. A start that a text may have too (`BM`, `MZ`, `ID3`) is not here, and what is plain text to its end is text
//! whatever it begins with.

/// Whether the bytes begin as some other data does.
pub(super) fn is_other_data(head: &[u8]) -> bool {
    MAGIC.iter().any(|magic| head.starts_with(magic)) && !is_plain(head)
}

/// UTF-8, but for what the end of the head may cut, without the control characters that texts do not have.
fn is_plain(head: &[u8]) -> bool {
    let odd = |byte: &u8| matches!(byte, 0..=6 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    !head.iter().any(odd) && super::is_utf8(head, false, true)
}

const MAGIC: &[&[u8]] = &[
    b"%PDF-",
    b"GIF87a",
    b"GIF89a",
    b"\x89PNG\r\n\x1A\n",
    b"\xFF\xD8\xFF",             // JPEG
    b"\x1F\x8B\x08",             // gzip
    b"\x1F\x9D",                 // compress
    b"BZh91AY&SY",               // bzip2
    b"\xFD7zXZ",                 // xz
    b"\x28\xB5\x2F\xFD",         // Zstandard
    b"\x04\x22\x4D\x18",         // LZ4
    b"7z\xBC\xAF\x27\x1C",       // 7-Zip
    b"Rar!\x1A\x07",             // RAR
    b"PK\x03\x04",               // ZIP and what is built on it
    b"PK\x05\x06",               // an empty ZIP
    b"\x7FELF",                  // programs of Unix
    b"\xCF\xFA\xED\xFE",         // programs of macOS
    b"\xCA\xFE\xBA\xBE",         // classes of Java, fat programs of macOS
    b"\xD0\xCF\x11\xE0\xA1\xB1", // old documents of Office
    b"\xFF\xFB",                 // MP3
    b"OggS\0",
    b"fLaC\0",
    b"\x1A\x45\xDF\xA3", // Matroska, WebM
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_archives_are_no_text() {
        for data in [
            &b"\xFF\xD8\xFF\xE1ab"[..],
            b"\x1F\x8B\x08\x08abcd",
            b"%PDF-1.7\n%\xE2\xE3",
            b"GIF89a\x01\0\x01\0\x80\0\0",
        ] {
            assert!(is_other_data(data), "{}", data.escape_ascii());
        }
    }

    #[test]
    fn texts_that_begin_like_pictures_are_texts() {
        for text in [
            "GIF89a is a format of pictures",
            "BMW",
            "MZ",
            "PK",
            "PNG",
            "ÿØ",
            "Rar!",
            "GIF89a",
            "BZh91AY&SY",
            "%PDF-1.4 begins a PDF",
            "",
        ] {
            assert!(!is_other_data(text.as_bytes()), "{text}");
        }
    }
}
