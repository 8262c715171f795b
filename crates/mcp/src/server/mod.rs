//! A toolbox as an MCP server.

#![expect(
    deprecated,
    reason = "log messages are on their way out of the protocol; those who want them get them until then"
)]

mod calls;
mod direct;
mod handler;
mod instructions;
mod notify;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::ServiceExt;
use rmcp::model::{LoggingLevel, Tool};
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use toolcrib::desk::{Desk, Listening, Patience};
use toolcrib::{DynTool, Format, ToolError, Toolbox};

use crate::approve::Rounds;
use crate::at_desk::ServerDesk;
use crate::client_scope::ClientScope;
use crate::lines::Lines;
use crate::unread::{Paced, Unread};
use crate::until_end::UntilEnd;
use crate::watching::{Accepted, Watching};
use toolcrib_loopback::secret;

pub(crate) use direct::{DirectCall, Introduced, Plain, pong};

/// How long a call may go on after its client has gone.
pub(crate) const LAST_ANSWERS: Duration = Duration::from_millis(300);
/// How many calls may be at work or wait for their turn, of all clients together. Those that wait cost little.
const MOST_CALLS: usize = 10_000;
/// How many of them are at work. Each has a thread and an answer in the making, and waits for a person where a rule says
/// ask.
pub(crate) const AT_WORK: usize = 128;
/// How many resources are read or listed at once, beside the calls.
pub(crate) const LOOKING: usize = 16;
/// How many answers may wait for a client to read them before nothing more is done for it.
const MOST_UNREAD: usize = 100;
/// How long a client may read nothing of its answers before it is dropped.
pub(crate) const READING: Duration = Duration::from_secs(30);

/// Answers one client's requests from a [`Toolbox`].
pub struct Server {
    shared: Arc<Shared>,
    scope: ClientScope,
    session: Session,
    dry_run: bool,
    ignore_client_roots: bool,
    /// Whether what was read in one process counts in the others of the same client.
    shared_reading: bool,
    /// Whether answers have their facts beside the text.
    structured: bool,
    /// How many characters an answer may have; none leaves it to what is known of the client.
    characters: Option<usize>,
    /// Whether the client was started so that it has no user to ask.
    unattended: bool,
    /// What stands before the name of every tool.
    prefix: String,
    /// What clients have to know before they change something.
    notice: Option<String>,
    /// Cancels every call that is at work.
    calls: CancellationToken,
    /// One for each call that may be at work or wait; shared by all clients.
    turns: Arc<Semaphore>,
    /// One for each call that may be at work.
    at_work: Arc<Semaphore>,
    /// One for each resource that may be read at once.
    looking: Arc<Semaphore>,
    unread: Unread,
    watching: Watching,
    accepted: Accepted,
    /// Where questions are put beside the client, and calls are shown.
    desk: Option<ServerDesk>,
    /// Whether it has been said there what is served.
    roots_said: AtomicBool,
    /// From which level on the client wants to be told what the server does; none before it said so. In the stateless
    /// protocol each request says it.
    told_from: Mutex<Option<LoggingLevel>>,
}

/// What all clients of one server share.
#[derive(Default)]
struct Shared {
    rounds: Rounds,
    /// Made when a client first asks: a client that only calls does not wait for it.
    tools: OnceLock<Vec<Tool>>,
}

/// Which conversation a call belongs to.
#[derive(Clone)]
enum Session {
    /// There is one client, or none of its calls has a history.
    Named(Option<String>),
    /// One of several clients: the protocol's own session, which this server was made for, or, where the protocol has
    /// none, the client with the token together with the key that the request brings.
    OfCaller { own: String, caller: String },
}

