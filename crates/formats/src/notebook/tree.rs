//! JSON as a tree that borrows its texts and has a limited number of values.
//!
//! `serde_json::Value` takes 32 bytes for a value that is one byte of JSON. Here the number of values is bounded while
//! they are read, and what a notebook's reader never looks at is passed over.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Error;
use crate::Stop;

/// How many values are kept. A notebook with 1,000 cells has some 50,000.
pub(super) const MAX_VALUES: usize = 1_000_000;

#[derive(Debug, PartialEq)]
pub(super) enum Tree<'a> {
    /// Null, a boolean, or a value that was passed over.
    Other,
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Map(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl<'a> Tree<'a> {
    pub(super) fn parse(bytes: &'a [u8], stop: &dyn Stop) -> Result<Self, Error> {
        let state = State { values: Cell::new(0), stop, end: Cell::new(None) };
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let tree = Reader(&state).deserialize(&mut reader).and_then(|tree| reader.end().map(|()| tree));
        tree.map_err(|error| state.end.take().unwrap_or_else(|| Error::NotJson(error.to_string())))
    }

    /// The value of a key, if this is a map that has it. Of several, the last, as every other reader has it.
    pub(super) fn get(&self, key: &str) -> Option<&Tree<'a>> {
        let Self::Map(entries) = self else { return None };
        entries.iter().rev().find(|(found, _)| found == key).map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn list(&self) -> &[Tree<'a>] {
        if let Self::List(list) = self { list } else { &[] }
    }

    pub(super) fn entries(&self) -> &[(Cow<'a, str>, Tree<'a>)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    pub(super) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The lines of a multi-line text, which stands as one text or as a list of its lines.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        self.text().into_iter().chain(self.list().iter().filter_map(Tree::text))
    }
}

/// What all readers of one notebook share.
struct State<'s> {
    values: Cell<usize>,
    stop: &'s dyn Stop,
    /// Why reading ended, if it was not the JSON.
    end: Cell<Option<Error>>,
}

impl State<'_> {
    /// Counts one more value. The reason of an end cannot pass through the JSON library, so it is kept aside.
    fn count_or_end<E: serde::de::Error>(&self) -> Result<(), E> {
        self.count().map_err(|reason| {
            self.end.set(Some(reason));
            E::custom("ended")
        })
    }

    fn count(&self) -> Result<(), Error> {
        let values = self.values.get() + 1;
        self.values.set(values);
        if values > MAX_VALUES {
            return Err(Error::TooComplex);
        }
        if values.is_multiple_of(1024) && self.stop.stopped() {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Reader<'r, 's>(&'r State<'s>);

impl<'de> DeserializeSeed<'de> for Reader<'_, '_> {
    type Value = Tree<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'de>, D::Error> {
        self.0.count_or_end()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Other)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the numbers read from a notebook are versions and counts"
    )]
    fn visit_i64<E>(self, number: i64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(number as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the numbers read from a notebook are versions and counts"
    )]
    fn visit_u64<E>(self, number: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element_seed(self)? {
            list.push(value);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key_seed(Key)? {
            let value = if passed_over(&key) {
                self.0.count_or_end()?;
                access.next_value::<IgnoredAny>()?;
                Tree::Other
            } else {
                access.next_value_seed(self)?
            };
            entries.push((key, value));
        }
        Ok(Tree::Map(entries))
    }
}

/// Data for programs: `application/vnd.plotly.v1+json` alone can have millions of numbers.
fn passed_over(key: &str) -> bool {
    key.ends_with("json") || key == "widgets"
}

/// A key, borrowed if it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
