//! The events as the body of an answer that does not end.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use toolcrib_loopback::Answer;

use super::hub::{event, named};
use super::news::News;
use super::position::Position;
use crate::api::light_state;
use crate::app::App;

/// How many events wait for a browser that does not read.
const WAITING: usize = 64;
/// How often something is sent at least, so that a browser that is gone is noticed.
const PING: Duration = Duration::from_secs(15);
/// How many changes a page is told that it missed; beyond it loads them as a list.
const MOST_MISSED: usize = 2000;

/// All events since a position, or from now on.
pub(super) fn stream(app: Arc<App>, since: Option<Position>) -> Answer {
    let (sender, events) = mpsc::channel(WAITING);
    // Before the browser is answered: from then on it misses nothing.
    let (live, begins) = app.hub.join();
    tokio::spawn(feed(app, since, live, begins, sender));
    let mut answer = Response::new(Events(events).boxed());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    answer
}

struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = ready!(self.0.poll_recv(context));
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Sends until the browser goes away, or falls too far behind.
async fn feed(
    app: Arc<App>,
    since: Option<Position>,
    mut live: broadcast::Receiver<Arc<str>>,
    begins: Position,
    sender: mpsc::Sender<Bytes>,
) -> Option<()> {
    let first = {
        let app = Arc::clone(&app);
        tokio::task::spawn_blocking(move || missed(&app, since, &begins)).await.ok()?
    };
    drop(app);
    for event in first {
        sender.send(event.into()).await.ok()?;
    }
    loop {
        let event = tokio::select! {
            event = live.recv() => event.ok()?.as_bytes().to_vec(),
            () = tokio::time::sleep(PING) => b"event: ping\ndata: {}\n\n".to_vec(),
            () = sender.closed() => return None,
        };
        sender.send(event.into()).await.ok()?;
    }
}

/// What a page has to be told before the live events: how things stand, and what it missed.
fn missed(app: &App, since: Option<Position>, begins: &Position) -> Vec<String> {
    let state = event("state", None, &light_state(app));
    let Some(mut position) = since else { return vec![state] };
    let read = app.journal().ok().and_then(|journal| {
        News::read(&journal, &app.toolbox(), &position, Some(begins.newest), MOST_MISSED).ok()
    });
    let Some(news) = read else { return vec![state] };
    let mut events = vec![state];
    if news.is_too_much {
        position.newest = begins.newest;
        events.push(event("reset", Some(&position), &json!({"newest": begins.newest})));
    }
    for (name, change) in named(&news) {
        position.take(change);
        events.push(event(name, Some(&position), change));
    }
    events
}
