//! The signatures, as data: what stands where at the start of which kind of file.
//!
//! The first that matches counts, so the special stands before the general. A signature that is short or common has a
//! condition that looks further.

use super::Kind;

/// What a kind of file starts with.
pub(super) struct Signature {
    pub(super) kind: Kind,
    at: usize,
    magic: &'static [u8],
    condition: fn(&[u8]) -> bool,
}

impl Signature {
    pub(super) fn matches(&self, head: &[u8]) -> bool {
        head.get(self.at..).is_some_and(|rest| rest.starts_with(self.magic)) && (self.condition)(head)
    }

    /// The shortest bytes that have the magic number in its place.
    #[cfg(test)]
    pub(super) fn example(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.at];
        bytes.extend_from_slice(self.magic);
        bytes
    }
}

const fn is(kind: Kind, magic: &'static [u8]) -> Signature {
    Signature { kind, at: 0, magic, condition: always }
}

const fn named(name: &'static str, magic: &'static [u8]) -> Signature {
    is(Kind::Binary(name), magic)
}

const fn named_at(name: &'static str, at: usize, magic: &'static [u8]) -> Signature {
    Signature { at, ..named(name, magic) }
}

impl Signature {
    const fn when(self, condition: fn(&[u8]) -> bool) -> Self {
        Self { condition, ..self }
    }
}

pub(super) const SIGNATURES: &[Signature] = &[
    is(Kind::Png, b"\x89PNG\r\n\x1a\n"),
    is(Kind::Jpeg, b"\xFF\xD8\xFF"),
    is(Kind::Gif, b"GIF87a"),
    is(Kind::Gif, b"GIF89a"),
    is(Kind::WebP, b"RIFF").when(|head| head.get(8..12) == Some(b"WEBP")),
    is(Kind::Bmp, b"BM").when(bitmap_header),
    named("Canon raw image", b"II*\0").when(|head| head.get(8..10) == Some(b"CR")),
    is(Kind::Tiff, b"II*\0"),
    is(Kind::Tiff, b"MM\0*"),
    is(Kind::Tiff, b"II+\0"),
    is(Kind::Tiff, b"MM\0+"),
    Signature { at: 4, ..is(Kind::Avif, b"ftyp") }
        .when(|head| has_brand(head, b"avif") || has_brand(head, b"avis")),
    named_at("HEIC image", 4, b"ftyp").when(|head| has_brand(head, b"heic") || has_brand(head, b"mif1")),
    named("JPEG 2000 image", b"\0\0\0\x0CjP  \r\n\x87\n"),
    named("JPEG XL image", b"\0\0\0\x0CJXL \r\n\x87\n"),
    named("JPEG XL image", b"\xFF\x0A"),
    named("Photoshop image", b"8BPS\0"),
    named("icon", b"\0\0\x01\0").when(|head| head.get(4..6).is_some_and(|count| count != [0, 0])),
    // Programs and what is made of them.
    named("ELF program", b"\x7FELF"),
    named("Windows program", b"MZ").when(portable_executable),
    named("Mach-O program", b"\xCF\xFA\xED\xFE"),
    named("Mach-O program", b"\xCE\xFA\xED\xFE"),
    // The same number starts a Mach-O for several processors: there a small count follows, here a version from 45 on.
    named("Java class", b"\xCA\xFE\xBA\xBE")
        .when(|head| head.get(6..8).is_some_and(|version| version >= &[0, 45])),
    named("Mach-O program", b"\xCA\xFE\xBA\xBE"),
    named("WebAssembly module", b"\0asm"),
    named("Android program", b"dex\n0"),
    named("LLVM bitcode", b"BC\xC0\xDE"),
    named("Lua bytecode", b"\x1BLua"),
    named_at("Python bytecode", 2, b"\r\n").when(|head| head.len() >= 16 && matches!(head[1], 0x0B..=0x0F)),
    named("static library or Debian package", b"!<arch>\n"),
    // Archives and compressed files.
    named("Office document", b"PK\x03\x04").when(|head| contains(head, b"[Content_Types].xml")),
    named("OpenDocument or EPUB document", b"PK\x03\x04").when(|head| head.get(30..38) == Some(b"mimetype")),
    named("Java archive", b"PK\x03\x04").when(|head| contains(head, b"META-INF/")),
    named("ZIP archive", b"PK\x03\x04"),
    named("ZIP archive", b"PK\x05\x06"),
    named("gzip file", b"\x1F\x8B\x08"),
    named("bzip2 file", b"BZh").when(|head| head.get(4..10) == Some(b"1AY&SY")),
    named("xz file", b"\xFD7zXZ\0"),
    named("Zstandard file", b"\x28\xB5\x2F\xFD"),
    named("LZ4 file", b"\x04\x22\x4D\x18"),
    named("7-Zip archive", b"7z\xBC\xAF\x27\x1C"),
    named("RAR archive", b"Rar!\x1A\x07"),
    named("Windows cabinet", b"MSCF\0\0\0\0"),
    named("RPM package", b"\xED\xAB\xEE\xDB"),
    named_at("tar archive", 257, b"ustar"),
    named("git pack", b"PACK\0\0\0"),
    named("git index", b"DIRC\0\0\0"),
    // Documents and data.
    named("old Office document", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
    named("SQLite database", b"SQLite format 3\0"),
    named("NumPy array", b"\x93NUMPY"),
    named("HDF5 file", b"\x89HDF\r\n\x1a\n"),
    named("Parquet file", b"PAR1"),
    named("Arrow file", b"ARROW1\0\0"),
    named("Avro file", b"Obj\x01"),
    named("NetCDF file", b"CDF\x01"),
    named("GGUF model", b"GGUF"),
    named("Windows shortcut", b"\x4C\0\0\0\x01\x14\x02\0"),
    // Sound, video, fonts.
    named_at("QuickTime video", 4, b"ftypqt  "),
    named_at("MP4 video", 4, b"ftyp"),
    named("Matroska or WebM video", b"\x1A\x45\xDF\xA3"),
    named("AVI video", b"RIFF").when(|head| head.get(8..12) == Some(b"AVI ")),
    named("WAV sound", b"RIFF").when(|head| head.get(8..12) == Some(b"WAVE")),
    named("Ogg file", b"OggS\0"),
    named("FLAC sound", b"fLaC\0"),
    named("MP3 sound", b"ID3").when(|head| head.get(3).is_some_and(|version| *version < 0x10)),
    named("MIDI file", b"MThd\0\0\0\x06"),
    named("TrueType font", b"\0\x01\0\0\0").when(|head| head.len() > 12),
    named("OpenType font", b"OTTO\0"),
    named("font collection", b"ttcf\0"),
    named("web font", b"wOFF"),
    named("web font", b"wOF2"),
];

fn always(_: &[u8]) -> bool {
    true
}

/// A bitmap's second header starts with its own size, of which there are few.
fn bitmap_header(head: &[u8]) -> bool {
    little_endian(head, 14).is_some_and(|size| matches!(size, 12 | 16 | 40 | 52 | 56 | 64 | 108 | 124))
}

/// A DOS header names the place of the real one.
fn portable_executable(head: &[u8]) -> bool {
    let at = little_endian(head, 0x3C).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| head.get(at..)?.get(..4)).is_some_and(|mark| mark == b"PE\0\0")
}

