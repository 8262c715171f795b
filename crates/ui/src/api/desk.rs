//! Questions to a person, servers, and calls that are at work.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::Toolbox;
use toolcrib::desk::{Answer, By, DeskError, Event, Question, QuestionFile, ServerInfo, Verdict, WholeFile};

use super::diff::merged;
use crate::answer::Refusal;
use crate::app::App;
use crate::diff::{Sides, Window};
use crate::query::Query;

/// A text up to this size can be edited on the page.
const MOST_TEXT: usize = 1024 * 1024;

/// A question in full: what would be done to each file.
pub(super) fn question(app: &App, id: &str, query: &Query) -> Result<Value, Refusal> {
    let whole = app.desks()?.question(id).map_err(refused)?;
    let toolbox = app.toolbox();
    let files = whole.files.iter().map(|file| whole_file(file, query, &toolbox));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    Ok(merged(told_question(&whole.question, &toolbox), json!({"files": files})))
}

/// More rows of one file of a question.
pub(super) fn difference(app: &App, id: &str, n: usize, query: &Query) -> Result<Value, Refusal> {
    let whole = app.desks()?.question(id).map_err(refused)?;
    let file = whole.files.iter().find(|file| file.file.n == n);
    let file = file.ok_or_else(|| Refusal::not_found(format!("The question has no file {n}")))?;
    whole_file(file, query, &app.toolbox())
}

fn whole_file(whole: &WholeFile, query: &Query, toolbox: &Toolbox) -> Result<Value, Refusal> {
    let told = json!({
        "mode": whole.mode,
        "sentence": whole.sentence,
        "inside": whole.inside,
        "left_out": whole.left_out,
        "editable": whole.editable,
    });
    let told = merged(told_file(&whole.file, toolbox), told);
    if whole.file.denied && !query.is_set("reveal") {
        return Ok(merged(told, json!({"denied": true, "binary": false, "hunks": []})));
    }
    let sides = Sides { before: whole.before.as_deref(), after: whole.after.as_deref() };
    let texts = json!({"before_text": text(sides.before), "after_text": text(sides.after)});
    Ok(merged(merged(told, sides.compared(Window::of(query)?)), texts))
}

/// A content that can be edited as text.
fn text(content: Option<&[u8]>) -> Option<&str> {
    let content = content.filter(|content| content.len() <= MOST_TEXT && !content.contains(&0))?;
    std::str::from_utf8(content).ok()
}

/// What the person decided.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decided {
    digest: String,
    verdict: Word,
    reason: Option<String>,
    /// Of each file the hunks that are kept; of a file that is not named, all.
    keep: Option<BTreeMap<usize, Vec<String>>>,
    /// The whole new text of a file.
    edited: Option<BTreeMap<usize, String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Once,
    Always,
    No,
}

pub(super) fn answer(app: &App, id: &str, decided: Decided) -> Result<Value, Refusal> {
    let Decided { digest, verdict, reason, keep, edited } = decided;
    let (keep, text) = (keep.unwrap_or_default(), edited.unwrap_or_default());
    let verdict = match verdict {
        Word::No => Verdict::No { reason: reason.filter(|reason| !reason.trim().is_empty()) },
        Word::Once if keep.is_empty() && text.is_empty() => Verdict::Once,
        Word::Once => Verdict::Edited { keep, text },
        Word::Always if keep.is_empty() && text.is_empty() => Verdict::Always,
        Word::Always => {
            return Err(Refusal::bad("An edited change is approved once: 'always' would cover others"));
        }
    };
    app.desks()?.answer(id, Answer { digest, verdict }).map_err(refused)?;
    Ok(json!({"ok": true}))
}

pub(super) fn stop(app: &App, pid: u32, call: u64) -> Result<Value, Refusal> {
    app.desks()?.stop(pid, call).map_err(refused)?;
    Ok(json!({"ok": true}))
}

/// The questions, servers and failures of now.
pub(super) fn now(app: &App) -> Value {
    let Ok(desks) = app.desks() else { return json!({"questions": [], "servers": [], "failures": []}) };
    let toolbox = app.toolbox();
    let questions: Vec<_> =
        desks.questions().iter().map(|question| told_question(question, &toolbox)).collect();
    let servers: Vec<_> = desks.servers().iter().map(told_server).collect();
    json!({"questions": questions, "servers": servers, "failures": desks.failures()})
}

/// Tells all pages what happened at a desk.
pub(crate) fn tell(app: &App, event: &Event) {
    let (name, data) = match event {
        Event::Question(question) => ("question", told_question(question, &app.toolbox())),
        Event::Closed { id, pid, by, verdict } => {
            ("answered", json!({"id": id, "pid": pid, "by": by, "verdict": verdict}))
        }
        Event::Server(server) => ("server", told_server(server)),
        Event::ServerGone { pid } => ("server-gone", json!({"pid": pid})),
        Event::CallBegan { pid, call } | Event::CallProgress { pid, call } => {
            ("call", json!({"pid": pid, "call": call}))
        }
        Event::CallEnded { pid, call } => ("call", json!({"pid": pid, "call": {"id": call, "ended": true}})),
        Event::Failed(failure) => ("failure", json!(failure)),
    };
    app.hub.tell(name, &data);
}

fn told_question(question: &Question, toolbox: &Toolbox) -> Value {
    let paths: Vec<_> = question.paths.iter().map(|path| shown(path, toolbox)).collect();
    let files: Vec<_> = question.files.iter().map(|file| told_file(file, toolbox)).collect();
    merged(json!(question), json!({"paths": paths, "files": files}))
}

fn told_file(file: &QuestionFile, toolbox: &Toolbox) -> Value {
    json!({
        "n": file.n,
        "path": shown(&file.path, toolbox),
        "from": file.from.as_deref().map(|from| shown(from, toolbox)),
        "action": file.action,
        "denied": file.denied,
    })
}

fn told_server(server: &ServerInfo) -> Value {
    merged(json!(server), json!({"root": server.roots.first()}))
}

/// A path of another process as this page shows paths.
fn shown(path: &str, toolbox: &Toolbox) -> String {
    toolbox.show_path(&toolbox.from_shown(path))
}

fn refused(error: DeskError) -> Refusal {
    let message = error.to_string();
    let refusal = match &error {
        DeskError::Gone { by } => {
            let kind = if matches!(by, Some(By::Page | By::Here)) { "answered" } else { "gone" };
            Refusal::new(StatusCode::CONFLICT, kind, message).with(json!({"by": by}))
        }
        DeskError::OtherDigest => Refusal::conflict(message),
        DeskError::Invalid(_) => Refusal::bad(message),
        DeskError::Unreachable(_) => Refusal::new(StatusCode::BAD_GATEWAY, "unreachable", message),
    };
    refusal.hint(error.hint())
}
