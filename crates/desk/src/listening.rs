//! How others connect: a socket in the state folder, and two threads for each that is connected. Where nobody is, there are none.

use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
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
    /// Listens in the user's state folder. Somebody has to [accept](Self::accept) those who connect.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to.
    pub fn open(state: &Path, desk: &Desk) -> io::Result<Self> {
        let folder = StateFolder::open(&state.join(FOLDER)).map_err(io::Error::other)?;
        Ok(Self { desk: desk.clone(), listener: PrivateListener::bind(folder)? })
    }

    /// Lets everybody in who has connected by now.
    pub fn accept(&self) {
        while let Ok(stream) = self.listener.accept() {
            // Who cannot be served is told so by the end of the connection.
            let _ = connect(&self.desk, stream);
        }
    }

    /// Lets in everybody who connects, on a thread of its own, for as long as the process lives. For programs without a runtime.
    pub fn accept_on_a_thread(self) {
        // Where there can be no thread, nobody is let in.
        let _ = thread::Builder::new().name("toolcrib-desk".to_owned()).spawn(move || {
            while wait_for_input(&self.listener).is_ok() {
                self.accept();
            }
        });
    }
}

impl AsFd for Listening {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl AsRawFd for Listening {
    fn as_raw_fd(&self) -> RawFd {
        self.listener.as_raw_fd()
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
