//! Remembers what was found out about large files, for as long as they do not change.
//!
//! One for the whole process, because calls come one by one and know nothing of each other. An entry counts only while
//! the file's fingerprint proves that nothing changed; one that cannot prove anything (the file was written a moment
//! ago, or lies on a network) is not kept. An index takes at most half a megabyte, so all of them at most eight.

use std::sync::{Mutex, PoisonError};

use toolcrib_text::LineIndex;
use toolcrib_workspace::{Fingerprint, OpenFile};

use super::survey::Survey;

/// What is known of a file.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) survey: Survey,
    pub(super) index: LineIndex,
}

struct Entry {
    file: (u64, u64),
    fingerprint: Fingerprint,
    known: Known,
}

const MOST: usize = 16;

/// The latest used comes last.
static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// What is known of this very content.
pub(super) fn get(file: &OpenFile) -> Option<Known> {
    let mut entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    let at = entries.iter().position(|entry| entry.file == identity(file))?;
    let entry = entries.remove(at);
    let known = entry.fingerprint.proves_unchanged(&file.fingerprint()).then(|| entry.known.clone())?;
    entries.push(entry);
    Some(known)
}

/// Keeps what was found out, in place of what knows less.
pub(super) fn put(file: &OpenFile, known: Known) {
    let fingerprint = file.fingerprint();
    if !fingerprint.certain() {
        return;
    }
    let mut entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = entries.iter().position(|entry| entry.file == identity(file)) {
        let before = entries.remove(at);
        let same = before.fingerprint.proves_unchanged(&fingerprint);
        let further = before.known.index.covered() > known.index.covered();
        if same && further && before.known.survey == known.survey {
            entries.push(before);
            return;
        }
    }
    if entries.len() >= MOST {
        entries.remove(0);
    }
    entries.push(Entry { file: identity(file), fingerprint, known });
}

fn identity(file: &OpenFile) -> (u64, u64) {
    (file.stat().dev, file.stat().ino)
}
