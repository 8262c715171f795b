//! All desks of the user's that are of interest, for a process that shows them.
//!
//! One thread waits for new names in the folder of the sockets, and one for each desk reads what it tells. Nothing is asked for
//! again and again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use toolcrib_workspace::{NameWatch, StateFolder, connect_private};

use crate::facts::{Answer, By, DeskError, Event, Failure, Question, RunningCall, ServerInfo, WholeQuestion};
use crate::listening::FOLDER;
use crate::wire::{FromDesk, Reply, Request, Wanted, receive, send};

/// How long those that are there already may take to say what is so, when the connection is new.
const FIRST: Duration = Duration::from_secs(1);
/// How long an answer to a request may take.
const REPLY: Duration = Duration::from_secs(10);
/// How many failures are remembered.
const MOST_FAILURES: usize = 50;

type Told = dyn Fn(Event) + Send + Sync;

/// All desks whose process serves something of these roots.
pub struct Desks {
    shared: Arc<Shared>,
    watch: Arc<NameWatch>,
}

struct Shared {
    folder: StateFolder,
    roots: Vec<PathBuf>,
    told: Box<Told>,
    state: Mutex<State>,
    /// Told when a connection has said what is so, or has ended.
    ready: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of the next connection or request.
    next: u64,
    connections: BTreeMap<u64, Connection>,
    failures: VecDeque<Failure>,
    ended: bool,
}

struct Connection {
    name: OsString,
    stream: Arc<UnixStream>,
    /// Held while a request is sent: whole frames, one after the other.
    sending: Arc<Mutex<()>>,
    ready: bool,
    /// Known once it has said so.
    info: Option<ServerInfo>,
    /// Whether it serves something of the roots.
    of_interest: bool,
    questions: Vec<Question>,
    /// Who waits for a reply.
    waiting: HashMap<u64, Sender<Reply>>,
}

impl Desks {
    /// Connects to those that are there, and to all that come later. `told` is called with what happens, on threads of this
    /// crate's, one event at a time for each process; it must not take long. Without roots, all are of interest.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made or watched.
    pub fn open(
        state: &Path,
        roots: Vec<PathBuf>,
        told: impl Fn(Event) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let folder = StateFolder::open(&state.join(FOLDER)).map_err(io::Error::other)?;
        let watch = Arc::new(NameWatch::of(&folder)?);
        let shared = Arc::new(Shared {
            folder,
            roots,
            told: Box::new(told),
            state: Mutex::default(),
            ready: Condvar::new(),
        });
        shared.connect_to_new();
        let (weak, watching) = (Arc::downgrade(&shared), Arc::clone(&watch));
        thread::Builder::new().name("toolcrib-desks".to_owned()).spawn(move || {
            while watching.wait() {
                let Some(shared) = weak.upgrade() else { return };
                shared.connect_to_new();
            }
        })?;
        let not_ready = |state: &mut State| state.connections.values().any(|connection| !connection.ready);
        drop(shared.ready.wait_timeout_while(shared.lock(), FIRST, not_ready));
        Ok(Self { shared, watch })
    }

