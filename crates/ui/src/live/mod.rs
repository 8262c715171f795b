//! What happens while the page is open: news of the journal, as events.
//!
//! The kernel tells when something is written to the journal, by whichever process. Each event of a change carries a
//! [`Position`], which the browser sends back when it connects again: so a page misses no change and is told none twice.

mod body;
mod hub;
mod news;
mod position;

use std::sync::Arc;
use std::thread;

use hyper::header::HeaderMap;
use toolcrib::JournalWatch;
use toolcrib_loopback::Answer;

use crate::answer::Refusal;
use crate::app::App;
use crate::query::Query;
pub(crate) use hub::Hub;
use position::Position;

/// Follows the journal on a thread of its own, until it is dropped. None if there is no journal, or it cannot be watched.
pub(crate) fn follow(app: &Arc<App>) -> Option<Following> {
    let journal = app.journal().ok()?;
    let watch = Arc::new(journal.watch()?);
    app.hub.start(&journal);
    let following = Following { watch: Arc::clone(&watch), app: Arc::clone(app) };
    let app = Arc::clone(app);
    let follow = move || {
        while !app.hub.is_over() {
            app.hub.look(&app);
            watch.wait();
        }
    };
    thread::Builder::new().name("journal".to_owned()).spawn(follow).ok()?;
    Some(following)
}

/// Ends the thread that follows the journal.
pub(crate) struct Following {
    watch: Arc<JournalWatch>,
    app: Arc<App>,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.app.hub.end();
        self.watch.stop();
    }
}

/// Everything from now on, as server-sent events.
pub(crate) fn events(app: Arc<App>, query: &Query, headers: &HeaderMap) -> Result<Answer, Refusal> {
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok());
    let since = match last.and_then(|last| last.parse::<Position>().ok()) {
        Some(position) => Some(position),
        None => query.parse::<u64>("after")?.map(Position::at),
    };
    Ok(body::stream(app, since))
}
