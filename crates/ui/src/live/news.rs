//! What is new in a journal since a [`Position`].

use std::collections::BTreeSet;

use toolcrib::{DiskError, Journal, RecordState, Toolbox};

use super::position::Position;
use crate::api::Change;

/// Changes that are new, and older ones of which the state is another now.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Oldest first.
    pub(crate) new: Vec<Change>,
    /// Whether more are new than were wanted. Then none of them is here.
    pub(crate) is_too_much: bool,
    pub(crate) changed: Vec<Change>,
    /// Older ones that were looked for and are not kept any more.
    pub(crate) gone: BTreeSet<u64>,
}

impl News {
    /// Reads the journal backwards, as far as there are news in it: what came after `since` and not after `until`, no more
    /// than so many changes.
    pub(crate) fn read(
        journal: &Journal,
        toolbox: &Toolbox,
        since: &Position,
        until: Option<u64>,
        most: usize,
    ) -> Result<Self, DiskError> {
        let mut news = Self::default();
        // Those whose state may be another now: they were being made, or a new change undoes them.
        let mut awaited: BTreeSet<u64> = since.unsettled.clone();
        for change in journal.changes()? {
            let record = change?.record();
            let id = record.id.number();
            if id <= since.newest && awaited.is_empty() {
                break;
            }
            let is_new = id > since.newest;
            let was_awaited = awaited.remove(&id);
            if until.is_some_and(|until| id > until) || !(is_new || was_awaited) {
                continue;
            }
            if record.state != RecordState::UnderWay {
                // An undo of an undo makes the first change stand again.
                awaited.extend(record.reverts.iter().map(|reverts| reverts.id.number()));
            }
            if is_new && news.new.len() < most {
                news.new.push(Change::of(&record, toolbox));
            } else if is_new {
                news.is_too_much = true;
            } else {
                news.changed.push(Change::of(&record, toolbox));
            }
        }
        if news.is_too_much {
            news.new.clear();
        }
        news.new.reverse();
        news.gone = awaited;
        Ok(news)
    }
}

impl Position {
    /// Takes note that a page is told of this change.
    pub(crate) fn take(&mut self, change: &Change) {
        self.newest = self.newest.max(change.id);
        if change.is_settled() {
            self.unsettled.remove(&change.id)
        } else {
            self.unsettled.insert(change.id)
        };
    }
}
