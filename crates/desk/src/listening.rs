//! How others connect: a socket in the state folder, and two threads for each that is connected. Where nobody is, there are none.

use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use toolcrib_workspace::{PrivateListener, StateFolder, wait_for_input};

use crate::Desk;
use crate::desk::Connected;
use crate::wire::{Request, receive};

/// Where the sockets are, in the state folder.
pub const FOLDER: &str = "desk";

/// How long somebody may not read. Then the connection ends.
const READING: Duration = Duration::from_secs(30);

/// The socket of a [`Desk`].
#[derive(Debug)]
pub struct Listening {
    desk: Desk,
    listener: PrivateListener,
}

impl Listening {
    /// Listens in the user's state folder. Those who connect have to be let in.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to.
    pub fn open(state: &Path, desk: &Desk) -> io::Result<Self> {
        let folder = StateFolder::open(&state.join(FOLDER)).map_err(io::Error::other)?;
        Ok(Self { desk: desk.clone(), listener: PrivateListener::bind(folder)? })
    }

    /// The socket itself, for a runtime that waits in its own way. Who comes that way is [let in](Self::let_in).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn to_std(&self) -> io::Result<UnixListener> {
        self.listener.to_std()
    }

    /// Lets in somebody who has connected, unless it is another user.
    pub fn let_in(&self, stream: UnixStream) {
        if let Ok(Some(stream)) = PrivateListener::admit(stream) {
            // Who cannot be served is told so by the end of the connection.
            let _ = connect(&self.desk, stream);
        }
    }

    /// Lets in everybody who has connected by now.
    fn accept(&self) {
        while let Ok(stream) = self.listener.accept() {
            // Who cannot be served is told so by the end of the connection.
            let _ = connect(&self.desk, stream);
        }
    }

    /// Lets in everybody who connects, on a thread of its own, until what this gives is dropped. For programs without a runtime.
    #[must_use]
    pub fn accept_on_a_thread(self) -> Accepting {
        let accepting = Accepting(Arc::new(self));
        let listening = Arc::clone(&accepting.0);
        // Where there can be no thread, nobody is let in.
        let _ = thread::Builder::new().name("toolcrib-desk".to_owned()).spawn(move || {
            // The thread goes on when the name is gone: it waits for what will not come, and costs nothing.
            while wait_for_input(&listening.listener).is_ok() {
                listening.accept();
            }
        });
        accepting
    }
}

/// Lets in everybody who connects. Once it is dropped, nobody finds the process any more.
#[derive(Debug)]
pub struct Accepting(Arc<Listening>);

impl Drop for Accepting {
    fn drop(&mut self) {
        self.0.listener.give_up_name();
    }
}

fn connect(desk: &Desk, stream: UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(READING))?;
    let (writing, reading) = (stream.try_clone()?, stream);
    let Some(Connected { number, now, queue }) = desk.connect() else { return Ok(()) };
    let threads = || {
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        named("toolcrib-desk-w").spawn(move || write(&writing, now, &queue))?;
        let desk = desk.clone();
        named("toolcrib-desk-r").spawn(move || {
            read(&desk, number, &reading);
            desk.disconnect(number);
        })
    };
    threads().map(drop).inspect_err(|_| desk.disconnect(number))
}

/// Writes what is so now and what happens, until the desk or the other end has enough.
fn write(stream: &UnixStream, now: Vec<Arc<Vec<u8>>>, queue: &Receiver<Arc<Vec<u8>>>) {
    let mut to = stream;
    for frame in now.into_iter().chain(queue.iter()) {
        if to.write_all(&frame).is_err() {
            break;
        }
    }
    // The thread that reads ends with it.
    let _ = stream.shutdown(Shutdown::Both);
}

/// Does what is wanted, until the other end has gone or cannot be understood.
fn read(desk: &Desk, number: u64, stream: &UnixStream) {
    let mut from = BufReader::new(stream);
    while let Ok(Some(Request { request, what })) = receive(&mut from) {
        desk.serve(number, request, what);
    }
    let _ = stream.shutdown(Shutdown::Both);
}
