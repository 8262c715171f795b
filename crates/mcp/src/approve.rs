//! Asking the person behind a client, with the diff in the question.
//!
//! Clients of 2025-11-25 and earlier are asked while the call waits ([`Elicitation`]). The stateless protocol knows no
//! requests to a client: the call ends with what is to be asked, and the client calls once more with the answer
//! ([`Round`], [`Rounds`]). Either way an answer counts for exactly what was shown.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequiredResult,
    InputResponses,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::json;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use toolcrib::{Access, ApprovalRequest, Approver, Decision};

use crate::secret;

/// The name of the question among the inputs that a client is asked for.
const APPROVAL: &str = "approval";

/// Asks while the call waits.
pub(crate) struct Elicitation {
    peer: Peer<RoleServer>,
    runtime: Handle,
}

impl Elicitation {
    /// For calls that run on this runtime's blocking threads.
    pub(crate) fn new(peer: Peer<RoleServer>) -> Self {
        Self { peer, runtime: Handle::current() }
    }
}

impl Approver for Elicitation {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let Some(question) = question(request) else { return Decision::No(None) };
        self.runtime.block_on(async {
            tokio::select! {
                answer = self.peer.create_elicitation(question) => match answer {
                    Ok(answer) => decision(answer),
                    Err(error) => Decision::No(Some(format!("the client could not ask: {error}"))),
                },
                () = cancelled.cancelled() => Decision::No(None),
            }
        })
    }
}

/// What was answered in earlier rounds of a call, and what is still to be asked.
#[derive(Default)]
pub(crate) struct Round {
    answered: Vec<(Question, Decision)>,
    open: Mutex<Option<ApprovalRequest>>,
}

impl Approver for Round {
    fn ask(&self, request: &ApprovalRequest, _: &CancellationToken) -> Decision {
        let question = Question::of(request);
        if let Some((_, decision)) = self.answered.iter().find(|(asked, _)| *asked == question) {
            return decision.clone();
        }
        lock(&self.open).get_or_insert_with(|| request.clone());
        Decision::No(Some("the person has to be asked first".to_owned()))
    }
}

/// Calls that wait for their next round.
pub(crate) struct Rounds {
    waiting: Mutex<HashMap<String, Waiting>>,
    /// How long a person may think.
    patience: Duration,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { waiting: Mutex::default(), patience: Duration::from_secs(60 * 60) }
    }
}

struct Waiting {
    answered: Vec<(Question, Decision)>,
    open: Question,
    since: Instant,
}

impl Rounds {
    /// How many calls may wait; the oldest gives way.
    const MOST: usize = 1000;

    /// The round that a call is in: the first, or the one after an answer.
    pub(crate) fn enter(&self, state: Option<&str>, responses: Option<&InputResponses>) -> Round {
        let waiting = state.and_then(|state| lock(&self.waiting).remove(state));
        let Some(Waiting { mut answered, open, since }) = waiting else { return Round::default() };
        let answer = responses.and_then(|responses| responses.get(APPROVAL));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        if let Some(answer) = answer
            && since.elapsed() < self.patience
        {
            answered.push((open, decision(answer)));
        }
        Round { answered, open: Mutex::default() }
    }

    /// What the client has to ask before the call can go on, if anything.
    pub(crate) fn leave(&self, round: &Round) -> Option<InputRequiredResult> {
        let open = lock(&round.open).take()?;
        let ask = InputRequest::Elicitation(ElicitRequest::new(question(&open)?));
        let state = secret::random();
        let mut waiting = lock(&self.waiting);
        waiting.retain(|_, call| call.since.elapsed() < self.patience);
        if waiting.len() >= Self::MOST {
            let oldest = waiting.iter().min_by_key(|(_, call)| call.since).map(|(state, _)| state.clone());
            oldest.and_then(|state| waiting.remove(&state));
        }
        let call =
            Waiting { answered: round.answered.clone(), open: Question::of(&open), since: Instant::now() };
        waiting.insert(state.clone(), call);
        Some(InputRequiredResult::new(Some([(APPROVAL.to_owned(), ask)].into()), Some(state)))
    }
}

/// What makes two requests the same.
#[derive(Clone, PartialEq)]
struct Question {
    access: Access,
    paths: Vec<String>,
    diff: Option<String>,
}

impl Question {
    fn of(request: &ApprovalRequest) -> Self {
        Self { access: request.access, paths: request.paths.clone(), diff: request.diff.clone() }
    }
}

/// The question as a form that any client can show.
fn question(request: &ApprovalRequest) -> Option<ElicitRequestParams> {
    let doing = match request.access {
        Access::Read => "read",
        Access::Edit => "change",
        Access::ExternalDirectory => "reach, outside the workspace,",
    };
    let mut message = format!("{} wants to {doing} {}", request.tool, request.paths.join(", "));
    if let Some(rule) = &request.rule {
        message.push_str(&format!("\nIt is asked for because of the rule: {rule}"));
    }
    if let Some(diff) = &request.diff {
        message.push_str(&format!("\n\n{diff}"));
    }
    let patterns: Vec<String> = request.patterns.iter().map(ToString::to_string).collect();
    let always = format!("Yes, and for the rest of the session: {}", patterns.join(", "));
    let form = json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "Allow it?",
                    "oneOf": [
                        {"const": "once", "title": "Yes, this once"},
                        {"const": "always", "title": always},
                        {"const": "no", "title": "No"},
                    ],
                },
                "reason": {"type": "string", "title": "If not, why (the agent is told)"},
            },
            "required": ["decision"],
        },
    });
    serde_json::from_value(form).ok()
}

