//! How much of the workspace a client wants: the roots that it names narrow what the user allowed, and add nothing. Only where
//! the user named no root at all are they what is served ([`Adopt`]).
//!
//! They are asked for at the first call, and once more after the client said that they changed. Clients of the stateless
//! protocol (2026-07-28) cannot be asked, and get what the user allowed.

#![expect(
    deprecated,
    reason = "roots went with the stateless protocol; clients of 2025-11-25 and earlier have them"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::ClientConfig;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::Mutex;
use toolcrib::{ToolError, Toolbox};

use crate::resources::path_of;

/// How long a client may think about its roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the tools on the roots that a client names, for a server that was started without one.
pub(crate) type Adopt = dyn Fn(&[PathBuf]) -> Result<Toolbox, ToolError> + Send + Sync;

/// The tools as one client gets them.
pub(crate) struct ClientScope {
    whole: Toolbox,
    adopt: Option<Arc<Adopt>>,
    /// Whether it is locked in by now, if it waited with that.
    locked: AtomicBool,
    /// What the client's roots leave of it, once they are known. Calls wait while they are asked for.
    left: Mutex<Option<Result<Toolbox, ToolError>>>,
    /// How often the client has said that it has other roots and was not heard yet.
    announced: AtomicUsize,
}

impl ClientScope {
    pub(crate) fn new(whole: Toolbox) -> Self {
        Self {
            whole,
            adopt: None,
            locked: AtomicBool::new(false),
            left: Mutex::default(),
            announced: AtomicUsize::new(0),
        }
    }

    /// The same for a server that was given no root: its own directory counts only if the client's roots have something
    /// in common with it. It is locked in once they are known.
    pub(crate) fn adopting(self, adopt: Arc<Adopt>) -> Self {
        Self { adopt: Some(adopt), ..self }
    }

    /// The tools, whatever the client's roots are.
    pub(crate) fn whole(&self) -> &Toolbox {
        &self.whole
    }

    /// The tools as the client's roots leave them.
    pub(crate) async fn toolbox(&self, peer: &Peer<RoleServer>) -> Result<Toolbox, ToolError> {
        let mut left = self.left.lock().await;
        if let Some(left) = left.as_ref() {
            return left.clone();
        }
        let roots = roots_of(peer).await;
        let narrowed = match (&roots, &self.adopt) {
            (Some(roots), None) => self.narrow(roots),
            (Some(roots), Some(adopt)) => match self.narrow(roots) {
                Ok(narrowed) => self.locked_in(&self.whole, narrowed),
                Err(_) => adopt(roots).and_then(|adopted| self.locked_in(&adopted, adopted.clone())),
            },
            (None, Some(_)) => self.locked_in(&self.whole, self.whole.clone()),
            (None, None) => Ok(self.whole.clone()),
        };
        left.insert(narrowed).clone()
    }

    /// The same, if that needs no question to the client. No question is open, and no other roots have been announced.
    pub(crate) fn known(&self, client: &ClientConfig) -> Option<Toolbox> {
        if self.announced.load(Ordering::Acquire) > 0 {
            return None;
        }
        let mut left = self.left.try_lock().ok()?;
        if left.is_none() && self.adopt.is_none() && client.capabilities.roots.is_none() {
            *left = Some(Ok(self.whole.clone()));
        }
        left.as_ref()?.as_ref().ok().cloned()
    }

    /// The client is about to say that it has other roots: until that has been [heard](Self::ask_again), no call goes by the old ones.
    pub(crate) fn announce(&self) {
        self.announced.fetch_add(1, Ordering::AcqRel);
    }

    /// Gives up the right to open anything else, now that it is known what is served.
    fn locked_in(&self, whole: &Toolbox, left: Toolbox) -> Result<Toolbox, ToolError> {
        if !self.locked.swap(true, Ordering::Relaxed) {
            whole.lock_down_threads();
        }
        Ok(left)
    }

    /// The client has other roots now.
    pub(crate) async fn ask_again(&self) {
        *self.left.lock().await = None;
        let fewer = |announced: usize| Some(announced.saturating_sub(1));
        _ = self.announced.fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer);
    }

    fn narrow(&self, roots: &[PathBuf]) -> Result<Toolbox, ToolError> {
        self.whole.narrow(roots).map_err(|error| {
            let allowed = self.whole.workspace().roots().iter().map(|root| root.path().display().to_string());
            let hint = format!(
                "the client's roots and the server's ({}) have nothing in common: start the server with --root on the \
                 client's directory, or with --ignore-client-roots",
                allowed.collect::<Vec<_>>().join(", ")
            );
            error.hint(hint)
        })
    }
}

/// The directories that the client names; nothing if it names none, or does not answer.
async fn roots_of(peer: &Peer<RoleServer>) -> Option<Vec<PathBuf>> {
    peer.peer_info()?.capabilities.roots.as_ref()?;
    let asked = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
    let roots = asked.ok()?.ok()?.roots;
    (!roots.is_empty()).then(|| roots.iter().filter_map(|root| path_of(&root.uri)).collect())
}
