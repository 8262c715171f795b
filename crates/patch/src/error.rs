//! Why a text cannot be read as a patch, or is not a patch that may be applied.

use std::fmt;

/// Why a patch was refused before any file was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line of the patch, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: ErrorKind,
}

/// What is wrong with a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no change in it, in any grammar that is known.
    NoPatch,
    /// A hunk without the name of a file before it.
    NoFile,
    /// A file is named, and nothing is changed in it.
    NothingToDo {
        /// The file.
        path: String,
    },
    /// A hunk that neither adds nor removes a line.
    EmptyHunk,
    /// A line of a hunk that starts with neither space, `+` nor `-`.
    MissingPrefix,
    /// A line that does not belong where it stands.
    Unexpected {
        /// What is expected there.
        expected: &'static str,
    },
    /// The end of the envelope is missing, so more of it may be.
    Unfinished,
    /// A context diff, a combined diff, or another grammar that is not read.
    Grammar {
        /// Its name.
        name: &'static str,
    },
    /// Data that is not text.
    Binary {
        /// The file.
        path: String,
    },
    /// A mode that no file with text has: a symbolic link, a submodule, a directory.
    Mode {
        /// The mode.
        mode: String,
    },
    /// A path that is absolute, climbs out, or is none.
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two changes of one file that cannot both be meant.
    Contradiction {
        /// The file.
        path: String,
        /// The line of the patch where the other one begins.
        other: usize,
    },
    /// A NUL character, which no text has.
    Nul,
    /// It was stopped before all of it was read.
    Stopped,
}

impl Error {
    pub(crate) fn new(line: usize, kind: ErrorKind) -> Self {
        Self { line, kind }
    }

    /// What to try next, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            ErrorKind::NoPatch | ErrorKind::Grammar { .. } => Some(
                "write a unified diff (--- a/path, +++ b/path, @@), or *** Begin Patch with *** Update File: path",
            ),
            ErrorKind::NoFile => Some("name the file before its hunks: --- a/path and +++ b/path"),
            ErrorKind::MissingPrefix => Some("every line of a hunk starts with a space, + or -"),
            ErrorKind::Unfinished => Some("end the patch with *** End Patch"),
            ErrorKind::Path { .. } => Some("give the path relative to the root of the workspace"),
            ErrorKind::Contradiction { .. } => Some("change each file only once"),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the patch: {}", self.line, self.kind)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPatch => f.write_str("not a patch"),
            Self::NoFile => f.write_str("a hunk without a file header"),
            Self::NothingToDo { path } => write!(f, "{path} is named, but nothing is changed in it"),
            Self::EmptyHunk => f.write_str("a hunk that neither adds nor removes a line"),
            Self::MissingPrefix => f.write_str("a line of a hunk starts with neither space, + nor -"),
            Self::Unexpected { expected } => write!(f, "expected {expected}"),
            Self::Unfinished => f.write_str("the patch has no end"),
            Self::Grammar { name } => write!(f, "{name} is not understood"),
            Self::Binary { path } => write!(f, "{path} is binary: only text can be patched"),
            Self::Mode { mode } => write!(f, "mode {mode} is not the mode of a text file"),
            Self::Path { path, problem } => write!(f, "{path:?} {problem}"),
            Self::Contradiction { path, other } => {
                write!(f, "{path} is changed here and at line {other} in ways that contradict each other")
            }
            Self::Nul => f.write_str("a NUL character, which no text has"),
            Self::Stopped => f.write_str("stopped before the end"),
        }
    }
}

impl std::error::Error for Error {}
