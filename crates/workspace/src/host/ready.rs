//! Whether a pipe, a socket or a terminal can be read or written.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether 4096 bytes can be written now without waiting for a reader.
#[must_use]
pub fn has_room_for_output(output: impl AsFd) -> bool {
    is_ready(&output, PollFlags::OUT, Some(&Timespec::default())).unwrap_or(false)
}

/// Waits until something can be read, or its other end is closed: for a descriptor that does not block.
///
/// # Errors
///
/// If the system cannot tell.
pub fn wait_for_input(input: impl AsFd) -> io::Result<()> {
    is_ready(&input, PollFlags::IN, None).map(drop)
}

/// Waits until something can be read from one of them, or its other end is closed, and says from which.
///
/// # Errors
///
/// If the system cannot tell.
pub fn wait_for_any_input(inputs: &[BorrowedFd<'_>]) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = inputs.iter().map(|input| PollFd::new(input, PollFlags::IN)).collect();
    loop {
        match poll(&mut polled, None) {
            Ok(_) => return Ok(polled.iter().map(|input| !input.revents().is_empty()).collect()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until something can be written, or its other end is closed.
///
/// # Errors
///
/// If the system cannot tell.
pub fn wait_for_output(output: impl AsFd) -> io::Result<()> {
    is_ready(&output, PollFlags::OUT, None).map(drop)
}

fn is_ready(descriptor: &impl AsFd, wanted: PollFlags, timeout: Option<&Timespec>) -> io::Result<bool> {
    let mut polled = [PollFd::new(descriptor, wanted)];
    loop {
        match poll(&mut polled, timeout) {
            Ok(_) => return Ok(polled[0].revents().contains(wanted)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_full_pipe_has_no_room() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        assert!(has_room_for_output(&writer));
        // If it said yes to a full pipe, this would wait forever.
        while has_room_for_output(&writer) {
            (&writer).write_all(&[0; 4096]).unwrap();
        }
        reader.read_exact(&mut vec![0; 4096]).unwrap();
        assert!(has_room_for_output(&writer));
    }

    #[test]
    fn who_waits_is_told_of_input_and_of_the_end() {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let waiting = std::thread::spawn(move || {
            wait_for_input(&reader).unwrap();
            let mut byte = [0];
            reader.read_exact(&mut byte).unwrap();
            wait_for_input(&reader).unwrap();
            (byte, reader.read(&mut [0]).unwrap())
        });
        wait_for_output(&writer).unwrap();
        writer.write_all(b"x").unwrap();
        drop(writer);
        assert_eq!(waiting.join().unwrap(), ([b'x'], 0));
    }
}
