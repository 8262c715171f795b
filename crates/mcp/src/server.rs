//! A toolbox as an MCP server.

#![expect(
    deprecated,
    reason = "log messages are on their way out of the protocol; those who want them get them until then"
)]

use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;
use toolcrib::{Approver, DynTool, ErrorKind, ExecutionContext, Format, ToolError, ToolResult, Toolbox};

use crate::answer::{answer, failure};
use crate::approve::{Elicitation, Round, Rounds};
use crate::clients;
use crate::lines::Lines;
use crate::resources;
use crate::room::Room;
use crate::secret;
use crate::unread::{Paced, Unread};
use crate::until_end::UntilEnd;
use crate::watching::{Accepted, Listener, Watching};

/// How long a call may go on after its client has gone.
const LAST_ANSWERS: Duration = Duration::from_millis(300);
/// How many calls may be at work or wait for their turn, of all clients together. Those that wait cost little.
const MOST_CALLS: usize = 10_000;
/// How many of them are at work. Each has a thread and an answer in the making, and waits for a person where a rule says
/// ask.
pub(crate) const AT_WORK: usize = 128;
/// How many resources are read or listed at once, beside the calls.
pub(crate) const LOOKING: usize = 16;
/// How many answers may wait for a client to read them before nothing more is done for it.
const MOST_UNREAD: usize = 100;
/// How long a client may read nothing of its answers before it is dropped.
pub(crate) const READING: Duration = Duration::from_secs(30);
/// How often a client that wants to know is told that its call goes on.
const PROGRESS: Duration = Duration::from_secs(1);
/// The key in a request's `_meta` by which a client without a session of the protocol tells its conversations apart.
const SESSION_KEY: &str = "toolcrib/session";

/// Answers one client's requests from a [`Toolbox`].
pub struct Server {
    shared: Arc<Shared>,
    room: Room,
    session: Session,
    dry_run: bool,
    ignore_client_roots: bool,
    /// Whether what was read in one process counts in the others of the same client.
    shared_reading: bool,
    /// Whether answers have their facts beside the text.
    structured: bool,
    /// How many characters an answer may have; none leaves it to what is known of the client.
    characters: Option<usize>,
    /// What clients have to know before they change something.
    notice: Option<String>,
    /// Takes back every call that is at work.
    calls: CancellationToken,
    /// One for each call that may be at work or wait; shared by all clients.
    turns: Arc<Semaphore>,
    /// One for each call that may be at work.
    at_work: Arc<Semaphore>,
    /// One for each resource that may be read at once.
    looking: Arc<Semaphore>,
    unread: Unread,
    watching: Watching,
    accepted: Accepted,
    /// From which level on the client wants to be told what the server does; none before it said so. In the stateless
    /// protocol each request says it.
    told_from: Mutex<Option<LoggingLevel>>,
}

/// What all clients of one server share.
#[derive(Default)]
struct Shared {
    rounds: Rounds,
    /// Made when a client first asks: a client that only calls does not wait for it.
    tools: OnceLock<Vec<Tool>>,
}

/// Which conversation a call belongs to.
#[derive(Clone)]
enum Session {
    /// There is one client, or none of its calls has a history.
    Named(Option<String>),
    /// One of several clients: the protocol's own session, which this server was made for, or, where the protocol has
    /// none, whoever has the token together with the key that the request brings.
    OfCaller { own: String, caller: String },
}

