//! Whether a program has a file open for writing: the kernel gives a read lease on it only if none has.

use std::fs::File;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crate::host::file_system;
use crate::host::sys::control;

/// Longer than a save takes, also on a busy machine. Who has the file open for longer is not about to save it, but keeps
/// it.
const PATIENCE: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_micros(50);
/// The same for all processors that this is built for, and missing in the library.
const F_SETSIG: i32 = 10;

/// Whether a program has the file, which is open for reading here, open for writing and does not let go of it soon.
///
/// Where that cannot be told, the answer is no: on file systems of other machines, and of other users' files.
pub(crate) fn is_held_for_writing(file: &File) -> bool {
    let until = Instant::now() + PATIENCE;
    while is_open_for_writing(file) {
        if Instant::now() >= until {
            return true;
        }
        thread::sleep(PAUSE);
    }
    false
}

/// The same at this moment. Asks for a lease, and gives it back at once.
pub(crate) fn is_open_for_writing(file: &File) -> bool {
    // A program that opens a leased file for writing waits, and the kernel tells the holder by a signal. Unless another
    // is chosen, that is one that ends the process; this one does nothing. Network file systems refuse a lease for
    // reasons of their own.
    match take(file) {
        Some(Ok(())) => {
            // A program that came meanwhile waits for it to be given back.
            let is_wanted = is_wanted(file);
            give_back(file);
            is_wanted
        }
        Some(Err(error)) => error.kind() == io::ErrorKind::WouldBlock,
        None => false,
    }
}

/// A file that no program can open for writing, or cut off, without its showing: such a program waits for the lease to be
/// given back.
#[derive(Debug)]
pub(crate) struct Lease(File);

impl Lease {
    /// Takes one on a file that is open for reading. None if a program has it open for writing, or where that cannot be told.
    pub(crate) fn take(file: File) -> Option<Self> {
        take(&file)?.ok()?;
        Some(Self(file))
    }

    /// Whether no program has asked for the file since. If one has, it need not wait any longer.
    pub(crate) fn lasts(&self) -> bool {
        let lasts = !is_wanted(&self.0);
        if !lasts {
            give_back(&self.0);
        }
        lasts
    }
}

fn take(file: &File) -> Option<io::Result<()>> {
    if !file_system::is_local(file) {
        return None;
    }
    control(file, F_SETSIG, libc::SIGURG).ok()?;
    Some(control(file, libc::F_SETLEASE, libc::F_RDLCK).map(|_| ()))
}

/// Whether another is there, or the file is not leased any more.
fn is_wanted(file: &File) -> bool {
    !control(file, libc::F_GETLEASE, 0).is_ok_and(|kept| kept == libc::F_RDLCK)
}

fn give_back(file: &File) {
    let _ = control(file, libc::F_SETLEASE, libc::F_UNLCK);
}
