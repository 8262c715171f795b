//! A toolbox as an MCP server.

use std::borrow::Cow;
use std::io;
use std::pin::pin;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use toolcrib::{Format, Toolbox};

use crate::answer::answer;
use crate::room::Room;
use crate::until_end::UntilEnd;

/// How long a call may go on after its client has gone.
const LAST_ANSWERS: Duration = Duration::from_millis(300);

/// Answers one client's requests from a [`Toolbox`].
pub struct Server {
    room: Room,
    ignore_client_roots: bool,
    session: Option<String>,
    dry_run: bool,
    /// Takes back every call that is at work.
    calls: CancellationToken,
    /// Made when a client first asks: a client that only calls does not wait for it.
    tools: OnceLock<Vec<Tool>>,
}

impl Server {
    /// A server of this toolbox. Its calls share one session, since there is one client.
    #[must_use]
    pub fn new(toolbox: Toolbox) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let session = format!("mcp-{}-{}", std::process::id(), started.as_millis());
        Self {
            room: Room::new(toolbox),
            ignore_client_roots: false,
            session: Some(session),
            dry_run: false,
            calls: CancellationToken::new(),
            tools: OnceLock::new(),
        }
    }

    /// Names the session of its calls; none makes each call stand for itself.
    #[must_use]
    pub fn session(mut self, session: Option<String>) -> Self {
        self.session = session;
        self
    }

    /// Serves all that the user allowed, whatever roots the client names. Otherwise those narrow it.
    #[must_use]
    pub fn ignore_client_roots(mut self, ignore: bool) -> Self {
        self.ignore_client_roots = ignore;
        self
    }

    /// Shows what would be changed instead of changing it.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Serves one client until it goes away. What it asked for before that is answered if it takes no longer than
    /// [`LAST_ANSWERS`]; what takes longer is taken back.
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
        match ServiceExt::serve(self, (reader, writer)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes away before it has said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let schemas = self.room.whole().schemas(Format::Mcp);
            schemas.into_iter().filter_map(|schema| serde_json::from_value(schema).ok()).collect()
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let roots =
            self.room.whole().workspace().roots().iter().map(|root| root.path().display().to_string());
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("toolcrib", env!("CARGO_PKG_VERSION")).with_title("Toolcrib");
        info.instructions =
            Some(format!("File tools for the workspace {}.", roots.collect::<Vec<_>>().join(", ")));
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
        let tool = self.room.whole().executor().registry().get_or_raise(&request.name);
        let tool = tool.map_err(|error| {
            let hint = error.next_step().map_or_else(String::new, |hint| format!(" ({hint})"));
            ErrorData::invalid_params(Cow::Owned(format!("{error}{hint}")), None)
        })?;
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let toolbox = if self.ignore_client_roots {
            Ok(self.room.whole().clone())
        } else {
            self.room.toolbox(&context.peer).await
        };
        let toolbox = match toolbox {
            Ok(toolbox) => toolbox,
            Err(error) => return Ok(answer(&error.into(), tool.descriptor()).into()),
        };
        let taken_back = self.calls.child_token();
        let mut call = toolbox.context().agent("mcp").dry_run(self.dry_run).cancelled_by(taken_back.clone());
        call.session_id.clone_from(&self.session);
        let mut work = pin!(toolbox.call(tool.name(), arguments, &call));
        let result = tokio::select! {
            result = &mut work => result,
            () = context.ct.cancelled() => {
                taken_back.cancel();
                work.await
            }
        };
        Ok(answer(&result, tool.descriptor()).into())
    }
}
