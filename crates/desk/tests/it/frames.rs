//! Whatever is sent to it, a desk goes on serving the others.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use tokio_util::sync::CancellationToken;
use toolcrib_access::Decision;
use toolcrib_desk::{FOLDER, Verdict};
use toolcrib_workspace::{StateFolder, connect_private};

use crate::{Asking, LONG, Watching, answer, request};

fn stranger(asking: &Asking) -> UnixStream {
    let folder = StateFolder::open(&asking.state().join(FOLDER)).unwrap();
    let stream = connect_private(&folder, &folder.names().unwrap()[0]).unwrap().unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

/// Whether the connection is ended by the other side.
fn is_ended(mut stream: UnixStream) -> bool {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).is_ok()
}

#[test]
fn malformed_frames_end_their_connection_and_nothing_else() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let framed = |body: &[u8]| [&(body.len() as u32).to_le_bytes(), body].concat();
    let deep = format!("{{\"request\":1,\"what\":{}", "[".repeat(200_000));
    for bytes in [
        framed(b"nonsense"),
        framed(b"{}"),
        framed(b"\xff\xff"),
        framed(deep.as_bytes()),
        framed(br#"{"request":1,"what":{"answer":{"id":7}}}"#),
        u32::MAX.to_le_bytes().to_vec(),
    ] {
        let mut stream = stranger(&asking);
        stream.write_all(&bytes).unwrap();
        assert!(is_ended(stream), "{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(40)]));
    }
    // A frame that never ends keeps its own connection busy, and nobody else.
    let mut half = stranger(&asking);
    half.write_all(&1000_u32.to_le_bytes()).unwrap();
    half.write_all(b"{\"request\"").unwrap();
    let decided = asking.ask(request("old\n", "new\n"), &token);
    let question = page.question();
    page.desks.answer(&question.id, answer(&question, Verdict::Once)).unwrap();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once);
}

#[test]
fn who_does_not_read_is_not_waited_for() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let silent = stranger(&asking);
    while !asking.desk.is_watched() {
        std::thread::yield_now();
    }
    // More than fits into the socket and the queue.
    for n in 0..10_000 {
        drop(asking.desk.begin("Read", Some(&format!("{n}{}", "x".repeat(200))), None, None, &token));
    }
    assert!(!asking.desk.is_watched(), "the connection was given up");
    drop(silent);
}

#[test]
fn only_so_many_can_be_connected() {
    let asking = Asking::new();
    let streams: Vec<UnixStream> = (0..40).map(|_| stranger(&asking)).collect();
    let ended = |mut stream: &UnixStream| matches!(stream.read(&mut [0; 4]), Ok(0));
    assert_eq!(streams.iter().filter(|stream| ended(stream)).count(), 24);
}