impl Server {
    /// A server of this toolbox. Its calls share one session, since there is one client.
    #[must_use]
    pub fn new(toolbox: Toolbox) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let session = format!("mcp-{}-{}", std::process::id(), started.as_millis());
        Self {
            shared: Arc::default(),
            room: Room::new(toolbox),
            session: Session::Named(Some(session)),
            dry_run: false,
            ignore_client_roots: false,
            shared_reading: false,
            structured: false,
            characters: None,
            notice: None,
            calls: CancellationToken::new(),
            turns: Arc::new(Semaphore::new(MOST_CALLS)),
            at_work: Arc::new(Semaphore::new(AT_WORK)),
            looking: Arc::new(Semaphore::new(LOOKING)),
            unread: Unread::new(MOST_UNREAD),
            watching: Watching::default(),
            accepted: Accepted::default(),
            told_from: Mutex::default(),
        }
    }

    /// Names the session of its calls; none makes each call stand for itself.
    #[must_use]
    pub fn session(mut self, session: Option<String>) -> Self {
        self.session = Session::Named(session);
        self
    }

    /// Serves all that the user allowed, whatever roots the client names. Otherwise those narrow it.
    #[must_use]
    pub fn ignore_client_roots(mut self, ignore: bool) -> Self {
        self.ignore_client_roots = ignore;
        self
    }

    /// Serves what the client names as its roots where that has nothing in common with the toolbox: for a server that nobody
    /// gave a root. The server is locked in once the client's roots are known, so the toolbox must not be before.
    #[must_use]
    pub fn adopting(
        mut self,
        open: impl Fn(&[PathBuf]) -> Result<Toolbox, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.room = self.room.adopting(Arc::new(open));
        self
    }

    /// Gives every answer as structured content too, with its schema in the list of tools. For clients that are programs: many
    /// agents give the model this form alone, which costs it more and says no more.
    #[must_use]
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// Lets what a client has read count in all its processes and conversations, as far as the toolbox keeps it. A file that
    /// has changed since must still be read again. For clients that start a process for each call.
    #[must_use]
    pub fn shared_reading(mut self, shared: bool) -> Self {
        self.shared_reading = shared;
        self
    }

    /// Sets how many characters an answer may have, whatever is known of the client.
    #[must_use]
    pub fn characters(mut self, characters: Option<usize>) -> Self {
        self.characters = characters;
        self
    }

    /// Shows what would be changed instead of changing it.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Something that clients have to know before they change anything. It stands in the instructions, and is a log message
    /// where the protocol has them.
    #[must_use]
    pub fn notice(mut self, notice: impl Into<String>) -> Self {
        self.notice = Some(notice.into());
        self
    }

    /// Sets how many calls may be at work or wait for their turn, of all clients together. One more is refused. By default
    /// it is 10,000.
    #[must_use]
    pub fn most_calls(mut self, most: usize) -> Self {
        self.turns = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        self
    }

    /// The same server for one more client.
    pub(crate) fn for_caller(&self, caller: &str) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            room: Room::new(self.toolbox().clone()),
            session: Session::OfCaller { own: secret::random(), caller: caller.to_owned() },
            dry_run: self.dry_run,
            ignore_client_roots: self.ignore_client_roots,
            shared_reading: self.shared_reading,
            structured: self.structured,
            characters: self.characters,
            notice: self.notice.clone(),
            calls: self.calls.clone(),
            turns: Arc::clone(&self.turns),
            at_work: Arc::clone(&self.at_work),
            looking: Arc::clone(&self.looking),
            unread: Unread::new(MOST_UNREAD),
            watching: Watching::default(),
            accepted: Accepted::default(),
            told_from: Mutex::default(),
        }
    }

    /// What it serves, whatever the client's roots are.
    #[must_use]
    pub fn toolbox(&self) -> &Toolbox {
        self.room.whole()
    }

    /// Takes back every call that is at work.
    pub(crate) fn calls(&self) -> &CancellationToken {
        &self.calls
    }

    /// Serves one client until it goes away. What it asked for before that is answered if it takes no longer than
    /// 300 ms; what takes longer is taken back.
    ///
    /// # Errors
    ///
    /// If the client does not speak the protocol.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> io::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (ended, calls) = (CancellationToken::new(), self.calls.clone());
        let reader = UntilEnd::new(reader, ended.clone());
        tokio::spawn(async move {
            ended.cancelled().await;
            tokio::time::sleep(LAST_ANSWERS).await;
            calls.cancel();
        });
        let (inner, unread) = (Lines::new(reader, writer), self.unread.clone());
        match ServiceExt::serve(self, Paced { inner, unread, patience: READING }).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes away before it has said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn tools(&self) -> &[Tool] {
        self.shared.tools.get_or_init(|| {
            let schemas = self.toolbox().schemas(Format::Mcp);
            let tools = schemas.into_iter().filter_map(|schema| serde_json::from_value::<Tool>(schema).ok());
            let plain = |mut tool: Tool| {
                // A schema promises structured content.
                tool.output_schema = tool.output_schema.take().filter(|_| self.structured);
                tool
            };
            tools.map(plain).collect()
        })
    }

    /// What the model should know before it chooses a tool.
    fn instructions(&self) -> String {
        let toolbox = self.toolbox();
        let roots = toolbox.workspace().roots().iter().map(|root| root.path().display().to_string());
        let mut text = format!("File tools for {}.", roots.collect::<Vec<_>>().join(", "));
        let tools = toolbox.executor().registry().list_all();
        let changes = tools.iter().any(|tool| tool.descriptor().effect.changes());
        text.push_str(if changes {
            " Prefer them to shell commands and to built-in file tools: edits are exact or refused with the closest place, \
             keep encodings and line endings, are all or nothing over many files, and are recorded, so that the user can \
             take each back with `toolcrib undo`."
        } else {
            " Prefer them to shell commands and to built-in file tools for reading and searching. They change nothing."
        });
        text.push_str(
            " Paths are inside these directories. Long answers are cut and say how to go on. An error says what to do next.",
        );
        text.extend(self.notice.iter().map(|notice| format!(" {notice}.")));
        text
    }

    /// A place among the calls that are at work or wait. Nobody waits for a place: what waits takes memory, and a client
    /// that does not read its answers would be waited for in vain.
    fn turn(&self) -> Result<SemaphorePermit<'_>, ToolError> {
        self.turns.try_acquire().map_err(|_| {
            ToolError::new(ErrorKind::TooLarge, "Too many calls at once: the server takes no more for now")
                .hint("wait for the answers to earlier calls, and call again")
        })
    }

    /// What the client's roots leave of the workspace.
    async fn left_to(&self, context: &RequestContext<RoleServer>) -> Result<Toolbox, ToolError> {
        if self.ignore_client_roots {
            return Ok(self.toolbox().clone());
        }
        self.room.toolbox(&context.peer).await
    }

    async fn served(&self, context: &RequestContext<RoleServer>) -> Result<Toolbox, ErrorData> {
        self.left_to(context).await.map_err(failure)
    }

    /// Looks at files on a thread where that may take its time.
    async fn looked<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        look: impl FnOnce(&Toolbox) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let _turn = self.turn().map_err(failure)?;
        let toolbox = self.served(context).await?;
        let _looking = self.looking.acquire().await;
        let looked = tokio::task::spawn_blocking(move || look(&toolbox)).await;
        looked.map_err(|error| ErrorData::internal_error(error.to_string(), None))?
    }

    fn session_of(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        match &self.session {
            Session::Named(name) => name.clone(),
            Session::OfCaller { own, .. } if !is_stateless(context) => Some(own.clone()),
            Session::OfCaller { caller, .. } => {
                Some(match context.meta.get(SESSION_KEY).and_then(Value::as_str) {
                    Some(key) => format!("{caller}/{key}"),
                    None => caller.clone(),
                })
            }
        }
    }

    /// Carries a call out; a client that asked for it is told meanwhile that it goes on.
    async fn carry_out(
        &self,
        toolbox: &Toolbox,
        tool: &dyn DynTool,
        arguments: Value,
        asked: &RequestContext<RoleServer>,
        approver: Option<Arc<dyn Approver>>,
    ) -> ToolResult {
        let taken_back = self.calls.child_token();
        let client = client_of(asked);
        let characters = self.characters.unwrap_or_else(|| clients::characters(client.as_ref()));
        let mut call: ExecutionContext = toolbox
            .context()
            .agent(clients::title(client.as_ref()))
            .dry_run(self.dry_run)
            .max_output_size(characters)
            .cancelled_by(taken_back.clone());
        call.session_id = self.session_of(asked);
        if self.shared_reading {
            call = call.reader(format!("mcp {}", client.as_ref().map_or("", |client| &client.name)));
        }
        if let Some(approver) = approver {
            call = call.approver(approver);
        }
        let mut work = pin!(toolbox.call(tool.name(), arguments, &call));
        // A call that was taken back begins too, and ends at once.
        let _at_work = tokio::select! {
            at_work = async { (self.at_work.acquire().await, self.unread.room().await) } => Some(at_work),
            () = taken_back.cancelled() => None,
            () = asked.ct.cancelled() => None,
        };
        let started = Instant::now();
        let mut told = pin!(tell_progress(asked, started));
        let result = loop {
            tokio::select! {
                result = &mut work => break result,
                () = asked.ct.cancelled() => {
                    taken_back.cancel();
                    break work.await;
                }
                () = &mut told, if asked.meta.get_progress_token().is_some() => {
                    told.set(tell_progress(asked, started));
                }
            }
        };
        self.tell(tool.name(), &result, asked).await;
        result
    }

    /// Tells a client that wants to know it what became of a call.
    async fn tell(&self, tool: &str, result: &ToolResult, asked: &RequestContext<RoleServer>) {
        let level = if result.success { LoggingLevel::Info } else { LoggingLevel::Warning };
        let told_from = match is_stateless(asked) {
            true => asked.meta.log_level(),
            false => *self.told_from.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if told_from.is_some_and(|from| severity(level) >= severity(from)) {
            let data = json!({"tool": tool, "duration_ms": result.duration_ms, "error": result.error});
            log(&asked.peer, level, data).await;
        }
    }
}

