//! What can go wrong at the disk: a kind for programs, a sentence for people, a next step for agents.
//!
//! It knows nothing of tools or dialects; a door may render the parts in its own words.

use std::fmt;
use std::io;

use rustix::io::Errno;

use crate::open::stat::FileKind;
use crate::path::WorkspacePath;

/// Why the workspace did not do what was asked.
///
/// [`kind`](Error::kind) says which sort of failure it is, `Display` says it with the path, [`hint`](Error::hint)
/// says what to try next, and `source` is the operating system's own error where there is one.
#[derive(Debug)]
pub struct Error(Box<Inner>);

/// The sort of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing has this name.
    NotFound,
    /// A root is not where it was opened any more: its directory was removed, moved or replaced.
    RootGone,
    /// The path, or a link on it, leaves every root.
    Outside,
    /// A file was wanted and a directory is there.
    IsDirectory,
    /// A directory was wanted, at the end or on the way, and something else is there.
    NotDirectory,
    /// A regular file was wanted and something else is there.
    NotRegular(FileKind),
    /// The operating system refuses.
    PermissionDenied,
    /// It is Toolcrib's own configuration, state or program, which no tool may reach.
    Protected,
    /// The links on the path lead in a circle, or there are too many of them.
    LinkLoop,
    /// The path ends in a symbolic link whose target does not exist.
    DanglingLink,
    /// The path crosses into another mount, which this workspace does not allow.
    OtherMount,
    /// The name cannot be a name: empty, with a NUL byte, or not a single name where one is wanted.
    InvalidName,
    /// Something already has this name.
    AlreadyExists,
    /// A directory to be removed still has entries.
    NotEmpty,
    /// The file kept changing while it was looked at, or is no longer what a change was based on.
    Changed,
    /// Another program keeps the file open for writing, and would go on writing to one that has no name any more.
    InUse,
    /// Another process is changing the file and has not finished in time.
    Busy,
    /// The caller cancelled the change before anything was done.
    Stopped,
    /// The path or one of its names is longer than the system allows.
    TooLong,
    /// The file is larger than the caller wants to take in.
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// What the caller allows.
        limit: u64,
    },
    /// The disk or the quota is full.
    NoSpace,
    /// The new content is larger than the user's limit, or the file system, allows a file to be.
    FileSizeLimit,
    /// The process may not open as many files at once.
    OpenFilesLimit,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The system lacks what was asked for.
    Unsupported,
    /// Anything else; see the source.
    Io,
}

impl Error {
    /// The sort of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The path as shown to the user: absolute, with bytes that are not text escaped.
    pub fn path(&self) -> &str {
        &self.0.shown
    }

    /// The path as the workspace understands it; `None` where it was not understood.
    pub fn workspace_path(&self) -> Option<&WorkspacePath> {
        self.0.at.as_ref()
    }

    /// What to do next, if there is something to say.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref().or_else(|| self.0.kind.hint())
    }

    /// The same failure, told as the reason for another: of this path, with a remark in brackets after it, and what to do
    /// next.
    #[must_use]
    pub fn explained(mut self, shown: impl Into<String>, remark: &str, hint: &str) -> Self {
        self.0.shown = shown.into();
        self.0.at = None;
        self.detail(remark).with_hint(hint)
    }

    pub(crate) fn new(kind: ErrorKind, doing: Doing, shown: impl Into<String>) -> Self {
        let shown = shown.into();
        Self(Box::new(Inner { kind, doing, shown, detail: None, hint: None, at: None, source: None }))
    }

    /// Sorts the kernel's answer into a kind.
    pub(crate) fn system(errno: Errno, doing: Doing, shown: impl Into<String>) -> Self {
        let mut error = Self::new(kind_of(errno), doing, shown);
        error.0.source = Some(errno.into());
        error
    }

    /// An `io::Error` from reading or writing a file that is already open.
    pub(crate) fn io(source: io::Error, doing: Doing, shown: impl Into<String>) -> Self {
        let kind = source.raw_os_error().map_or(ErrorKind::Io, |raw| kind_of(Errno::from_raw_os_error(raw)));
        let mut error = Self::new(kind, doing, shown);
        error.0.source = Some(source);
        error
    }

    /// Adds a remark in brackets after the path.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Says the next step more precisely than the kind alone can.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn at(mut self, path: &WorkspacePath) -> Self {
        self.0.at = Some(path.clone());
        self
    }
}

