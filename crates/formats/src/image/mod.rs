//! Images, made fit for a model: decodable for certain, and not larger than it takes.
//!
//! An image within the limits goes out byte for byte, after it was decoded once to be sure that it can be. Any other is
//! scaled down and written anew as PNG or JPEG. What cannot be decoded whole is an error, never an attachment.
//!
//! **Bounds.** The dimensions come from the header and are checked before anything is decoded: the pixels, with what the
//! decoder needs beside them, take at most [`Limits::decoded`] bytes. With the default, and at most [`MAX_BYTES`] of
//! input, an image stays below 256 MB and well below 5 s. Of an animation only the first frame is decoded. Decoding runs
//! on a thread of its own, where a panic of a decoder stays.

#[cfg(feature = "decoders")]
mod decoders;

use std::fmt;

use crate::{Kind, Stop, base64, sniff};
use toolcrib_text::NoMemory;

/// How many bytes an image may have to be read within 256 MB of memory.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The kinds for which there is a decoder.
pub const DECODED: &[Kind] = &[Kind::Png, Kind::Jpeg, Kind::Gif, Kind::WebP, Kind::Bmp, Kind::Tiff];

/// What a model takes, and what decoding may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest side, in pixels.
    pub side: u32,
    /// The most bytes.
    pub bytes: usize,
    /// The most bytes of memory that the decoded image may take.
    pub decoded: u64,
    /// The kinds that go out as they are. The others are written anew, however small they are: no model's interface
    /// takes a TIFF.
    pub untouched: &'static [Kind],
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            side: 1568,
            bytes: 5 * 1024 * 1024,
            decoded: 128 * 1024 * 1024,
            untouched: &[Kind::Png, Kind::Jpeg, Kind::Gif, Kind::WebP],
        }
    }
}

/// An image that a model can take.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What the bytes are.
    pub mime_type: &'static str,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The file.
    pub bytes: Vec<u8>,
    /// What it was before.
    pub original: Original,
}

impl Image {
    /// Whether it is another than the original.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.bytes.len() != self.original.size || self.mime_type != self.original.mime_type
    }

    /// Whether it has fewer pixels than the original.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        u64::from(self.width) * u64::from(self.height)
            < u64::from(self.original.width) * u64::from(self.original.height)
    }

    /// The file as a text, for JSON.
    #[must_use]
    pub fn base64(&self) -> String {
        base64::encode(&self.bytes)
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mime_type, width, height, bytes, original } = self;
        let mut shown = f.debug_struct("Image");
        shown.field("mime_type", mime_type).field("width", width).field("height", height);
        shown.field("bytes", &bytes.len()).field("original", original).finish()
    }
}

/// The image as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Original {
    /// What the bytes were.
    pub mime_type: &'static str,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// In bytes.
    pub size: usize,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no image.
    #[error("not an image")]
    NotAnImage,
    /// An image of a kind for which there is no decoder.
    #[error("{0}s are not supported; convert it to PNG or JPEG")]
    Unsupported(&'static str),
    /// Too many bytes.
    #[error("the image is too large: {bytes} bytes, {MAX_BYTES} at the most")]
    TooManyBytes {
        /// How many there are.
        bytes: usize,
    },
    /// Too many pixels.
    #[error("the image is too large to decode: {width} × {height} pixels")]
    TooManyPixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// There is not enough memory for its pixels.
    #[error("{0}")]
    NoMemory(#[from] NoMemory),
    /// It ends too early.
    #[error("the image is cut off: it ends before its data does")]
    Truncated,
    /// It cannot be decoded.
    #[error("the image is damaged: {0}")]
    Damaged(String),
    /// It cannot be made small enough.
    #[error("the image cannot be brought to the size a model takes")]
    NotSmallEnough,
    /// The caller no longer wants it.
    #[error("it takes too long to decode")]
    Stopped,
    /// The decoder failed, not the image alone.
    #[error("the image's decoder failed")]
    Fault,
    /// Earlier decoding still hangs.
    #[error("too many files are being decoded; try again later")]
    Busy,
    /// The decoders were left out when the program was built.
    #[error("this build of Toolcrib has no support for images")]
    NotInThisBuild,
}

/// Makes an image fit for a model.
///
/// ```
/// use toolcrib_formats::image::{Error, Limits, prepare};
///
/// let pixel = b"GIF89a\x01\0\x01\0\x80\0\0\xFF\xFF\xFF\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;".to_vec();
/// let image = prepare(pixel.clone(), Limits::default(), &|| false)?;
/// assert_eq!((image.mime_type, image.width, image.height), ("image/gif", 1, 1));
/// assert_eq!(image.bytes, pixel);
///
/// let cut = pixel[..30].to_vec();
/// assert_eq!(prepare(cut, Limits::default(), &|| false), Err(Error::Truncated));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the bytes are no image that can be decoded whole within the limits, or `stop` says so. Without the feature
/// `decoders`, always.
pub fn prepare(bytes: Vec<u8>, limits: Limits, stop: &dyn Stop) -> Result<Image, Error> {
    let kind = sniff(&bytes);
    match kind {
        kind if DECODED.contains(&kind) => {}
        Kind::Avif => return Err(Error::Unsupported(kind.name())),
        Kind::Binary(name) if name.ends_with("image") => return Err(Error::Unsupported(name)),
        _ => return Err(Error::NotAnImage),
    }
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooManyBytes { bytes: bytes.len() });
    }
    fit(kind, bytes, limits, stop)
}

#[cfg(feature = "decoders")]
use decoders::fit;

#[cfg(not(feature = "decoders"))]
fn fit(_: Kind, _: Vec<u8>, _: Limits, _: &dyn Stop) -> Result<Image, Error> {
    Err(Error::NotInThisBuild)
}