    /// The processes that are there, the oldest first.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerInfo> {
        let mut servers: Vec<ServerInfo> =
            self.shared.lock().of_interest().filter_map(|connection| connection.info.clone()).collect();
        servers.sort_by_key(|server| (server.since, server.pid));
        servers
    }

    /// The questions that wait, the oldest first.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        let state = self.shared.lock();
        let mut questions: Vec<Question> =
            state.of_interest().flat_map(|connection| connection.questions.iter().cloned()).collect();
        questions.sort_by(|one, other| (one.asked, &one.id).cmp(&(other.asked, &other.id)));
        questions
    }

    /// What failed lately, the newest first.
    #[must_use]
    pub fn failures(&self) -> Vec<Failure> {
        self.shared.lock().failures.iter().rev().cloned().collect()
    }

    /// A question with the contents of its files.
    ///
    /// # Errors
    ///
    /// If it does not wait any more.
    pub fn question(&self, id: &str) -> Result<WholeQuestion, DeskError> {
        match self.ask(self.asker(id)?, Wanted::Question { id: id.to_owned() })? {
            Reply::Whole(whole) => Ok(*whole),
            Reply::Failed(error) => Err(error),
            Reply::Done => Err(DeskError::Unreachable("it answered something else".to_owned())),
        }
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// If this answer does not count: somebody was faster, it is for another change, or it cannot be followed.
    pub fn answer(&self, id: &str, answer: Answer) -> Result<(), DeskError> {
        done(self.ask(self.asker(id)?, Wanted::Answer { id: id.to_owned(), answer })?)
    }

    /// Stops a call, as its client could.
    ///
    /// # Errors
    ///
    /// If it has ended.
    pub fn stop(&self, pid: u32, call: u64) -> Result<(), DeskError> {
        let gone = DeskError::Gone { by: None };
        let connection = {
            let state = self.shared.lock();
            let of_it = |connection: &&Connection| {
                let info = connection.info.as_ref().filter(|info| info.pid == pid);
                info.is_some_and(|info| info.calls.iter().any(|running| running.id == call))
            };
            let found = state.connections.iter().find(|(_, connection)| of_it(connection));
            *found.ok_or(gone)?.0
        };
        done(self.ask(connection, Wanted::Stop { call })?)
    }

    /// The connection to the process that asks.
    fn asker(&self, id: &str) -> Result<u64, DeskError> {
        let state = self.shared.lock();
        let asks = |connection: &Connection| connection.questions.iter().any(|question| question.id == id);
        // A question that was closed a moment ago is asked for too: its process knows who closed it.
        let asked = |connection: &Connection| {
            let info = connection.info.as_ref();
            info.is_some_and(|info| id.starts_with(&format!("{}-{}-", info.pid, info.since)))
        };
        let mut connections = state.connections.iter();
        let found = connections.find(|(_, one)| asks(one));
        let found = found.or_else(|| state.connections.iter().find(|(_, one)| asked(one)));
        found.map(|(number, _)| *number).ok_or(DeskError::Gone { by: Some(By::Gone) })
    }

    fn ask(&self, connection: u64, what: Wanted) -> Result<Reply, DeskError> {
        let (sender, reply) = channel();
        let (request, stream, sending) = {
            let mut state = self.shared.lock();
            state.next += 1;
            let request = state.next;
            let connection =
                state.connections.get_mut(&connection).ok_or(DeskError::Gone { by: Some(By::Gone) })?;
            connection.waiting.insert(request, sender);
            (request, Arc::clone(&connection.stream), Arc::clone(&connection.sending))
        };
        let sent = {
            let _turn = sending.lock().unwrap_or_else(PoisonError::into_inner);
            send(&mut &*stream, &Request { request, what })
        };
        let reply = sent.map_err(|error| error.to_string()).and_then(|()| {
            reply.recv_timeout(REPLY).map_err(|_| "its connection ended, or it took too long".to_owned())
        });
        if let Some(connection) = self.shared.lock().connections.get_mut(&connection) {
            connection.waiting.remove(&request);
        }
        reply.map_err(DeskError::Unreachable)
    }
}

impl Drop for Desks {
    fn drop(&mut self) {
        self.watch.end();
        let mut state = self.shared.lock();
        state.ended = true;
        for connection in state.connections.values() {
            let _ = connection.stream.shutdown(Shutdown::Both);
        }
    }
}

fn done(reply: Reply) -> Result<(), DeskError> {
    match reply {
        Reply::Done => Ok(()),
        Reply::Failed(error) => Err(error),
        Reply::Whole(_) => Err(DeskError::Unreachable("it answered something else".to_owned())),
    }
}

