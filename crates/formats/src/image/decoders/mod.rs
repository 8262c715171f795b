//! Decodes an image, on a thread where a panic of a decoder stays, and scales it down if it is too large.

mod complete;
mod decode;
mod encode;
mod jpeg;
mod pixels;

use super::{Error, Image, Limits, Original};
use crate::isolate::{self, Fault};
use crate::{Kind, Stop};
use decode::Decoded;

pub(super) fn fit(kind: Kind, bytes: Vec<u8>, limits: Limits, stop: &dyn Stop) -> Result<Image, Error> {
    isolate::run(stop, move |wanted| fit_here(kind, bytes, limits, wanted)).unwrap_or_else(|fault| {
        Err(match fault {
            Fault::Stopped => Error::Stopped,
            Fault::Panicked => Error::Fault,
            Fault::Busy => Error::Busy,
        })
    })
}

fn fit_here(kind: Kind, bytes: Vec<u8>, limits: Limits, stop: &dyn Stop) -> Result<Image, Error> {
    complete::check(kind, &bytes)?;
    let decoded = decode::decode(kind, &bytes, limits, stop)?;
    let Decoded { width, height, .. } = decoded;
    let mime_type = kind.mime_type().ok_or(Error::NotAnImage)?;
    let original = Original { mime_type, width, height, size: bytes.len() };
    let small_enough = width.max(height) <= limits.side && bytes.len() <= limits.bytes;
    if small_enough && limits.untouched.contains(&kind) {
        return Ok(Image { mime_type, width, height, bytes, original });
    }
    // The file is not needed any more, and it may be large.
    drop(bytes);
    let written = encode::within(decoded, kind, limits, stop)?;
    let encode::Written { mime_type, width, height, bytes } = written;
    Ok(Image { mime_type, width, height, bytes, original })
}
