//! Images of each kind: small ones pass, large ones are scaled, broken ones are errors.

use std::io::Cursor;

use image::{DynamicImage, GenericImageView as _, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use toolcrib_formats::image::{Error, Image, Limits, prepare};
use toolcrib_testkit::formats::picture::{exif, png};
use toolcrib_testkit::limits::Work;

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn fit(bytes: &[u8]) -> Result<Image, Error> {
    prepare(bytes.to_vec(), Limits::default(), &|| false)
}

/// As [`fit`], for a model that takes a tenth of the usual side: the same with a hundredth of the pixels.
fn fit_small(bytes: &[u8]) -> Result<Image, Error> {
    prepare(bytes.to_vec(), Limits { side: 156, ..Limits::default() }, &|| false)
}

/// Soft colours, as a photograph has them.
fn gradient(width: u32, height: u32) -> DynamicImage {
    let shade = |at: u32, length: u32| u8::try_from(at * 255 / length.max(1)).unwrap();
    RgbImage::from_fn(width, height, |x, y| Rgb([shade(x, width), shade(y, height), 128])).into()
}

/// What no encoder can make small.
fn noise(width: u32, height: u32) -> RgbaImage {
    let mut seed = 1_u32;
    RgbaImage::from_fn(width, height, |_, _| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgba(seed.to_be_bytes())
    })
}

const UNTOUCHED: [(ImageFormat, &str); 4] = [
    (ImageFormat::Png, "image/png"),
    (ImageFormat::Jpeg, "image/jpeg"),
    (ImageFormat::Gif, "image/gif"),
    (ImageFormat::WebP, "image/webp"),
];

#[test]
fn what_is_small_enough_goes_out_byte_for_byte() {
    for (format, mime_type) in UNTOUCHED {
        let bytes = file(&gradient(40, 30), format);
        let image = fit(&bytes).unwrap();
        assert_eq!((image.mime_type, image.width, image.height), (mime_type, 40, 30));
        assert!(image.bytes == bytes && !image.is_changed(), "{format:?}");
        assert_eq!((image.original.width, image.original.size), (40, bytes.len()));
    }
}

#[test]
fn what_no_model_takes_is_written_anew_pixel_for_pixel() {
    let picture = gradient(40, 30);
    for format in [ImageFormat::Bmp, ImageFormat::Tiff] {
        let image = fit(&file(&picture, format)).unwrap();
        assert_eq!((image.mime_type, image.width, image.height), ("image/png", 40, 30));
        assert!(image.is_changed());
        assert_eq!(image::load_from_memory(&image.bytes).unwrap().to_rgb8(), picture.to_rgb8(), "{format:?}");
    }
    let limits = Limits { untouched: &[toolcrib_formats::Kind::Bmp], ..Limits::default() };
    let bytes = file(&picture, ImageFormat::Bmp);
    assert_eq!(prepare(bytes.clone(), limits, &|| false).unwrap().bytes, bytes);
}

#[test]
fn what_is_too_wide_is_scaled_and_says_what_it_was() {
    for (format, mime_type) in [(ImageFormat::Png, "image/png"), (ImageFormat::Jpeg, "image/jpeg")] {
        let bytes = file(&gradient(3000, 1000), format);
        let image = fit(&bytes).unwrap();
        assert_eq!((image.width, image.height), (1568, 523));
        let original = image.original;
        assert_eq!((original.mime_type, original.width, original.height), (mime_type, 3000, 1000));
        assert_eq!(original.size, bytes.len());
        let scaled = image::load_from_memory(&image.bytes).unwrap();
        assert_eq!(scaled.dimensions(), (1568, 523));
        let [red, green, blue, _] = scaled.get_pixel(784, 261).0;
        assert!(
            red.abs_diff(127) < 4 && green.abs_diff(127) < 4 && blue.abs_diff(128) < 4,
            "{red} {green} {blue}"
        );
    }
}

#[test]
fn what_has_too_many_bytes_is_made_smaller_even_if_it_is_all_noise() {
    let limits = Limits { bytes: 50_000, ..Limits::default() };
    let transparent = file(&noise(200, 200).into(), ImageFormat::Png);
    assert!(transparent.len() > 150_000);
    let image = prepare(transparent, limits, &|| false).unwrap();
    assert_eq!(image.mime_type, "image/png", "the transparency is kept");
    assert!(image.bytes.len() <= 50_000 && image.width < 200, "{} {}", image.bytes.len(), image.width);

    let opaque = DynamicImage::from(noise(200, 200)).to_rgb8();
    let image = prepare(file(&opaque.into(), ImageFormat::Png), limits, &|| false).unwrap();
    assert_eq!(image.mime_type, "image/jpeg");
    assert!(image.bytes.len() <= 50_000, "{}", image.bytes.len());

    let hopeless = Limits { bytes: 10, ..Limits::default() };
    assert_eq!(
        prepare(file(&gradient(9, 9), ImageFormat::Png), hopeless, &|| false),
        Err(Error::NotSmallEnough)
    );
}

