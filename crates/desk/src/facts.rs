//! What is said about questions, calls and servers, as values.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolcrib_access::{Access, ApprovalRequest, Decision, ProposedChange};

/// A question that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Distinguishes it from all others of all processes.
    pub id: String,
    /// The process that asks.
    pub pid: u32,
    /// For whom.
    pub agent: Option<String>,
    /// In which conversation.
    pub session: Option<String>,
    /// By which tool.
    pub tool: String,
    /// What is to be done: `edit`, `read` or `external_directory`.
    pub access: String,
    /// Why the user is asked.
    pub rule: Option<String>,
    /// What "always" would cover.
    pub patterns: Vec<String>,
    /// Since when, in milliseconds since 1970.
    pub asked: u64,
    /// Until when it waits, if not for ever.
    pub deadline: Option<u64>,
    /// Names what would be allowed. An answer repeats it.
    pub digest: String,
    /// The files that it is about: absolute paths.
    pub paths: Vec<String>,
    /// What would be changed.
    pub files: Vec<QuestionFile>,
    /// How many paths and files are not in these lists.
    pub left_out: usize,
    /// Whether the change may be answered with another one.
    pub editable: bool,
}

/// A file of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionFile {
    /// Its number in the change, from 0.
    pub n: usize,
    /// Its absolute path; of a move, where it goes.
    pub path: String,
    /// Of a move, where it comes from.
    pub from: Option<String>,
    /// What would be done: `add`, `update`, `delete`, `move`, or `other` for directories and links.
    pub action: String,
    /// Whether a rule keeps agents from reading it.
    pub denied: bool,
}

/// A question with the contents of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeQuestion {
    /// The question.
    pub question: Question,
    /// Its files, in order.
    pub files: Vec<WholeFile>,
}

/// A file of a question with its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeFile {
    /// What the question says of it.
    #[serde(flatten)]
    pub file: QuestionFile,
    /// The permission bits that it would get.
    pub mode: Option<u32>,
    /// Of a directory or a link, what would be done.
    pub sentence: Option<String>,
    /// What is in a directory that would be moved.
    pub inside: Vec<String>,
    /// What it holds; none if it would be created.
    #[serde(with = "bytes")]
    pub before: Option<Vec<u8>>,
    /// What it would hold; none if it would be deleted.
    #[serde(with = "bytes")]
    pub after: Option<Vec<u8>>,
    /// Whether the contents are missing because they are too large to be sent.
    pub left_out: bool,
    /// Whether it can be changed before it is allowed: its text, or which hunks are kept.
    pub editable: bool,
}

/// A process that carries out calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// The process.
    pub pid: u32,
    /// The agent that it works for, if it is one and is known.
    pub agent: Option<String>,
    /// How it is called: `mcp`, `http` or `cli`.
    pub door: String,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The directories that it serves.
    pub roots: Vec<String>,
    /// The names of its tools and parameters.
    pub dialect: String,
    /// What it is doing.
    pub calls: Vec<RunningCall>,
}

/// A call that is at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningCall {
    /// Its number in its process.
    pub id: u64,
    /// The tool.
    pub tool: String,
    /// The file or directory that it is about, as the caller wrote it.
    pub path: Option<String>,
    /// For whom.
    pub agent: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// What it is waiting for.
    pub message: Option<String>,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The process.
    pub pid: u32,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// The tool.
    pub tool: String,
    /// For whom.
    pub agent: Option<String>,
    /// In which conversation.
    pub session: Option<String>,
    /// What the agent was told.
    pub message: String,
    /// The file or directory that it was about, as the caller wrote it.
    pub path: Option<String>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question's digest, so that no answer counts for another change than the one that was shown.
    pub digest: String,
    /// The answer.
    pub verdict: Verdict,
}

/// Yes, no, or something in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Yes, to this call.
    Once,
    /// Yes, and for the question's patterns as long as the session lives.
    Always,
    /// No.
    No {
        /// What the agent is told.
        reason: Option<String>,
    },
    /// Yes, with another change. Files that are not named are changed as proposed.
    Edited {
        /// The hunks that are kept of files. Without any, the file is left out.
        #[serde(default)]
        keep: BTreeMap<usize, Vec<String>>,
        /// What files hold instead.
        #[serde(default)]
        text: BTreeMap<usize, String>,
    },
}

/// Who ended a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A process that is connected, such as the page's.
    Page,
    /// The terminal or the client of the process that asks.
    Here,
    /// Nobody: the call was cancelled.
    Cancelled,
    /// Nobody: it took too long.
    TimedOut,
    /// Nobody: the process that asked is gone.
    Gone,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A question needs an answer.
    Question(Question),
    /// A question needs no answer any more.
    Closed {
        /// Which.
        id: String,
        /// Of which process.
        pid: u32,
        /// Who ended it.
        by: By,
        /// What was answered, in a word: `once`, `always`, `no` or `edited`.
        verdict: Option<String>,
    },
    /// A process is there, or something about it has changed.
    Server(ServerInfo),
    /// A process is gone, with its questions and calls.
    ServerGone {
        /// Which.
        pid: u32,
    },
    /// A call has begun.
    CallBegan {
        /// Of which process.
        pid: u32,
        /// The call.
        call: RunningCall,
    },
    /// A call goes on.
    CallProgress {
        /// Of which process.
        pid: u32,
        /// The call.
        call: RunningCall,
    },
    /// A call has ended.
    CallEnded {
        /// Of which process.
        pid: u32,
        /// Which.
        call: u64,
    },
    /// A call has failed.
    Failed(Failure),
}

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskError {
    /// The question has been answered or withdrawn, or the call has ended.
    Gone {
        /// By whom, if that is known.
        by: Option<By>,
    },
    /// The answer is for another change than the one that is asked about.
    OtherDigest,
    /// The answer cannot be followed, because of this.
    Invalid(String),
    /// The process could not be reached, because of this.
    Unreachable(String),
}

