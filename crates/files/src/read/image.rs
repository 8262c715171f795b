//! An image, made fit for a model.

use std::time::{Duration, Instant};

use toolcrib_formats::image::{Error, Image, Limits, MAX_BYTES, prepare};
use toolcrib_formats::{Kind, Stop};
use toolcrib_tool::ToolError;

use super::source::Source;
use super::{Document, ReadLimits, ReadRequest, fault};

pub(super) fn read(
    source: &Source<'_>,
    kind: Kind,
    request: &ReadRequest,
) -> Result<Document<Image>, ToolError> {
    if !request.part.is_start() {
        return Err(fault::no_such_part(source.path(), &request.part, fault::Holds::Image));
    }
    let fail = |error: &Error| fault::image(source.path(), kind, source.size(), error);
    if source.size() > MAX_BYTES as u64 {
        let bytes = usize::try_from(source.size()).unwrap_or(usize::MAX);
        return Err(fail(&Error::TooManyBytes { bytes }));
    }
    let (bytes, version) = source.all()?;
    let image = prepare(bytes.into_owned(), limits(request.limits), &until_cancelled(source));
    // If the call has ended, that is the reason.
    source.call().checkpoint()?;
    let content = image.map_err(|error| fail(&error))?;
    Ok(Document { path: source.path().clone(), size: source.size(), version, content })
}

pub(super) fn limits(limits: ReadLimits) -> Limits {
    Limits { side: limits.image_side, bytes: limits.image_bytes, ..Limits::default() }
}

/// How long decoding may take. A real file takes a fraction of it; what takes longer was made to, and would otherwise keep
/// a processor busy for as long as the call may last.
const PATIENCE: Duration = Duration::from_secs(4);

/// Ends the work of a decoder when the call ends, or when it takes too long.
pub(super) fn until_cancelled(source: &Source<'_>) -> impl Stop {
    let (call, started) = (source.call(), Instant::now());
    move || started.elapsed() > PATIENCE || call.checkpoint().is_err()
}
