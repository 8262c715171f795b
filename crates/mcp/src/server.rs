//! A toolbox as an MCP server.

use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::Value;
use toolcrib::{Format, Toolbox};

use crate::answer::answer;

/// Answers one client's requests from a [`Toolbox`].
pub struct Server {
    toolbox: Toolbox,
    session: String,
    /// Made when a client first asks: a client that only calls does not wait for it.
    tools: OnceLock<Vec<Tool>>,
}

impl Server {
    /// A server of this toolbox. Its calls share one session, since there is one client.
    #[must_use]
    pub fn new(toolbox: Toolbox) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let session = format!("mcp-{}-{}", std::process::id(), started.as_millis());
        Self { toolbox, session, tools: OnceLock::new() }
    }

    /// Serves one client until it goes away.
    ///
    /// # Errors
    ///
    /// If the client does not speak the protocol.
    pub async fn serve<T, E, A>(self, transport: T) -> io::Result<()>
    where
        T: rmcp::transport::IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        match ServiceExt::serve(self, transport).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes away before it has said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let schemas = self.toolbox.schemas(Format::Mcp);
            schemas.into_iter().filter_map(|schema| serde_json::from_value(schema).ok()).collect()
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let roots = self.toolbox.workspace().roots().iter().map(|root| root.path().display().to_string());
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

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.toolbox.executor().registry().get_or_raise(&request.name);
        let tool = tool.map_err(|error| ErrorData::invalid_params(Cow::Owned(error.to_string()), None))?;
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let call = self.toolbox.context().session(&self.session).cancelled_by(context.ct);
        let result = self.toolbox.call(tool.name(), arguments, &call).await;
        Ok(answer(&result, tool.descriptor()).into())
    }
}
