//! Asking the person behind a client, with the diff in the question.
//!
//! Clients of 2025-11-25 and earlier are asked while the call waits ([`Elicitation`]). The stateless protocol knows no
//! requests to a client: the call ends with what is to be asked, and the client calls once more with the answer
//! ([`Round`], [`Rounds`]). Either way an answer counts for exactly what was shown.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, InputRequiredResult, InputResponses, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleServer, ServiceError};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use toolcrib::{Access, ApprovalRequest, Approver, Decision, Page, PageSize, Version, reveal};

use toolcrib_loopback::secret;

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
        self.runtime.block_on(self.ask_page_by_page(request, cancelled))
    }
}

impl Elicitation {
    async fn ask_page_by_page(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let mut page = 1;
        loop {
            let Some(question) = question(request, page) else { return unaskable() };
            let answer = match self.put(question, cancelled).await {
                Ok(Some(answer)) => answer,
                Ok(None) => return Decision::Dismissed,
                Err(error) => return Decision::Unavailable(format!("the client could not ask: {error}")),
            };
            match understood(&answer) {
                Answer::Decided(decision) => return decision,
                Answer::NextPage => page += 1,
            }
        }
    }

    /// Puts a question to the client. None if its answer is not needed any more: then the client is told so.
    async fn put(
        &self,
        question: ElicitRequestParams,
        cancelled: &CancellationToken,
    ) -> Result<Option<ElicitResult>, ServiceError> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let id = sent.id.clone();
        tokio::select! {
            answer = sent.await_response() => match answer? {
                ClientResult::ElicitResult(answer) => Ok(Some(answer)),
                _ => Err(ServiceError::UnexpectedResponse),
            },
            () = cancelled.cancelled() => {
                let withdrawn = CancelledNotificationParam::new(Some(id), Some("it was answered elsewhere, or the call has ended".into()));
                // A client that is gone needs no notification.
                let _ = self.peer.notify_cancelled(withdrawn).await;
                Ok(None)
            }
        }
    }
}

fn unaskable() -> Decision {
    Decision::Unavailable("the question could not be put to the client".to_owned())
}

/// What was answered in earlier rounds of a call, and what is still to be asked.
#[derive(Default)]
pub(crate) struct Round {
    answered: Vec<(Version, Decision)>,
    /// The question that the person is reading, and the page that they want to see now.
    reading: Option<(Version, usize)>,
    open: Mutex<Option<(ApprovalRequest, usize)>>,
}

impl Approver for Round {
    fn ask(&self, request: &ApprovalRequest, _: &CancellationToken) -> Decision {
        if let Some((_, decision)) = self.answered.iter().find(|(asked, _)| *asked == request.digest) {
            return decision.clone();
        }
        let page = self.reading.filter(|(asked, _)| *asked == request.digest).map_or(1, |(_, page)| page);
        lock(&self.open).get_or_insert_with(|| (request.clone(), page));
        Decision::Unavailable("the person has to be asked first".to_owned())
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
    answered: Vec<(Version, Decision)>,
    open: Version,
    page: usize,
    since: Instant,
}

impl Rounds {
    /// How many calls may wait; the oldest gives way.
    const MOST: usize = 1000;

    /// The round that a call is in: the first, or the one after an answer.
    pub(crate) fn enter(&self, state: Option<&str>, responses: Option<&InputResponses>) -> Round {
        let waiting = state.and_then(|state| lock(&self.waiting).remove(state));
        let Some(Waiting { mut answered, open, page, since }) = waiting else { return Round::default() };
        let answer = responses.and_then(|responses| responses.get(APPROVAL));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        let mut reading = None;
        if let Some(answer) = answer
            && since.elapsed() < self.patience
        {
            match understood(&answer) {
                Answer::Decided(decision) => answered.push((open, decision)),
                Answer::NextPage => reading = Some((open, page + 1)),
            }
        }
        Round { answered, reading, open: Mutex::default() }
    }

