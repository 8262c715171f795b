//! Why a call failed: a stable kind for programs, a sentence for people, a hint for the next step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::environment::merge;

/// The machine-readable reason of a failure, stable across versions. It stands in `metadata.error_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool has that name.
    UnknownTool,
    /// The parameters are not what the tool takes.
    InvalidParameter,
    /// The file, directory or text does not exist.
    NotFound,
    /// The target already exists.
    AlreadyExists,
    /// The text that should be changed stands in several places.
    NotUnique,
    /// The session has not read the file that it wants to change.
    NotRead,
    /// The path leads out of every allowed root.
    OutsideWorkspace,
    /// The operating system, a rule or a person said no.
    PermissionDenied,
    /// A directory stands where a file is needed.
    IsDirectory,
    /// A file stands where a directory is needed.
    NotDirectory,
    /// Neither a regular file nor a directory: a pipe, a socket, a device.
    NotRegular,
    /// The file's content is not what the tool can read.
    Unsupported,
    /// More than a limit allows.
    TooLarge,
    /// The content is another than the call was based on.
    Conflict,
    /// The disk is full or the quota is used up.
    NoSpace,
    /// The operating system failed in another way.
    Io,
    /// The deadline passed.
    TimedOut,
    /// The caller cancelled the call.
    Cancelled,
    /// A fault of the tool itself.
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::UnknownTool,
        Self::InvalidParameter,
        Self::NotFound,
        Self::AlreadyExists,
        Self::NotUnique,
        Self::NotRead,
        Self::OutsideWorkspace,
        Self::PermissionDenied,
        Self::IsDirectory,
        Self::NotDirectory,
        Self::NotRegular,
        Self::Unsupported,
        Self::TooLarge,
        Self::Conflict,
        Self::NoSpace,
        Self::Io,
        Self::TimedOut,
        Self::Cancelled,
        Self::Internal,
    ];

    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name as it stands in the metadata.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::InvalidParameter => "invalid_parameter",
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::NotUnique => "not_unique",
            Self::NotRead => "not_read",
            Self::OutsideWorkspace => "outside_workspace",
            Self::PermissionDenied => "permission_denied",
            Self::IsDirectory => "is_directory",
            Self::NotDirectory => "not_directory",
            Self::NotRegular => "not_regular",
            Self::Unsupported => "unsupported",
            Self::TooLarge => "too_large",
            Self::Conflict => "conflict",
            Self::NoSpace => "no_space",
            Self::Io => "io",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}

/// A failure that helps the next step.
///
/// ```
/// use toolcrib_tool::{ErrorKind, ToolError};
///
/// let error = ToolError::new(ErrorKind::NotFound, "File not found: /a.txt").hint("did you mean /a.md?");
/// assert_eq!(error.to_string(), "File not found: /a.txt");
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ToolError(Box<Inner>);

// Boxed, so that the way of success does not carry the size of a failure.
#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    metadata: Map<String, Value>,
    worded: bool,
}

impl ToolError {
    /// A failure of this kind; the message is one sentence that says what is wrong and where.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            metadata: Map::new(),
            worded: false,
        }))
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Says the same in the caller's words, or leaves it as it is; either way they are not changed again.
    #[must_use]
    pub fn worded(mut self, message: Option<String>) -> Self {
        self.0.worded = true;
        self.0.message = message.unwrap_or(self.0.message);
        self
    }

    /// Whether it is in the caller's words.
    pub(crate) fn is_worded(&self) -> bool {
        self.0.worded
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a note, unless the error has one of that name; lists are joined.
    #[must_use]
    pub(crate) fn add(mut self, key: &str, note: &Value) -> Self {
        let mut notes = Map::new();
        notes.insert(key.to_owned(), note.clone());
        merge(&mut self.0.metadata, notes);
        self
    }

    /// Which kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// A fact that was given by [`with`](Self::with).
    #[must_use]
    pub fn fact(&self, key: &str) -> Option<&Value> {
        self.0.metadata.get(key)
    }

    /// What to do next, if there is something.
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The facts: everything given by [`with`](Self::with), then the kind and the hint.
    #[must_use]
    pub fn into_parts(self) -> (String, Map<String, Value>) {
        let Inner { kind, message, hint, mut metadata, .. } = *self.0;
        metadata.insert("error_kind".into(), kind.as_str().into());
        if let Some(hint) = hint {
            metadata.insert("hint".into(), hint.into());
        }
        (message, metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_serialized_name() {
        for kind in ErrorKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(ErrorKind::named(kind.as_str()), Some(kind));
        }
        assert_eq!(ErrorKind::named("no_such_kind"), None);
    }

    #[test]
    fn every_kind_is_in_the_list_of_all() {
        // The kinds are numbered as they stand, and the last one is the last of the list.
        for (at, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at);
        }
        assert_eq!(ErrorKind::Internal as usize + 1, ErrorKind::ALL.len());
    }
}
