//! Passes events on to all pages that are open.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::broadcast;
use toolcrib::{Journal, RecordState};

use super::news::News;
use super::position::Position;
use crate::app::App;

/// How many events a page may be behind. One that is slower is disconnected, and catches up when it connects again.
const BEHIND: usize = 1024;
/// How many changes are told one by one when many are made at once.
const MOST_NEWS: usize = 2000;

pub(crate) struct Hub {
    events: broadcast::Sender<Arc<str>>,
    position: Mutex<Position>,
    is_live: AtomicBool,
    is_over: AtomicBool,
}

impl Hub {
    pub(crate) fn new() -> Self {
        let events = broadcast::Sender::new(BEHIND);
        Self {
            events,
            position: Mutex::default(),
            is_live: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Begins with the journal as it is now.
    pub(super) fn start(&self, journal: &Journal) {
        self.is_live.store(true, Ordering::Relaxed);
        let mut position = self.position();
        let changes = journal.changes().into_iter().flatten();
        for change in changes.take(RECENT).map_while(Result::ok) {
            position.newest = position.newest.max(change.id().number());
            if change.record().state == RecordState::UnderWay {
                position.unsettled.insert(change.id().number());
            }
        }
    }

    /// Looks what is new in the journal, and tells it.
    pub(crate) fn look(&self, app: &App) {
        let Ok(journal) = app.journal() else { return };
        let toolbox = app.toolbox();
        // Held until everything is told, so that a page that joins knows where what it is told begins.
        let mut position = self.position();
        let Ok(news) = News::read(&journal, &toolbox, &position, None, MOST_NEWS) else { return };
        if news.is_too_much {
            let newest = journal.changes().ok().and_then(|mut changes| changes.next()?.ok());
            position.newest = newest.map_or(position.newest, |change| change.id().number());
            let newest = serde_json::json!({"newest": position.newest});
            self.send(event("reset", Some(&*position), &newest));
        }
        position.unsettled.retain(|id| !news.gone.contains(id));
        for (name, change) in named(&news) {
            position.take(change);
            self.send(event(name, Some(&*position), change));
        }
    }

    /// Tells all pages something that is not kept.
    pub(crate) fn tell(&self, name: &str, data: &impl Serialize) {
        self.send(event(name, None, data));
    }

    /// Everything from now on, and where that begins.
    pub(super) fn join(&self) -> (broadcast::Receiver<Arc<str>>, Position) {
        let position = self.position();
        (self.events.subscribe(), position.clone())
    }

    /// Whether pages are told what happens.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn send(&self, event: String) {
        // Nobody may be listening.
        _ = self.events.send(event.into());
    }

    fn position(&self) -> MutexGuard<'_, Position> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far back changes are looked for that are being made.
const RECENT: usize = 1000;

/// The changes with the names of their events.
pub(super) fn named(news: &News) -> impl Iterator<Item = (&'static str, &crate::api::Change)> {
    let new = news.new.iter().map(|change| ("change", change));
    new.chain(news.changed.iter().map(|change| ("changed", change)))
}

/// An event as it is sent. JSON has no line break in it that would end the data.
pub(super) fn event(name: &str, position: Option<&Position>, data: &impl Serialize) -> String {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    let id = position.map(|position| format!("id: {position}\n")).unwrap_or_default();
    format!("event: {name}\n{id}data: {data}\n\n")
}
