//! Pixels: made fewer, and turned into what is written to a file.

use fast_image_resize::images::Image as Raster;
use fast_image_resize::{MulDiv, PixelType, ResizeOptions, Resizer};
use image::{ColorType, DynamicImage, ImageBuffer};

use super::Error;
use super::decode::Decoded;

/// Pixels that can be scaled, several times if need be.
pub(super) struct Pixels {
    raster: Raster<'static>,
    colour: ColorType,
    resizer: Resizer,
}

impl Pixels {
    /// Takes the pixels over. Colours are multiplied with their opacity, so that what cannot be seen does not shine
    /// through when pixels are mixed.
    pub(super) fn new(decoded: Decoded) -> Result<Self, Error> {
        let Decoded { width, height, colour, pixels, .. } = decoded;
        let mut raster = Raster::from_vec_u8(width, height, pixels, pixel_type(colour)?).map_err(damaged)?;
        if colour.has_alpha() {
            MulDiv::new().multiply_alpha_inplace(&mut raster).map_err(damaged)?;
        }
        Ok(Self { raster, colour, resizer: Resizer::new() })
    }

    pub(super) fn size(&self) -> (u32, u32) {
        (self.raster.width(), self.raster.height())
    }

    /// The image so that its longest side has at most `side` pixels, with eight bits a channel.
    pub(super) fn scaled(&mut self, side: u32) -> Result<DynamicImage, Error> {
        let (width, height) = fitted(self.size(), side);
        let mut scaled = Raster::new(width, height, self.raster.pixel_type());
        // The opacity is taken care of once, above: here it would cost a copy of the whole image.
        let options = ResizeOptions::new().use_alpha(false);
        self.resizer.resize(&self.raster, &mut scaled, Some(&options)).map_err(damaged)?;
        if self.colour.has_alpha() {
            MulDiv::new().divide_alpha_inplace(&mut scaled).map_err(damaged)?;
        }
        eight_bits(width, height, self.colour, scaled.into_vec())
    }
}

/// The largest size with the same shape and no side above `side`.
pub(super) fn fitted((width, height): (u32, u32), side: u32) -> (u32, u32) {
    let longest = u64::from(width.max(height)).max(1);
    if longest <= u64::from(side) {
        return (width, height);
    }
    let scale = |length: u32| {
        let scaled = (u64::from(length) * u64::from(side) + longest / 2) / longest;
        u32::try_from(scaled).unwrap_or(side).max(1)
    };
    (scale(width), scale(height))
}

fn pixel_type(colour: ColorType) -> Result<PixelType, Error> {
    Ok(match colour {
        ColorType::L8 => PixelType::U8,
        ColorType::La8 => PixelType::U8x2,
        ColorType::Rgb8 => PixelType::U8x3,
        ColorType::Rgba8 => PixelType::U8x4,
        ColorType::L16 => PixelType::U16,
        ColorType::La16 => PixelType::U16x2,
        ColorType::Rgb16 => PixelType::U16x3,
        ColorType::Rgba16 => PixelType::U16x4,
        ColorType::Rgb32F => PixelType::F32x3,
        ColorType::Rgba32F => PixelType::F32x4,
        _ => return Err(Error::Damaged("its colours are of an unknown kind".to_owned())),
    })
}

fn eight_bits(width: u32, height: u32, colour: ColorType, pixels: Vec<u8>) -> Result<DynamicImage, Error> {
    let pixels = match colour {
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => pixels,
        ColorType::L16 | ColorType::La16 | ColorType::Rgb16 | ColorType::Rgba16 => {
            // The upper half of each value.
            pixels.as_chunks::<2>().0.iter().map(|pair| u16::from_ne_bytes(*pair).to_be_bytes()[0]).collect()
        }
        _ => pixels.as_chunks::<4>().0.iter().map(|bytes| from_float(f32::from_ne_bytes(*bytes))).collect(),
    };
    let image = match colour.channel_count() {
        1 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageLuma8),
        2 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageLumaA8),
        3 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8),
        _ => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageRgba8),
    };
    image.ok_or(Error::Fault)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is brought to 0..=255 first"
)]
fn from_float(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn damaged(error: impl ToString) -> Error {
    Error::Damaged(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_shape_stays() {
        assert_eq!(fitted((4000, 3000), 1568), (1568, 1176));
        assert_eq!(fitted((3000, 4000), 1568), (1176, 1568));
        assert_eq!(fitted((100, 100), 1568), (100, 100));
        assert_eq!(fitted((65535, 1), 1568), (1568, 1));
    }

    proptest! {
        #[test]
        fn it_always_fits(width in 1_u32.., height in 1_u32.., side in 1_u32..5000) {
            let (w, h) = fitted((width, height), side);
            prop_assert!(w >= 1 && h >= 1 && w.max(h) <= side.max(1));
        }
    }
}
