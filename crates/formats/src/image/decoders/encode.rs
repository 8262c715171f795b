//! Pixels into a file that is small enough.

use image::codecs::{jpeg, png};
use image::{DynamicImage, ImageEncoder as _};

use super::decode::Decoded;
use super::pixels::{Pixels, fitted};
use super::{Error, Limits};
use crate::{Kind, Stop};

/// An image as a new file.
pub(super) struct Written {
    pub(super) mime_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) bytes: Vec<u8>,
}

/// Good enough for text in a photograph; higher only costs bytes.
const QUALITY: u8 = 85;
/// How many times it is tried with fewer pixels before it is given up.
const TRIES: u32 = 8;

/// The image, upright and scaled as far down as the limits ask.
pub(super) fn within(
    decoded: Decoded,
    kind: Kind,
    limits: Limits,
    stop: &dyn Stop,
) -> Result<Written, Error> {
    let orientation = decoded.orientation;
    let mut pixels = Pixels::new(decoded)?;
    let (width, height) = fitted(pixels.size(), limits.side.max(1));
    let mut side = width.max(height);
    for _ in 0..TRIES {
        if stop.stopped() {
            return Err(Error::Stopped);
        }
        let mut image = pixels.scaled(side)?;
        image.apply_orientation(orientation);
        let (mime_type, bytes) = write(&image, kind)?;
        if bytes.len() <= limits.bytes {
            return Ok(Written { mime_type, width: image.width(), height: image.height(), bytes });
        }
        side = (side / 4 * 3).max(1);
    }
    Err(Error::NotSmallEnough)
}

/// A photograph is a JPEG and stays one. Of what has no transparency, whichever suits it: drawings and pictures of
/// screens are exact as PNG and hardly larger, photographs are many times larger.
fn write(image: &DynamicImage, kind: Kind) -> Result<(&'static str, Vec<u8>), Error> {
    let transparent = image.color().has_alpha() && !is_opaque(image);
    if transparent {
        return Ok(("image/png", write_png(image)?));
    }
    let jpeg = write_jpeg(image)?;
    if kind != Kind::Jpeg {
        let png = write_png(image)?;
        if png.len() <= jpeg.len() * 2 {
            return Ok(("image/png", png));
        }
    }
    Ok(("image/jpeg", jpeg))
}

fn write_png(image: &DynamicImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    image.write_with_encoder(png::PngEncoder::new(&mut bytes)).map_err(|_| Error::Fault)?;
    Ok(bytes)
}

fn write_jpeg(image: &DynamicImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let encoder = jpeg::JpegEncoder::new_with_quality(&mut bytes, QUALITY);
    // JPEG knows no opacity; it is known to be full here.
    let written = match image {
        DynamicImage::ImageLuma8(grey) => {
            encoder.write_image(grey, grey.width(), grey.height(), image::ExtendedColorType::L8)
        }
        image => {
            let colours = image.to_rgb8();
            encoder.write_image(&colours, colours.width(), colours.height(), image::ExtendedColorType::Rgb8)
        }
    };
    written.map_err(|_| Error::Fault)?;
    Ok(bytes)
}

fn is_opaque(image: &DynamicImage) -> bool {
    match image {
        DynamicImage::ImageLumaA8(pixels) => pixels.pixels().all(|pixel| pixel.0[1] == u8::MAX),
        DynamicImage::ImageRgba8(pixels) => pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX),
        _ => true,
    }
}
