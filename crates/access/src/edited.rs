//! A change that a person has changed before it was made: hunks left out, or another text.
//!
//! What is committed is exactly what the person has answered, on the same base as what they were shown. It must not know how they
//! were asked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_edit::{Hunks, UnknownHunk};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::Change;

use crate::policy::{ApprovalRequest, Decision};
use crate::proposal::Proposal;
use crate::review::ProposedChange;

/// What is made instead of a change that was proposed. Files that are not in it are changed as proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// By their place in [`ApprovalRequest::changes`].
    pub files: BTreeMap<usize, Replacement>,
}

/// What is made instead of the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Nothing.
    LeftOut,
    /// The file gets this content.
    Content {
        /// What it holds then.
        bytes: Arc<[u8]>,
        /// How many hunks of the proposed change are in it, and how many it had; none if the person wrote it.
        kept: Option<(usize, usize)>,
    },
}

/// Why an answer cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidEdit {
    /// The change cannot be replaced by another.
    NotEditable,
    /// The change has no file of this number.
    NoFile(usize),
    /// A file was given both hunks and a text.
    Twice(usize),
    /// The change of this file can be made or left out, and nothing in between.
    Whole(String),
    /// The file does not hold text.
    NotText(String),
    /// The text has a character that the file's encoding does not have.
    Unencodable(String),
    /// The change of the file has no such hunk.
    UnknownHunk(UnknownHunk),
}

impl fmt::Display for InvalidEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEditable => f.write_str("this can only be allowed or refused as a whole"),
            Self::NoFile(n) => write!(f, "the change has no file number {n}"),
            Self::Twice(n) => write!(f, "file number {n} has both kept hunks and a text; give one of them"),
            Self::Whole(path) => {
                write!(f, "{path} can be changed as proposed or left out, and nothing in between")
            }
            Self::NotText(path) => write!(f, "{path} does not hold text that can be edited"),
            Self::Unencodable(why) => f.write_str(why),
            Self::UnknownHunk(unknown) => unknown.fmt(f),
        }
    }
}

impl std::error::Error for InvalidEdit {}

impl ApprovalRequest {
    /// The answer that keeps some hunks of files and gives others another text. A file of which no hunk is kept is left out; files
    /// that are not named are changed as proposed. If nothing is left it is no, and if nothing is another it is yes.
    ///
    /// # Errors
    ///
    /// If it does not fit the request.
    pub fn edited(
        &self,
        keep: &BTreeMap<usize, Vec<String>>,
        text: &BTreeMap<usize, String>,
    ) -> Result<Decision, InvalidEdit> {
        if !self.editable {
            return Err(InvalidEdit::NotEditable);
        }
        let mut files = BTreeMap::new();
        for (n, ids) in keep {
            if text.contains_key(n) {
                return Err(InvalidEdit::Twice(*n));
            }
            files.extend(kept(self.file(*n)?, ids)?.map(|replacement| (*n, replacement)));
        }
        for (n, text) in text {
            files.extend(rewritten(self.file(*n)?, text)?.map(|replacement| (*n, replacement)));
        }
        let left_out = files.values().filter(|replacement| **replacement == Replacement::LeftOut).count();
        Ok(if files.is_empty() {
            Decision::Once
        } else if left_out == self.changes.len() {
            Decision::No(Some("nothing of this change was kept".to_owned()))
        } else {
            Decision::Edited(Edited { files })
        })
    }

    fn file(&self, n: usize) -> Result<&ProposedChange, InvalidEdit> {
        self.changes.get(n).ok_or(InvalidEdit::NoFile(n))
    }
}

/// What becomes of a file of which these hunks are kept; none if it is as proposed.
fn kept(file: &ProposedChange, ids: &[String]) -> Result<Option<Replacement>, InvalidEdit> {
    if file.entry.is_some() {
        return Err(InvalidEdit::Whole(file.path.clone()));
    }
    if ids.is_empty() {
        return Ok(Some(Replacement::LeftOut));
    }
    let side = |bytes: &Option<Arc<[u8]>>| bytes.clone().unwrap_or_default();
    let (before, after) = (side(&file.before), side(&file.after));
    let hunks = Hunks::between(&before, &after);
    let bytes = hunks.keep(ids).map_err(InvalidEdit::UnknownHunk)?;
    if bytes == *after {
        return Ok(None);
    }
    if !file.is_editable() {
        return Err(InvalidEdit::Whole(file.path.clone()));
    }
    let all = hunks.as_slice();
    let count = all.iter().filter(|hunk| ids.contains(&hunk.id)).count();
    Ok(Some(Replacement::Content { bytes: bytes.into(), kept: Some((count, all.len())) }))
}

