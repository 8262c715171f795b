//! Recordings under way: what somebody will record when it ends, so that it is known if the process is killed before.
//!
//! Each is a file in the journal's folder, locked by its process. One that can be locked by another was left behind, and
//! becomes a note of what is not recorded.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};

use toolcrib_workspace::{Error, StateFolder, random};

use crate::journal::Journal;

/// A recording under way, until it is dropped.
#[derive(Debug)]
pub struct UnderWay {
    folder: StateFolder,
    name: OsString,
    _locked: File,
}

impl Journal {
    /// Says that `what` is about to be recorded. If the process dies before the answer is dropped, that is among
    /// [what could not be recorded](Self::unrecorded).
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn recording_under_way(&self, what: &str) -> Result<UnderWay, Error> {
        let folder = self.log.folder().folder(FOLDER.as_ref())?;
        let fail = |error| folder.failure("".as_ref(), error);
        let id: [u8; 8] = random().map_err(fail)?;
        let name: OsString = format!("{:016x}", u64::from_le_bytes(id)).into();
        let mut unfinished = name.clone();
        unfinished.push(UNFINISHED);
        let mut file = folder.open_or_create(&unfinished)?;
        file.try_lock().map_err(|error| fail(error.into()))?;
        let named = file
            .write_all(what.as_bytes())
            .map_err(|error| folder.failure(&unfinished, error))
            .and_then(|()| folder.rename(&unfinished, &name));
        if let Err(error) = named {
            let _ = folder.remove(&unfinished);
            return Err(error);
        }
        Ok(UnderWay { folder, name, _locked: file })
    }

    /// Notes what those who are gone have left behind.
    pub(crate) fn note_left_behind(&self) -> Result<(), Error> {
        let Some(folder) = self.log.folder().existing_folder(FOLDER.as_ref())? else { return Ok(()) };
        for name in folder.names()? {
            let Some(mut file) = folder.open_file(&name)? else { continue };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(folder.failure(&name, error)),
                Ok(()) => {}
            }
            // It ended well meanwhile, or another process has noted it.
            if !folder.is_named(&file, &name)? {
                continue;
            }
            if !is_unfinished(&name) {
                let mut what = Vec::new();
                let read = Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut what);
                read.map_err(|error| folder.failure(&name, error))?;
                let what = String::from_utf8_lossy(&what);
                self.note_unrecorded(&format!(
                    "{what}: `toolcrib record` was killed before it was recorded"
                ))?;
            }
            folder.remove(&name)?;
        }
        Ok(())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let _ = self.folder.remove(&self.name);
    }
}

fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(UNFINISHED.as_bytes())
}

/// Where they stand in the journal's folder.
const FOLDER: &str = "recording";

/// How the name of a file ends that is being written.
const UNFINISHED: &str = ".new";

/// More is not read of what was said.
const LONGEST: u64 = 4096;