impl fmt::Display for DeskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone { by } => f.write_str(match by {
                Some(By::Page | By::Here) => "It was answered elsewhere before this answer arrived",
                Some(By::Cancelled) => "The agent has cancelled the call",
                Some(By::TimedOut) => "The agent was told that nobody answered in time",
                Some(By::Gone) => "The process that asked has ended",
                None => "It is over: answered, withdrawn or ended",
            }),
            Self::OtherDigest => f.write_str("The answer is for another change than the one that waits"),
            Self::Invalid(why) => write!(f, "The answer cannot be used: {why}"),
            Self::Unreachable(why) => write!(f, "The process does not answer: {why}"),
        }
    }
}

impl std::error::Error for DeskError {}

impl DeskError {
    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Gone { .. } => "nothing is left to do here; what became of it stands in the log",
            Self::OtherDigest => "look at the change as it is now, and answer again",
            Self::Invalid(_) => "correct the answer, or answer yes or no to the whole change",
            Self::Unreachable(_) => "try again; if it goes on, look whether the agent still runs",
        }
    }
}

/// How many files of a question are listed.
const MOST_FILES: usize = 1000;
/// How many bytes of contents are sent with a question.
const MOST_BYTES: usize = 24 << 20;

impl Question {
    pub(crate) fn of(request: &ApprovalRequest, id: String, asked: u64, deadline: Option<u64>) -> Self {
        let listed = |count: usize| count.saturating_sub(MOST_FILES);
        let files = request.changes.iter().enumerate().take(MOST_FILES);
        Self {
            id,
            pid: std::process::id(),
            agent: request.agent_id.clone(),
            session: request.session_id.clone(),
            tool: request.tool.clone(),
            access: match request.access {
                Access::Edit => "edit",
                Access::Read => "read",
                Access::ExternalDirectory => "external_directory",
            }
            .to_owned(),
            rule: request.rule.clone(),
            patterns: request.patterns.iter().take(MOST_FILES).map(ToString::to_string).collect(),
            asked,
            deadline,
            digest: request.digest.to_string(),
            paths: request.paths.iter().take(MOST_FILES).cloned().collect(),
            files: files.map(|(n, change)| QuestionFile::of(n, change)).collect(),
            left_out: listed(request.paths.len()).max(listed(request.changes.len())),
            editable: request.editable,
        }
    }
}

impl QuestionFile {
    fn of(n: usize, change: &ProposedChange) -> Self {
        let action = match (&change.entry, &change.from, &change.before, &change.after) {
            (Some(_), ..) => "other",
            (_, Some(_), ..) => "move",
            (_, _, None, _) => "add",
            (_, _, _, None) => "delete",
            _ => "update",
        };
        let denied = change.denied;
        Self { n, path: change.path.clone(), from: change.from.clone(), action: action.to_owned(), denied }
    }
}

impl WholeQuestion {
    pub(crate) fn of(question: Question, request: &ApprovalRequest) -> Self {
        let mut room = MOST_BYTES;
        let whole = |(n, change): (usize, &ProposedChange)| {
            let size = |bytes: &Option<std::sync::Arc<[u8]>>| bytes.as_ref().map_or(0, |bytes| bytes.len());
            let size = size(&change.before) + size(&change.after);
            let fits = size <= room;
            room -= if fits { size } else { 0 };
            let side =
                |bytes: &Option<std::sync::Arc<[u8]>>| bytes.as_deref().filter(|_| fits).map(<[u8]>::to_vec);
            let entry = change.entry.as_ref();
            WholeFile {
                file: QuestionFile::of(n, change),
                mode: change.mode,
                sentence: entry.map(|entry| entry.sentence.clone()),
                inside: entry
                    .map(|entry| entry.inside.iter().take(MOST_FILES).cloned().collect())
                    .unwrap_or_default(),
                before: side(&change.before),
                after: side(&change.after),
                left_out: !fits,
                editable: request.editable && change.is_editable(),
            }
        };
        let files = request.changes.iter().enumerate().take(MOST_FILES).map(whole).collect();
        Self { question, files }
    }
}

impl Verdict {
    /// What it means for the question.
    pub(crate) fn decide(&self, request: &ApprovalRequest) -> Result<Decision, DeskError> {
        match self {
            Self::Once => Ok(Decision::Once),
            Self::Always => Ok(Decision::Always),
            Self::No { reason } => {
                Ok(Decision::No(reason.clone().filter(|reason| !reason.trim().is_empty())))
            }
            Self::Edited { keep, text } => {
                request.edited(keep, text).map_err(|error| DeskError::Invalid(error.to_string()))
            }
        }
    }
}

/// What was decided, in a word.
pub(crate) fn word(decision: &Decision) -> Option<&'static str> {
    match decision {
        Decision::Once => Some("once"),
        Decision::Always => Some("always"),
        Decision::No(_) => Some("no"),
        Decision::Edited(_) => Some("edited"),
        Decision::Dismissed | Decision::Unavailable(_) => None,
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Bytes as base64.
mod bytes {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        bytes.as_ref().map(|bytes| STANDARD.encode(bytes)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| STANDARD.decode(text).map_err(serde::de::Error::custom)).transpose()
    }
}