impl State {
    fn of_interest(&self) -> impl Iterator<Item = &Connection> {
        self.connections.values().filter(|connection| connection.of_interest)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects to every process that listens and is not connected yet.
    fn connect_to_new(self: &Arc<Self>) {
        let known: HashSet<OsString> =
            self.lock().connections.values().map(|known| known.name.clone()).collect();
        let names = self.folder.names().unwrap_or_default();
        for name in names
            .into_iter()
            .filter(|name| !name.as_encoded_bytes().starts_with(b".") && !known.contains(name))
        {
            // Whose process has gone, or is another user's, is none.
            if let Ok(Some(stream)) = connect_private(&self.folder, &name) {
                // Without a thread there is no connection, and the next name brings another attempt.
                let _ = self.follow(name, stream);
            }
        }
    }

    fn follow(self: &Arc<Self>, name: OsString, stream: UnixStream) -> io::Result<()> {
        stream.set_write_timeout(Some(REPLY))?;
        let stream = Arc::new(stream);
        let number = {
            let mut state = self.lock();
            if state.ended {
                return Ok(());
            }
            state.next += 1;
            let number = state.next;
            let connection = Connection {
                name,
                stream: Arc::clone(&stream),
                sending: Arc::default(),
                ready: false,
                info: None,
                of_interest: false,
                questions: Vec::new(),
                waiting: HashMap::new(),
            };
            state.connections.insert(number, connection);
            number
        };
        let weak = Arc::downgrade(self);
        let reading = thread::Builder::new().name("toolcrib-desk-f".to_owned());
        let started = reading.spawn(move || {
            read(&weak, number, &stream);
            if let Some(shared) = weak.upgrade() {
                shared.gone(number);
            }
        });
        started.map(drop).inspect_err(|_| self.gone(number))
    }

    /// Takes note of what a process says, and passes it on.
    fn hear(&self, number: u64, message: FromDesk) {
        let told = {
            let mut state = self.lock();
            let State { connections, failures, .. } = &mut *state;
            let Some(connection) = connections.get_mut(&number) else { return };
            match message {
                FromDesk::Ready => {
                    connection.ready = true;
                    self.ready.notify_all();
                    Vec::new()
                }
                FromDesk::Reply { request, reply } => {
                    if let Some(waiting) = connection.waiting.remove(&request) {
                        let _ = waiting.send(reply);
                    }
                    Vec::new()
                }
                FromDesk::Event { event } => connection.note(*event, &self.roots, failures),
            }
        };
        told.into_iter().for_each(|event| (self.told)(event));
    }

    fn gone(&self, number: u64) {
        let (connection, ended) = {
            let mut state = self.lock();
            let Some(connection) = state.connections.remove(&number) else { return };
            self.ready.notify_all();
            (connection, state.ended)
        };
        let Some(info) = connection.info.filter(|_| connection.of_interest && !ended) else { return };
        for question in connection.questions {
            (self.told)(Event::Closed { id: question.id, pid: info.pid, by: By::Gone, verdict: None });
        }
        (self.told)(Event::ServerGone { pid: info.pid });
    }
}

impl Connection {
    /// What there is to be told.
    fn note(&mut self, event: Event, roots: &[PathBuf], failures: &mut VecDeque<Failure>) -> Vec<Event> {
        match &event {
            Event::Server(info) => {
                let was_of_interest = self.of_interest;
                self.of_interest =
                    roots.is_empty() || info.roots.iter().any(|root| concerns(roots, Path::new(root)));
                self.info = Some(info.clone());
                if self.of_interest && !was_of_interest {
                    let questions = self.questions.iter().cloned().map(Event::Question);
                    return std::iter::once(event).chain(questions).collect();
                }
            }
            Event::Question(question) => self.questions.push(question.clone()),
            Event::Closed { id, .. } => self.questions.retain(|question| question.id != *id),
            Event::CallBegan { call, .. } => self.calls().push(call.clone()),
            Event::CallProgress { call, .. } => {
                self.calls()
                    .iter_mut()
                    .filter(|known| known.id == call.id)
                    .for_each(|known| known.clone_from(call));
            }
            Event::CallEnded { call, .. } => self.calls().retain(|known| known.id != *call),
            Event::Failed(failure) if self.of_interest => {
                failures.push_back(failure.clone());
                if failures.len() > MOST_FAILURES {
                    failures.pop_front();
                }
            }
            // Only this side says so.
            Event::ServerGone { .. } => return Vec::new(),
            Event::Failed(_) => {}
        }
        if self.of_interest { vec![event] } else { Vec::new() }
    }

    fn calls(&mut self) -> &mut Vec<RunningCall> {
        &mut self.info.get_or_insert_default().calls
    }
}

/// Whether a root has something in common with these.
fn concerns(roots: &[PathBuf], root: &Path) -> bool {
    roots.iter().any(|own| own.starts_with(root) || root.starts_with(own))
}

/// Reads until the process ends or cannot be understood.
fn read(shared: &Weak<Shared>, number: u64, stream: &UnixStream) {
    let mut from = BufReader::new(stream);
    while let Ok(Some(message)) = receive(&mut from) {
        let Some(shared) = shared.upgrade() else { return };
        shared.hear(number, message);
    }
}
