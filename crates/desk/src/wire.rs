//! What goes over a connection: frames of JSON, each with its length in front.
//!
//! The length is bounded before anything is allocated for it. A frame that cannot be understood ends the connection, and nothing else.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::facts::{Answer, DeskError, Event, WholeQuestion};

/// No frame is longer. Contents are bounded far below, see `WholeQuestion`.
pub(crate) const MOST: usize = 64 << 20;

/// From the process that carries out calls.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum FromDesk {
    /// Something happened, or was so before the connection.
    Event { event: Box<Event> },
    /// Everything has been told that was so before the connection.
    Ready,
    /// The answer to a request.
    Reply { request: u64, reply: Reply },
}

/// The answer to a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Done,
    Whole(Box<WholeQuestion>),
    Failed(DeskError),
}

/// From the process that is connected.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) request: u64,
    pub(crate) what: Wanted,
}

/// What is wanted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    /// A question, whole.
    Question { id: String },
    /// To answer one.
    Answer { id: String, answer: Answer },
    /// To stop a call.
    Stop { call: u64 },
}

/// A frame, ready to be sent to several.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = frame.len() - 4;
    let header = u32::try_from(length).ok().filter(|_| length <= MOST);
    let header = header.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "too long for a frame"))?;
    frame[..4].copy_from_slice(&header.to_le_bytes());
    Ok(frame)
}

/// Sends a message.
pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message)?)
}

/// The next message; none at the end.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut header = [0; 4];
    match from.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(header) as usize;
    if length > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "too long for a frame"));
    }
    // What is claimed is not allocated before it has come.
    let mut body = Vec::new();
    from.by_ref().take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut bytes = Vec::new();
        send(&mut bytes, &FromDesk::Ready).unwrap();
        send(&mut bytes, &FromDesk::Reply { request: 7, reply: Reply::Failed(DeskError::OtherDigest) })
            .unwrap();
        let mut from = bytes.as_slice();
        assert!(matches!(receive(&mut from).unwrap(), Some(FromDesk::Ready)));
        let reply = receive(&mut from).unwrap();
        assert!(matches!(
            reply,
            Some(FromDesk::Reply { request: 7, reply: Reply::Failed(DeskError::OtherDigest) })
        ));
        assert!(receive::<FromDesk>(&mut from).unwrap().is_none());
    }

    #[test]
    fn what_is_malformed_is_an_error() {
        let framed = |body: &[u8]| [&(body.len() as u32).to_le_bytes(), body].concat();
        let deep = "[".repeat(100_000);
        for bytes in [
            framed(b""),
            framed(b"{}"),
            framed(b"nonsense"),
            framed(b"\xff\xfe"),
            framed(deep.as_bytes()),
            framed(br#"{"request":-1,"what":{"stop":{"call":1}}}"#),
            u32::MAX.to_le_bytes().to_vec(),
            [&100_u32.to_le_bytes()[..], b"cut"].concat(),
        ] {
            assert!(
                receive::<Request>(&mut bytes.as_slice()).is_err(),
                "{:?}",
                &bytes[..bytes.len().min(20)]
            );
        }
        assert!(receive::<Request>(&mut &b"\x01"[..]).unwrap().is_none(), "an end in the header is an end");
    }
}
