//! A large content as it is kept: compressed piece by piece, several at a time.
//!
//! Each piece is a block of its own behind its length. A block that takes as much room as what it stands for is that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use toolcrib_text::room_for_threads;

/// What fits into a processor's cache, and loses next to nothing to its neighbours.
const PIECE: usize = 1 << 20;
/// Whether a content is worth a second thread.
pub(crate) const LARGE: usize = 8 * PIECE;
const THREADS: usize = 4;
const LENGTH: usize = 4;

pub(crate) fn compress(content: &[u8]) -> Vec<u8> {
    let pieces: Vec<&[u8]> = content.chunks(PIECE).collect();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = 1 + room_for_threads(processors.min(THREADS).min(pieces.len()).saturating_sub(1));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        let mut room = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            match pieces.get(number) {
                Some(piece) => done.push((number, compress_piece(piece, &mut room))),
                None => return done,
            }
        }
    };
    let mut compressed = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut compressed = work();
        for other in others {
            compressed.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        compressed
    });
    compressed.sort_unstable_by_key(|(number, _)| *number);
    let mut all = Vec::with_capacity(compressed.iter().map(|(_, piece)| piece.len()).sum());
    compressed.iter().for_each(|(_, piece)| all.extend(piece));
    all
}

/// `room` is used again for every piece.
fn compress_piece(piece: &[u8], room: &mut Vec<u8>) -> Vec<u8> {
    room.resize(lz4_flex::block::get_maximum_output_size(PIECE), 0);
    let length = lz4_flex::block::compress_into(piece, room).ok();
    let block = match length {
        Some(length) if length < piece.len() => &room[..length],
        _ => piece,
    };
    // A piece is far smaller than what four bytes can say.
    let length = u32::try_from(block.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes()[..], block].concat()
}

/// The content again, which has `plain` bytes; none if this is not one.
pub(crate) fn restore(mut bytes: &[u8], plain: usize) -> Option<Vec<u8>> {
    let mut content = Vec::with_capacity(plain);
    while content.len() < plain {
        let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
        let (block, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        bytes = rest;
        let wanted = PIECE.min(plain - content.len());
        if block.len() == wanted {
            content.extend(block);
            continue;
        }
        let piece = lz4_flex::block::decompress(block, wanted).ok()?;
        if piece.len() != wanted {
            return None;
        }
        content.extend(piece);
    }
    bytes.is_empty().then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        bytes
    }

    #[test]
    fn pieces_come_back_in_their_order() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 7] {
            let text: Vec<u8> = (0..length).map(|at| (at / 1000) as u8).collect();
            let half = [noise(length / 2), text.clone()].concat();
            for content in [noise(length), text, half] {
                let kept = compress(&content);
                assert!(kept.len() <= content.len() + content.len().div_ceil(PIECE) * LENGTH);
                assert_eq!(restore(&kept, content.len()), Some(content));
            }
        }
    }

    #[test]
    fn what_is_damaged_is_no_content() {
        let content = [noise(PIECE / 2), vec![b'a'; 2 * PIECE]].concat();
        let kept = compress(&content);
        assert_eq!(restore(&kept[..kept.len() - 1], content.len()), None);
        assert_eq!(restore(&[&kept[..], &[0]].concat(), content.len()), None);
        assert_eq!(restore(&kept, content.len() + 1), None);
        assert_eq!(restore(&kept, content.len() - 1), None);
        let mut wrong = kept.clone();
        wrong[..LENGTH].fill(0xff);
        assert_eq!(restore(&wrong, content.len()), None);
    }
}
