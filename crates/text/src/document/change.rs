//! Changes spans of a document, and leaves every byte outside as it was.

use std::fmt;
use std::ops::Range;

use super::map::Map;
use super::{Document, Store};
use crate::encode::Unencodable;
use crate::stop::{Meter, Stopped};
use crate::units::Mode;

/// A span of a text, and what shall stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// Which bytes of the text are replaced; an empty span is a place to insert.
    pub span: Range<usize>,
    /// The new text.
    pub text: &'a str,
}

/// Why changes cannot be applied. Nothing was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The encoding has no such character.
    Unencodable {
        /// Which of the changes holds it, counted from 0.
        change: usize,
        /// The character, and where it stands in the new text of that change.
        source: Unencodable,
    },
    /// Bytes that do not decode would become part of other characters. They stand next to a change.
    Joins {
        /// Where in the new text that would be.
        at: usize,
    },
    /// The span does not lie in the text, cuts a character, or begins before the change before it ends.
    Span {
        /// Which of the changes it is, counted from 0.
        change: usize,
    },
    /// It was stopped.
    Stopped,
}

impl From<Stopped> for ChangeError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unencodable { source, .. } => source.fmt(f),
            Self::Joins { .. } => {
                f.write_str("bytes that do not decode would join with what stands next to them")
            }
            Self::Span { change } => write!(f, "change {} does not fit the text", change + 1),
            Self::Stopped => Stopped.fmt(f),
        }
    }
}

impl std::error::Error for ChangeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unencodable { source, .. } => Some(source),
            Self::Joins { .. } | Self::Span { .. } | Self::Stopped => None,
        }
    }
}

impl Document {
    /// The document with these changes, which come in the order of the text and do not overlap.
    ///
    /// Each byte outside the spans is as it was; in ISO-2022-JP the shifts next to a span belong to it. The result is
    /// decoded once more and compared: what is returned reads as the text with the changes.
    ///
    /// # Errors
    ///
    /// If the new text cannot be encoded, if it would become something else next to bytes that do not decode, or if
    /// a span does not fit.
    pub fn apply(&self, changes: &[Change<'_>]) -> Result<Self, ChangeError> {
        self.apply_metered(changes, &Meter::unlimited())
    }

    /// The same, as long as it is wanted.
    ///
    /// # Errors
    ///
    /// [`ChangeError::Stopped`]; else as [`apply`](Self::apply).
    pub fn apply_metered(&self, changes: &[Change<'_>], meter: &Meter<'_>) -> Result<Self, ChangeError> {
        let joined = self.checked(changes, meter)?;
        meter.spend(self.text().len())?;
        match &self.store {
            Store::Same(text) => self.apply_same(text, &joined),
            Store::Mapped { bytes, map, .. } => {
                let changed = self.encode(bytes, map, &joined, meter)?;
                let changed = Self::decode_metered(changed, self.encoding.charset, meter)?;
                if changed.encoding != self.encoding {
                    return Err(ChangeError::Joins { at: 0 });
                }
                self.compare(&changed, &joined)?;
                Ok(changed)
            }
        }
    }

    /// The changes without those that change nothing, and with those that touch each other made one.
    fn checked(&self, changes: &[Change<'_>], meter: &Meter<'_>) -> Result<Vec<Joined>, ChangeError> {
        let mut joined: Vec<Joined> = Vec::new();
        let mut end = 0;
        for (change, Change { span, text }) in changes.iter().enumerate() {
            if span.start < end || self.text().get(span.clone()).is_none() {
                return Err(ChangeError::Span { change });
            }
            end = span.end;
            meter.spend(text.len() + EACH_CHANGE)?;
            if matches!(self.store, Store::Mapped { .. }) {
                let encoded = self.encoding.charset.encode_metered(text, meter)?;
                encoded.map_err(|source| ChangeError::Unencodable { change, source })?;
            }
            match joined.last_mut() {
                _ if span.is_empty() && text.is_empty() => {}
                Some(last) if last.span.end == span.start => {
                    last.span.end = span.end;
                    last.text.push_str(text);
                }
                _ => joined.push(Joined { span: span.clone(), text: (*text).to_owned(), change }),
            }
        }
        Ok(joined)
    }

    fn apply_same(&self, old: &str, changes: &[Joined]) -> Result<Self, ChangeError> {
        let mark = self.encoding.mark().len();
        let added: usize = changes.iter().map(|change| change.text.len()).sum();
        let mut text = String::with_capacity(old.len() + added);
        let mut from = 0;
        for change in changes {
            text.push_str(&old[from..change.span.start + mark]);
            text.push_str(&change.text);
            from = change.span.end + mark;
        }
        text.push_str(&old[from..]);
        // A character that would be taken for a mark.
        if !self.encoding.bom && text.starts_with('\u{FEFF}') && !old.starts_with('\u{FEFF}') {
            return Err(ChangeError::Joins { at: 0 });
        }
        Ok(Self { encoding: self.encoding, store: Store::Same(text) })
    }

    /// The bytes with the changes.
    fn encode(
        &self,
        old: &[u8],
        map: &Map,
        changes: &[Joined],
        meter: &Meter<'_>,
    ) -> Result<Vec<u8>, ChangeError> {
        let (charset, text) = (self.encoding.charset, self.text());
        let mut bytes = Vec::with_capacity(old.len());
        let mut from = 0;
        for Joined { span, text: new, change } in changes {
            meter.spend(2 * Map::FIND)?;
            let (start, end) = (map.find(charset, old, span.start), map.find(charset, old, span.end));
            // Where one pair of bytes stands for two characters and one of them stays, it is encoded anew.
            let (kept_before, start_byte) = match start.inside {
                Some((shown, bytes)) => (&text[shown.start..span.start], bytes.start),
                None => ("", start.previous),
            };
            let (kept_after, end_byte) = match end.inside {
                Some((shown, bytes)) => (&text[span.end..shown.end], bytes.end),
                None => ("", end.begins),
            };
            let line_ends = text[span.end..].chars().next().is_none_or(|next| matches!(next, '\n' | '\r'));
            let to = if line_ends { Mode::Ascii } else { end.mode };
            let new = [kept_before, new, kept_after].concat();
            let new = charset.encode_between(&new, start.mode_previous, to, meter)?;
            bytes.extend_from_slice(&old[from..start_byte]);
            bytes.append(&mut new.map_err(|source| ChangeError::Unencodable { change: *change, source })?);
            from = end_byte;
        }
        bytes.extend_from_slice(&old[from..]);
        Ok(bytes)
    }

    /// Whether the new document reads as this one with the changes.
    fn compare(&self, new: &Self, changes: &[Joined]) -> Result<(), ChangeError> {
        let (mut old_at, mut new_at) = (0, 0);
        let mut same = |expected: &str| {
            let found = new.text().as_bytes().get(new_at..new_at + expected.len());
            let same = found == Some(expected.as_bytes());
            let at = new_at;
            new_at += expected.len();
            if same { Ok(()) } else { Err(ChangeError::Joins { at }) }
        };
        for change in changes {
            same(&self.text()[old_at..change.span.start])?;
            same(&change.text)?;
            old_at = change.span.end;
        }
        same(&self.text()[old_at..])?;
        if new_at == new.text().len() { Ok(()) } else { Err(ChangeError::Joins { at: new_at }) }
    }
}

/// What a change costs beside its text.
const EACH_CHANGE: usize = 64;

struct Joined {
    span: Range<usize>,
    text: String,
    /// Which change it began with.
    change: usize,
}
