//! The layout of a JPEG file: its segments up to the end, and what its pixels cost to decode.

/// What the header says that matters before decoding.
pub(super) struct Layout {
    /// Bytes that the decoder keeps beside the pixels. A progressive image comes in several passes, so all its
    /// coefficients are kept until the last, two bytes each.
    pub(super) coefficients: u64,
}

impl Layout {
    /// `None` if the file ends before the image does.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let mut layout = Self { coefficients: 0 };
        let mut at = 2;
        loop {
            // A marker is one or more FF and a code.
            at += memchr::memchr(0xFF, bytes.get(at..)?)?;
            let code = loop {
                at += 1;
                match *bytes.get(at)? {
                    0xFF => {}
                    code => break code,
                }
            };
            at += 1;
            match code {
                END => return Some(layout),
                // FF 00 is data, and these have no length.
                0 | 1 | 0xD0..=0xD8 => continue,
                _ => {}
            }
            let length = usize::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
            let segment = bytes.get(at + 2..at.checked_add(length.max(2))?)?;
            if code == PROGRESSIVE {
                layout.coefficients = coefficients(segment).unwrap_or(0);
            }
            at += length.max(2);
        }
    }
}

const END: u8 = 0xD9;
const PROGRESSIVE: u8 = 0xC2;

/// Precision, height, width, number of components; of each component its sampling.
fn coefficients(frame: &[u8]) -> Option<u64> {
    let [_, h0, h1, w0, w1, count, components @ ..] = frame else { return None };
    let side = |high: u8, low: u8| u64::from(u16::from_be_bytes([high, low])).next_multiple_of(16);
    let samples = components.chunks_exact(3).take(usize::from(*count));
    let sampling = samples.map(|component| (u64::from(component[1] >> 4), u64::from(component[1] & 15)));
    let (across, down) = sampling.clone().reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))?;
    let pixels = side(*w0, *w1) * side(*h0, *h1);
    Some(sampling.map(|(h, v)| 2 * pixels * h * v / (across * down).max(1)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progressive_image_costs_its_coefficients() {
        // 1000 × 500 with 4:2:0: one and a half samples a pixel, two bytes each.
        let frame = [8, 0x01, 0xF4, 0x03, 0xE8, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
        assert_eq!(coefficients(&frame), Some(1008 * 512 * 3));
        assert_eq!(coefficients(&frame[..5]), None);
        assert_eq!(coefficients(&[8, 0, 1, 0, 1, 3, 1, 0, 0]), Some(0));
    }
}
