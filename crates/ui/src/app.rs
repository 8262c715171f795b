//! What all requests share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use toolcrib::desk::Desks;
use toolcrib::{Access, Action, Journal, ToolError, Toolbox};

use crate::answer::Refusal;
use crate::api;
use crate::live::Hub;

/// Opens the same toolbox again: rules that were changed are in force afterwards.
pub type Reopen = Box<dyn Fn() -> Result<Toolbox, ToolError> + Send + Sync>;

pub(crate) struct App {
    toolbox: RwLock<Toolbox>,
    reopen: Reopen,
    /// The configuration that rules are added to.
    pub(crate) configuration: Option<PathBuf>,
    pub(crate) hub: Hub,
    /// What asks, and what is running. There is none before it was looked for.
    desks: OnceLock<Desks>,
}

impl App {
    pub(crate) fn new(toolbox: Toolbox, reopen: Reopen, configuration: Option<PathBuf>) -> Self {
        Self { toolbox: RwLock::new(toolbox), reopen, configuration, hub: Hub::new(), desks: OnceLock::new() }
    }

    pub(crate) fn toolbox(&self) -> Toolbox {
        self.toolbox.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn journal(&self) -> Result<Arc<Journal>, ToolError> {
        self.toolbox().journal()
    }

    /// Connects to everything on these roots that may ask, and tells the pages what happens there. Waits a moment for those that
    /// are there already.
    pub(crate) fn connect(self: &Arc<Self>, state: &Path) {
        let roots = self.toolbox().workspace().roots().iter().map(|root| root.real().to_owned()).collect();
        let app = Arc::downgrade(self);
        let told = move |event| {
            if let Some(app) = app.upgrade() {
                api::tell(&app, &event);
            }
        };
        if let Ok(desks) = Desks::open(state, roots, told) {
            _ = self.desks.set(desks);
        }
    }

    pub(crate) fn desks(&self) -> Result<&Desks, Refusal> {
        self.desks.get().ok_or_else(|| {
            Refusal::not_found("No program that asks or works can be reached from here")
                .hint("the state folder must be writable, and XDG_STATE_HOME or HOME must be set")
        })
    }

    /// Puts rules into force that were changed.
    pub(crate) fn reopen(&self) -> Result<(), ToolError> {
        let toolbox = (self.reopen)()?;
        *self.toolbox.write().unwrap_or_else(PoisonError::into_inner) = toolbox;
        Ok(())
    }
}

/// Whether a rule denies reading a file, so that its content is shown only to those who ask for it.
pub(crate) fn is_denied(toolbox: &Toolbox, path: &Path) -> bool {
    toolbox.verdict(Access::Read, path).action == Action::Deny
}

/// Milliseconds since 1970.
pub(crate) fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
