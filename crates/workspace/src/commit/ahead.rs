//! New contents that are written while a journal waits for its record of them.
//!
//! A file without a name is gone after a crash, so nobody needs to know of it before. It is written, and waited for, at the
//! same time as the record that knows its name; only then does it get that name. So a change waits for the disk twice
//! and not three times.
//!
//! All of this may fail, and some file systems know no such files. What is not there in the end is staged as usual, and
//! that tells what is the matter.

use std::fs::File;
use std::thread;

use super::act::Act;
use super::plan::Planned;
use super::run::stages;
use super::together::at_once;
use crate::resolve::{Backend, ProcFds};

/// Of many files, one wait less is little, and making them without names costs a file system more.
const FEW: usize = 16;

impl Planned<'_> {
    /// Waits for something else, and writes the new contents meanwhile, unless `stop` says so.
    pub fn write_ahead<T: Send>(&mut self, stop: &dyn Fn() -> bool, wait: impl Fn() -> T + Sync) -> T {
        let stages = stages(&self.plan.acts);
        if self.proc().is_none() || !(1..=FEW).contains(&stages) {
            return wait();
        }
        let (waited, written) = thread::scope(|scope| {
            let other = thread::Builder::new().spawn_scoped(scope, &wait);
            let written =
                (0..stages).take_while(|_| !stop()).map_while(|act| Some((act, self.write_unnamed(act)?)));
            let written: Vec<(usize, File)> = written.collect();
            let synced = at_once(&written, |(_, file)| file.sync_all());
            let waited = match other {
                Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // No more threads can be had: one after the other, then.
                Err(_) => wait(),
            };
            (waited, if synced.is_ok() { written } else { Vec::new() })
        });
        written.into_iter().for_each(|(act, file)| self.notes[act].ahead = Some(file));
        waited
    }

    /// Gives what was written ahead its temporary name. False if there is nothing, or if it cannot be named.
    pub(crate) fn name_ahead(&self, act: usize) -> bool {
        let (Act::Stage { temporary, .. }, Some(file), Some(proc)) =
            (&self.plan.acts[act], &self.notes[act].ahead, self.proc())
        else {
            return false;
        };
        self.at(temporary).is_ok_and(|at| proc.give_name(file, at.directory, at.name).is_ok())
    }

    fn write_unnamed(&self, act: usize) -> Option<File> {
        let Act::Stage { temporary, .. } = &self.plan.acts[act] else { return None };
        let directory = self.at(temporary).ok()?.directory;
        self.notes[act].staging.as_ref()?.write_unnamed(directory).ok()
    }

    /// Only through it can a file without a name get one.
    fn proc(&self) -> Option<&ProcFds> {
        match &*self.workspace.0.backend {
            Backend::Openat2(proc) => Some(proc),
            Backend::Walk => None,
        }
    }
}