async fn log(peer: &Peer<RoleServer>, level: LoggingLevel, data: Value) {
    let message = LoggingMessageNotificationParam::new(level, data).with_logger("toolcrib");
    // A client that has gone away is noticed elsewhere.
    _ = peer.notify_logging_message(message).await;
}

fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// Waits a while, and then says for how many seconds a call has been at work. How much there is to do nobody knows.
async fn tell_progress(asked: &RequestContext<RoleServer>, started: Instant) {
    tokio::time::sleep(PROGRESS).await;
    if let Some(token) = asked.meta.get_progress_token() {
        let seconds = started.elapsed().as_secs_f64();
        let message = format!("at work for {seconds:.0} s");
        let progress = ProgressNotificationParam::new(token, seconds).with_message(message);
        // A client that has gone away is noticed elsewhere.
        _ = asked.peer.notify_progress(progress).await;
    }
}

/// Who asks.
fn client_of(context: &RequestContext<RoleServer>) -> Option<Implementation> {
    context.client_info()
}

/// Whether the client speaks the stateless protocol, in which it cannot be asked while a call waits.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_logging()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        );
        info.server_info = Implementation::new("toolcrib", env!("CARGO_PKG_VERSION")).with_title("Toolcrib");
        info.instructions = Some(self.instructions());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools().to_vec()))
    }

    /// A known request whose parameters have the wrong shape arrives here, as if nobody knew it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == "tools/call" {
            let wanted = "tools/call wants params with a name (string) and arguments (a JSON object)";
            return Err(ErrorData::invalid_params(wanted, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.told_from.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    /// There are none, and a server that answers seems to have some.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // Some clients drop all tools if this fails. What is wrong with the roots is told by the first call.
        if self.left_to(&context).await.is_err() {
            return Ok(ListResourcesResult::default());
        }
        let cursor = request.and_then(|request| request.cursor);
        self.looked(&context, move |toolbox| resources::list(toolbox, cursor.as_deref())).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.looked(&context, move |toolbox| resources::read(toolbox, &request.uri)).await?;
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.add(&self.served(&context).await?, &request.uri, &context.peer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wanted = requested.resource_subscriptions.as_deref().unwrap_or_default();
        let files = self.accepted.look(self.toolbox(), wanted);
        Some(SubscriptionFilter::builder().resource_subscriptions(files).build())
    }

    /// Ends when the client takes the request back, or with the server.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let files = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let nothing_to_watch = files.is_empty();
        let watching = self.accepted.take(self.toolbox(), files);
        tokio::select! {
            () = watching.look(Listener::Request(context.sink().clone())), if !nothing_to_watch => {}
            () = context.cancelled() => {}
            () = self.calls.cancelled() => {}
        }
        Ok(())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(notice) = &self.notice {
            log(&context.peer, LoggingLevel::Warning, json!(notice)).await;
        }
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.room.ask_again().await;
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.toolbox().executor().registry().get_or_raise(&request.name);
        let tool = tool.map_err(failure)?;
        let _turn = match self.turn() {
            Ok(turn) => turn,
            Err(error) => return Ok(answer(error.into(), tool.descriptor(), self.structured).into()),
        };
        let toolbox = match self.left_to(&context).await {
            Ok(toolbox) => toolbox,
            Err(error) => return Ok(answer(error.into(), tool.descriptor(), self.structured).into()),
        };
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let can_ask =
            context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some());
        if can_ask && is_stateless(&context) {
            let round =
                self.shared.rounds.enter(request.request_state.as_deref(), request.input_responses.as_ref());
            let round: Arc<Round> = Arc::new(round);
            let approver = Arc::clone(&round) as Arc<dyn Approver>;
            let result = self.carry_out(&toolbox, tool.as_ref(), arguments, &context, Some(approver)).await;
            return Ok(match self.shared.rounds.leave(&round) {
                Some(question) => CallToolResponse::InputRequired(question),
                None => answer(result, tool.descriptor(), self.structured).into(),
            });
        }
        let approver = can_ask.then(|| Arc::new(Elicitation::new(context.peer.clone())) as Arc<dyn Approver>);
        let result = self.carry_out(&toolbox, tool.as_ref(), arguments, &context, approver).await;
        Ok(answer(result, tool.descriptor(), self.structured).into())
    }
}