#[test]
fn invisible_colours_do_not_shine_through() {
    // The left half is green and invisible, the right half black.
    let picture =
        RgbaImage::from_fn(
            3200,
            64,
            |x, _| if x < 160 { Rgba([0, 255, 0, 0]) } else { Rgba([0, 0, 0, 255]) },
        );
    let image = fit_small(&file(&picture.into(), ImageFormat::Png)).unwrap();
    let scaled = image::load_from_memory(&image.bytes).unwrap().to_rgba8();
    assert!(scaled.pixels().all(|pixel| pixel.0[3] < 8 || pixel.0[1] < 8), "no green at the edge");
}

#[test]
fn sixteen_bits_grey_and_transparent_grey_are_scaled() {
    let wide = gradient(200, 10);
    let images = [
        DynamicImage::ImageLuma16(wide.to_luma16()),
        DynamicImage::ImageLumaA16(wide.to_luma_alpha16()),
        DynamicImage::ImageRgb16(wide.to_rgb16()),
        DynamicImage::ImageRgba16(wide.to_rgba16()),
        DynamicImage::ImageLuma8(wide.to_luma8()),
        DynamicImage::ImageLumaA8(wide.to_luma_alpha8()),
    ];
    for picture in images {
        let image = fit_small(&file(&picture, ImageFormat::Png)).unwrap();
        let scaled = image::load_from_memory(&image.bytes).unwrap().to_luma8();
        let expected = picture.to_luma8();
        let (found, wanted) = (scaled.get_pixel(78, 4).0[0], expected.get_pixel(100, 5).0[0]);
        assert!(found.abs_diff(wanted) < 4, "{:?}: {found} and {wanted}", picture.color());
    }
    let float = DynamicImage::ImageRgb32F(wide.to_rgb32f());
    let image = fit_small(&file(&float, ImageFormat::Tiff)).unwrap();
    assert_eq!((image.width, image.height), (156, 8));
}

#[test]
fn a_photograph_is_turned_upright_when_it_is_written_anew() {
    let mut bytes = file(&gradient(200, 100), ImageFormat::Jpeg);
    // Right after the start: the camera was held upright.
    bytes.splice(2..2, exif(6));
    let image = fit_small(&bytes).unwrap();
    assert_eq!((image.width, image.height), (78, 156));
    assert_eq!((image.original.width, image.original.height), (200, 100));
    let upright = image::load_from_memory(&image.bytes).unwrap();
    // What was at the left, dark red, is now at the top.
    assert!(upright.get_pixel(39, 2).0[0] < 16 && upright.get_pixel(39, 153).0[0] > 240);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error() {
    for (format, _) in UNTOUCHED {
        let bytes = file(&gradient(12, 7), format);
        for length in 0..bytes.len() {
            // The last byte of a GIF only says that nothing follows.
            if format == ImageFormat::Gif && length == bytes.len() - 1 {
                continue;
            }
            let cut = fit(&bytes[..length]);
            assert!(cut.is_err(), "{format:?} of {} bytes cut to {length}", bytes.len());
        }
    }
    for format in [ImageFormat::Bmp, ImageFormat::Tiff] {
        let bytes = file(&gradient(12, 7), format);
        for length in 0..bytes.len() / 2 {
            assert!(fit(&bytes[..length]).is_err(), "{format:?} cut to {length}");
        }
    }
    let png = file(&gradient(12, 7), ImageFormat::Png);
    assert_eq!(fit(&png[..png.len() - 12]), Err(Error::Truncated));
}

#[test]
fn what_is_no_image_says_so() {
    assert_eq!(fit(b"plain text"), Err(Error::NotAnImage));
    assert_eq!(fit(b""), Err(Error::NotAnImage));
    assert_eq!(fit(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Err(Error::NotAnImage));
    let avif = fit(b"\0\0\0\x1CftypavifMAVX\0\0\0\0mif1avif").unwrap_err();
    assert_eq!(avif.to_string(), "AVIF images are not supported; convert it to PNG or JPEG");
    let heic = fit(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic").unwrap_err();
    assert_eq!(heic.to_string(), "HEIC images are not supported; convert it to PNG or JPEG");
    assert!(matches!(fit(&png(5, 5, b"no deflate")), Err(Error::Damaged(_))));
}

#[test]
fn the_dimensions_are_checked_before_anything_is_decoded() {
    let started = Work::begin();
    let huge = fit(&png(65_535, 65_535, b"")).unwrap_err();
    assert_eq!(huge.to_string(), "the image is too large to decode: 65535 × 65535 pixels");
    assert!(started.so_far().as_millis() < 500, "{:?}", started.so_far());
    let mut gif = file(&gradient(12, 7), ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0xFF; 4]);
    assert_eq!(fit(&gif), Err(Error::TooManyPixels { width: 65_535, height: 65_535 }));
}

#[test]
fn a_stop_ends_it() {
    let bytes = file(&gradient(12, 7), ImageFormat::Png);
    assert_eq!(prepare(bytes, Limits::default(), &|| true), Err(Error::Stopped));
}
