//! What should have been recorded and could not be: kept for people to see, since nobody looks at the output of a hook.

use std::io::{Read, Seek, SeekFrom, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolcrib_workspace::Error;

use crate::journal::Journal;

/// A change that another program may have made and that is not in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    /// When.
    pub time: SystemTime,
    /// What, and why.
    pub what: String,
}

impl Journal {
    /// Notes that something could not be recorded. The latest notes are kept.
    ///
    /// # Errors
    ///
    /// If the note cannot be written.
    pub fn note_unrecorded(&self, what: &str) -> Result<(), Error> {
        let folder = self.log.folder();
        let fail = |error| folder.failure(FILE.as_ref(), error);
        let mut file = folder.open_or_create(FILE.as_ref())?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
        let line = format!("{now} {what}\n");
        let end = file.seek(SeekFrom::End(0)).map_err(fail)?;
        if end > MOST {
            let kept = tail(&mut file, MOST / 2).map_err(fail)?;
            file.set_len(0).map_err(fail)?;
            file.seek(SeekFrom::Start(0)).map_err(fail)?;
            return file.write_all(&[kept.as_bytes(), line.as_bytes()].concat()).map_err(fail);
        }
        file.write_all(line.as_bytes()).map_err(fail)
    }

    /// What could not be recorded, the latest first, and no more than so many.
    ///
    /// # Errors
    ///
    /// If the notes cannot be read.
    pub fn unrecorded(&self, limit: usize) -> Result<Vec<Unrecorded>, Error> {
        self.note_left_behind()?;
        let folder = self.log.folder();
        let Some(mut file) = folder.open_file(FILE.as_ref())? else { return Ok(Vec::new()) };
        let text = tail(&mut file, 2 * MOST).map_err(|error| folder.failure(FILE.as_ref(), error))?;
        let note = |line: &str| {
            let (time, what) = line.split_once(' ')?;
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(time.parse().ok()?))?;
            Some(Unrecorded { time, what: what.to_owned() })
        };
        Ok(text.lines().rev().filter_map(note).take(limit).collect())
    }
}

/// The last lines of a file, in no more than so many bytes.
fn tail(file: &mut std::fs::File, most: u64) -> std::io::Result<String> {
    let end = file.seek(SeekFrom::End(0))?;
    let start = end.saturating_sub(most);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = if start == 0 { &*text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
    Ok(whole.to_owned())
}

const FILE: &str = "unrecorded";

/// How long a note may be, and all of them before the older half is dropped.
const LONGEST: usize = 600;
const MOST: u64 = 64 * 1024;
