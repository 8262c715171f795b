//! The server on two descriptors, such as standard input and output.
//!
//! A small call takes less time than handing it to another thread and back. So the thread that reads a message carries a plain call
//! out by itself and writes the answer ([`DirectCall`]); everything else goes to the protocol's service, which runs on the thread of
//! the runtime. What takes longer than expected is taken over: another thread goes on reading ([`desk`]), and the call is waited
//! for, reported on and given up on as every other.

mod desk;
mod input;
mod output;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RunningService, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::bytes::BytesMut;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolcrib::ToolResult;

use crate::lines::{Line, refusal, understand};
use crate::malformed::Malformed;
use crate::server::{DirectCall, Introduced, LAST_ANSWERS, Plain, READING, Server, pong};
use desk::{Desk, Pace, Reader, Running, TakenOver};
use input::{Input, Received};
use output::Output;

/// Longer messages are not looked at twice.
const PLAIN: usize = 64 * 1024;
/// How many answers are written at once while more input is there, and how many bytes.
const BATCH: (usize, usize) = (8, 16 * 1024);
/// How many messages wait for the protocol's service.
const AHEAD: usize = 64;
/// How long the last answers may take.
const LAST_WRITES: Duration = Duration::from_secs(5);

impl Server {
    /// The same as [`serve`](Self::serve) on two descriptors, one to read and one to write. The quick way, for a runtime that can wait
    /// on threads.
    ///
    /// # Errors
    ///
    /// If the client does not speak the protocol.
    pub async fn serve_descriptors(self, input: OwnedFd, output: OwnedFd) -> io::Result<()> {
        self.open_desk();
        let (protocol, messages) = mpsc::channel(AHEAD);
        let (ended, calls, unread) = (CancellationToken::new(), self.calls().clone(), self.unread().clone());
        let output = Arc::new(Output::new(File::from(output), unread.clone()));
        let server = Arc::new(self);
        let connection = Arc::new(Connection {
            server: Arc::clone(&server),
            introduced: OnceLock::new(),
            output: Arc::clone(&output),
            desk: Desk::default(),
            taken_over: Mutex::default(),
            at_work: TaskTracker::new(),
            ended: ended.clone(),
            given_up: AtomicBool::new(false),
        });
        let reader = Reader { input: Input::new(File::from(input)), protocol, pace: Pace::default() };
        connection.read_on(reader);
        let watching = tokio::spawn(Arc::clone(&connection).watch());
        tokio::spawn(async move {
            ended.cancelled().await;
            tokio::time::sleep(LAST_ANSWERS).await;
            calls.cancel();
        });
        let served = ServiceExt::serve(server, Forwarded { messages, output }).await;
        let served = connection.until_the_end(served).await;
        watching.abort();
        connection.at_work.close();
        let finished = async {
            connection.at_work.wait().await;
            unread.nothing().await;
        };
        if !connection.given_up.load(Ordering::Acquire) {
            _ = tokio::time::timeout(LAST_WRITES, finished).await;
        }
        served
    }
}

/// One client.
struct Connection {
    server: Arc<Server>,
    /// Set once the client has introduced itself, unless it speaks the stateless protocol.
    introduced: OnceLock<Introduced>,
    output: Arc<Output>,
    desk: Desk,
    /// The calls that were taken over, with what cancels them.
    taken_over: Mutex<HashMap<RequestId, CancellationToken>>,
    at_work: TaskTracker,
    /// Fires at the end of the input.
    ended: CancellationToken,
    /// Whether the client reads nothing.
    given_up: AtomicBool,
}

