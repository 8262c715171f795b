//! What a client is told besides answers: log messages and progress, if it wants them.

#![expect(
    deprecated,
    reason = "log messages are on their way out of the protocol; those who want them get them until then"
)]

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    RequestMetaObject,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use toolcrib::ToolResult;
use toolcrib::desk::Began;

use super::Server;
use super::calls::is_stateless;

/// How often a client that wants to know is told that its call goes on.
const PROGRESS: Duration = Duration::from_secs(1);

impl Server {
    /// Tells a client that wants to know it what became of a call.
    pub(super) async fn tell(&self, tool: &str, result: &ToolResult, asked: &RequestContext<RoleServer>) {
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

pub(super) async fn log(peer: &Peer<RoleServer>, level: LoggingLevel, data: Value) {
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

/// A client that wants to know that its call goes on.
pub(crate) struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
}

impl Progress {
    /// Who is to be told, if the request asks for it.
    pub(crate) fn wanted(meta: &RequestMetaObject, peer: &Peer<RoleServer>) -> Option<Self> {
        Some(Self { token: meta.get_progress_token()?, peer: peer.clone() })
    }

    /// Waits a while, and then says for how many seconds a call has been at work, or what it waits for. How much there is to do is unknown.
    pub(super) async fn tell(&self, started: Instant, call: Option<&Began>) {
        tokio::time::sleep(PROGRESS).await;
        let seconds = started.elapsed().as_secs_f64();
        let message = match call.and_then(Began::message) {
            Some(waits) => format!("{waits} ({seconds:.0} s)"),
            None => format!("at work for {seconds:.0} s"),
        };
        let progress = ProgressNotificationParam::new(self.token.clone(), seconds).with_message(message);
        // A client that has gone away is noticed elsewhere.
        _ = self.peer.notify_progress(progress).await;
    }
}
