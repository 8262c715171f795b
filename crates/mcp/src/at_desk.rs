//! The server at the approvals desk: questions are put to the processes of the user that are connected, beside the client, and calls
//! are shown to them and may be stopped.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::net::UnixListener;
use toolcrib::desk::{AtDesk, Began, Desk, Listening, Patience};
use toolcrib::{Approver, ErrorKind, ExecutionContext, ToolError, ToolResult, Toolbox};

/// The desk of a server, which all its clients share.
#[derive(Clone)]
pub(crate) struct ServerDesk {
    pub(crate) desk: Desk,
    patience: Patience,
    /// Until somebody is let in.
    listening: Arc<Mutex<Option<Listening>>>,
}

impl ServerDesk {
    pub(crate) fn new(desk: Desk, listening: Listening, patience: Patience) -> Self {
        Self { desk, patience, listening: Arc::new(Mutex::new(Some(listening))) }
    }

    /// Lets in who connects, from now on, on the runtime's thread.
    pub(crate) fn let_in(&self) {
        let Some(listening) = self.listening.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let socket = listening.to_std().and_then(UnixListener::from_std);
        tokio::spawn(async move {
            let Ok(socket) = socket else { return };
            while let Ok((stream, _)) = socket.accept().await {
                // Who has gone again already is none.
                let _ = stream.into_std().map(|stream| listening.let_in(stream));
            }
        });
    }

    /// Shows a call.
    pub(crate) fn begin(&self, tool: &str, arguments: &Value, call: &ExecutionContext) -> Arc<Began> {
        let path = ["file_path", "path", "filePath", "notebook_path", "source"]
            .iter()
            .find_map(|name| arguments.get(name)?.as_str());
        let (agent, session) = (call.agent_id.as_deref(), call.session_id.as_deref());
        Arc::new(self.desk.begin(tool, path, agent, session, &call.cancel))
    }

    /// Who is asked for a call: the client, if it can be, and everybody who is connected. None if nobody can be.
    pub(crate) fn approver(
        &self,
        client: Option<Arc<dyn Approver>>,
        call: &Arc<Began>,
    ) -> Option<Arc<dyn Approver>> {
        let somebody_may_come =
            self.patience.configured.map_or_else(|| self.desk.is_watched(), |wait| !wait.is_zero());
        if client.is_none() && !somebody_may_come {
            return None;
        }
        let approver = AtDesk::new(&self.desk, self.patience).and(client).for_call(Arc::clone(call));
        Some(Arc::new(approver))
    }

    /// Says what the server serves.
    pub(crate) fn serves(&self, toolbox: &Toolbox) {
        let roots = toolbox.workspace().roots().iter();
        self.desk.set_roots(roots.map(|root| root.real().display().to_string()).collect());
    }
}

/// What the client gets for a call that was shown. That it failed is shown too.
pub(crate) fn ended(call: &Began, result: ToolResult) -> ToolResult {
    let Some(error) = &result.error else { return result };
    if !call.was_stopped() {
        call.failed(error);
        return result;
    }
    let stopped = ToolError::new(ErrorKind::Cancelled, "The user has stopped this call")
        .hint("do not try it another way; ask the user what to do instead");
    call.failed(stopped.message());
    ToolResult { duration_ms: result.duration_ms, ..stopped.into() }
}
