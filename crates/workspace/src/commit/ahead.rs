//! New contents that are written while a journal waits for its record of them.
//!
//! A file without a name is gone after a crash, so nobody needs to know of it before. It is written, and waited for, at the
//! same time as the record that knows its name; only then does it get that name. So a change waits for the disk once less.
//!
//! This is done where a file that was synced without a name is whole when it has one. It is not so on btrfs, which does
//! not log such files, and nobody knows below an overlay; on ZFS naming one takes longer than all the rest. And it is done for
//! files that stand for others: the bits of a new one are the system's affair, and some systems forget them here.
//!
//! All of it may fail. What is not there in the end is staged as usual, and that tells what is the matter.

use std::collections::BTreeSet;
use std::fs::File;
use std::thread;

use super::act::Act;
use super::plan::Planned;
use super::run::stages;
use super::together::at_once;
use crate::file_system::{self, EXT, F2FS, TMPFS, XFS};
use crate::resolve::{Backend, ProcFds};

/// Of many files, one wait less is little.
const FEW: usize = 16;

impl Planned<'_> {
    /// Waits for something else, and writes the new contents meanwhile, unless `stop` says so.
    pub fn write_ahead<T: Send>(&mut self, stop: &dyn Fn() -> bool, wait: impl Fn() -> T + Sync) -> T {
        let acts = self.worth_it();
        if acts.is_empty() {
            return wait();
        }
        let (waited, written) = thread::scope(|scope| {
            let other = thread::Builder::new().spawn_scoped(scope, &wait);
            let acts = acts.into_iter().take_while(|_| !stop());
            let written: Vec<(usize, File)> =
                acts.map_while(|act| Some((act, self.write_unnamed(act)?))).collect();
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

    /// Gives what was written ahead its temporary names, and says which acts are done by that. No handle stays open: while
    /// one can write to a file, nobody can run it.
    pub(crate) fn name_ahead(&mut self) -> BTreeSet<usize> {
        let ahead: Vec<(usize, File)> = self
            .notes
            .iter_mut()
            .enumerate()
            .filter_map(|(act, note)| Some((act, note.ahead.take()?)))
            .collect();
        let named = ahead.into_iter().filter(|(act, file)| self.name(*act, file));
        named.map(|(act, _)| act).collect()
    }

    fn name(&self, act: usize, file: &File) -> bool {
        let (Act::Stage { temporary, .. }, Some(proc)) = (&self.plan.acts[act], self.proc()) else {
            return false;
        };
        self.at(temporary).is_ok_and(|at| proc.give_name(file, at.directory, at.name).is_ok())
    }

    /// The acts whose contents can be written ahead.
    fn worth_it(&self) -> Vec<usize> {
        let stages = stages(&self.plan.acts);
        if self.proc().is_none() || stages > FEW {
            return Vec::new();
        }
        let can = |act: &usize| {
            let Act::Stage { temporary, .. } = &self.plan.acts[*act] else { return false };
            let stands_for_another =
                self.notes[*act].staging.as_ref().is_some_and(|staging| staging.has_own_mode());
            let kind = || file_system::kind(self.at(temporary).ok()?.directory);
            stands_for_another && kind().is_some_and(|kind| matches!(kind, EXT | XFS | F2FS | TMPFS))
        };
        (0..stages).filter(can).collect()
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