fn decision(answer: ElicitResult) -> Decision {
    let field = |name: &str| answer.content.as_ref()?.get(name)?.as_str().map(str::to_owned);
    match (&answer.action, field("decision").as_deref()) {
        (ElicitationAction::Accept, Some("once")) => Decision::Once,
        (ElicitationAction::Accept, Some("always")) => Decision::Always,
        _ => Decision::No(field("reason").filter(|reason| !reason.trim().is_empty())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn request(diff: &str) -> ApprovalRequest {
        ApprovalRequest {
            id: "1".into(),
            access: Access::Edit,
            paths: vec!["/w/a".into()],
            tool: "Edit".into(),
            session_id: None,
            agent_id: None,
            diff: Some(diff.into()),
            patterns: vec!["/w/a".parse().unwrap()],
            rule: Some("ask edit a".into()),
        }
    }

    fn answered(decision: &str) -> InputResponses {
        [(APPROVAL.to_owned(), json!({"action": "accept", "content": {"decision": decision}}))].into()
    }

    #[test]
    fn an_answer_counts_once_and_for_what_was_shown() {
        let (rounds, token) = (Rounds::default(), CancellationToken::new());
        let first = rounds.enter(None, None);
        assert!(matches!(first.ask(&request("-a\n+b"), &token), Decision::No(Some(_))));
        let asked = rounds.leave(&first).unwrap();
        let state = asked.request_state.unwrap();
        let shown = serde_json::to_string(&asked.input_requests.unwrap()[APPROVAL]).unwrap();
        assert!(shown.contains("-a\\n+b") && shown.contains("ask edit a"), "{shown}");

        let second = rounds.enter(Some(&state), Some(&answered("once")));
        assert_eq!(second.ask(&request("-a\n+b"), &token), Decision::Once);
        assert!(rounds.leave(&second).is_none());
        assert!(matches!(second.ask(&request("-a\n+other"), &token), Decision::No(_)), "another change");
        assert!(rounds.leave(&second).is_some(), "which is asked for again");

        let again = rounds.enter(Some(&state), Some(&answered("once")));
        assert!(matches!(again.ask(&request("-a\n+b"), &token), Decision::No(_)), "a state is used once");
        let forged = rounds.enter(Some("forged"), Some(&answered("always")));
        assert!(matches!(forged.ask(&request("-a\n+b"), &token), Decision::No(_)));
    }

    #[test]
    fn an_answer_counts_for_the_same_access_to_the_same_paths_and_in_time() {
        let token = CancellationToken::new();
        let asked_of = |rounds: &Rounds| {
            let first = rounds.enter(None, None);
            first.ask(&request("d"), &token);
            let state = rounds.leave(&first).unwrap().request_state.unwrap();
            rounds.enter(Some(&state), Some(&answered("once")))
        };
        let second = asked_of(&Rounds::default());
        assert_eq!(second.ask(&request("d"), &token), Decision::Once);
        let elsewhere = ApprovalRequest { paths: vec!["/w/b".into()], ..request("d") };
        assert!(matches!(second.ask(&elsewhere, &token), Decision::No(_)));
        let reading = ApprovalRequest { access: Access::Read, ..request("d") };
        assert!(matches!(second.ask(&reading, &token), Decision::No(_)));
        let late = asked_of(&Rounds { patience: Duration::ZERO, ..Rounds::default() });
        assert!(matches!(late.ask(&request("d"), &token), Decision::No(_)));
    }

    #[test]
    fn only_a_clear_yes_is_yes() {
        let decide = |answer: Value| decision(serde_json::from_value(answer).unwrap());
        let accept = |content: Value| decide(json!({"action": "accept", "content": content}));
        assert_eq!(accept(json!({"decision": "once"})), Decision::Once);
        assert_eq!(accept(json!({"decision": "always"})), Decision::Always);
        assert_eq!(
            accept(json!({"decision": "no", "reason": "not today"})),
            Decision::No(Some("not today".into()))
        );
        assert_eq!(accept(json!({"decision": "ONCE"})), Decision::No(None));
        assert_eq!(accept(json!({})), Decision::No(None));
        assert_eq!(decide(json!({"action": "decline"})), Decision::No(None));
        assert_eq!(decide(json!({"action": "cancel", "content": {"decision": "once"}})), Decision::No(None));
    }

    #[test]
    fn who_never_answers_does_not_pile_up() {
        let (rounds, token) = (Rounds::default(), CancellationToken::new());
        for _ in 0..Rounds::MOST + 10 {
            let round = rounds.enter(None, None);
            round.ask(&request("d"), &token);
            rounds.leave(&round).unwrap();
        }
        assert_eq!(lock(&rounds.waiting).len(), Rounds::MOST);
    }
}
