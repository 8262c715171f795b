//! From a file to pixels, with the dimensions checked in between.

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

use image::codecs::{bmp, gif, jpeg, png, tiff, webp};
use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageError, ImageResult};

use toolcrib_text::Reserved;

use super::jpeg::Layout;
use super::{Error, Limits};
use crate::{Kind, Stop};

/// The pixels of an image, as the decoder gives them.
pub(super) struct Decoded {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) colour: ColorType,
    pub(super) pixels: Vec<u8>,
    /// How it is to be turned to be upright.
    pub(super) orientation: Orientation,
}

/// Decodes the image, or its first frame.
pub(super) fn decode(kind: Kind, bytes: &[u8], limits: Limits, stop: &dyn Stop) -> Result<Decoded, Error> {
    let input = Input { bytes: Cursor::new(bytes), stop };
    let bound = bound(limits.decoded);
    match kind {
        Kind::Png => pixels(png::PngDecoder::with_limits(input, bound), limits, 0, stop),
        Kind::Jpeg => {
            let beside = Layout::of(bytes).map_or(0, |layout| layout.coefficients);
            pixels(jpeg::JpegDecoder::new(input), limits, beside, stop)
        }
        Kind::Gif => pixels(gif::GifDecoder::new(input), limits, 0, stop),
        Kind::WebP => pixels(webp::WebPDecoder::new(input), limits, 0, stop),
        Kind::Bmp => pixels(bmp::BmpDecoder::new(input), limits, 0, stop),
        Kind::Tiff => pixels(tiff::TiffDecoder::new(input), limits, 0, stop),
        _ => Err(Error::NotAnImage),
    }
}

fn pixels(
    decoder: ImageResult<impl ImageDecoder>,
    limits: Limits,
    beside: u64,
    stop: &dyn Stop,
) -> Result<Decoded, Error> {
    let explain = |error| explain(&error, stop);
    let mut decoder = decoder.map_err(explain)?;
    let (width, height) = decoder.dimensions();
    let total = decoder.total_bytes();
    let too_many = Error::TooManyPixels { width, height };
    if width == 0 || height == 0 {
        return Err(Error::Damaged("it has no pixels".to_owned()));
    }
    if total.saturating_add(beside) > limits.decoded {
        return Err(too_many);
    }
    // A decoder may hold the pixels a second time; what it gives is scaled down beside them.
    let memory = total.saturating_mul(2).saturating_add(beside).saturating_add(SCALED);
    let _memory = Reserved::new(usize::try_from(memory).unwrap_or(usize::MAX))?;
    // What is left is for what the decoder needs beside the pixels.
    decoder.set_limits(bound(limits.decoded - total)).map_err(explain)?;
    // Not every image says, and one that says it wrong is shown as it is.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let colour = decoder.color_type();
    let mut pixels = vec![0; usize::try_from(total).map_err(|_| too_many)?];
    decoder.read_image(&mut pixels).map_err(explain)?;
    Ok(Decoded { width, height, colour, pixels, orientation })
}

/// What an image takes that has been scaled down, while it is written anew.
const SCALED: u64 = 24 << 20;

fn bound(bytes: u64) -> image::Limits {
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(bytes);
    limits
}

fn explain(error: &ImageError, stop: &dyn Stop) -> Error {
    if stop.stopped() {
        return Error::Stopped;
    }
    match error {
        ImageError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => Error::Truncated,
        ImageError::Limits(_) => {
            Error::Damaged("its parts need more memory than its size explains".to_owned())
        }
        error => Error::Damaged(gist(&error.to_string())),
    }
}

/// What a decoder says, without the format that is known already and without its inner state.
fn gist(message: &str) -> String {
    let message = match message.split_once(": ") {
        Some((start, rest)) if start.starts_with("Format error") => rest,
        _ => message,
    };
    let message = message.split(" while decoding ").next().unwrap_or(message);
    message.trim_end_matches('.').chars().take(200).collect()
}

/// The bytes, until no caller wants them any more: that is how a decoder is told to stop.
struct Input<'a> {
    bytes: Cursor<&'a [u8]>,
    stop: &'a dyn Stop,
}

impl Input<'_> {
    fn go_on(&self) -> io::Result<()> {
        if self.stop.stopped() { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        self.bytes.read(buffer)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.go_on()?;
        self.bytes.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.bytes.consume(amount);
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}
