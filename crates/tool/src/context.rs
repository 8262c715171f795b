//! What the caller of a tool decides.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

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
    /// Cancels the call.
    #[serde(skip)]
    pub cancel: CancellationToken,
    #[serde(skip)]
    attached: Attached,
    #[serde(skip)]
    pub(crate) on_checkpoint: OnCheckpoint,
}

/// What the caller does at each checkpoint.
#[derive(Clone, Default)]
pub(crate) struct OnCheckpoint(pub(crate) Option<Arc<dyn Fn() + Send + Sync>>);

impl fmt::Debug for OnCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "OnCheckpoint" } else { "None" })
    }
}

/// Values of the caller's own, one of each type.
#[derive(Clone, Default)]
struct Attached(BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.0.len())
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
            attached: Attached::default(),
            on_checkpoint: OnCheckpoint::default(),
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

    /// Attaches a value that a tool or the environment finds again with [`attachment`](Self::attachment): where the call came
    /// from, say. There is one value of each type. The record does not keep it.
    #[must_use]
    pub fn attach<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.attached.0.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// The value of this type that was attached.
    #[must_use]
    pub fn attachment<T: Any>(&self) -> Option<&T> {
        self.attached.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Calls this at every checkpoint, on every thread of the call, so that a caller whose own thread does the work (see
    /// [`Executor::execute_blocking`]) can look for signals and fire [`cancel`](Self::cancel). It must be quick.
    ///
    /// [`Executor::execute_blocking`]: crate::Executor::execute_blocking
    #[must_use]
    pub fn on_checkpoint(mut self, check: Arc<dyn Fn() + Send + Sync>) -> Self {
        self.on_checkpoint = OnCheckpoint(Some(check));
        self
    }

    /// The same without what only lives as long as the call, for the record.
    pub(crate) fn recorded(&self) -> Self {
        Self { attached: Attached::default(), on_checkpoint: OnCheckpoint::default(), ..self.clone() }
    }

    /// Lets `token` cancel the call.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
