//! Which pages or cells are wanted: `"3"`, `"1-10"`, `"5-"`, `"1,3,8-9"`, counted from 1.

use std::fmt;
use std::str::FromStr;

/// A set of numbers as a person writes it. In order and without overlaps, whatever the text was.
///
/// ```
/// use toolcrib_formats::Ranges;
///
/// let ranges: Ranges = "8-, 1-3".parse()?;
/// assert_eq!(ranges.to_string(), "1-3,8-");
///
/// let selection = ranges.select(10, 5)?;
/// assert_eq!(selection.numbers, [1, 2, 3, 8, 9]);
/// assert_eq!(selection.rest.map(|rest| rest.to_string()), Some("10".to_owned()));
/// # Ok::<(), toolcrib_formats::RangeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Ascending, with a gap of at least one number between two spans; only the last may be open.
    spans: Vec<Span>,
}

/// What a document of a known length has of [`Ranges`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The numbers, ascending.
    pub numbers: Vec<usize>,
    /// What the limit left out, if anything: what to ask for next.
    pub rest: Option<Ranges>,
}

/// Why a text is no range, or not one of this document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// There is nothing in it.
    #[error("the range is empty; write it as \"3\", \"1-10\", \"5-\" or \"1,3\"")]
    Empty,
    /// A part of it is not a number or two of them.
    #[error("{part:?} is not a range; write it as \"3\", \"1-10\", \"5-\" or \"1,3\"")]
    NotANumber {
        /// The part, cut if it is long.
        part: String,
    },
    /// It starts at 0.
    #[error("the range starts at 0; the first is number 1")]
    Zero,
    /// It ends before it starts.
    #[error("the range {first}-{last} ends before it starts; write {last}-{first}")]
    Backwards {
        /// Where it starts.
        first: usize,
        /// Where it ends.
        last: usize,
    },
    /// It has more parts than anybody needs.
    #[error("the range has more than {} parts", Ranges::MAX_PARTS)]
    TooManyParts,
    /// It starts past the end of the document.
    #[error("{first} is past the end: there are {total}")]
    PastTheEnd {
        /// Where the range starts.
        first: usize,
        /// How many there are.
        total: usize,
    },
}

impl Ranges {
    /// How many parts between commas are taken.
    pub const MAX_PARTS: usize = 1000;

    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self { spans: vec![Span { first: 1, last: None }] }
    }

    /// The numbers that a document of `total` pages or cells has of these, `limit` at the most.
    ///
    /// # Errors
    ///
    /// If a part starts past the end. An empty document has nothing to be past of, if everything is asked for.
    pub fn select(&self, total: usize, limit: usize) -> Result<Selection, RangeError> {
        let mut numbers = Vec::new();
        for span in &self.spans {
            if span.first > total && (span.first, total) != (1, 0) {
                return Err(RangeError::PastTheEnd { first: span.first, total });
            }
            let last = span.last.unwrap_or(total).min(total);
            let room = limit - numbers.len();
            let end = last.min((span.first - 1).saturating_add(room));
            numbers.extend(span.first..=end);
        }
        let rest = self.after(numbers.last().copied().unwrap_or(0), total);
        Ok(Selection { numbers, rest })
    }

    /// What of these comes after a number, in a document of `total` pages or cells.
    #[must_use]
    pub fn after(&self, number: usize, total: usize) -> Option<Self> {
        let left = self.spans.iter().filter_map(|span| {
            let (first, last) =
                (span.first.max(number.saturating_add(1)), span.last.unwrap_or(total).min(total));
            (first <= last).then_some(Span { first, last: Some(last) })
        });
        let spans: Vec<Span> = left.collect();
        (!spans.is_empty()).then_some(Self { spans })
    }

    /// Spans in ascending order, with those that touch made one.
    fn merged(spans: impl IntoIterator<Item = Span>) -> Self {
        let mut merged: Vec<Span> = Vec::new();
        for span in spans {
            match merged.last_mut() {
                Some(before) if before.reaches(span) => before.join(span),
                _ => merged.push(span),
            }
        }
        Self { spans: merged }
    }
}

/// Numbers in ascending order.
impl FromIterator<usize> for Ranges {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        Self::merged(numbers.into_iter().map(|number| Span { first: number, last: Some(number) }))
    }
}