    /// What the client has to ask before the call can go on, if anything.
    pub(crate) fn leave(&self, round: &Round) -> Option<InputRequiredResult> {
        let (open, page) = lock(&round.open).take()?;
        let ask = InputRequest::Elicitation(ElicitRequest::new(question(&open, page)?));
        let state = secret::random();
        let mut waiting = lock(&self.waiting);
        waiting.retain(|_, call| call.since.elapsed() < self.patience);
        if waiting.len() >= Self::MOST {
            let oldest = waiting.iter().min_by_key(|(_, call)| call.since).map(|(state, _)| state.clone());
            oldest.and_then(|state| waiting.remove(&state));
        }
        let (answered, open) = (round.answered.clone(), open.digest);
        let call = Waiting { answered, open, page, since: Instant::now() };
        waiting.insert(state.clone(), call);
        Some(InputRequiredResult::new(Some([(APPROVAL.to_owned(), ask)].into()), Some(state)))
    }
}

/// What a client's answer means.
#[derive(Debug, PartialEq)]
enum Answer {
    Decided(Decision),
    /// The person wants to see more of the change first.
    NextPage,
}

/// The question as a form that any client can show, with one page of the change: one choice among words, which every client
/// that was tried shows, and the safe one unless the person chooses.
fn question(request: &ApprovalRequest, page: usize) -> Option<ElicitRequestParams> {
    let doing = match request.access {
        Access::Read => "read",
        Access::Edit => "edit",
        Access::ExternalDirectory => "access, outside the workspace,",
    };
    let page = request.page(page, PageSize::default());
    let mut message = String::new();
    if !page.is_whole() {
        message.push_str(&format!(
            "This change does not fit on one page. You see page {} of {}.\n\n",
            page.number, page.of
        ));
    }
    let paths: Vec<String> = request.paths.iter().map(|path| reveal(path)).collect();
    message.push_str(&format!("{} wants to {doing} {}", request.tool, paths.join(", ")));
    if let Some(rule) = &request.rule {
        message.push_str(&format!("\nRule: {rule}"));
    }
    if !page.text.is_empty() {
        message.push_str(&format!("\n\n{}", page.text));
    }
    let form = json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": decision(request, &page),
            },
            "required": ["decision"],
        },
    });
    serde_json::from_value(form).ok()
}

fn decision(request: &ApprovalRequest, page: &Page) -> Value {
    let unseen = page.of.saturating_sub(page.number);
    let although = match unseen {
        0 => String::new(),
        1 => ", although one page was not shown".to_owned(),
        pages => format!(", although {pages} pages were not shown"),
    };
    let patterns: Vec<String> = request.patterns.iter().map(|pattern| reveal(&pattern.to_string())).collect();
    let mut meaning = format!(
        "once: yes, this once{although}. always: yes, and for the rest of the session: {}{although}. no: it is not done.",
        patterns.join(", ")
    );
    let mut choices = vec!["once", "always", "no"];
    if unseen > 0 {
        meaning.insert_str(0, &format!("next: show page {} of {}. ", page.number + 1, page.of));
        choices.insert(0, "next");
    }
    let usual = if unseen > 0 { "next" } else { "no" };
    json!({"type": "string", "title": "Allow it?", "description": meaning, "enum": choices, "default": usual})
}

