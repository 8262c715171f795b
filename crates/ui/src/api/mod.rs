//! One file for each part of the page; this one knows the addresses.
//!
//! A request that changes something is a POST, and gets here only if the [gate](crate::gate) let it in as one.

mod change;
mod changes;
mod desk;
mod diff;
mod files;
mod rules;
mod state;
mod undo;

use hyper::Method;
use hyper::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toolcrib_loopback::Answer;

use crate::answer::{Refusal, json_answer, wrong_method};
use crate::app::App;
use crate::query::Query;
pub(crate) use change::Change;
pub(crate) use desk::tell;
pub(crate) use state::light as light_state;

/// Carries a request out.
pub(crate) fn answer(
    app: &App,
    method: &Method,
    path: &str,
    query: &Query,
    body: &[u8],
) -> Result<Answer, Refusal> {
    let parts: Vec<&str> = path.split('/').collect();
    let is_get = *method == Method::GET;
    let is_post = *method == Method::POST;
    match parts[..] {
        ["state"] if is_get => ok(&state::whole(app)),
        ["changes"] if is_get => ok(&changes::list(app, query)?),
        ["changes", id] if is_get => ok(&changes::one(app, number(id)?, query)?),
        ["changes", id, "files", file, "diff"] if is_get => {
            ok(&diff::of_change(app, number(id)?, number(file)?, query)?)
        }
        ["changes", id, "files", file, "content"] if is_get => {
            diff::content(app, number(id)?, number(file)?, query)
        }
        ["counts"] if is_get => ok(&changes::counts(app, query)?),
        ["files", "history"] if is_get => ok(&files::history(app, query)?),
        ["files", "diff"] if is_get => ok(&files::difference(app, query)?),
        ["rules"] if is_get => ok(&rules::list(app)),
        ["rules", "why"] if is_get => ok(&rules::why(app, query)?),
        ["rules", "preview"] if is_post => ok(&rules::preview(app, &json(body)?)?),
        ["rules"] if is_post => ok(&rules::change(app, &json(body)?)?),
        ["undo", "preview"] if is_post => ok(&undo::preview(app, json(body)?)?),
        ["undo"] if is_post => ok(&undo::make(app, json(body)?)?),
        ["questions", id] if is_get => ok(&desk::question(app, id, query)?),
        ["questions", id, "files", file, "diff"] if is_get => {
            ok(&desk::difference(app, id, number(file)?, query)?)
        }
        ["questions", id, "answer"] if is_post => ok(&desk::answer(app, id, json(body)?)?),
        ["servers", pid, "calls", call, "stop"] if is_post => {
            ok(&desk::stop(app, number(pid)?, number(call)?)?)
        }
        ["rules"] => Ok(wrong_method("GET, POST")),
        ["rules" | "undo", "preview"]
        | ["undo"]
        | ["questions", _, "answer"]
        | ["servers", _, "calls", _, "stop"] => Ok(wrong_method("POST")),
        ["state" | "changes" | "counts"]
        | ["changes", _]
        | ["changes", _, "files", _, "diff" | "content"]
        | ["files", "history" | "diff"]
        | ["questions", _]
        | ["questions", _, "files", _, "diff"]
        | ["rules", "why"] => Ok(wrong_method("GET")),
        _ => Err(Refusal::not_found(format!("There is nothing at /api/{path}"))),
    }
}

fn ok(body: &impl Serialize) -> Result<Answer, Refusal> {
    Ok(json_answer(StatusCode::OK, body))
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::bad(format!("The request is not understood: {error}")))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::not_found(format!("'{text}' is no number")))
}
