//! What a header says, if it says it once.

use hyper::header::{AsHeaderName, CONTENT_TYPE, HeaderMap};

/// The value of a header that must not be there twice: two readers could each believe another one.
pub fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&[u8]> {
    let mut given = headers.get_all(name).iter();
    let (Some(only), None) = (given.next(), given.next()) else { return None };
    Some(only.as_bytes())
}

/// Whether the body is JSON. A form of a foreign web page cannot say so.
#[must_use]
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(given) = only(headers, CONTENT_TYPE) else { return false };
    let kind = given.split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(b"application/json")
}
