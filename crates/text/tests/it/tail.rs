//! The last lines, from the end.

use std::convert::Infallible;

use proptest::prelude::*;
use toolcrib_text::{Breaks, LineEndings, tail};

use crate::any;

proptest! {
    #[test]
    fn the_last_lines_are_the_last_of_all(
        text in any::text(), charset in any::charset(), most in 0_usize..6, piece in 1_usize..40, odd in 0_usize..3,
    ) {
        let text = any::within(charset, &text);
        let breaks = Breaks::new(charset, LineEndings::of(&text).newline());
        let mut bytes = charset.encode(&text).unwrap();
        // What is left of a unit at the end is part of the last line.
        bytes.extend(std::iter::repeat_n(b'x', odd.min(charset.unit() - 1)));
        let mut starts: Vec<usize> = breaks.iter(&bytes).map(|at| at + breaks.width()).collect();
        starts.insert(0, 0);
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        let all: Vec<_> = starts.iter().copied().zip(ends).filter(|(start, end)| start < end).collect();
        let expected: Vec<_> = all[all.len().saturating_sub(most)..].iter().map(|(start, end)| *start as u64..*end as u64).collect();

        let mut lowest = bytes.len() as u64;
        let found = tail(breaks, 0..bytes.len() as u64, most, piece, |_| false, |offset, buffer: &mut [u8]| {
            assert!(offset + buffer.len() as u64 <= lowest, "each byte once, from the end");
            lowest = offset;
            let from = usize::try_from(offset).unwrap();
            buffer.copy_from_slice(&bytes[from..from + buffer.len()]);
            Ok::<(), Infallible>(())
        }).unwrap();
        prop_assert_eq!(found.lines.into_iter().collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(found.whole, expected.len() == all.len() && (most > 0 || bytes.is_empty()));
        if let Some(first) = expected.first() {
            let slack = (piece.max(breaks.width()) + breaks.width()) as u64;
            prop_assert!(lowest + slack >= first.start, "read no further than needed");
        }
    }
}
