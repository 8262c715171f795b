//! How large a stream is when it is unpacked, found out within a bound.
//!
//! hayro unpacks to whatever size comes out; a file of 60 KB can hold 60 MB, and two filters in a row 60 GB. So nothing
//! is given to it to unpack that was not measured here. Most streams are too short to be a danger and pass by their
//! length alone; the others are unpacked once into nothing, and counted.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;
use weezl::BitOrder;

/// How many filters in a row are followed. More than two are not seen in the wild.
const MAX_FILTERS: usize = 4;

/// How many bytes the stream has unpacked, or a bound for it; `None` if that may be more than `limit`.
///
/// Also `None` if the data is broken: hayro then tries again in more forgiving ways, of which only the shortness of
/// the data is a bound.
pub(super) fn measure(stream: &Stream<'_>, limit: usize) -> Option<usize> {
    let filters = stream.filters();
    if filters.iter().any(|filter| is_image(*filter)) {
        // Not unpacked as data by hayro, either.
        return Some(0);
    }
    let raw = stream.raw_data();
    let bound = filters.iter().try_fold(raw.len(), |length, filter| length.checked_mul(growth(*filter)));
    if let Some(bound) = bound.filter(|bound| *bound <= limit) {
        return Some(bound);
    }
    if filters.len() > MAX_FILTERS {
        return None;
    }
    let mut data = raw;
    for (at, filter) in filters.iter().enumerate() {
        if at + 1 == filters.len() && *filter == Filter::FlateDecode {
            return inflated_size(&data, limit);
        }
        data = Cow::Owned(unpack(*filter, &data, limit)?);
    }
    (data.len() <= limit).then_some(data.len())
}

/// The stream unpacked, as far as the limit and the damage in it allow, and whether that is all of it.
pub(super) fn content(stream: &Stream<'_>, limit: usize) -> (Vec<u8>, bool) {
    if measure(stream, limit).is_some() {
        // What hayro cannot unpack at all has no text.
        return (stream.decoded_data().map(Cow::into_owned).unwrap_or_default(), true);
    }
    match stream.filters().as_slice() {
        // Large and broken: what comes before the break is better than nothing.
        [Filter::FlateDecode] => {
            let mut data = Vec::new();
            let _ = ZlibDecoder::new(stream.raw_data().as_ref()).take(limit as u64).read_to_end(&mut data);
            (data, false)
        }
        _ => (Vec::new(), false),
    }
}

fn is_image(filter: Filter) -> bool {
    matches!(filter, Filter::DctDecode | Filter::JpxDecode | Filter::Jbig2Decode | Filter::CcittFaxDecode)
}

/// How many bytes one byte can become.
fn growth(filter: Filter) -> usize {
    match filter {
        // 258 bytes from two bits, as hayro's own inflater would read them.
        Filter::FlateDecode => 1032,
        // A code of 12 bits can stand for 4096 bytes.
        Filter::LzwDecode => 2731,
        Filter::RunLengthDecode => 64,
        // `z` stands for four zeros.
        Filter::Ascii85Decode => 4,
        _ => 1,
    }
}

fn inflated_size(data: &[u8], limit: usize) -> Option<usize> {
    let size = |reader: &mut dyn std::io::Read| {
        let mut buffer = [0; 16 * 1024];
        let mut size = 0_usize;
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Some(size),
                Ok(length) => size += length,
                Err(_) => return None,
            }
            if size > limit {
                return None;
            }
        }
    };
    // Some writers leave out the header; hayro tries that, too.
    size(&mut ZlibDecoder::new(data)).or_else(|| size(&mut DeflateDecoder::new(data)))
}

fn unpack(filter: Filter, data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let unpacked = match filter {
        Filter::FlateDecode => {
            let mut unpacked = Vec::new();
            ZlibDecoder::new(data).take(limit as u64 + 1).read_to_end(&mut unpacked).ok()?;
            unpacked
        }
        Filter::LzwDecode => lzw(data, limit)?,
        Filter::RunLengthDecode => run_length(data, limit)?,
        Filter::Ascii85Decode => ascii_85(data)?,
        Filter::AsciiHexDecode => ascii_hex(data),
        _ => return None,
    };
    (unpacked.len() <= limit).then_some(unpacked)
}

/// The width of the codes grows one code early, or not if the stream says so: one of the two ways fits.
fn lzw(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let early = weezl::decode::Decoder::with_tiff_size_switch(BitOrder::Msb, 8);
    let late = weezl::decode::Decoder::new(BitOrder::Msb, 8);
    [early, late].into_iter().find_map(|mut decoder| {
        let mut unpacked = Vec::new();
        let mut rest = data;
        let mut buffer = [0; 16 * 1024];
        loop {
            let step = decoder.decode_bytes(rest, &mut buffer);
            rest = &rest[step.consumed_in..];
            unpacked.extend_from_slice(&buffer[..step.consumed_out]);
            match step.status {
                Ok(weezl::LzwStatus::Done) => return Some(unpacked),
                // Some writers leave out the mark at the end.
                Ok(weezl::LzwStatus::NoProgress) => return rest.is_empty().then_some(unpacked),
                Ok(weezl::LzwStatus::Ok) if unpacked.len() <= limit => {}
                _ => return None,
            }
        }
    })
}

fn run_length(mut data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    while let [length, rest @ ..] = data {
        match usize::from(*length) {
            128 => break,
            length @ 0..128 => {
                unpacked.extend_from_slice(rest.get(..=length)?);
                data = &rest[length + 1..];
            }
            length => {
                unpacked.resize(unpacked.len() + 257 - length, *rest.first()?);
                data = &rest[1..];
            }
        }
        if unpacked.len() > limit {
            return None;
        }
    }
    Some(unpacked)
}

fn ascii_85(data: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::with_capacity(data.len() / 5 * 4);
    let mut group = [0_u8; 5];
    let mut filled = 0;
    let value = |group: [u8; 5]| {
        group.iter().fold(0_u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(u32::from(*digit)))
    };
    for byte in data {
        match byte {
            b'z' if filled == 0 => unpacked.extend_from_slice(&[0; 4]),
            b'!'..=b'u' => {
                group[filled] = byte - b'!';
                filled += 1;
                if filled == 5 {
                    unpacked.extend_from_slice(&value(group).to_be_bytes());
                    filled = 0;
                }
            }
            b'~' => break,
            byte if byte.is_ascii_whitespace() || *byte == 0 => {}
            _ => return None,
        }
    }
    if filled > 1 {
        group[filled..].fill(84);
        unpacked.extend_from_slice(&value(group).to_be_bytes()[..filled - 1]);
    }
    Some(unpacked)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits =
        data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}
