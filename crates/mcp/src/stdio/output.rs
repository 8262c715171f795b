//! Standard output, shared by all who have something to say. Messages are written in the order in which they were pushed, by one
//! thread at a time; whoever finds another one writing leaves its message to that one.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use toolcrib::{has_room_for_output, wait_for_output};

use crate::unread::Unread;

/// A pipe that takes anything takes so much at once (`PIPE_BUF`).
const AT_ONCE: usize = 4096;
/// How much room is kept for the next messages.
const KEPT: usize = 64 * 1024;

pub(super) struct Output {
    file: File,
    queue: Mutex<Queue>,
    unread: Unread,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    messages: usize,
    /// Whether a thread is writing. It goes on until the queue is empty.
    writing: bool,
}

impl Output {
    pub(super) fn new(file: File, unread: Unread) -> Self {
        Self { file, queue: Mutex::default(), unread }
    }

    /// Queues a message. It counts as unread until it is written.
    pub(super) fn push(&self, message: &impl Serialize) {
        let mut queue = self.queue();
        let before = queue.bytes.len();
        match serde_json::to_writer(&mut queue.bytes, message) {
            Ok(()) => {
                queue.bytes.push(b'\n');
                queue.messages += 1;
                self.unread.add(1);
            }
            // Whatever is sent can be written as JSON.
            Err(_) => queue.bytes.truncate(before),
        }
    }

    /// How many messages and bytes are queued.
    pub(super) fn queued(&self) -> (usize, usize) {
        let queue = self.queue();
        (queue.messages, queue.bytes.len())
    }

    /// Writes what is queued, unless another thread does. It waits for the client, on a thread that may wait.
    pub(super) fn flush(&self) {
        self.write_while(|_| true);
    }

    /// Writes what is queued as far as that needs no waiting. False means that [`flush`](Self::flush) has something to do.
    pub(super) fn flush_at_once(&self) -> bool {
        self.write_while(|bytes| bytes <= AT_ONCE && has_room_for_output(&self.file))
    }

    /// Whether nothing is left to be written, or another thread is at it.
    fn write_while(&self, may_write: impl Fn(usize) -> bool) -> bool {
        loop {
            let (bytes, messages) = {
                let mut queue = self.queue();
                if queue.writing || queue.bytes.is_empty() {
                    return true;
                }
                if !may_write(queue.bytes.len()) {
                    return false;
                }
                queue.writing = true;
                (mem::take(&mut queue.bytes), mem::take(&mut queue.messages))
            };
            // A client that has gone reads no answer; that it has gone is noticed at the input.
            _ = self.write(&bytes);
            self.unread.remove(messages);
            let mut queue = self.queue();
            queue.writing = false;
            if queue.bytes.capacity() == 0 && bytes.capacity() <= KEPT {
                queue.bytes = bytes;
                queue.bytes.clear();
            }
        }
    }

    fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.file).write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_output(&self.file)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