/// What was being done: the same refusal reads differently for a file and for a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    ReadFile,
    ReadDirectory,
    Look,
    Change,
}

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    doing: Doing,
    shown: String,
    detail: Option<String>,
    hint: Option<String>,
    at: Option<WorkspacePath>,
    source: Option<io::Error>,
}

impl Inner {
    fn sentence(&self) -> String {
        if self.kind == ErrorKind::Protected {
            let verb = if self.doing == Doing::Change { "edit" } else { "read" };
            return format!("Permission denied: Cannot {verb} {} ({PROTECTED})", self.shown);
        }
        let what = self.what();
        match (&self.detail, self.kind, &self.source) {
            (Some(detail), ..) => format!("{what}: {} ({detail})", self.shown),
            (None, ErrorKind::Io, Some(source)) => format!("{what}: {} ({source})", self.shown),
            _ => format!("{what}: {}", self.shown),
        }
    }

    fn what(&self) -> String {
        match (self.kind, self.doing) {
            (ErrorKind::NotFound, Doing::ReadDirectory) => "Directory not found".into(),
            (ErrorKind::IsDirectory, Doing::ReadFile) => "Cannot read directory".into(),
            (ErrorKind::NotRegular(kind), _) => format!("Not a regular file but a {kind}"),
            (ErrorKind::TooLarge { size, limit }, _) => {
                format!("File too large ({size} bytes, the limit is {limit})")
            }
            (ErrorKind::Changed, Doing::Change) => "File changed since it was read".into(),
            (ErrorKind::Io, Doing::ReadFile) => "Cannot read file".into(),
            (ErrorKind::Io, Doing::ReadDirectory) => "Cannot read directory".into(),
            (ErrorKind::Io, Doing::Look) => "Cannot look at".into(),
            (ErrorKind::Io, Doing::Change) => "Cannot change".into(),
            (kind, _) => kind.words().into(),
        }
    }
}

/// Why a file is out of reach although it lies in a root.
const PROTECTED: &str = "Toolcrib's own configuration, state and program are out of reach of every tool";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.sentence())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}

impl ErrorKind {
    fn words(self) -> &'static str {
        match self {
            Self::NotFound | Self::DanglingLink => "File not found",
            Self::RootGone => "Workspace was removed, moved or replaced",
            Self::Outside => "Path outside workspace",
            Self::IsDirectory => "Is a directory",
            Self::NotDirectory => "Not a directory",
            Self::NotRegular(_) => "Not a regular file",
            Self::PermissionDenied | Self::Protected => "Permission denied",
            Self::LinkLoop => "Too many symbolic links",
            Self::OtherMount => "Path on another file system",
            Self::InvalidName => "Invalid path",
            Self::AlreadyExists => "Already exists",
            Self::NotEmpty => "Directory not empty",
            Self::Changed => "File changed while it was read",
            Self::InUse => "File is open for writing in another program",
            Self::Busy => "File is being changed by another process",
            Self::Stopped => "Stopped before anything was changed",
            Self::TooLong => "Path too long",
            Self::TooLarge { .. } => "File too large",
            Self::NoSpace => "No space left",
            Self::FileSizeLimit => "File would be larger than the system allows",
            Self::OpenFilesLimit => "Too many open files",
            Self::ReadOnly => "Read-only file system",
            Self::Unsupported => "Not supported by this system",
            Self::Io => "Input/output error",
        }
    }

    fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::NotFound => "check the spelling, or list the directory that should contain it",
            Self::RootGone => "ask the user to put the directory back or start the server again",
            Self::Outside => "use a path inside the workspace",
            Self::IsDirectory => "name a file in it, or list it",
            Self::NotDirectory => "check the path: it, or a part of it, is a file",
            Self::NotRegular(_) => "only regular files can be read and written",
            Self::PermissionDenied => "ask the user to change the permissions, or use another file",
            Self::Protected => "work on other files, or ask the user to change these with another program",
            Self::LinkLoop => "name the file itself instead of a link to it",
            Self::DanglingLink => "name the link's target, or remove the link first",
            Self::OtherMount => {
                "ask the user to set mounts = \"follow\" in the configuration, or add it as a root"
            }
            Self::InvalidName => "give a path without NUL bytes that is not empty",
            Self::AlreadyExists => "use another name, or change what is there",
            Self::NotEmpty => "remove its entries first",
            Self::Changed => "try again when nothing else is writing to it",
            Self::InUse => "what that program writes would be lost; try again when it has closed the file",
            Self::Busy => "try again in a moment",
            Self::TooLong => "use a shorter path",
            Self::TooLarge { .. } => "read a part of it",
            Self::NoSpace => "free some space and try again",
            Self::FileSizeLimit => "write less, or ask the user to raise the limit (`ulimit -f`)",
            Self::OpenFilesLimit => {
                "change fewer files at once, or ask the user to raise the limit (`ulimit -n`)"
            }
            Self::ReadOnly => "ask the user to make it writable, or use another place",
            Self::Stopped | Self::Unsupported | Self::Io => return None,
        })
    }
}