fn understood(answer: &ElicitResult) -> Answer {
    let field = |name: &str| answer.content.as_ref()?.get(name)?.as_str().map(str::to_owned);
    Answer::Decided(match (&answer.action, field("decision").as_deref()) {
        (ElicitationAction::Accept, Some("next")) => return Answer::NextPage,
        (ElicitationAction::Accept, Some("once")) => Decision::Once,
        (ElicitationAction::Accept, Some("always")) => Decision::Always,
        (ElicitationAction::Cancel, _) => Decision::Dismissed,
        _ => Decision::No(field("reason").filter(|reason| !reason.trim().is_empty())),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use toolcrib::ProposedChange;

    use super::*;

    /// A question about a file that would hold this.
    fn request(content: &str) -> ApprovalRequest {
        ApprovalRequest {
            id: "1".into(),
            access: Access::Edit,
            paths: vec!["/w/a".into()],
            tool: "Edit".into(),
            session_id: None,
            agent_id: None,
            changes: vec![ProposedChange::new("/w/a", Some(b"before\n"), Some(content.as_bytes()))],
            patterns: vec!["/w/a".parse().unwrap()],
            rule: Some("ask edit a".into()),
            digest: Version::of(content.as_bytes()),
            editable: true,
        }
    }

    fn answered(decision: &str) -> InputResponses {
        [(APPROVAL.to_owned(), json!({"action": "accept", "content": {"decision": decision}}))].into()
    }

    /// The state to come back with, and what the person is shown.
    fn left(rounds: &Rounds, round: &Round) -> Option<(String, String)> {
        let asked = rounds.leave(round)?;
        let shown = serde_json::to_string(&asked.input_requests.unwrap()[APPROVAL]).unwrap();
        Some((asked.request_state.unwrap(), shown))
    }

    fn is_open(decision: &Decision) -> bool {
        matches!(decision, Decision::Unavailable(_))
    }

    #[test]
    fn an_answer_counts_once_and_for_what_was_shown() {
        let (rounds, token) = (Rounds::default(), CancellationToken::new());
        let first = rounds.enter(None, None);
        assert!(is_open(&first.ask(&request("after\n"), &token)));
        let (state, shown) = left(&rounds, &first).unwrap();
        assert!(shown.contains("-before\\n+after") && shown.contains("ask edit a"), "{shown}");

        let second = rounds.enter(Some(&state), Some(&answered("once")));
        assert_eq!(second.ask(&request("after\n"), &token), Decision::Once);
        assert!(rounds.leave(&second).is_none());
        assert!(is_open(&second.ask(&request("another\n"), &token)), "another change");
        assert!(rounds.leave(&second).is_some(), "which is asked for again");

        let again = rounds.enter(Some(&state), Some(&answered("once")));
        assert!(is_open(&again.ask(&request("after\n"), &token)), "a state is used once");
        let forged = rounds.enter(Some("forged"), Some(&answered("always")));
        assert!(is_open(&forged.ask(&request("after\n"), &token)));
    }

    #[test]
    fn an_answer_counts_in_time() {
        let token = CancellationToken::new();
        let asked_of = |rounds: &Rounds| {
            let first = rounds.enter(None, None);
            first.ask(&request("d"), &token);
            let (state, _) = left(rounds, &first).unwrap();
            rounds.enter(Some(&state), Some(&answered("once"))).ask(&request("d"), &token)
        };
        assert_eq!(asked_of(&Rounds::default()), Decision::Once);
        assert!(is_open(&asked_of(&Rounds { patience: Duration::ZERO, ..Rounds::default() })));
    }

    #[test]
    fn a_change_that_does_not_fit_on_a_page_says_so_first_and_is_shown_to_the_end() {
        let content: String = (0..300).map(|line| format!("line {line}\n")).collect();
        let (rounds, token) = (Rounds::default(), CancellationToken::new());
        let mut round = rounds.enter(None, None);
        let mut seen = String::new();
        for page in 1..=3 {
            assert!(is_open(&round.ask(&request(&content), &token)));
            let (state, shown) = left(&rounds, &round).unwrap();
            let says =
                format!("\"message\":\"This change does not fit on one page. You see page {page} of 3.");
            assert!(shown.contains(&says), "{shown}");
            assert_eq!(shown.contains("\"next\""), page < 3, "{shown}");
            assert_eq!(shown.contains("although"), page < 3, "{shown}");
            seen.push_str(&shown);
            round = rounds.enter(Some(&state), Some(&answered(if page < 3 { "next" } else { "once" })));
        }
        assert_eq!(round.ask(&request(&content), &token), Decision::Once);
        assert!((0..300).all(|line| seen.contains(&format!("+line {line}\\n"))));
        // Another change is shown from its beginning.
        let other = rounds.enter(None, None);
        assert!(is_open(&other.ask(&request(&content), &token)));
        let (state, _) = left(&rounds, &other).unwrap();
        let other = rounds.enter(Some(&state), Some(&answered("next")));
        assert!(is_open(&other.ask(&request(&format!("{content}more\n")), &token)));
        assert!(left(&rounds, &other).unwrap().1.contains("You see page 1 of 3."));
    }

    #[test]
    fn only_a_clear_yes_is_yes() {
        let decide = |answer: Value| understood(&serde_json::from_value(answer).unwrap());
        let accept = |content: Value| decide(json!({"action": "accept", "content": content}));
        let decided = Answer::Decided;
        assert_eq!(accept(json!({"decision": "once"})), decided(Decision::Once));
        assert_eq!(accept(json!({"decision": "always"})), decided(Decision::Always));
        assert_eq!(accept(json!({"decision": "next"})), Answer::NextPage);
        assert_eq!(
            accept(json!({"decision": "no", "reason": "not today"})),
            decided(Decision::No(Some("not today".into())))
        );
        assert_eq!(accept(json!({"decision": "ONCE"})), decided(Decision::No(None)));
        assert_eq!(accept(json!({})), decided(Decision::No(None)));
        assert_eq!(decide(json!({"action": "decline"})), decided(Decision::No(None)));
        assert_eq!(
            decide(json!({"action": "cancel", "content": {"decision": "once"}})),
            decided(Decision::Dismissed)
        );
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
