//! The smallest thing that changes a text: a span, and what stands there instead.

use std::ops::Range;

use crate::TooLarge;

/// A span of a text and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The span, as offsets of bytes; empty where something is inserted.
    pub span: Range<usize>,
    /// What stands there afterwards; empty where something is removed.
    pub text: String,
}

impl Splice {
    /// Without what the span and its replacement have in common at either end; nothing, if they are equal.
    pub(crate) fn trimmed(self, text: &str) -> Option<Self> {
        let old = &text[self.span.clone()];
        let prefix = common_prefix(old, &self.text);
        let suffix = common_suffix(&old[prefix..], &self.text[prefix..]);
        let span = self.span.start + prefix..self.span.end - suffix;
        let text = self.text[prefix..self.text.len() - suffix].to_owned();
        (!span.is_empty() || !text.is_empty()).then_some(Self { span, text })
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

fn common_suffix(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// The text with all splices made. They are in order and do not overlap.
#[must_use]
pub fn splice(text: &str, splices: &[Splice]) -> String {
    let grown: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut result = String::with_capacity(text.len() + grown);
    let mut kept = 0;
    for splice in splices {
        result.push_str(&text[kept..splice.span.start]);
        result.push_str(&splice.text);
        kept = splice.span.end;
    }
    result.push_str(&text[kept..]);
    result
}

/// How many bytes the text has with all splices made, if there are so few that they can be counted.
#[must_use]
pub fn spliced_size<'s>(text: &str, splices: impl IntoIterator<Item = &'s Splice>) -> usize {
    splices.into_iter().fold(text.len(), |size, splice| {
        size.saturating_sub(splice.span.len()).saturating_add(splice.text.len())
    })
}

/// Collects what is kept and what is inserted on a way through a region; what is neither is removed.
#[derive(Debug)]
pub(crate) struct Script<'t> {
    text: &'t str,
    /// Up to here all is decided.
    cursor: usize,
    end: usize,
    inserted: String,
    splices: Vec<Splice>,
    /// How many bytes may be inserted, and how many were.
    most: usize,
    size: usize,
}

impl<'t> Script<'t> {
    pub(crate) fn new(text: &'t str, region: Range<usize>, most: usize) -> Self {
        let (inserted, splices) = (String::new(), Vec::new());
        Self { text, cursor: region.start, end: region.end, inserted, splices, most, size: 0 }
    }

    /// Keeps a span. Spans come in the order of the text.
    pub(crate) fn keep(&mut self, span: Range<usize>) {
        self.replace_up_to(span.start);
        self.cursor = span.end;
    }

    /// Inserts a text. What is too much is not kept, and [`finish`](Self::finish) tells.
    pub(crate) fn insert(&mut self, text: &str) {
        self.size = self.size.saturating_add(text.len());
        if self.size <= self.most {
            self.inserted.push_str(text);
        }
    }

    pub(crate) fn finish(mut self) -> Result<Vec<Splice>, TooLarge> {
        if self.size > self.most {
            return Err(TooLarge { size: self.size, limit: self.most });
        }
        self.replace_up_to(self.end);
        let text = self.text;
        Ok(self.splices.into_iter().filter_map(|splice| splice.trimmed(text)).collect())
    }

    fn replace_up_to(&mut self, end: usize) {
        let text = std::mem::take(&mut self.inserted);
        match self.splices.last_mut() {
            Some(last) if last.span.end == self.cursor => {
                last.span.end = end;
                last.text.push_str(&text);
            }
            _ => self.splices.push(Splice { span: self.cursor..end, text }),
        }
    }
}
