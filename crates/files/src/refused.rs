//! Why an operation was refused, as a value. Each caller has its own words for the parts of a call, so the dialect
//! writes the sentence; what reads the same for every caller is a [`ToolError`] already.

use toolcrib_access::Draft;
use toolcrib_edit::Error;
use toolcrib_search::Remedy;
use toolcrib_tool::ToolError;
use toolcrib_workspace::Version;

/// Why an operation was not carried out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refused {
    /// For a reason that reads the same for every caller.
    Failed(ToolError),
    /// One of the edits was not made, and so none was.
    Edit(Box<EditRefused>),
    /// An edit without an old text creates a file, and this one exists.
    CreatesExisting {
        /// The file, as it is shown.
        path: String,
    },
    /// A file was to be created, and it exists.
    Exists {
        /// The file, as it is shown.
        path: String,
    },
    /// The new text has a NUL character, which no text has.
    Nul {
        /// Its place in the text, in bytes.
        at: usize,
    },
    /// What was given as the expected version is none.
    NotAVersion(String),
    /// A version was expected of a patch that changes several files.
    VersionOfSeveral,
    /// A patch adds or moves a file onto one that exists; the error lacks only the way to allow it.
    Occupied(ToolError),
    /// A directory was to be deleted, and the caller did not say that everything in it may go.
    IsDirectory {
        /// The directory, as it is shown.
        path: String,
    },
    /// Pages or cells were asked of a text; the error lacks only the way to choose lines.
    NotPaged(ToolError),
    /// A pattern that is none; the error lacks only what to do instead.
    NotAPattern {
        /// What is wrong with it.
        error: ToolError,
        /// What to do instead.
        remedy: Remedy,
    },
}

/// An edit that was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRefused {
    /// The file, as it is shown; none if the edit makes no sense in any file.
    pub path: Option<String>,
    /// Which edit, counted from 1.
    pub edit: usize,
    /// How many edits there are.
    pub of: usize,
    /// The text that was to be replaced.
    pub old: String,
    /// Whether the file was changed by another program since the session read it.
    pub changed_since_read: bool,
    /// What is wrong.
    pub why: Error,
}

impl From<ToolError> for Refused {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

/// Refuses unless the file holds the version that the caller names.
pub(crate) fn require_version(draft: &Draft, expected: Option<&str>) -> Result<(), Refused> {
    let Some(expected) = expected else { return Ok(()) };
    let version: Version = expected.parse().map_err(|_| Refused::NotAVersion(expected.to_owned()))?;
    Ok(draft.require_version(version)?)
}

/// Refuses what is not text: files are written as text only.
pub(crate) fn refuse_nul(text: &str) -> Result<(), Refused> {
    text.find('\0').map_or(Ok(()), |at| Err(Refused::Nul { at }))
}