/// Whether an ISO media file names this brand as its own or as a compatible one.
fn has_brand(head: &[u8], brand: &[u8; 4]) -> bool {
    let length = head.first_chunk::<4>().map_or(0, |length| u32::from_be_bytes(*length));
    let end = usize::try_from(length).unwrap_or(usize::MAX).min(head.len()).min(256);
    let brands = head.get(8..end).unwrap_or_default();
    // The second group is a version, not a brand.
    brands.chunks_exact(4).enumerate().any(|(at, found)| at != 1 && found == brand)
}

fn contains(head: &[u8], wanted: &[u8]) -> bool {
    memchr::memmem::find(head, wanted).is_some()
}

fn little_endian(head: &[u8], at: usize) -> Option<u32> {
    head.get(at..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use crate::{Kind, sniff};

    #[track_caller]
    fn check(head: &[u8], expected: &str) {
        assert_eq!(sniff(head).name(), expected, "{}", head.escape_ascii());
    }

    #[test]
    fn images_are_told_apart() {
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG image");
        check(b"\xFF\xD8\xFF\xE0\0\x10JFIF", "JPEG image");
        check(b"GIF89a\x01\0\x01\0", "GIF image");
        check(b"RIFF\x24\0\0\0WEBPVP8 ", "WebP image");
        check(b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "BMP image");
        check(b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x99\0\0\0", "unknown data");
        check(b"II*\0\x08\0\0\0", "TIFF image");
        check(b"MM\0*\0\0\0\x08", "TIFF image");
        check(b"II*\0\x10\0\0\0CR\x02\0", "Canon raw image");
        check(b"\0\0\0\x1CftypavifMAVX\0\0\0\0mif1avif", "AVIF image");
        check(b"\0\0\0\x1CftypmifzMAVX\0\0\0\0mif1avif", "AVIF image");
        check(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC image");
        assert!(Kind::Avif.is_image() && !Kind::Pdf.is_image() && !Kind::Unknown.is_image());
    }

    #[test]
    fn other_data_has_a_name() {
        let mut program = vec![0; 200];
        program[..2].copy_from_slice(b"MZ");
        program[0x3C] = 128;
        program[128..132].copy_from_slice(b"PE\0\0");
        check(&program, "Windows program");
        let mut tar = vec![b'a'; 257];
        tar.extend_from_slice(b"ustar\0");
        check(&tar, "tar archive");
        check(b"\xCA\xFE\xBA\xBE\0\0\0\x41", "Java class");
        check(b"\xCA\xFE\xBA\xBE\0\0\0\x02", "Mach-O program");
        check(b"PK\x03\x04\x14\0\0\0\x08\0word[Content_Types].xml", "Office document");
        check(b"PK\x03\x04\x14\0\0\0\x08\0", "ZIP archive");
        check(b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2", "MP4 video");
        check(b"\xCB\x0D\r\n\0\0\0\0\0\0\0\0\0\0\0\0", "Python bytecode");
        check(b"SQLite format 3\0\x10\0", "SQLite database");
        check(b"\0\0\0\0", "unknown data");
    }
}
