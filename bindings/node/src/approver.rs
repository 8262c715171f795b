//! A function of JavaScript as the one who is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use toolcrib::{ApprovalRequest, Approver, ByteHunk, Decision, HunkRow, Hunks, PageSize};

use crate::link::{Inner, Kind};

/// How many lines of context a hunk is shown with.
const CONTEXT: usize = 3;

/// What would be changed, for a function of JavaScript to look at. Nothing of it is made before it is asked for.
#[napi]
pub struct Review(pub(crate) ApprovalRequest);

/// A page of a change.
#[napi(object)]
pub struct ReviewPage {
    /// The text.
    pub text: String,
    /// How many pages there are.
    pub of: u32,
}

/// The change of one file.
#[napi(object)]
pub struct PlainChange {
    /// The file; of a move, its target.
    pub path: String,
    /// Of a move, its source.
    pub from: Option<String>,
    /// What it holds now.
    pub before: Option<Uint8Array>,
    /// What it would hold.
    pub after: Option<Uint8Array>,
    /// Whether it can be made in another form.
    pub editable: bool,
}

/// Lines of a change that can be made or left out.
#[napi(object)]
pub struct PlainHunk {
    /// Names it in its change.
    pub id: String,
    /// The first of the old lines, from 1.
    pub old_start: u32,
    /// How many they are.
    pub old_lines: u32,
    /// The first of the new lines, from 1.
    pub new_start: u32,
    /// How many they are.
    pub new_lines: u32,
    /// The lines as in a unified diff, with what is around them.
    pub diff: String,
}

#[napi]
impl Review {
    /// All of it as a unified diff; none where nothing would be changed.
    #[napi]
    pub fn diff(&self) -> Option<String> {
        self.0.diff()
    }

    /// A page of it for a person, from 1.
    #[napi]
    pub fn page(&self, number: u32) -> ReviewPage {
        let page = self.0.page(number as usize, PageSize::default());
        ReviewPage { text: page.text, of: u32::try_from(page.of).unwrap_or(u32::MAX) }
    }

    /// The bytes of each file before and after.
    #[napi]
    pub fn changes(&self) -> Vec<PlainChange> {
        let bytes = |bytes: &Option<Arc<[u8]>>| bytes.as_deref().map(Uint8Array::with_data_copied);
        let changes = self.0.changes.iter().map(|change| PlainChange {
            path: change.path.clone(),
            from: change.from.clone(),
            before: bytes(&change.before),
            after: bytes(&change.after),
            editable: self.0.editable && change.is_editable(),
        });
        changes.collect()
    }

    /// The hunks of a file's change.
    #[napi]
    pub fn hunks(&self, file: u32) -> Vec<PlainHunk> {
        let Some(change) = self.0.changes.get(file as usize).filter(|change| change.entry.is_none()) else {
            return Vec::new();
        };
        let hunks = Hunks::between(side(&change.before), side(&change.after));
        hunks.as_slice().iter().map(|hunk| plain(&hunks, hunk)).collect()
    }
}

fn side(bytes: &Option<Arc<[u8]>>) -> &[u8] {
    bytes.as_deref().unwrap_or_default()
}

fn plain(hunks: &Hunks<'_>, hunk: &ByteHunk) -> PlainHunk {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    PlainHunk {
        id: hunk.id.clone(),
        old_start: number(hunk.old.start + 1),
        old_lines: number(hunk.old.len()),
        new_start: number(hunk.new.start + 1),
        new_lines: number(hunk.new.len()),
        diff: hunks.rows(hunk, CONTEXT).into_iter().map(line).collect(),
    }
}

/// A line of a diff; one that the file ends in without a line end gets one.
fn line(row: HunkRow<'_>) -> String {
    let (sign, line) = match row {
        HunkRow::Context(_, _, line) => (' ', line),
        HunkRow::Removed(_, line) => ('-', line),
        HunkRow::Added(_, line) => ('+', line),
    };
    let line = String::from_utf8_lossy(line);
    format!("{sign}{}\n", line.strip_suffix('\n').unwrap_or(&line))
}

/// Asks the approver of some work.
pub(crate) struct Asked {
    pub(crate) link: Arc<Inner>,
    pub(crate) work: u32,
}

/// A request, as the TypeScript half reads it.
#[derive(Serialize)]
struct Asking<'a> {
    #[serde(flatten)]
    request: &'a ApprovalRequest,
    editable: bool,
}

/// What the TypeScript half answers.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Once,
    Always,
    No(Option<String>),
    Edited(Edits),
    /// The approver failed.
    Unavailable(String),
}

/// What is made instead, by the paths of the files.
#[derive(Deserialize)]
struct Edits {
    keep: BTreeMap<String, Vec<String>>,
    text: BTreeMap<String, String>,
}

impl Edits {
    fn decision(self, request: &ApprovalRequest) -> Decision {
        let decided = || {
            let (keep, text) = (numbered(self.keep, request)?, numbered(self.text, request)?);
            let edited = request.edited(&keep, &text);
            edited.map_err(|error| format!("the approver's edit cannot be made: {error}"))
        };
        decided().unwrap_or_else(Decision::Unavailable)
    }
}

/// The same by the places of the files in the request.
fn numbered<T>(files: BTreeMap<String, T>, request: &ApprovalRequest) -> Result<BTreeMap<usize, T>, String> {
    let number = |path: &str| request.changes.iter().position(|change| change.path == path);
    let unknown = |path| format!("the approver edited {path}, which this change does not contain");
    let file =
        |(path, edit): (String, T)| number(&path).map(|number| (number, edit)).ok_or_else(|| unknown(path));
    files.into_iter().map(file).collect()
}

impl Approver for Asked {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let fields =
            serde_json::to_string(&Asking { request, editable: request.editable }).unwrap_or_default();
        let until_cancelled = async || cancelled.cancelled().await;
        let answer = self.link.ask(Kind::Ask, self.work, fields, Some(request.clone()), until_cancelled);
        let Some(answer) = answer else {
            let gone =
                if cancelled.is_cancelled() { "the call was cancelled" } else { "its thread has ended" };
            return Decision::Unavailable(gone.to_owned());
        };
        match serde_json::from_str(&answer) {
            Ok(Answer::Once) => Decision::Once,
            Ok(Answer::Always) => Decision::Always,
            Ok(Answer::No(reason)) => Decision::No(reason),
            Ok(Answer::Edited(edits)) => edits.decision(request),
            Ok(Answer::Unavailable(reason)) => Decision::Unavailable(reason),
            Err(error) => Decision::Unavailable(format!("the approver gave no answer: {error}")),
        }
    }
}
