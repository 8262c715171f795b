//! What can go wrong while a plan is carried out, and how it is told.

use std::io;

use rustix::io::Errno;

use super::plan::Planned;
use crate::error::{Doing, Error, ErrorKind};

/// What failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The change it is about.
    pub(crate) change: Option<usize>,
    /// How many of the acts may have left something to be rolled back.
    pub(crate) done: usize,
    pub(crate) fault: Fault,
}

impl Failure {
    /// How many of the acts may have put a new file in its place, if only for a moment. None before all of them were
    /// written: a file that is half written must not be taken for one that another program wrote to.
    pub(crate) fn shown(&self) -> usize {
        match self.fault {
            Fault::Staging(_) | Fault::Stopped | Fault::Held => 0,
            Fault::Changed | Fault::Taken => self.done + 1,
            Fault::Io(_) | Fault::Whole(_) => self.done,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    /// While the new content was written, when no name had changed yet.
    Staging(io::Error),
    /// The file is not what the change was based on.
    Changed,
    /// Another program keeps the file open for writing. No name has changed yet.
    Held,
    /// Something has the name that should be free.
    Taken,
    /// The caller does not want it any more.
    Stopped,
    /// An error that already says everything.
    Whole(Error),
}

impl Fault {
    /// Whether the act that failed with it has put back what it found.
    pub(crate) fn was_put_back(&self) -> bool {
        matches!(self, Self::Changed | Self::Taken)
    }
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Planned<'_> {
    /// The fault as an error about the file that was to be changed, not about a temporary one.
    pub(crate) fn explain(&self, fault: Fault, change: Option<usize>) -> Error {
        let workspace = &self.workspace;
        let outcome = change.and_then(|change| self.outcomes.get(change));
        let path = outcome.map(|outcome| &outcome.reached);
        let told = |kind| match path {
            Some(path) => workspace.0.error(kind, Doing::Change, path),
            None => Error::new(kind, Doing::Change, ""),
        };
        let failed = |error| match path {
            Some(path) => Error::io(error, Doing::Change, workspace.show(path)).at(path),
            None => Error::io(error, Doing::Change, ""),
        };
        match fault {
            Fault::Whole(error) => error,
            Fault::Changed => {
                told(ErrorKind::Changed).detail("another program saved it at the same moment; its version is kept")
            }
            Fault::Held => told(ErrorKind::InUse),
            Fault::Taken => told(ErrorKind::AlreadyExists),
            Fault::Stopped => told(ErrorKind::Stopped),
            Fault::Io(error) => failed(error),
            Fault::Staging(error) => match failed(error) {
                error if error.kind() == ErrorKind::PermissionDenied => error.detail(
                    "its directory takes no new file, or this user may not give it the owner and attributes of the old one",
                ),
                error => error,
            },
        }
    }
}
