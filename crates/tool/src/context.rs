//! Under which circumstances a call is made.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::Approver;

/// What the caller of a tool decides, and the model does not.
///
/// ```
/// use toolcrib_tool::ExecutionContext;
///
/// let context = ExecutionContext::new("/home/ada/project").session("s1").dry_run(true);
/// assert_eq!(context.session_id.as_deref(), Some("s1"));
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct ExecutionContext {
    /// What relative paths are relative to. Absolute, and inside the workspace.
    pub working_dir: PathBuf,
    /// The conversation this call belongs to, if it has a history.
    pub session_id: Option<String>,
    /// Whose reading counts for it, if not the session's own: calls of several sessions can share what was read.
    pub reader_id: Option<String>,
    /// Who calls, for the log.
    pub agent_id: Option<String>,
    /// Whether to show what would be changed instead of changing it.
    pub dry_run: bool,
    /// How long the call may take.
    #[serde(serialize_with = "seconds")]
    pub timeout: Duration,
    /// How many bytes the output may have.
    pub max_output_size: usize,
    /// Anything else the caller wants in the record.
    pub metadata: Map<String, Value>,
    /// Takes the call back.
    #[serde(skip)]
    pub cancel: CancellationToken,
    #[serde(skip)]
    pub(crate) approver: CallApprover,
    #[serde(skip)]
    pub(crate) attached: Attached,
    #[serde(skip)]
    pub(crate) look_up: LookUp,
}

/// What the caller does from time to time while its own thread is at work.
#[derive(Clone, Default)]
pub(crate) struct LookUp(pub(crate) Option<Arc<dyn Fn() + Send + Sync>>);

impl fmt::Debug for LookUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "from time to time" } else { "never" })
    }
}

/// Something of the caller's, for a tool of the caller's.
#[derive(Clone, Default)]
pub(crate) struct Attached(pub(crate) Option<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "something" } else { "nothing" })
    }
}

/// Who is asked for one call, where that is somebody else than for all.
#[derive(Clone, Default)]
pub(crate) struct CallApprover(pub(crate) Option<Arc<dyn Approver>>);

impl fmt::Debug for CallApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "one of its own" } else { "the executor's" })
    }
}

impl ExecutionContext {
    /// How long a call may take unless the caller says otherwise.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
    /// How many bytes an output may have unless the caller says otherwise.
    pub const DEFAULT_MAX_OUTPUT_SIZE: usize = 256 * 1024;

    /// A call from `working_dir`, with the defaults for everything else.
    pub fn new(working_dir: impl Into<PathBuf>) -> Self {
        Self {
            working_dir: working_dir.into(),
            session_id: None,
            reader_id: None,
            agent_id: None,
            dry_run: false,
            timeout: Self::DEFAULT_TIMEOUT,
            max_output_size: Self::DEFAULT_MAX_OUTPUT_SIZE,
            metadata: Map::new(),
            cancel: CancellationToken::new(),
            approver: CallApprover::default(),
            attached: Attached::default(),
            look_up: LookUp::default(),
        }
    }

    /// Makes the call part of a conversation.
    #[must_use]
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// Shares what was read with all calls under this name.
    #[must_use]
    pub fn reader(mut self, id: impl Into<String>) -> Self {
        self.reader_id = Some(id.into());
        self
    }

    /// Says who calls.
    #[must_use]
    pub fn agent(mut self, id: impl Into<String>) -> Self {
        self.agent_id = Some(id.into());
        self
    }

    /// Shows instead of changing.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Limits the time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Limits the output.
    #[must_use]
    pub fn max_output_size(mut self, bytes: usize) -> Self {
        self.max_output_size = bytes;
        self
    }

    /// Says who is asked for this call, instead of the one who is asked for all: a door that serves several clients asks
    /// the one that called.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = CallApprover(Some(approver));
        self
    }

    /// Attaches something that a tool of the caller's own finds again with [`attachment`](Self::attachment): where the
    /// call came from, say. The record does not keep it.
    #[must_use]
    pub fn attach(mut self, something: Arc<dyn Any + Send + Sync>) -> Self {
        self.attached = Attached(Some(something));
        self
    }

    /// What was attached, if it is a `T`.
    #[must_use]
    pub fn attachment<T: Any>(&self) -> Option<&T> {
        self.attached.0.as_deref()?.downcast_ref()
    }

    /// Lets the caller look up while its own thread is at work (see [`Executor::execute_blocking`]): this is called at every
    /// checkpoint, by every thread of the call, and takes the call back by firing [`cancel`](Self::cancel). It must be quick.
    ///
    /// [`Executor::execute_blocking`]: crate::Executor::execute_blocking
    #[must_use]
    pub fn looking_up(mut self, look_up: Arc<dyn Fn() + Send + Sync>) -> Self {
        self.look_up = LookUp(Some(look_up));
        self
    }

    /// The same without what only lives as long as the call, for the record.
    pub(crate) fn recorded(&self) -> Self {
        Self {
            approver: CallApprover::default(),
            attached: Attached::default(),
            look_up: LookUp::default(),
            ..self.clone()
        }
    }

    /// Lets `token` take the call back.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
