//! What a browser is answered, and the headers that every answer has.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::json;
use toolcrib::{ErrorKind, ToolError};
use toolcrib_loopback::Answer;

/// Nothing but what this server sends may run on the page or be loaded by it, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/// Why a request is not carried out.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Told>);

/// In a box, since nearly all requests are carried out.
#[derive(Debug)]
struct Told {
    status: StatusCode,
    kind: &'static str,
    message: String,
    hint: Option<String>,
    /// What else the page needs, such as the texts of a conflict.
    more: Option<serde_json::Value>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Told { status, kind, message: message.into(), hint: None, more: None }))
    }

    /// The request itself is wrong.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_parameter", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// Something else is the case than the page believes.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds fields beside the error.
    pub(crate) fn with(mut self, more: serde_json::Value) -> Self {
        self.0.more = Some(more);
        self
    }

    pub(crate) fn answer(self) -> Answer {
        let Told { status, kind, message, hint, more } = *self.0;
        let mut body = json!({"error": {"message": message, "hint": hint, "kind": kind}});
        if let (Some(body), Some(serde_json::Value::Object(more))) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        json_answer(status, &body)
    }
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        let status = match error.kind() {
            ErrorKind::InvalidParameter | ErrorKind::UnknownTool => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::PermissionDenied | ErrorKind::OutsideWorkspace => StatusCode::FORBIDDEN,
            ErrorKind::Conflict | ErrorKind::AlreadyExists => StatusCode::CONFLICT,
            ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::NoSpace | ErrorKind::Io | ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let refusal = Self::new(status, error.kind().as_str(), error.message());
        match error.next_step() {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    }
}

impl From<toolcrib::DiskError> for Refusal {
    fn from(error: toolcrib::DiskError) -> Self {
        toolcrib::disk_error(error).into()
    }
}

/// An answer in JSON.
pub(crate) fn json_answer(status: StatusCode, body: &impl Serialize) -> Answer {
    match serde_json::to_vec(body) {
        Ok(body) => bytes(status, "application/json; charset=utf-8", body),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "The answer cannot be written"),
    }
}

/// An answer for a person who sees no page.
pub(crate) fn text(status: StatusCode, text: &str) -> Answer {
    bytes(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// For a method that the address does not take.
pub(crate) fn wrong_method(allowed: &'static str) -> Answer {
    let refusal = Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        format!("This address takes {allowed} alone"),
    );
    let mut answer = refusal.answer();
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// Any content of a known type.
pub(crate) fn bytes(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// Adds what every answer says: it is what it says it is, stays out of caches, and belongs to no other page.
pub(crate) fn guarded(mut answer: Answer) -> Answer {
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (HeaderName::from_static("x-frame-options"), "DENY"),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
