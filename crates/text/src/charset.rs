//! [`Charset`]: how characters become bytes, and the names it is known by.
//!
//! The Unicode forms are our own (encoding_rs knows no UTF-32 and writes no UTF-16); everything older is encoding_rs'.

use std::fmt;
use std::str::FromStr;

use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

/// How characters become bytes.
///
/// ```
/// use toolcrib_text::Charset;
///
/// let charset: Charset = "Latin-1".parse()?;
/// assert_eq!(charset.name(), "windows-1252");
/// let error = "utf-9".parse::<Charset>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown encoding 'utf-9', did you mean 'utf-8'?");
/// # Ok::<(), toolcrib_text::UnknownCharset>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Charset(pub(crate) Scheme);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Utf8,
    Utf16(Order),
    Utf32(Order),
    /// The only one with shifts: the same byte means different characters after different escape sequences.
    Iso2022Jp,
    /// Bytes below 0x80 are ASCII, except as the second half of a character that began with one above.
    Legacy(&'static Encoding),
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Charset {
    /// UTF-8, which includes ASCII.
    pub const UTF_8: Self = Self(Scheme::Utf8);
    /// UTF-16, low byte first.
    pub const UTF_16LE: Self = Self(Scheme::Utf16(Order::Little));
    /// UTF-16, high byte first.
    pub const UTF_16BE: Self = Self(Scheme::Utf16(Order::Big));
    /// UTF-32, low byte first.
    pub const UTF_32LE: Self = Self(Scheme::Utf32(Order::Little));
    /// UTF-32, high byte first.
    pub const UTF_32BE: Self = Self(Scheme::Utf32(Order::Big));
    /// ISO-2022-JP, the Japanese of old mail.
    pub const ISO_2022_JP: Self = Self(Scheme::Iso2022Jp);

    /// The names of all there are, as [`name`](Self::name) gives them; each can be parsed.
    pub const NAMES: &[&str] = &[
        "utf-8",
        "utf-16le",
        "utf-16be",
        "utf-32le",
        "utf-32be",
        "windows-1252",
        "windows-1250",
        "windows-1251",
        "windows-1253",
        "windows-1254",
        "windows-1255",
        "windows-1256",
        "windows-1257",
        "windows-1258",
        "windows-874",
        "iso-8859-2",
        "iso-8859-3",
        "iso-8859-4",
        "iso-8859-5",
        "iso-8859-6",
        "iso-8859-7",
        "iso-8859-8",
        "iso-8859-8-i",
        "iso-8859-10",
        "iso-8859-13",
        "iso-8859-14",
        "iso-8859-15",
        "iso-8859-16",
        "koi8-r",
        "koi8-u",
        "ibm866",
        "macintosh",
        "x-mac-cyrillic",
        "shift_jis",
        "euc-jp",
        "iso-2022-jp",
        "gbk",
        "gb18030",
        "big5",
        "euc-kr",
        "x-user-defined",
    ];

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Scheme::Utf8 => "utf-8",
            Scheme::Utf16(Order::Little) => "utf-16le",
            Scheme::Utf16(Order::Big) => "utf-16be",
            Scheme::Utf32(Order::Little) => "utf-32le",
            Scheme::Utf32(Order::Big) => "utf-32be",
            Scheme::Iso2022Jp => "iso-2022-jp",
            Scheme::Legacy(encoding) => {
                let name = encoding.name();
                Self::NAMES.iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or(&name)
            }
        }
    }

    /// How many bytes stand together: 2 in UTF-16, 4 in UTF-32, else 1.
    #[must_use]
    pub fn unit(self) -> usize {
        match self.0 {
            Scheme::Utf16(_) => 2,
            Scheme::Utf32(_) => 4,
            Scheme::Utf8 | Scheme::Iso2022Jp | Scheme::Legacy(_) => 1,
        }
    }

    /// How many bytes one character takes at the most, shifts around it included.
    pub(crate) fn longest(self) -> usize {
        if self.0 == Scheme::Iso2022Jp { 8 } else { 4 }
    }

    /// What encoding_rs calls it; it does not know UTF-32.
    pub(crate) fn foreign(self) -> Option<&'static Encoding> {
        match self.0 {
            Scheme::Utf8 => Some(UTF_8),
            Scheme::Utf16(Order::Little) => Some(UTF_16LE),
            Scheme::Utf16(Order::Big) => Some(UTF_16BE),
            Scheme::Utf32(_) => None,
            Scheme::Iso2022Jp => Some(ISO_2022_JP),
            Scheme::Legacy(encoding) => Some(encoding),
        }
    }

    /// `None` for what encoding_rs does not decode.
    pub(crate) fn of_foreign(encoding: &'static Encoding) -> Option<Self> {
        Some(if encoding == UTF_8 {
            Self::UTF_8
        } else if encoding == UTF_16LE {
            Self::UTF_16LE
        } else if encoding == UTF_16BE {
            Self::UTF_16BE
        } else if encoding == ISO_2022_JP {
            Self::ISO_2022_JP
        } else if encoding == REPLACEMENT {
            return None;
        } else {
            Self(Scheme::Legacy(encoding))
        })
    }
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Charset`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCharset {
    /// The name.
    pub label: String,
    /// What was probably meant.
    pub near: Option<&'static str>,
}

impl fmt::Display for UnknownCharset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown encoding '{}'", self.label)?;
        self.near.map_or(Ok(()), |near| write!(f, ", did you mean '{near}'?"))
    }
}

impl std::error::Error for UnknownCharset {}

impl FromStr for Charset {
    type Err = UnknownCharset;

    /// Takes the labels of the web and the names of common programming languages: case, `-`, `_` and spaces do not
    /// count. `utf-16` and `utf-32` without an order are little-endian.
    fn from_str(label: &str) -> Result<Self, UnknownCharset> {
        let plain = plain(label);
        unicode(&plain)
            .or_else(|| Self::of_foreign(Encoding::for_label(label.as_bytes())?))
            .or_else(|| Self::of_foreign(Encoding::for_label(plain.as_bytes())?))
            .or_else(|| named(&plain))
            .ok_or_else(|| UnknownCharset { label: label.trim().to_owned(), near: near(&plain) })
    }
}

/// Names that are no labels of the web, without punctuation, and what the web calls the same.
const ALIASES: &[(&str, &str)] = &[
    ("ansi", "windows-1252"),
    ("cp20866", "koi8-r"),
    ("cp21866", "koi8-u"),
    ("cp866", "ibm866"),
    ("cp874", "windows-874"),
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("eucjis2004", "euc-jp"),
    ("latin7", "iso-8859-13"),
    ("latin8", "iso-8859-14"),
    ("latin9", "iso-8859-15"),
    ("latin10", "iso-8859-16"),
    ("maccyrillic", "x-mac-cyrillic"),
    ("macroman", "macintosh"),
    ("ms932", "shift_jis"),
    ("ms936", "gbk"),
    ("uhc", "euc-kr"),
    ("windows31j", "shift_jis"),
];

/// Without what people leave out or add: `UTF_8`, `utf8` and `UTF-8` are one name.
fn plain(label: &str) -> String {
    label.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn unicode(plain: &str) -> Option<Charset> {
    Some(match plain {
        "utf8" | "utf8sig" | "utf8bom" | "cp65001" | "ascii" | "usascii" => Charset::UTF_8,
        "utf16" | "utf16le" | "ucs2" => Charset::UTF_16LE,
        "utf16be" => Charset::UTF_16BE,
        "utf32" | "utf32le" | "ucs4" => Charset::UTF_32LE,
        "utf32be" => Charset::UTF_32BE,
        _ => return None,
    })
}

fn named(wanted: &str) -> Option<Charset> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, name)| *name);
    let spelt = || Charset::NAMES.iter().find(|name| plain(name) == wanted).copied();
    let name = alias.or_else(spelt)?;
    Charset::of_foreign(Encoding::for_label(name.as_bytes())?)
}

fn near(wanted: &str) -> Option<&'static str> {
    let distance = |name: &&&str| strsim::damerau_levenshtein(wanted, &plain(name));
    let name = Charset::NAMES.iter().min_by_key(distance)?;
    (distance(&name) <= wanted.len().min(name.len()) / 3).then_some(*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(label: &str, name: &str) {
        assert_eq!(label.parse::<Charset>().map(Charset::name), Ok(name), "{label}");
    }

    #[test]
    fn every_name_can_be_parsed() {
        for name in Charset::NAMES {
            check(name, name);
            check(&name.to_uppercase(), name);
            check(&name.replace('-', "_"), name);
        }
    }

    #[test]
    fn the_names_of_other_places_are_known() {
        for (label, name) in [
            ("utf8", "utf-8"),
            ("UTF-8-SIG", "utf-8"),
            ("us-ascii", "utf-8"),
            ("utf_16", "utf-16le"),
            ("UTF-32", "utf-32le"),
            ("latin-1", "windows-1252"),
            ("ISO8859-1", "windows-1252"),
            ("iso_8859_15", "iso-8859-15"),
            ("cp1252", "windows-1252"),
            ("cp1250", "windows-1250"),
            ("windows1251", "windows-1251"),
            ("shift-jis", "shift_jis"),
            ("SJIS", "shift_jis"),
            ("cp932", "shift_jis"),
            ("gb2312", "gbk"),
            ("cp949", "euc-kr"),
            ("euc_kr", "euc-kr"),
            ("KOI8R", "koi8-r"),
            ("mac_roman", "macintosh"),
            (" big5 ", "big5"),
        ] {
            check(label, name);
        }
        for (alias, name) in ALIASES {
            check(alias, name);
        }
    }

    #[test]
    fn an_unknown_name_says_what_was_meant() {
        let near = |label: &str| label.parse::<Charset>().unwrap_err().near;
        assert_eq!(near("shift-jus"), Some("shift_jis"));
        assert_eq!(near("windows-1259"), Some("windows-1252"));
        assert_eq!(near("klingon"), None);
        assert_eq!(near(""), None);
        // The web decodes this one to nothing at all.
        assert_eq!("iso-2022-kr".parse::<Charset>().unwrap_err().label, "iso-2022-kr");
    }
}
