//! A call on its way through the server: whether there is room for it, which files and session it is for, and how it ends.

use std::ops::RangeInclusive;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rmcp::model::{ErrorData, Implementation, ProtocolVersion, RequestMetaObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::SemaphorePermit;
use tokio_util::sync::CancellationToken;
use toolcrib::desk::Began;
use toolcrib::{
    Approver, DynTool, ErrorKind, ExecutionContext, ToolError, ToolResult, Toolbox, WithApprover,
};

use super::notify::Progress;
use super::{Server, Session};
use crate::answer::failure;
use crate::at_desk::ended;
use crate::clients;

/// The key in a request's `_meta` by which a client tells its conversations apart where the protocol has no session for each: in
/// the stateless protocol, and on standard input and output.
const SESSION_KEY: &str = "toolcrib/session";
/// The key in a request's `_meta` that limits the characters of the answer to that call.
const CHARACTERS_KEY: &str = "toolcrib/max_characters";
/// The limits that a request may set: an error with its hint still fits, and an answer still fits into memory.
const CHARACTERS: RangeInclusive<usize> = 4_000..=1_000_000;

impl Server {
    /// A place among the calls that are at work or wait. No call waits for a place: what waits takes memory, and a client
    /// that does not read its answers would be waited for in vain.
    pub(super) fn turn(&self) -> Result<SemaphorePermit<'_>, ToolError> {
        self.turns.try_acquire().map_err(|_| {
            ToolError::new(ErrorKind::TooLarge, "Too many calls at once: the server takes no more for now")
                .hint("wait for the answers to earlier calls, and call again")
        })
    }

    /// What the client's roots leave of the workspace.
    pub(super) async fn left_to(&self, context: &RequestContext<RoleServer>) -> Result<Toolbox, ToolError> {
        if self.ignore_client_roots {
            return Ok(self.toolbox().clone());
        }
        let left = self.scope.toolbox(&context.peer).await?;
        if let Some(desk) = &self.desk
            && !self.roots_said.swap(true, Ordering::Relaxed)
        {
            desk.serves(&left);
        }
        Ok(left)
    }

    pub(super) async fn served(&self, context: &RequestContext<RoleServer>) -> Result<Toolbox, ErrorData> {
        self.left_to(context).await.map_err(failure)
    }

    /// Looks at files on a thread where that may take its time.
    pub(super) async fn looked<T: Send + 'static>(
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

    /// What a call gets to know from its request.
    pub(super) fn call_context(&self, toolbox: &Toolbox, asked: &Asked<'_>) -> ExecutionContext {
        let client = asked.client;
        let characters = characters_of(asked.meta)
            .or(self.characters)
            .unwrap_or_else(|| clients::known(client).characters);
        let mut call = toolbox
            .context()
            .agent(clients::title(client))
            .dry_run(self.dry_run)
            .max_output_size(characters)
            .cancelled_by(self.calls.child_token());
        call.session_id = self.session_of(asked);
        if self.shared_reading {
            let name = client.map_or("", |client| &client.name);
            match conversation(asked.meta) {
                Some(key) => call.session_id = Some(format!("{name}/{key}")),
                None => call = call.reader(format!("mcp {name}")),
            }
        }
        call
    }

    fn session_of(&self, asked: &Asked<'_>) -> Option<String> {
        match &self.session {
            Session::Named(name) => name.clone(),
            Session::OfCaller { own, .. } if !asked.stateless => Some(own.clone()),
            Session::OfCaller { caller, .. } => Some(match conversation(asked.meta) {
                Some(key) => format!("{caller}/{key}"),
                None => caller.clone(),
            }),
        }
    }

    /// Carries a call out; a client that asked for it is told meanwhile that it goes on.
    pub(super) async fn carry_out(
        &self,
        toolbox: &Toolbox,
        tool: &dyn DynTool,
        arguments: Value,
        asked: &RequestContext<RoleServer>,
        who: Who,
    ) -> ToolResult {
        let client = asked.client_info();
        let request = Asked { meta: &asked.meta, client: client.as_ref(), stateless: is_stateless(asked) };
        let mut call = self.call_context(toolbox, &request);
        let began = self.desk.as_ref().map(|desk| desk.begin(tool.name(), &arguments, &call));
        let approver = match (who, &self.desk, &began) {
            (Who::Client(client), Some(desk), Some(began)) => desk.approver(client, began),
            (Who::Client(client), ..) => client,
            (Who::Alone(client), ..) => Some(client),
        };
        if let Some(approver) = approver {
            call = call.approver(approver);
        }
        let cancelled = call.cancel.clone();
        let work = toolbox.call(tool.name(), arguments, &call);
        // A cancelled call begins too, and ends at once.
        let _at_work = tokio::select! {
            at_work = async { (self.at_work.acquire().await, self.unread.room().await) } => Some(at_work),
            () = cancelled.cancelled() => None,
            () = asked.ct.cancelled() => None,
        };
        let progress = Progress::wanted(&asked.meta, &asked.peer);
        let waiting =
            Waiting { started: Instant::now(), progress: progress.as_ref(), call: began.as_deref() };
        let mut result = waiting.until(work, &asked.ct, &cancelled).await;
        if let Some(began) = &began {
            result = ended(began, result);
        }
        self.tell(tool.name(), &result, asked).await;
        result
    }
}

/// Who is asked where a rule says ask.
pub(super) enum Who {
    /// The client, if it can be, and whoever is at the desk.
    Client(Option<Arc<dyn Approver>>),
    /// This one, which is asked in rounds: the call does not wait.
    Alone(Arc<dyn Approver>),
}

/// What a request says beside the call.
pub(super) struct Asked<'a> {
    pub(super) meta: &'a RequestMetaObject,
    pub(super) client: Option<&'a Implementation>,
    /// Whether the request is of the stateless protocol.
    pub(super) stateless: bool,
}

/// Waiting for a call that is at work.
pub(super) struct Waiting<'a> {
    pub(super) started: Instant,
    /// Who is told that the call goes on.
    pub(super) progress: Option<&'a Progress>,
    /// The call as it is shown, if it is.
    pub(super) call: Option<&'a Began>,
}

impl Waiting<'_> {
    /// Until it ends, which it does soon after `asked` was cancelled.
    pub(super) async fn until(
        self,
        work: impl Future<Output = ToolResult>,
        asked: &CancellationToken,
        call: &CancellationToken,
    ) -> ToolResult {
        let mut work = pin!(work);
        let tell = || async {
            match self.progress {
                Some(progress) => progress.tell(self.started, self.call).await,
                None => std::future::pending().await,
            }
        };
        let mut told = pin!(tell());
        loop {
            tokio::select! {
                result = &mut work => return result,
                () = asked.cancelled() => {
                    call.cancel();
                    return work.await;
                }
                () = &mut told => told.set(tell()),
            }
        }
    }
}

/// Which of its conversations the client says that a call belongs to.
fn conversation(meta: &RequestMetaObject) -> Option<&str> {
    meta.get(SESSION_KEY).and_then(Value::as_str)
}

/// How many characters the answer may have, if the request says so.
fn characters_of(meta: &RequestMetaObject) -> Option<usize> {
    let wanted = meta.get(CHARACTERS_KEY).and_then(Value::as_u64)?;
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    Some(wanted.clamp(*CHARACTERS.start(), *CHARACTERS.end()))
}

/// Whether the client speaks the stateless protocol, in which it cannot be asked while a call waits.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