/// What becomes of a file that gets this text; none if it is as proposed.
fn rewritten(file: &ProposedChange, text: &str) -> Result<Option<Replacement>, InvalidEdit> {
    let not_text = || InvalidEdit::NotText(file.path.clone());
    if !file.is_editable() {
        return Err(InvalidEdit::Whole(file.path.clone()));
    }
    let [before, after] = file.texts();
    before.map_err(|_| not_text())?;
    let after = after.map_err(|_| not_text())?.ok_or_else(not_text)?;
    if after.undecodable() > 0 {
        return Err(not_text());
    }
    // A form gives every line end as LF, whatever it was given.
    let crlf = after.line_endings().is_wholly_crlf() && !text.contains('\r');
    let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    let bytes = after.encoding().encode(&text);
    let bytes = bytes.map_err(|error| InvalidEdit::Unencodable(format!("{}: {error}", file.path)))?;
    Ok(if Some(&bytes[..]) == file.after.as_deref() {
        None
    } else if Some(&bytes[..]) == file.before.as_deref() {
        Some(Replacement::LeftOut)
    } else {
        Some(Replacement::Content { bytes: bytes.into(), kept: None })
    })
}

/// What a person has made of a change, for the agent.
pub(crate) struct Edits {
    /// The files, as calls name them, and what became of each.
    files: Vec<(String, Replacement)>,
    /// Which of the changes that are left are not what was proposed.
    edited: Vec<bool>,
}

impl Edited {
    /// The changes that are made, and what there is to say about them.
    pub(crate) fn apply(self, proposals: Vec<Proposal>) -> Result<(Vec<Proposal>, Edits), ToolError> {
        let (mut left, mut edits) = (Vec::new(), Edits { files: Vec::new(), edited: Vec::new() });
        for (n, mut proposal) in proposals.into_iter().enumerate() {
            let replacement = self.files.get(&n);
            if let Some(replacement) = replacement {
                edits
                    .files
                    .push((proposal.location.show_relative(proposal.change.path()), replacement.clone()));
            }
            match (replacement, &mut proposal.change) {
                (None, _) => {}
                (Some(Replacement::LeftOut), _) => continue,
                (Some(Replacement::Content { bytes, .. }), Change::Write { content, .. }) => {
                    *content = bytes.to_vec();
                    proposal.diff = ProposedChange::of(&proposal)?.diff();
                }
                (Some(Replacement::Content { .. }), _) => {
                    let message = "The user's answer has a content for something that is not a file";
                    return Err(ToolError::new(ErrorKind::Internal, message));
                }
            }
            edits.edited.push(replacement.is_some());
            left.push(proposal);
        }
        Ok((left, edits))
    }
}

impl Edits {
    pub(crate) fn is_edited(&self, number: usize) -> bool {
        self.edited.get(number).is_some_and(|edited| *edited)
    }

    /// For programs.
    pub(crate) fn notes(&self) -> Value {
        let file = |(path, replacement): &(String, Replacement)| match replacement {
            Replacement::LeftOut => json!({"path": path, "left_out": true}),
            Replacement::Content { kept: Some((kept, of)), .. } => {
                json!({"path": path, "kept_hunks": kept, "hunks": of})
            }
            Replacement::Content { kept: None, .. } => json!({"path": path, "rewritten": true}),
        };
        self.files.iter().map(file).collect()
    }

    /// For the agent, whose change this is not any more.
    pub(crate) fn told(&self, diff: &str) -> String {
        /// How much of the diff is shown.
        const MOST: usize = 12_000;
        /// How many files are named.
        const MOST_FILES: usize = 50;
        let mut told = "The user changed this before it was made:".to_owned();
        for (path, replacement) in self.files.iter().take(MOST_FILES) {
            let what = match replacement {
                Replacement::LeftOut => "not changed; the user refused this part".to_owned(),
                Replacement::Content { kept: Some((kept, of)), .. } => {
                    format!("{kept} of {of} hunks were made; the user refused the others")
                }
                Replacement::Content { kept: None, .. } => "the user wrote another text".to_owned(),
            };
            told.push_str(&format!("\n- {path}: {what}"));
        }
        let more = self.files.len().saturating_sub(MOST_FILES);
        if more > 0 {
            told.push_str(&format!("\n- and {more} more files"));
        }
        told.push_str(
            "\nThis is what was made. Do not try to make the rest another way; read these files before you change them again.\n\n",
        );
        let end = diff.floor_char_boundary(MOST.min(diff.len()));
        told.push_str(diff[..end].trim_end());
        if end < diff.len() {
            told.push_str(&format!("\n… ({} more bytes of the diff; read the files)", diff.len() - end));
        }
        told
    }
}