impl Server {
    /// A server of this toolbox. Its calls share one session, since there is one client.
    #[must_use]
    pub fn new(toolbox: Toolbox) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let session = format!("mcp-{}-{}", std::process::id(), started.as_millis());
        Self {
            shared: Arc::default(),
            scope: ClientScope::new(toolbox),
            session: Session::Named(Some(session)),
            dry_run: false,
            ignore_client_roots: false,
            shared_reading: false,
            structured: false,
            characters: None,
            unattended: false,
            prefix: String::new(),
            notice: None,
            calls: CancellationToken::new(),
            turns: Arc::new(Semaphore::new(MOST_CALLS)),
            at_work: Arc::new(Semaphore::new(AT_WORK)),
            looking: Arc::new(Semaphore::new(LOOKING)),
            unread: Unread::new(MOST_UNREAD),
            watching: Watching::default(),
            accepted: Accepted::default(),
            desk: None,
            roots_said: AtomicBool::new(false),
            told_from: Mutex::default(),
        }
    }

    /// Puts questions to the processes that are connected to this desk too, and shows calls there. Who connects is let in once the
    /// server serves.
    #[must_use]
    pub fn desk(mut self, desk: Desk, listening: Listening, patience: Patience) -> Self {
        self.desk = Some(ServerDesk::new(desk, listening, patience));
        self
    }

    /// Names the session of its calls; none makes each call stand for itself.
    #[must_use]
    pub fn session(mut self, session: Option<String>) -> Self {
        self.session = Session::Named(session);
        self
    }

    /// Serves all that the user allowed, whatever roots the client names. Otherwise those narrow it.
    #[must_use]
    pub fn ignore_client_roots(mut self, ignore: bool) -> Self {
        self.ignore_client_roots = ignore;
        self
    }

    /// Serves what the client names as its roots where that has nothing in common with the toolbox: for a server that was
    /// given no root. The server is locked in once the client's roots are known, so the toolbox must not be before.
    #[must_use]
    pub fn adopting(
        mut self,
        open: impl Fn(&[PathBuf]) -> Result<Toolbox, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.scope = self.scope.adopting(Arc::new(open));
        self
    }

    /// Gives every answer as structured content too, with its schema in the list of tools. For clients that are programs: many
    /// agents give the model this form alone, which costs it more and says no more.
    #[must_use]
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// Lets what a client has read count in all its processes and conversations, as far as the toolbox keeps it, unless its
    /// requests name their conversation. A file that has changed since must still be read again. For clients that start a process
    /// for each call, and for those that start one for all.
    #[must_use]
    pub fn shared_reading(mut self, shared: bool) -> Self {
        self.shared_reading = shared;
        self
    }

    /// Sets how many characters an answer may have, whatever is known of the client.
    #[must_use]
    pub fn characters(mut self, characters: Option<usize>) -> Self {
        self.characters = characters;
        self
    }

    /// Says that the client was started so that it has no user to ask. A client whose run would end if it were to ask
    /// all the same is not made to: its calls go on as where there is no user.
    #[must_use]
    pub fn unattended(mut self, unattended: bool) -> Self {
        self.unattended = unattended;
        self
    }

    /// Puts this before the name of every tool, for clients that do not and have tools of the same names.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Shows what would be changed instead of changing it.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Something that clients have to know before they change anything. It stands in the instructions, and is a log message
    /// where the protocol has them.
    #[must_use]
    pub fn notice(mut self, notice: impl Into<String>) -> Self {
        self.notice = Some(notice.into());
        self
    }

    /// Sets how many calls may be at work or wait for their turn, of all clients together. One more is refused. By default
    /// it is 10,000.
    #[must_use]
    pub fn most_calls(mut self, most: usize) -> Self {
        self.turns = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        self
    }

    /// The same server for one more client.
    pub(crate) fn for_caller(&self, caller: &str) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            scope: ClientScope::new(self.toolbox().clone()),
            session: Session::OfCaller { own: secret::random(), caller: caller.to_owned() },
            dry_run: self.dry_run,
            ignore_client_roots: self.ignore_client_roots,
            shared_reading: self.shared_reading,
            structured: self.structured,
            characters: self.characters,
            unattended: self.unattended,
            prefix: self.prefix.clone(),
            notice: self.notice.clone(),
            calls: self.calls.clone(),
            turns: Arc::clone(&self.turns),
            at_work: Arc::clone(&self.at_work),
            looking: Arc::clone(&self.looking),
            unread: Unread::new(MOST_UNREAD),
            watching: Watching::default(),
            accepted: Accepted::default(),
            desk: self.desk.clone(),
            // Of several clients each may have other roots.
            roots_said: AtomicBool::new(true),
            told_from: Mutex::default(),
        }
    }

    /// Lets in who connects to the desk.
    pub(crate) fn open_desk(&self) {
        if let Some(desk) = &self.desk {
            desk.let_in();
        }
    }

    /// What it serves, whatever the client's roots are.
    #[must_use]
    pub fn toolbox(&self) -> &Toolbox {
        self.scope.whole()
    }

    /// Cancels every call that is at work.
    pub(crate) fn calls(&self) -> &CancellationToken {
        &self.calls
    }

    /// How many of the client's answers wait for it.
    pub(crate) fn unread(&self) -> &Unread {
        &self.unread
    }

    /// Says that the client's roots are going to change, ahead of the notification itself.
    pub(crate) fn announce_roots(&self) {
        self.scope.announce();
    }

    /// Serves one client until it goes away. What it asked for before that is answered if it takes no longer than
    /// 300 ms; what takes longer is cancelled.
    ///
    /// # Errors
    ///
    /// If the client does not speak the protocol.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> io::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.open_desk();
        let (ended, calls) = (CancellationToken::new(), self.calls.clone());
        let reader = UntilEnd::new(reader, ended.clone());
        tokio::spawn(async move {
            ended.cancelled().await;
            tokio::time::sleep(LAST_ANSWERS).await;
            calls.cancel();
        });
        let (inner, unread) = (Lines::new(reader, writer), self.unread.clone());
        match ServiceExt::serve(self, Paced { inner, unread, patience: READING }).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes away before it has said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn tools(&self) -> &[Tool] {
        self.shared.tools.get_or_init(|| {
            let descriptors = self.toolbox().executor().registry().list_all();
            let plain = |tool: &Arc<dyn DynTool>| {
                let descriptor = tool.descriptor();
                let mut tool: Tool = serde_json::from_value(Format::Mcp.schema(descriptor)).ok()?;
                // A schema promises structured content.
                let structured = self.structured || descriptor.conventions.structured_as.is_some();
                tool.output_schema = tool.output_schema.take().filter(|_| structured);
                tool.name = format!("{}{}", self.prefix, tool.name).into();
                Some(tool)
            };
            descriptors.iter().filter_map(plain).collect()
        })
    }
}
