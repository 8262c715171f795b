//! [`Encoding`]: a charset, with or without a byte order mark in front.

use crate::charset::{Charset, Order, Scheme};

/// How a text stands in its bytes: a charset, and whether a byte order mark comes first.
///
/// ```
/// use toolcrib_text::{Charset, Encoding};
///
/// let encoding = Encoding::by_mark(b"\xFF\xFEh\0i\0").unwrap();
/// assert_eq!(encoding, Encoding { charset: Charset::UTF_16LE, bom: true });
/// assert_eq!(encoding.encode("hi")?, b"\xFF\xFEh\0i\0");
/// # Ok::<(), toolcrib_text::Unencodable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// How characters become bytes.
    pub charset: Charset,
    /// Whether the bytes begin with a byte order mark. It is no part of the text.
    pub bom: bool,
}

impl Encoding {
    /// UTF-8 without a mark: what a new file gets.
    pub const UTF_8: Self = Self { charset: Charset::UTF_8, bom: false };

    /// The encoding that a byte order mark at the start of `bytes` gives away.
    ///
    /// `FF FE 00 00` could also be UTF-16 that begins with a NUL; that is no text, so it is UTF-32.
    #[must_use]
    pub fn by_mark(bytes: &[u8]) -> Option<Self> {
        const MARKED: [Charset; 5] =
            [Charset::UTF_32LE, Charset::UTF_32BE, Charset::UTF_8, Charset::UTF_16LE, Charset::UTF_16BE];
        MARKED
            .into_iter()
            .find(|charset| bytes.starts_with(charset.mark()))
            .map(|charset| Self { charset, bom: true })
    }

    /// This charset, with a mark if `bytes` begin with it.
    #[must_use]
    pub fn of(charset: Charset, bytes: &[u8]) -> Self {
        let mark = charset.mark();
        Self { charset, bom: !mark.is_empty() && bytes.starts_with(mark) }
    }

    /// The bytes of the mark; none if there is none.
    #[must_use]
    pub fn mark(self) -> &'static [u8] {
        if self.bom { self.charset.mark() } else { &[] }
    }
}

impl From<Charset> for Encoding {
    fn from(charset: Charset) -> Self {
        Self { charset, bom: false }
    }
}

impl Charset {
    /// Its byte order mark; charsets that are not Unicode have none.
    #[must_use]
    pub fn mark(self) -> &'static [u8] {
        match self.0 {
            Scheme::Utf8 => b"\xEF\xBB\xBF",
            Scheme::Utf16(Order::Little) => b"\xFF\xFE",
            Scheme::Utf16(Order::Big) => b"\xFE\xFF",
            Scheme::Utf32(Order::Little) => b"\xFF\xFE\0\0",
            Scheme::Utf32(Order::Big) => b"\0\0\xFE\xFF",
            Scheme::Iso2022Jp | Scheme::Legacy(_) => b"",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_the_charset() {
        for charset in
            [Charset::UTF_8, Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE]
        {
            let bytes = Encoding { charset, bom: true }.encode("a").unwrap();
            assert_eq!(Encoding::by_mark(&bytes), Some(Encoding { charset, bom: true }));
            assert!(Encoding::of(charset, &bytes).bom);
            assert_eq!(Encoding::by_mark(&Encoding::from(charset).encode("ab").unwrap()), None);
        }
        assert!(!Encoding::of("big5".parse().unwrap(), b"abc").bom);
    }
}
