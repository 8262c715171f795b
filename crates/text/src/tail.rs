//! Finds the last lines of a text from its end, never looking at what comes before them.

use std::collections::VecDeque;

use crate::breaks::Breaks;

/// Where the last lines of a text are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Where each line begins and ends, its newline included, in order.
    pub lines: VecDeque<std::ops::Range<u64>>,
    /// Whether the first of them is the first of the text.
    pub whole: bool,
}

/// Finds the last `most` lines of the text that stands between two offsets, asking for its bytes from the end.
///
/// `read` fills the buffer it is given with the bytes from an offset on. It is asked for each byte at most once, in
/// pieces of at most `piece` bytes, last to first, and for none before the newline in front of the lines. With each
/// line found, `enough` is told its length and may end the search.
///
/// ```
/// use toolcrib_text::{Breaks, Charset, Newline, tail};
///
/// let text = b"one\ntwo\nthree";
/// let read = |offset: u64, buffer: &mut [u8]| {
///     buffer.copy_from_slice(&text[offset as usize..][..buffer.len()]);
///     Ok::<(), std::convert::Infallible>(())
/// };
/// let breaks = Breaks::new(Charset::UTF_8, Newline::Lf);
/// let found = tail(breaks, 0..13, 2, 4096, |_| false, read)?;
/// assert_eq!(found.lines, [4..8, 8..13]);
/// assert!(!found.whole);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
///
/// # Errors
///
/// What `read` fails with.
pub fn tail<E>(
    breaks: Breaks,
    text: std::ops::Range<u64>,
    most: usize,
    piece: usize,
    mut enough: impl FnMut(u64) -> bool,
    mut read: impl FnMut(u64, &mut [u8]) -> Result<(), E>,
) -> Result<Tail, E> {
    let width = breaks.width() as u64;
    let mut found = Tail { lines: VecDeque::new(), whole: false };
    let mut end = text.end;
    let mut add = |found: &mut Tail, start: u64| {
        if start < end {
            found.lines.push_front(start..end);
        }
        let done = start < end && enough(end - start);
        end = start;
        done || found.lines.len() >= most
    };
    if most == 0 || text.is_empty() {
        found.whole = text.is_empty();
        return Ok(found);
    }
    // A part of a unit at the very end belongs to the last line and is no newline.
    let mut from = text.end - (text.end - text.start) % width;
    let mut buffer = vec![0; piece.max(breaks.width())];
    while from > text.start {
        let start = block_start(from, &text, buffer.len() as u64, width);
        let length = usize::try_from(from - start).unwrap_or(buffer.len());
        let bytes = &mut buffer[..length];
        read(start, bytes)?;
        for at in breaks.iter_back(bytes) {
            let after = start + at as u64 + width;
            if add(&mut found, after) {
                return Ok(found);
            }
        }
        from = start;
    }
    add(&mut found, text.start);
    found.whole = true;
    Ok(found)
}

/// The start of the piece that ends at `from`: whole units, not before the text.
fn block_start(from: u64, text: &std::ops::Range<u64>, piece: u64, width: u64) -> u64 {
    let piece = piece - piece % width;
    from.saturating_sub(piece).max(text.start)
}
