//! New contents that are written while a journal writes its record of them, and waits for it.
//!
//! A file without a name is gone after a crash, so nobody needs to know of it before. It is written, and waited for, at the
//! same time as the record that knows its name; only then does it get that name. So a change waits for the disk once less,
//! and a large content is written while the old one is compressed.
//!
//! This is done where a file that was synced without a name is whole when it has one. It is not so on btrfs, which does
//! not log such files, and nobody knows below an overlay; on ZFS naming one takes longer than all the rest.
//!
//! All of it may fail. What is not there in the end is staged as usual, and that tells what is the matter.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use super::Durability;
use super::act::Act;
use super::in_parallel::{both, sync_in_parallel};
use super::plan::Planned;
use super::run::stages;
use crate::host::file_system::{self, EXT, F2FS, TMPFS, XFS};
use crate::open::resolve::{Backend, ProcFds};

/// Of many files, one wait less is little.
const FEW: usize = 16;
/// What takes so long to write that it is worth a thread, even if nothing is waited for.
const LARGE: u64 = 8 << 20;

impl Planned<'_> {
    /// Does something else, such as to wait for a record, and writes the new contents meanwhile.
    pub fn write_ahead<T>(&mut self, durability: Durability, other: impl FnOnce(&Self) -> T) -> T {
        let acts = self.worth_it(durability);
        let planned = &*self;
        let write = || planned.write_unnamed(&acts, durability).unwrap_or_default();
        let (done, written) = both(!acts.is_empty(), || other(planned), write);
        written.into_iter().for_each(|(act, file)| self.notes[act].ahead = Some(file));
        done
    }

    /// Gives what was written ahead its temporary names, and says which acts are done by that. No handle stays open: while
    /// one can write to a file, nobody can run it.
    pub(crate) fn name_ahead(&mut self) -> BTreeSet<usize> {
        let taken = |(act, note): (usize, &mut super::plan::Note<'_>)| Some((act, note.ahead.take()?));
        let ahead: Vec<(usize, File)> = self.notes.iter_mut().enumerate().filter_map(taken).collect();
        let named = ahead.into_iter().filter(|(act, file)| self.name(*act, file));
        named.map(|(act, _)| act).collect()
    }

    fn name(&self, act: usize, file: &File) -> bool {
        let (Act::Stage { temporary, .. }, Some(proc)) = (&self.plan.acts[act], self.proc()) else {
            return false;
        };
        self.at(temporary).is_ok_and(|at| proc.give_name(file, at.directory, at.name).is_ok())
    }

    /// The acts whose contents are written ahead.
    fn worth_it(&self, durability: Durability) -> Vec<usize> {
        let stages = stages(&self.plan.acts);
        if self.proc().is_none() || stages > FEW {
            return Vec::new();
        }
        let size = |act: &usize| self.notes[*act].staging.as_ref().map_or(0, |staging| staging.size());
        if durability == Durability::Fast && (0..stages).map(|act| size(&act)).max() < Some(LARGE) {
            return Vec::new();
        }
        let can = |act: &usize| {
            let Act::Stage { temporary, .. } = &self.plan.acts[*act] else { return false };
            let kind = || file_system::kind(self.at(temporary).ok()?.directory);
            kind().is_some_and(|kind| matches!(kind, EXT | XFS | F2FS | TMPFS))
        };
        (0..stages).filter(can).collect()
    }

    /// Nothing of it counts if it fails.
    fn write_unnamed(&self, acts: &[usize], durability: Durability) -> io::Result<Vec<(usize, File)>> {
        let mut written = Vec::new();
        for &act in acts {
            let (Act::Stage { temporary, .. }, Some(staging)) =
                (&self.plan.acts[act], &self.notes[act].staging)
            else {
                continue;
            };
            written.extend(staging.write_unnamed(self.at(temporary)?.directory)?.map(|file| (act, file)));
        }
        if durability == Durability::Safe {
            sync_in_parallel(&written, |(_, file)| file.sync_all())?;
        }
        Ok(written)
    }

    /// Only through it can a file without a name get one.
    fn proc(&self) -> Option<&ProcFds> {
        match &*self.workspace.0.backend {
            Backend::Openat2(proc) => Some(proc),
            Backend::Walk => None,
        }
    }
}
