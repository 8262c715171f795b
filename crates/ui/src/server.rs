//! The server: takes requests, and hands those that are let in to the [api](crate::api).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, LOCATION, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use toolcrib::Toolbox;
use toolcrib_loopback::{Answer, Limits, is_of_another_user};

use crate::answer::{Refusal, bytes, guarded, text, wrong_method};
use crate::app::App;
use crate::gate::{Gate, foreign};
use crate::query::Query;
use crate::{Reopen, api, assets, live};

/// A browser holds a few connections for each page.
const LIMITS: Limits =
    Limits { connections: 256, head: Duration::from_secs(5), unread: Duration::from_secs(30) };
/// How large a request may be: an edited text and what it is wrapped in.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// How long it may take to send it.
const BODY: Duration = Duration::from_secs(30);
/// How many requests are worked on at once; the others wait. One more thread follows the journal.
const AT_WORK: usize = 16;

/// A server that listens, and has not answered anybody yet.
pub struct UiServer {
    listener: std::net::TcpListener,
    address: SocketAddr,
    gate: Gate,
    key: String,
    configuration: Option<PathBuf>,
    state: Option<PathBuf>,
}

impl UiServer {
    /// Listens on this port of the loopback interface; 0 takes one that is free.
    ///
    /// # Errors
    ///
    /// If the port cannot be had.
    pub fn bind(port: u16) -> io::Result<Self> {
        let (listener, address) = toolcrib_loopback::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let (gate, key) = Gate::new(address);
        Ok(Self { listener, address, gate, key, configuration: None, state: None })
    }

    /// Names the user's configuration: rules can be changed there.
    #[must_use]
    pub fn configuration(mut self, file: Option<PathBuf>) -> Self {
        self.configuration = file;
        self
    }

    /// Names the user's state folder: what asks or works there is shown.
    #[must_use]
    pub fn state(mut self, folder: Option<PathBuf>) -> Self {
        self.state = folder;
        self
    }

    /// Opens the page, once. Whoever has it can do what the page can.
    #[must_use]
    pub fn link(&self) -> String {
        format!("http://{}/?key={}", self.address, self.key)
    }

    /// Serves until the process is told to end (interrupt or terminate). From when `ready` is called, that ends it in good
    /// order.
    ///
    /// # Errors
    ///
    /// If no runtime can be made, or the listener fails.
    pub fn serve(self, toolbox: Toolbox, reopen: Reopen, ready: impl FnOnce()) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(AT_WORK)
            .build()?;
        let served = runtime.block_on(async {
            let stop = CancellationToken::new();
            let mut interrupt = signal(SignalKind::interrupt())?;
            let mut terminate = signal(SignalKind::terminate())?;
            ready();
            let told = stop.clone();
            tokio::spawn(async move {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                told.cancel();
            });
            self.run(toolbox, reopen, stop).await
        });
        runtime.shutdown_background();
        served
    }

    /// Serves until `stop` fires.
    ///
    /// # Errors
    ///
    /// If the listener fails.
    pub async fn run(self, toolbox: Toolbox, reopen: Reopen, stop: CancellationToken) -> io::Result<()> {
        let Self { listener, address, gate, configuration, state, .. } = self;
        let app = Arc::new(App::new(toolbox, reopen, configuration));
        if let Some(state) = state {
            let app = Arc::clone(&app);
            tokio::task::spawn_blocking(move || app.connect(&state));
        }
        let door = Arc::new(Door { address, gate, app });
        let _following = live::follow(&door.app);
        let respond = move |request, peer| {
            let door = Arc::clone(&door);
            async move { door.respond(request, peer).await }
        };
        toolcrib_loopback::serve(listener, LIMITS, stop, respond).await
    }
}

/// What all connections share.
struct Door {
    address: SocketAddr,
    gate: Gate,
    app: Arc<App>,
}

impl Door {
    async fn respond(&self, request: Request<Incoming>, peer: SocketAddr) -> Answer {
        guarded(self.answer(request, peer).await.unwrap_or_else(Refusal::answer))
    }

    async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Result<Answer, Refusal> {
        let (head, body) = request.into_parts();
        if !self.gate.is_meant(&head.uri, &head.headers) {
            return Err(foreign("This server answers its own page on this machine, and nobody else"));
        }
        let query = Query::of(head.uri.query());
        let Some(path) = head.uri.path().strip_prefix("/api/").map(str::to_owned) else {
            return Ok(self.page(&head.method, head.uri.path(), &query, peer));
        };
        self.gate.admit(&head.method, &query, &head.headers)?;
        if path == "events" {
            return match head.method {
                Method::GET => live::events(Arc::clone(&self.app), &query, &head.headers),
                _ => Ok(wrong_method("GET")),
            };
        }
        let body = if head.method == Method::POST { read(body).await? } else { Bytes::new() };
        let app = Arc::clone(&self.app);
        let work = move || api::answer(&app, &head.method, &path, &query, &body);
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
            Err(Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The request could not be carried out",
            ))
        })
    }

    /// The page itself, which is the same for everybody.
    fn page(&self, method: &Method, path: &str, query: &Query, peer: SocketAddr) -> Answer {
        if *method != Method::GET {
            return wrong_method("GET");
        }
        if let Some(key) = query.get("key").filter(|_| path == "/") {
            return self.open(key, peer);
        }
        assets::find(path).map_or_else(
            || text(StatusCode::NOT_FOUND, "There is no such file. The page is at /"),
            |(kind, content)| bytes(StatusCode::OK, kind, content),
        )
    }

    fn open(&self, key: &str, peer: SocketAddr) -> Answer {
        const USED: &str = "This link was used already, or is not from this server. A link opens the page once.\n\
                            If you have a tab with the page, go on there; otherwise run `toolcrib ui` again.";
        // Links show in the list of processes, which every user can read.
        if is_of_another_user(peer, self.address) {
            return text(StatusCode::FORBIDDEN, "This page belongs to another user of this machine");
        }
        let Some(opened) = self.gate.open(key) else { return text(StatusCode::UNAUTHORIZED, USED) };
        let values = [HeaderValue::try_from(opened.cookie), HeaderValue::try_from(opened.location)];
        let [Ok(cookie), Ok(location)] = values else { return text(StatusCode::UNAUTHORIZED, USED) };
        let mut answer = text(StatusCode::SEE_OTHER, "The page is at /");
        answer.headers_mut().insert(SET_COOKIE, cookie);
        answer.headers_mut().insert(LOCATION, location);
        answer
    }
}

/// The whole request: who sends slowly waits for itself alone.
async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    match tokio::time::timeout(BODY, Limited::new(body, MOST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("A request may have {} MB", MOST_BYTES >> 20),
        )),
        Ok(Err(_)) => Err(Refusal::bad("The request ended early")),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "timed_out",
            "The request did not come to its end in time",
        )),
    }
}