impl FromStr for Ranges {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        if text.trim().is_empty() {
            return Err(RangeError::Empty);
        }
        let mut spans = Vec::new();
        for part in text.split(',').map(str::trim) {
            if spans.len() == Self::MAX_PARTS {
                return Err(RangeError::TooManyParts);
            }
            spans.push(Span::parse(part)?);
        }
        spans.sort();
        Ok(Self::merged(spans))
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Span { first, last }) in self.spans.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            match last {
                None => write!(f, "{first}-")?,
                Some(last) if last == first => write!(f, "{first}")?,
                Some(last) => write!(f, "{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    first: usize,
    /// `None`: to the end.
    last: Option<usize>,
}

impl Span {
    fn parse(part: &str) -> Result<Self, RangeError> {
        let number = |text: &str| {
            text.trim().parse().map_err(|_| RangeError::NotANumber { part: part.chars().take(40).collect() })
        };
        // Programs that make text look good turn a hyphen between numbers into a dash.
        let span = match part.split_once(['-', '–']) {
            None => number(part).map(|first| Self { first, last: Some(first) })?,
            Some((first, "")) => Self { first: number(first)?, last: None },
            Some((first, last)) => Self { first: number(first)?, last: Some(number(last)?) },
        };
        match span {
            Self { first: 0, .. } => Err(RangeError::Zero),
            Self { first, last: Some(last) } if last < first => Err(RangeError::Backwards { first, last }),
            span => Ok(span),
        }
    }

    /// Whether `next`, which does not start before this one, touches it.
    fn reaches(self, next: Self) -> bool {
        self.last.is_none_or(|last| next.first <= last.saturating_add(1))
    }

    fn join(&mut self, next: Self) {
        self.last = self.last.zip(next.last).map(|(a, b)| a.max(b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match text.parse::<Ranges>() {
            Ok(ranges) => ranges.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        check("3", "3");
        check(" 1 - 10 ", "1-10");
        check("1–10", "1-10");
        check("5-", "5-");
        check("1,3", "1,3");
        check("9,1-3,2-5,6", "1-6,9");
        check("4-,2,7", "2,4-");
        check("1-,3", "1-");
    }

    #[test]
    fn what_is_no_range_says_how_to_write_one() {
        let forms = "write it as \"3\", \"1-10\", \"5-\" or \"1,3\"";
        check(" ", &format!("the range is empty; {forms}"));
        check("all", &format!("\"all\" is not a range; {forms}"));
        check("1,,2", &format!("\"\" is not a range; {forms}"));
        check("-5", &format!("\"-5\" is not a range; {forms}"));
        check("1-2-3", &format!("\"1-2-3\" is not a range; {forms}"));
        check("99999999999999999999", &format!("\"99999999999999999999\" is not a range; {forms}"));
        check("0-3", "the range starts at 0; the first is number 1");
        check("10-1", "the range 10-1 ends before it starts; write 1-10");
        check(&"1,".repeat(2000), "the range has more than 1000 parts");
    }

    #[test]
    fn a_document_gives_what_it_has_and_says_what_comes_next() {
        let select = |text: &str, total, limit| text.parse::<Ranges>().unwrap().select(total, limit);
        let all = select("1-100", 3, 20).unwrap();
        assert_eq!((all.numbers, all.rest), (vec![1, 2, 3], None));
        let some = select("2-4,7-", 9, 4).unwrap();
        assert_eq!(some.numbers, [2, 3, 4, 7]);
        assert_eq!(some.rest.unwrap().to_string(), "8-9");
        let none = select("2-4,7", 9, 0).unwrap();
        assert_eq!((none.numbers.len(), none.rest.unwrap().to_string()), (0, "2-4,7".to_owned()));
        assert_eq!(select("4-5", 3, 9), Err(RangeError::PastTheEnd { first: 4, total: 3 }));
        assert_eq!(select("1,9", 3, 9), Err(RangeError::PastTheEnd { first: 9, total: 3 }));
        assert_eq!(Ranges::all().select(0, 9).unwrap().numbers, [0; 0]);
    }

    #[test]
    fn what_is_left_after_a_number() {
        let after = |text: &str, number, total| {
            text.parse::<Ranges>().unwrap().after(number, total).map(|left| left.to_string())
        };
        assert_eq!(after("1-", 3, 9).as_deref(), Some("4-9"));
        assert_eq!(after("2-4,7-100", 3, 9).as_deref(), Some("4,7-9"));
        assert_eq!(after("2-4,7", 7, 9), None);
        assert_eq!(Ranges::from_iter([1, 2, 3, 7, 9, 10]).to_string(), "1-3,7,9-10");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_is_read_again(text in "[0-9, –-]{0,12}|.{0,12}", total in 0_usize..50) {
            if let Ok(ranges) = text.parse::<Ranges>() {
                prop_assert_eq!(&ranges.to_string().parse::<Ranges>().unwrap(), &ranges);
                if let Ok(selection) = ranges.select(total, 7) {
                    prop_assert!(selection.numbers.is_sorted_by(|a, b| a < b));
                    prop_assert!(selection.numbers.iter().all(|number| (1..=total).contains(number)));
                }
            }
        }
    }
}
