//! Changes that are half done and cannot be repaired, for callers that read or change files there.

use std::error::Error as _;
use std::fmt;
use std::path::{Path, PathBuf};

use toolcrib_workspace::{Error, names};

use crate::record::RecordId;

/// A change that was interrupted and could not be repaired: some of its files may be old, and others new.
#[derive(Debug)]
pub struct Unrepaired {
    pub(crate) root: PathBuf,
    pub(crate) change: Option<RecordId>,
    /// Its files, as far as they are known.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) reason: Reason,
}

/// Why.
#[derive(Debug)]
pub(crate) enum Reason {
    /// The repair failed.
    Failed(Error),
    /// What is to be repaired cannot be read any more.
    Unreadable,
    /// The file in the register that tells of it is damaged, so that it is unknown where it was made.
    NobodyKnows,
    /// It is another user's, who alone can repair it.
    OtherUser(u32),
}

impl Unrepaired {
    /// The root of the workspace in which it was made.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its number in the journal of that root, if it is known.
    pub fn change(&self) -> Option<RecordId> {
        self.change
    }

    /// The files that may be half done, as far as they are known.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        let root = names::escape(&self.root);
        match &self.reason {
            Reason::Failed(error) => {
                let first = error.hint().map(|hint| format!("{hint}; then ")).unwrap_or_default();
                format!("{first}run `toolcrib doctor --root {root}`, which repairs it")
            }
            Reason::Unreadable => format!(
                "look at the files that changed last, and for files whose names begin with .toolcrib-; then run \
                 `toolcrib doctor --journal --root {root}`"
            ),
            Reason::NobodyKnows => {
                "run `toolcrib doctor --root DIR` for the directories that you work in, which repairs it"
                    .to_owned()
            }
            Reason::OtherUser(uid) => format!(
                "wait for it, or ask user {uid} to run `toolcrib doctor` there; only that user can repair it"
            ),
        }
    }

    /// Why a change of this file, which is one of its own, is refused.
    pub(crate) fn into_refusal(self, file: &Path) -> Option<Error> {
        let hint = self.hint();
        let remark = format!("{} was interrupted and cannot be repaired", self.name("change"));
        match self.reason {
            Reason::Failed(error) => Some(error.explained(names::escape(file), &remark, &hint)),
            Reason::Unreadable | Reason::NobodyKnows | Reason::OtherUser(_) => None,
        }
    }

    fn name(&self, word: &str) -> String {
        self.change.map_or_else(|| format!("a {word}"), |id| format!("{word} {id}"))
    }
}

/// The files are not named: the user who is told may not be allowed to know of them.
impl fmt::Display for Unrepaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (root, change) = (names::escape(&self.root), self.name("change"));
        match &self.reason {
            Reason::OtherUser(uid) => {
                return write!(
                    f,
                    "User {uid} is changing files in {root}, or was interrupted: some may be old, and others new"
                );
            }
            Reason::NobodyKnows => {
                return write!(
                    f,
                    "A change was interrupted, and the file that tells where is damaged: {root}"
                );
            }
            Reason::Unreadable => write!(
                f,
                "In {root} {change} was interrupted, and its record is damaged, so it cannot be repaired"
            )?,
            Reason::Failed(error) => {
                write!(f, "In {root} {change} was interrupted and cannot be repaired")?;
                if let Some(source) = error.source() {
                    write!(f, " ({source})")?;
                }
            }
        }
        match self.files.len() {
            0 => f.write_str(": some of its files may be old, and others new"),
            files => write!(f, ": some of its {files} files may be old, and others new"),
        }
    }
}
