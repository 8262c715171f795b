//! Another user of the machine sees no question and answers none, even where the folder was opened to everybody by mistake.

#![allow(clippy::disallowed_methods, reason = "the mistake is made behind the back of the program")]

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolcrib_access::Decision;
use toolcrib_desk::{Desks, FOLDER, Verdict};
use toolcrib_testkit::{as_ordinary_user, is_ordinary_user};

use crate::{Asking, LONG, Watching, answer, request};

fn socket(asking: &Asking) -> PathBuf {
    let entries = fs::read_dir(asking.state().join(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| UnixStream::connect(path).is_ok()).unwrap()
}

/// Connects without being polite, answers, and reads whatever comes back.
fn intrude(socket: &Path, frame: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(LONG))?;
    // The other end may be gone by now.
    _ = stream.write_all(frame);
    _ = stream.shutdown(std::net::Shutdown::Write);
    let mut read = Vec::new();
    _ = stream.read_to_end(&mut read);
    Ok(read)
}

#[test]
fn another_user_sees_no_question_and_answers_none() {
    if is_ordinary_user() {
        return;
    }
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let decided = asking.ask(request("old\n", "new\n"), &token);
    let question = page.question();
    let answer = answer(&question, Verdict::Once);
    let body = json!({"request": 1, "what": {"answer": {"id": question.id, "answer": answer}}}).to_string();
    let frame = [&(body.len() as u32).to_le_bytes(), body.as_bytes()].concat();
    let (socket, state) = (socket(&asking), asking.state());

    let refused = as_ordinary_user(|| intrude(&socket, &frame));
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    let seen = as_ordinary_user(|| Desks::open(state, vec![], |_| ()).map(|desks| desks.servers().len()));
    assert_ne!(seen.ok(), Some(1));

    // The doors are open: whoever connects is looked at.
    for path in [state, &state.join(FOLDER), &socket] {
        fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    }
    assert_eq!(as_ordinary_user(|| intrude(&socket, &frame)).unwrap(), b"", "nothing is told");
    let seen = as_ordinary_user(|| Desks::open(state, vec![], |_| ()).map(|desks| desks.servers().len()));
    assert_ne!(seen.ok(), Some(1));
    assert!(decided.try_recv().is_err(), "nothing is answered");

    let told = intrude(&socket, &frame).unwrap();
    assert!(String::from_utf8_lossy(&told).contains(&question.id), "the control: the user is told");
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once, "the control: the user's answer counts");
}