impl Connection {
    async fn until_the_end(
        &self,
        served: Result<RunningService<RoleServer, Arc<Server>>, ServerInitializeError>,
    ) -> io::Result<()> {
        match served {
            Ok(running) => {
                if let Some(introduced) = Introduced::behind(running.peer()) {
                    _ = self.introduced.set(introduced);
                }
                running.waiting().await.map(drop).map_err(io::Error::other)
            }
            // A client that goes away before it has said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Reads on another thread, to the end of the input or until that thread is late.
    fn read_on(self: &Arc<Self>, reader: Reader) {
        let (connection, runtime) = (Arc::clone(self), Handle::current());
        // A thread of its own: those of the runtime may all be busy with calls that do not stop.
        let reading = std::thread::Builder::new().name("toolcrib-reader".to_owned()).spawn(move || {
            let _runtime = runtime.enter();
            connection.read(reader);
        });
        if reading.is_err() {
            self.ended.cancel();
        }
    }

    /// Takes over from threads that are late.
    async fn watch(self: Arc<Self>) {
        loop {
            let TakenOver { mut reader, call } = self.desk.watch().await;
            if let Some((running, result)) = call {
                reader.pace.took(&running.call.name, Duration::MAX);
                let asked = CancellationToken::new();
                self.taken_over().insert(running.call.id.clone(), asked.clone());
                self.at_work.spawn(Arc::clone(&self).wait(running, result, asked));
            }
            self.read_on(reader);
        }
    }

    /// Waits for a call whose thread does not read any more.
    async fn wait(
        self: Arc<Self>,
        running: Arc<Running>,
        result: oneshot::Receiver<ToolResult>,
        asked: CancellationToken,
    ) {
        let result = running.call.wait(async { result.await.ok() }, &asked).await;
        self.taken_over().remove(&running.call.id);
        // Who cancels a call gets no answer.
        if !asked.is_cancelled() {
            self.output.push(&running.call.answer(result));
            flush(&self.output).await;
        }
    }

    /// Reads to the end of the input, or until another thread has taken over.
    fn read(&self, reader: Reader) {
        let mut reading = Some(reader);
        while let Some(mut reader) = reading {
            let (messages, bytes) = self.output.queued();
            let is_due = messages >= BATCH.0 || bytes >= BATCH.1 || !reader.input.has_line();
            reading = if messages > 0 && is_due {
                self.desk.leave(reader, None, || self.output.flush()).0
            } else if self.waits_for_room() {
                self.step(reader)
            } else {
                self.given_up.store(true, Ordering::Release);
                self.end()
            };
        }
    }

    /// Deals with one message. None if there is nothing more to read for this thread.
    fn step(&self, mut reader: Reader) -> Option<Reader> {
        let line = match reader.input.next() {
            Received::Line { line, something_waits } => {
                match self.plain(line) {
                    Some((_, Plain::Ping(id))) => {
                        self.output.push(&pong(id));
                        return Some(reader);
                    }
                    Some((client, Plain::Call(call)))
                        if !reader.pace.is_slow(&call.name, something_waits) =>
                    {
                        if let Some(call) = self.server.direct(client, call) {
                            return self.carry_out(reader, call);
                        }
                    }
                    _ => {}
                }
                understand(BytesMut::from(line))
            }
            Received::TooLong(finder) => Line::Refused(Malformed::TooLong, finder),
            Received::End => return self.end(),
        };
        match line {
            Line::Message(message) => {
                self.note(&message);
                reader.protocol.blocking_send(*message).ok()?;
            }
            Line::Refused(malformed, finder) => {
                if let Some(refusal) = refusal(malformed, finder) {
                    self.output.push(&refusal);
                }
            }
            Line::Nothing => {}
            Line::End => return self.end(),
        }
        Some(reader)
    }

    /// A message that need not go the usual way, and the client that has sent it.
    fn plain(&self, line: &[u8]) -> Option<(&Introduced, Plain)> {
        let client = self.introduced.get().filter(|client| line.len() <= PLAIN && client.is_current())?;
        Some((client, Plain::of(line)?))
    }

    /// Carries a call out on this thread.
    fn carry_out(&self, reader: Reader, call: DirectCall) -> Option<Reader> {
        let running = Arc::new(Running::new(call));
        let started = Instant::now();
        let (back, result) = self.desk.leave(reader, Some(&running), || running.call.run());
        let Some(mut reader) = back else {
            running.hand_over(result);
            return None;
        };
        reader.pace.took(&running.call.name, started.elapsed());
        self.output.push(&running.call.answer(result));
        Some(reader)
    }

    /// What the service is going to hear and calls have to know before.
    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) {
        let JsonRpcMessage::Notification(notification) = message else { return };
        match &notification.notification {
            ClientNotification::CancelledNotification(cancelled) => {
                let id = cancelled.params.request_id.as_ref();
                if let Some(call) = id.and_then(|id| self.taken_over().get(id).cloned()) {
                    call.cancel();
                }
            }
            ClientNotification::RootsListChangedNotification(_) => self.server.announce_roots(),
            _ => {}
        }
    }

    /// Waits until the client has read some of its answers. False if it reads none.
    fn waits_for_room(&self) -> bool {
        let unread = self.server.unread();
        let wait =
            || Handle::current().block_on(async { tokio::time::timeout(READING, unread.room()).await });
        unread.has_room() || wait().is_ok()
    }

    /// Nothing more is read. What is queued is written by this thread.
    fn end(&self) -> Option<Reader> {
        self.ended.cancel();
        self.output.flush();
        None
    }

    fn taken_over(&self) -> MutexGuard<'_, HashMap<RequestId, CancellationToken>> {
        self.taken_over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what is queued, on another thread if that has to wait for the client.
async fn flush(output: &Arc<Output>) {
    if !output.flush_at_once() {
        let output = Arc::clone(output);
        _ = tokio::task::spawn_blocking(move || output.flush()).await;
    }
}

/// The connection as the protocol's service sees it: without the messages that need no service.
struct Forwarded {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    output: Arc<Output>,
}

impl Transport<RoleServer> for Forwarded {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.push(&message);
        let output = Arc::clone(&self.output);
        async move {
            flush(&output).await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close();
        Ok(())
    }
}
