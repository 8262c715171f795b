//! The system calls that no safe library offers. All `unsafe` of the project stands here.

#![expect(unsafe_code, reason = "no library without it has these calls; it is used nowhere else")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

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

/// The user of the process at the other end of a Unix socket, as it was when that one connected or listened: see `SO_PEERCRED` in
/// `unix(7)`.
pub(crate) fn peer_user(socket: impl AsFd) -> io::Result<u32> {
    let mut peer = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    let descriptor = socket.as_fd().as_raw_fd();
    let (value, length) = (std::ptr::from_mut(&mut peer), std::ptr::from_mut(&mut size));
    // SAFETY: the socket stays open while it is borrowed, and the kernel writes at most `size` bytes to a value of that size, of
    // which any bytes are valid.
    match unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PEERCRED, value.cast(), length) } {
        0 if size as usize == size_of::<libc::ucred>() => Ok(peer.uid),
        0 => Err(io::ErrorKind::InvalidData.into()),
        _ => Err(io::Error::last_os_error()),
    }
}
