//! The server over HTTP, for several clients of one user.
//!
//! Safe by default: it listens on the loopback interface alone, every request brings the token, and a request that a web
//! page could have sent (a foreign `Host` or `Origin`) is refused before anything of it is parsed. Who sends slowly or
//! never reads is dropped.

mod gate;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::model::{ProtocolVersion, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolcrib_loopback::{Answer, Limits, secret};

use crate::Server;
use crate::malformed::{IdFinder, Malformed};
use crate::server::READING;
use gate::Gate;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// How large a request may be.
const MOST_BYTES: usize = 16 * 1024 * 1024;
const LIMITS: Limits = Limits { connections: 4096, head: Duration::from_secs(5), unread: READING };
/// How many sessions of the protocol there may be.
const MOST_SESSIONS: usize = 1000;
/// How long one of them may be idle.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// How long it may take to send the rest.
const BODY: Duration = Duration::from_secs(30);

type Service = StreamableHttpService<Server, LocalSessionManager>;

/// A server that listens, and has not answered anybody yet.
pub struct HttpServer {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: String,
}

impl HttpServer {
    /// Listens. Port 0 takes one that is free.
    ///
    /// # Errors
    ///
    /// If the address is not on the loopback interface, or cannot be had.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let (listener, address) = toolcrib_loopback::bind(address)?;
        Ok(Self { address, listener, token: secret::random() })
    }

    /// Sets the token instead of a random one, for a client whose configuration holds it.
    #[must_use]
    pub fn token(mut self, token: String) -> Self {
        self.token = token;
        self
    }

    /// Where clients find it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// What clients have to bring: `Authorization: Bearer TOKEN`.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.token
    }

    /// Serves until `stop` fires; calls that are at work then are cancelled.
    ///
    /// # Errors
    ///
    /// If the listener fails for good.
    pub async fn serve(self, server: Server, stop: CancellationToken) -> io::Result<()> {
        // A connection is an open file. Where the limit of those cannot be raised, clients beyond it wait.
        toolcrib::raise_open_files();
        server.open_desk();
        let gate = Gate::new(self.address, self.token);
        let (calls, caller) = (server.calls().clone(), secret::random());
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(gate.names().hosts().iter().cloned())
            .with_allowed_origins(gate.names().origins().iter().cloned())
            .enforce_origin_validation()
            .with_max_request_body_bytes(MOST_BYTES)
            .with_cancellation_token(stop.child_token());
        let sessions = Arc::new(sessions());
        let service = Service::new(move || Ok(server.for_caller(&caller)), Arc::clone(&sessions), config);
        let door = Arc::new(Door { gate, service, sessions });
        let respond = move |request, _| {
            let door = Arc::clone(&door);
            async move { door.respond(request).await }
        };
        let served = toolcrib_loopback::serve(self.listener, LIMITS, stop, respond).await;
        calls.cancel();
        served
    }
}

/// Sessions that last as long as a person may be away, or think about a question.
fn sessions() -> LocalSessionManager {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    sessions
}

/// What all connections share.
struct Door {
    gate: Gate,
    service: Service,
    sessions: Arc<LocalSessionManager>,
}

impl Door {
    async fn respond(&self, request: Request<Incoming>) -> Answer {
        if let Err(refusal) = self.gate.admit(request.method(), request.uri(), request.headers()) {
            return refusal.answer();
        }
        if begins_session(request.headers()) && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            let full =
                format!("There are {MOST_SESSIONS} sessions already: end some (DELETE), or wait for an hour");
            return plain(StatusCode::SERVICE_UNAVAILABLE, &full);
        }
        let (head, body) = request.into_parts();
        // It is taken whole here, so that a client that sends slowly waits for itself alone.
        match tokio::time::timeout(BODY, Limited::new(body, MOST_BYTES).collect()).await {
            Ok(Ok(body)) => {
                let (ends_session, body) = (head.method == Method::DELETE, body.to_bytes());
                let mut id = None;
                if head.method == Method::POST {
                    let finder = IdFinder::over(&body);
                    let is_too_deep = finder.is_too_deep();
                    id = Some(finder.id());
                    let wrong =
                        serde_json::from_slice::<IgnoredAny>(&body).map_err(|error| Malformed::by(&error));
                    let wrong = wrong.err().or(is_too_deep.then_some(Malformed::TooDeep));
                    if let Some(wrong) = wrong {
                        return malformed(wrong, id.flatten().as_ref());
                    }
                }
                let request = Request::from_parts(head, Full::new(body));
                let mut answer = self.service.handle(request).await;
                if let Some(id) = id {
                    answer = in_json(answer, id.as_ref()).await;
                }
                if ends_session && answer.status() == StatusCode::ACCEPTED {
                    // Clients take what is merely accepted for a failure.
                    *answer.status_mut() = StatusCode::NO_CONTENT;
                }
                answer
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let mut answer = malformed(Malformed::TooLong, None);
                *answer.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
                answer
            }
            Ok(Err(_)) => plain(StatusCode::BAD_REQUEST, "The request ended early"),
            Err(_) => plain(StatusCode::REQUEST_TIMEOUT, "The request did not come to its end in time"),
        }
    }
}

/// Whether a request is the first of a session: it names none, and is not of the protocol that has none.
fn begins_session(headers: &HeaderMap) -> bool {
    let stateless = ProtocolVersion::V_2026_07_28;
    !headers.contains_key("mcp-session-id")
        && headers
            .get("mcp-protocol-version")
            .is_none_or(|version| version.as_bytes() != stateless.as_str().as_bytes())
}

/// The answer to a message that cannot be understood.
fn malformed(malformed: Malformed, id: Option<&RequestId>) -> Answer {
    json_answer(StatusCode::BAD_REQUEST, &malformed.answer(id))
}

/// A refusal in the form that a client expects of an answer: what comes as plain text becomes an error of JSON-RPC.
async fn in_json(answer: Answer, id: Option<&RequestId>) -> Answer {
    let (status, kind) = (answer.status(), answer.headers().get(CONTENT_TYPE));
    let is_text = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_text {
        return answer;
    }
    let Ok(text) = answer.into_body().collect().await;
    let code = if status.is_client_error() { Malformed::NotAMessage.code() } else { -32603 };
    let message = String::from_utf8_lossy(&text.to_bytes()).trim().to_owned();
    json_answer(status, &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

fn json_answer(status: StatusCode, value: &Value) -> Answer {
    let mut answer = plain(status, &value.to_string());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn plain(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(format!("{text}\n"))).boxed());
    *answer.status_mut() = status;
    answer
}
