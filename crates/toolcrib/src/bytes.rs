//! Files written byte for byte, for doors whose callers have bytes and no text.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use toolcrib_access::{Proposal, Proposed, Unread, in_sandbox};
use toolcrib_files::{FilePath, Names, StatRequest, difference, stat};
use toolcrib_tool::{Effect, ErrorKind, ExecutionContext, ToolError, ToolResult};

use crate::Toolbox;

/// Which file, and what it holds afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBytes {
    /// The file.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes go behind those that the file holds, instead of replacing them.
    pub append: bool,
    /// Whether a file that is there may be changed.
    pub overwrite: bool,
    /// When the file must have been changed last, to the millisecond; for callers that know files by their times. What is replaced
    /// is exactly the content that was there when this was checked.
    pub expected_modified: Option<SystemTime>,
}

impl Toolbox {
    /// Writes a file byte for byte: no encoding, no line ending and no byte order mark of the old content is kept. Rules,
    /// approval, dry run and the journal apply as to the Write tool.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-bytes-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// use toolcrib::{Toolbox, WriteBytes};
    ///
    /// let toolbox = Toolbox::open(&dir)?;
    /// let path = dir.join("data");
    /// let bytes = vec![0, 255];
    /// let request = WriteBytes { path: path.clone(), bytes, append: false, overwrite: false, expected_modified: None };
    /// assert!(toolbox.write_bytes(&request, &toolbox.context()).success);
    /// assert_eq!(std::fs::read(&path)?, [0, 255]);
    /// assert_eq!(toolbox.write_bytes(&request, &toolbox.context()).metadata["error_kind"], "already_exists");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_bytes(&self, request: &WriteBytes, context: &ExecutionContext) -> ToolResult {
        let performed = self.executor().perform("write_bytes", Effect::Proposes, context, |call| {
            in_sandbox(call, Unread::Refused, |sandbox| {
                let draft = sandbox.draft(&request.path)?;
                draft.refuse_unseen()?;
                let path = FilePath::new(&draft.location);
                if draft.before.is_some() && !request.overwrite {
                    let message = format!("File already exists: {}", draft.location.show());
                    return Err(ToolError::new(ErrorKind::AlreadyExists, message));
                }
                if let (Some(expected), Some(_)) = (request.expected_modified, &draft.before) {
                    let now = stat(sandbox, &StatRequest { path: request.path.clone() })?.modified;
                    require_modified(&path, expected, now)?;
                }
                let before = draft.before.as_ref().map(|before| before.bytes());
                let kept = before.filter(|_| request.append).unwrap_or_default();
                let content = [kept, &request.bytes].concat();
                if before == Some(&*content) {
                    return Ok(Proposed::new((), Vec::new()));
                }
                let old = before.is_some().then_some(&*path.relative);
                let names = Names { old, new: Some(&path.relative) };
                let diff = difference(before, Some(&content), names).diff;
                let change = draft.write(content);
                Ok(Proposed::new((), vec![Proposal { location: draft.location, change, diff }]))
            })
        });
        match performed {
            Ok(performed) => {
                let mut metadata = performed.notes;
                metadata.extend(performed.settled.notes);
                ToolResult { metadata, ..ToolResult::ok(performed.settled.preview.unwrap_or_default()) }
            }
            Err(error) => error.into(),
        }
    }
}

/// Refuses a file that has another time than the caller knows.
fn require_modified(path: &FilePath, expected: SystemTime, now: SystemTime) -> Result<(), ToolError> {
    let milliseconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    if milliseconds(expected) == milliseconds(now) {
        return Ok(());
    }
    let message = format!("File was changed since it was looked at: {}", path.absolute);
    let now = u64::try_from(milliseconds(now)).unwrap_or(u64::MAX);
    Err(ToolError::new(ErrorKind::Conflict, message).hint("read it again").with("modified_ms", now))
}
