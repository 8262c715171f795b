//! Values as bytes and back: numbers of eight bytes, everything else with its length in front.
//!
//! Paths and names are bytes to the system, not text, so a record cannot be JSON. What is read back was checked by the
//! log before; a value that does not fit is damage all the same, never a panic.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Bytes that do not hold what they should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The path that these bytes are.
pub(crate) fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn fixed(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.fixed(bytes);
    }

    pub(crate) fn name(&mut self, name: impl AsRef<OsStr>) {
        self.bytes(name.as_ref().as_bytes());
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| write(self, value));
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let [byte] = self.fixed()?;
        Ok(byte)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        self.fixed().map(u64::from_le_bytes)
    }

    pub(crate) fn index(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.number()?).map_err(|_| Malformed)
    }

    pub(crate) fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.index()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Malformed)
    }

    pub(crate) fn c_string(&mut self) -> Result<CString, Malformed> {
        CString::new(self.bytes()?).map_err(|_| Malformed)
    }

    pub(crate) fn name(&mut self) -> Result<OsString, Malformed> {
        Ok(OsString::from_vec(self.bytes()?.to_vec()))
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(Malformed),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.index()?;
        // Every value takes a byte at least, so a count beyond the rest is damage and not a reason to reserve memory.
        if count > self.0.len() {
            return Err(Malformed);
        }
        (0..count).map(|_| read(self)).collect()
    }
}
