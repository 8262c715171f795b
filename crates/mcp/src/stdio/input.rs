//! Standard input as lines, for one thread at a time.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use toolcrib::wait_for_input;

use crate::lines::LONGEST;
use crate::malformed::IdFinder;

/// How much is read at once, and kept between two lines.
const BUFFER: usize = 32 * 1024;

/// Reads lines.
pub(super) struct Input {
    file: File,
    buffer: Vec<u8>,
    /// What has been read and not been taken yet.
    filled: Range<usize>,
    /// How far there is no line end.
    searched: usize,
    /// Looks for the id in a line that is too long to be kept.
    too_long: Option<IdFinder>,
}

/// What was read.
pub(super) enum Received<'a> {
    /// A line with its end, and whether more than that has been read.
    Line { line: &'a [u8], something_waits: bool },
    /// The end of a line that had more than [`LONGEST`] bytes.
    TooLong(IdFinder),
    /// Nothing more is to come.
    End,
}

impl Input {
    pub(super) fn new(file: File) -> Self {
        Self { file, buffer: vec![0; BUFFER], filled: 0..0, searched: 0, too_long: None }
    }

    /// Whether there is a line that has been read, so that the next one need not be waited for.
    pub(super) fn has_line(&mut self) -> bool {
        self.find_end().is_some()
    }

    /// The next line. It waits for one, on a thread that may wait.
    pub(super) fn next(&mut self) -> Received<'_> {
        loop {
            if let Some(end) = self.find_end() {
                let line = self.filled.start..end + 1;
                self.filled.start = line.end;
                self.searched = line.end;
                let something_waits = line.end < self.filled.end;
                let line = &self.buffer[line];
                return match self.too_long.take() {
                    Some(mut finder) => {
                        finder.feed(line);
                        Received::TooLong(finder)
                    }
                    None if line.len() > LONGEST => Received::TooLong(IdFinder::over(line)),
                    None => Received::Line { line, something_waits },
                };
            }
            self.make_room();
            match self.read() {
                Ok(read) if read > 0 => self.filled.end += read,
                _ => return Received::End,
            }
        }
    }

    fn find_end(&mut self) -> Option<usize> {
        let unseen = &self.buffer[self.searched..self.filled.end];
        match unseen.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                self.searched += at;
                Some(self.searched)
            }
            None => {
                self.searched = self.filled.end;
                None
            }
        }
    }

    /// Makes sure that something can be read, with the beginning of a line in the buffer or nothing.
    fn make_room(&mut self) {
        let begun = &self.buffer[self.filled.clone()];
        if let Some(finder) = &mut self.too_long {
            finder.feed(begun);
            self.filled = 0..0;
        } else if begun.len() > LONGEST {
            self.too_long = Some(IdFinder::over(begun));
            self.filled = 0..0;
        }
        if self.filled.is_empty() {
            if self.buffer.len() > BUFFER {
                self.buffer = vec![0; BUFFER];
            }
        } else if self.filled.start > 0 {
            self.buffer.copy_within(self.filled.clone(), 0);
        }
        self.filled = 0..self.filled.len();
        self.searched = self.filled.end;
        if self.filled.end == self.buffer.len() {
            self.buffer.resize((self.buffer.len() * 2).min(LONGEST + BUFFER), 0);
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        loop {
            match self.file.read(&mut self.buffer[self.filled.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Whoever gave us the descriptor uses it in this way.
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_input(&self.file)?,
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;

    use super::*;

    fn input() -> (Input, File) {
        let (reader, writer) = io::pipe().unwrap();
        (Input::new(OwnedFd::from(reader).into()), OwnedFd::from(writer).into())
    }

    fn line(input: &mut Input) -> Option<Vec<u8>> {
        match input.next() {
            Received::Line { line, .. } => Some(line.to_vec()),
            Received::TooLong(_) => panic!("it is not too long"),
            Received::End => None,
        }
    }

    #[test]
    fn lines_come_whole_however_they_were_written() {
        let (mut input, mut writer) = input();
        let long = [&vec![b'x'; 3 * BUFFER][..], b"\n"].concat();
        let sent = long.clone();
        let sending = std::thread::spawn(move || {
            for part in [&b"on"[..], b"e\ntwo\n\nthr", b"ee\n", &sent, b"last\nnot a line"] {
                writer.write_all(part).unwrap();
                std::thread::yield_now();
            }
        });
        for expected in [&b"one\n"[..], b"two\n", b"\n", b"three\n", &long, b"last\n"] {
            assert_eq!(line(&mut input).unwrap(), expected);
        }
        assert_eq!(line(&mut input), None, "what has no end is no line");
        assert_eq!(input.buffer.len(), BUFFER, "the room of a long line is given back");
        sending.join().unwrap();
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_keeps_its_id() {
        let (mut input, mut writer) = input();
        let sending = std::thread::spawn(move || {
            writer.write_all(br#"{"id":7,"x":""#).unwrap();
            let part = vec![b'x'; 1 << 20];
            (0..17).for_each(|_| writer.write_all(&part).unwrap());
            writer.write_all(b"\"}\nnext\n").unwrap();
        });
        let Received::TooLong(finder) = input.next() else { panic!("it has more than 16 MiB") };
        assert_eq!(finder.id(), Some(rmcp::model::RequestId::Number(7)));
        assert_eq!(line(&mut input).unwrap(), b"next\n");
        sending.join().unwrap();
    }

    #[test]
    fn a_descriptor_that_does_not_block_is_waited_for() {
        let (ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let reading = std::thread::spawn(move || line(&mut Input::new(OwnedFd::from(ours).into())));
        std::thread::sleep(std::time::Duration::from_millis(10));
        theirs.write_all(b"one\n").unwrap();
        assert_eq!(reading.join().unwrap().unwrap(), b"one\n");
    }
}
