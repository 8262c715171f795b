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
    if !file_system::is_local(file) || control(file, F_SETSIG, libc::SIGURG).is_err() {
        return false;
    }
    match control(file, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(_) => {
            // A program that came meanwhile waits for it to be given back.
            let is_wanted = control(file, libc::F_GETLEASE, 0).is_ok_and(|kept| kept != libc::F_RDLCK);
            let _ = control(file, libc::F_SETLEASE, libc::F_UNLCK);
            is_wanted
        }
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
