//! Calls that the thread which reads a message carries out itself, without a way through the protocol's service and back.
//!
//! They are what the protocol's service would do with the same message, for the plain case: a client with a handshake, a tool that
//! only reads, and room for one more call. In every other case there is nothing here, and the message goes the usual way.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use rmcp::model::{
    CallToolResponse, ClientConfig, EmptyResult, JsonObject, JsonRpcMessage, ProtocolVersion, RequestId,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, RoleServer, TxJsonRpcMessage};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use toolcrib::desk::Began;
use toolcrib::{Approver, DynTool, Effect, ReceivedCall, ToolResult, WithApprover};

use super::Server;
use super::calls::{Asked, Waiting};
use super::notify::Progress;
use crate::answer::{Form, answer};
use crate::approve::Elicitation;
use crate::at_desk::ended;
use crate::clients::{self, Known};

/// Keys in `_meta` that the stateless protocol defines begin with this.
const STATELESS: &str = "io.modelcontextprotocol/";

/// A request in its plain form. Whatever has more to it goes the usual way.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRequest<'a> {
    jsonrpc: &'a str,
    id: RequestId,
    method: &'a str,
    params: Option<PlainParams>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainParams {
    #[serde(rename = "_meta")]
    meta: Option<RequestMetaObject>,
    name: Option<String>,
    arguments: Option<JsonObject>,
}

/// What a plain request asks for.
pub(crate) enum Plain {
    Ping(RequestId),
    Call(PlainCall),
}

/// A call of a tool.
pub(crate) struct PlainCall {
    id: RequestId,
    meta: RequestMetaObject,
    pub(crate) name: String,
    arguments: Option<JsonObject>,
}

impl Plain {
    /// The request that a line is, if it is one.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let PlainRequest { jsonrpc, id, method, params } = serde_json::from_slice(line).ok()?;
        let PlainParams { meta, name, arguments } = params.unwrap_or_default();
        let meta = meta.unwrap_or_default();
        if jsonrpc != "2.0" || meta.keys().any(|key| key.starts_with(STATELESS)) {
            return None;
        }
        match (method, name) {
            ("tools/call", Some(name)) => Some(Self::Call(PlainCall { id, meta, name, arguments })),
            ("ping", None) if arguments.is_none() => Some(Self::Ping(id)),
            _ => None,
        }
    }
}

/// A client that has introduced itself, of a version of the protocol that has a handshake.
pub(crate) struct Introduced {
    peer: Peer<RoleServer>,
    info: Arc<ClientConfig>,
    known: Known,
}

impl Introduced {
    /// The client behind a connection; none in the stateless protocol.
    pub(crate) fn behind(peer: &Peer<RoleServer>) -> Option<Self> {
        let info = peer.peer_info().filter(|info| info.protocol_version < ProtocolVersion::V_2026_07_28)?;
        let known = clients::known(Some(&info.client_info));
        Some(Self { peer: peer.clone(), info, known })
    }

    /// Whether it has not introduced itself anew.
    pub(crate) fn is_current(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| Arc::ptr_eq(&info, &self.info))
    }
}

/// A call that only has to be run.
pub(crate) struct DirectCall {
    pub(crate) id: RequestId,
    /// The tool as the client calls it.
    pub(crate) name: String,
    received: ReceivedCall,
    tool: Arc<dyn DynTool>,
    form: Form,
    cancelled: CancellationToken,
    started: Instant,
    progress: Option<Progress>,
    /// The call as it is shown, if it is.
    began: Option<Arc<Began>>,
    _places: [OwnedSemaphorePermit; 2],
}

impl Server {
    /// Makes a call ready to be run by this thread. None if it has to go the usual way.
    pub(crate) fn direct(&self, client: &Introduced, call: PlainCall) -> Option<DirectCall> {
        let is_told = || self.told_from.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        let name = call.name.strip_prefix(self.prefix.as_str()).unwrap_or(&call.name);
        let tool = self.toolbox().executor().registry().get(name)?;
        if tool.descriptor().effect != Effect::Reads || is_told() {
            return None;
        }
        let place = |places: &Arc<_>| tokio::sync::Semaphore::try_acquire_owned(Arc::clone(places)).ok();
        let places = [place(&self.turns)?, place(&self.at_work)?];
        let narrowed = if self.ignore_client_roots { None } else { Some(self.scope.known(&client.info)?) };
        let toolbox = narrowed.as_ref().unwrap_or_else(|| self.toolbox());

        let asked = Asked { meta: &call.meta, client: Some(&client.info.client_info), stateless: false };
        let mut context = self.call_context(toolbox, &asked);
        let offers = client.info.capabilities.elicitation.is_some();
        let arguments = call.arguments.map_or(Value::Null, Value::Object);
        let began = self.desk.as_ref().map(|desk| desk.begin(tool.name(), &arguments, &context));
        let client_asks = (offers && !(client.known.ends_if_nobody_is_there && self.unattended))
            .then(|| Arc::new(Elicitation::new(client.peer.clone())) as Arc<dyn Approver>);
        let approver = match (&self.desk, &began) {
            (Some(desk), Some(began)) => desk.approver(client_asks, began),
            _ => client_asks,
        };
        if let Some(approver) = approver {
            context = context.approver(approver);
        }
        Some(DirectCall {
            received: toolbox.executor().begin(tool.name(), arguments, &context),
            id: call.id,
            name: call.name,
            form: Form { facts: self.structured, images: client.known.shows_images },
            cancelled: context.cancel,
            started: Instant::now(),
            progress: Progress::wanted(&call.meta, &client.peer),
            tool,
            began,
            _places: places,
        })
    }
}

impl DirectCall {
    /// Runs it on this thread.
    pub(crate) fn run(&self) -> ToolResult {
        self.received.run()
    }

    /// Waits for the result of a run that takes longer, as it is done for other calls. Soon after the client cancels it, it ends.
    pub(crate) async fn wait(
        &self,
        result: impl Future<Output = Option<ToolResult>>,
        asked: &CancellationToken,
    ) -> ToolResult {
        let waiting =
            Waiting { started: self.started, progress: self.progress.as_ref(), call: self.began.as_deref() };
        waiting.until(self.received.supervise(result), asked, &self.cancelled).await
    }

    /// What the client gets for it.
    pub(crate) fn answer(&self, result: ToolResult) -> TxJsonRpcMessage<RoleServer> {
        let result = match &self.began {
            Some(began) => ended(began, result),
            None => result,
        };
        let answer = answer(result, self.tool.descriptor(), self.form);
        let mut answer = ServerResult::from(CallToolResponse::from(answer));
        answer.strip_result_type_for_legacy_peer();
        JsonRpcMessage::response(answer, self.id.clone())
    }
}

/// The answer to a ping.
pub(crate) fn pong(id: RequestId) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), id)
}