fn kind_of(errno: Errno) -> ErrorKind {
    match errno {
        Errno::NOENT => ErrorKind::NotFound,
        Errno::ACCESS | Errno::PERM => ErrorKind::PermissionDenied,
        Errno::ISDIR => ErrorKind::IsDirectory,
        Errno::NOTDIR => ErrorKind::NotDirectory,
        Errno::LOOP => ErrorKind::LinkLoop,
        Errno::XDEV => ErrorKind::OtherMount,
        Errno::EXIST => ErrorKind::AlreadyExists,
        Errno::NOTEMPTY => ErrorKind::NotEmpty,
        Errno::NAMETOOLONG => ErrorKind::TooLong,
        Errno::NOSPC | Errno::DQUOT => ErrorKind::NoSpace,
        Errno::FBIG => ErrorKind::FileSizeLimit,
        Errno::MFILE | Errno::NFILE => ErrorKind::OpenFilesLimit,
        Errno::ROFS => ErrorKind::ReadOnly,
        Errno::NOSYS | Errno::OPNOTSUPP => ErrorKind::Unsupported,
        _ => ErrorKind::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each says what is wrong and where, and those that can be helped what to do.
    #[test]
    fn every_kind_has_a_sentence() {
        use ErrorKind as K;
        for (kind, sentence) in [
            (K::NotFound, "File not found: a/b"),
            (K::DanglingLink, "File not found: a/b"),
            (K::RootGone, "Workspace was removed, moved or replaced: a/b"),
            (K::Outside, "Path outside workspace: a/b"),
            (K::IsDirectory, "Is a directory: a/b"),
            (K::NotDirectory, "Not a directory: a/b"),
            (K::NotRegular(FileKind::Socket), "Not a regular file but a socket: a/b"),
            (K::NotRegular(FileKind::BlockDevice), "Not a regular file but a block device: a/b"),
            (K::PermissionDenied, "Permission denied: a/b"),
            (
                K::Protected,
                "Permission denied: Cannot edit a/b (Toolcrib's own configuration, state and program are out of reach of every tool)",
            ),
            (K::LinkLoop, "Too many symbolic links: a/b"),
            (K::OtherMount, "Path on another file system: a/b"),
            (K::InvalidName, "Invalid path: a/b"),
            (K::AlreadyExists, "Already exists: a/b"),
            (K::NotEmpty, "Directory not empty: a/b"),
            (K::Changed, "File changed since it was read: a/b"),
            (K::InUse, "File is open for writing in another program: a/b"),
            (K::Busy, "File is being changed by another process: a/b"),
            (K::TooLong, "Path too long: a/b"),
            (K::TooLarge { size: 9, limit: 5 }, "File too large (9 bytes, the limit is 5): a/b"),
            (K::NoSpace, "No space left: a/b"),
            (K::FileSizeLimit, "File would be larger than the system allows: a/b"),
            (K::OpenFilesLimit, "Too many open files: a/b"),
            (K::ReadOnly, "Read-only file system: a/b"),
        ] {
            let error = Error::new(kind, Doing::Change, "a/b");
            assert_eq!(error.to_string(), sentence);
            assert!(error.hint().is_some_and(|hint| hint.starts_with(char::is_lowercase)), "{kind:?}");
            // The command line leaves these words out, for it is the user who reads there.
            let for_person = error.hint().unwrap_or_default().replace("ask the user to ", "");
            assert!(!for_person.contains("user"), "{kind:?}: {for_person}");
        }
        for (kind, doing, sentence) in [
            (K::Stopped, Doing::Change, "Stopped before anything was changed: a/b"),
            (K::Unsupported, Doing::Change, "Not supported by this system: a/b"),
            (K::Io, Doing::Change, "Cannot change: a/b"),
            (K::Io, Doing::Look, "Cannot look at: a/b"),
            (K::Io, Doing::ReadFile, "Cannot read file: a/b"),
            (K::Io, Doing::ReadDirectory, "Cannot read directory: a/b"),
            (K::Changed, Doing::ReadFile, "File changed while it was read: a/b"),
        ] {
            assert_eq!(Error::new(kind, doing, "a/b").to_string(), sentence);
        }
    }
}
