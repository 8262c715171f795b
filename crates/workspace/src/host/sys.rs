//! The system calls that no safe library offers. All `unsafe` of the project stands here.

#![expect(unsafe_code, reason = "no library without it has these calls; it is used nowhere else")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `fcntl(2)` for commands that take a number.
pub(crate) fn control(file: &File, command: i32, argument: i32) -> io::Result<i32> {
    // SAFETY: the file stays open while it is borrowed, and these commands take a number and touch no memory.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, argument) } {
        -1 => Err(io::Error::last_os_error()),
        answer => Ok(answer),
    }
}

/// Makes a write beyond the limit of a file's size fail with `EFBIG` instead of ending the process: see `SIGXFSZ` in
/// `signal(7)` and `RLIMIT_FSIZE` in `setrlimit(2)`.
pub(crate) fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal installs no handler and touches no memory.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
