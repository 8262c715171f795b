//! Carries a plan out, and rolls it back if it fails.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::time::Instant;

use rustix::fs::{Mode, mkdirat, symlinkat};
use rustix::io::Errno;

use super::act::{Act, NameRef, waiting};
use super::exchange::{DirEntryRef, rename_new};
use super::expected::Expected;
use super::fault::{Failure, Fault};
use super::in_parallel::sync_in_parallel;
use super::late_writes::PATIENCE;
use super::plan::Planned;
use super::roll_back::{Back, Handles};
use super::step::{look_again, swap, take, take_link};
use super::tree::{self, holds_exactly, move_directory};
use super::{CommitError, Committed, Durability};
use crate::error::{Doing, Error};
use crate::host::lease::is_held_for_writing;
use crate::open::dir::Dir;

/// Everything is in place; the old files still wait under their temporary names.
#[derive(Debug)]
#[must_use = "the old files are removed by `finish`, or put back by `roll_back`"]
pub struct InPlace<'a>(Planned<'a>);

impl<'a> Planned<'a> {
    /// Changes the files. Afterwards all changes are in place, or none is.
    pub fn carry_out(self, durability: Durability) -> Result<InPlace<'a>, CommitError> {
        self.carry_out_unless(durability, &|| false)
    }

    /// Like [`carry_out`](Planned::carry_out), but gives up with [`Stopped`](crate::ErrorKind::Stopped) if `stop` says so while
    /// the new contents are written. Once the first name has changed it is not asked any more.
    pub fn carry_out_unless(
        mut self,
        durability: Durability,
        stop: &dyn Fn() -> bool,
    ) -> Result<InPlace<'a>, CommitError> {
        match self.try_carry_out(durability, stop) {
            Ok(()) => Ok(InPlace(self)),
            Err(failure) => Err(self.give_up(failure)),
        }
    }

    fn try_carry_out(&mut self, durability: Durability, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
        let stages = stages(&self.plan.acts);
        if stop() {
            return Err(Failure { change: None, done: 0, fault: Fault::Stopped });
        }
        let named = self.name_ahead();
        self.stage((0..stages).filter(|act| !named.contains(act)).collect(), durability, stop)?;
        self.refuse_held()?;
        let mut moves = Moves::of(&self.plan.acts);
        for act in stages..self.plan.acts.len() {
            let ready = match durability {
                Durability::Safe => self.make_ready(act, &mut moves),
                Durability::Fast => Ok(()),
            };
            ready.and_then(|()| self.act(act)).map_err(|fault| {
                let done = if fault.was_put_back() { act } else { act + 1 };
                Failure { change: Some(self.notes[act].change), done, fault }
            })?;
        }
        if durability == Durability::Safe {
            self.sync_directories()?;
        }
        self.look_again()
    }

    /// What another program goes on writing to is not displaced: all that it writes from then on would be lost. Of a file
    /// with other names only this one goes.
    fn refuse_held(&self) -> Result<(), Failure> {
        let is_held = |act: usize| {
            let expected = self.notes[act].expected.as_ref();
            if expected.is_some_and(Expected::is_leased) {
                return false;
            }
            let given_up = expected.is_none_or(|old| old.stat.nlink == 1);
            let at = self.at(self.plan.acts[act].spot()).ok().filter(|_| given_up);
            at.and_then(|at| at.open().ok().flatten()).is_some_and(|file| is_held_for_writing(&file))
        };
        let holds_held = |act: &Act| match act {
            Act::RemoveTree { spot, entries, .. } => {
                self.at(spot).ok().and_then(|at| tree::held(at, entries, &is_held_for_writing)).is_some()
            }
            _ => false,
        };
        let held = self.displaced().map(|(act, _)| act).find(|act| is_held(*act));
        match held.or_else(|| self.plan.acts.iter().position(holds_held)) {
            None => Ok(()),
            Some(act) => Err(Failure {
                change: Some(self.notes[act].change),
                done: stages(&self.plan.acts),
                fault: Fault::Held,
            }),
        }
    }

    /// Writes the new contents. They are synced a batch at a time: the disk can then do several at once, and not too
    /// many files are open.
    fn stage(
        &self,
        acts: Vec<usize>,
        durability: Durability,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        for batch in acts.chunks(BATCH) {
            let failure = |act: usize, fault| Failure {
                change: Some(self.notes[act].change),
                // They are staged several at a time, so all of them count.
                done: stages(&self.plan.acts),
                fault,
            };
            let failed = |act| move |error: io::Error| failure(act, Fault::Staging(error));
            let mut files: Vec<(usize, File)> = Vec::new();
            for &act in batch {
                if stop() {
                    return Err(failure(act, Fault::Stopped));
                }
                files.push((act, self.write(act).map_err(failed(act))?));
            }
            if durability == Durability::Safe {
                sync_in_parallel(&files, |(act, file)| file.sync_all().map_err(failed(*act)))?;
            }
        }
        Ok(())
    }

    fn write(&self, act: usize) -> io::Result<File> {
        let (Act::Stage { temporary, .. }, Some(staging)) = (&self.plan.acts[act], &self.notes[act].staging)
        else {
            return Err(Errno::INVAL.into());
        };
        staging.write(self.at(temporary)?)
    }

    /// What is only moved exists once. It must not be the one thing that a power cut leaves in a directory that it
    /// forgets; so a directory that was made is on the disk before a file or directory goes there.
    fn make_ready(&self, index: usize, moves: &mut Moves) -> Result<(), Fault> {
        let spot = match &self.plan.acts[index] {
            Act::Put { temporary, spot, .. } if moves.taken.contains(temporary) => spot,
            Act::MoveDirectory { to, .. } => to,
            _ => return Ok(()),
        };
        let mut directory = spot.directory;
        while let Some(parent) = moves.parents.get(&directory).copied() {
            if moves.on_disk.insert(parent) {
                self.handles[parent].as_ref().ok_or(Errno::NOENT)?.sync().map_err(Fault::Whole)?;
            }
            directory = parent;
        }
        Ok(())
    }

    fn act(&mut self, index: usize) -> Result<(), Fault> {
        match &self.plan.acts[index] {
            Act::Stage { .. } | Act::RemoveDirectory { .. } | Act::RemoveTree { .. } => Ok(()),
            Act::MakeDirectory { spot, becomes } => {
                let (spot, becomes) = (spot.clone(), *becomes);
                self.make_directory(index, &spot, becomes)
            }
            Act::MakeLink { spot, target } => {
                let DirEntryRef { directory, name } = self.at(spot)?;
                match symlinkat(target, directory, name) {
                    Err(Errno::EXIST) => Err(Fault::Taken),
                    answer => Ok(answer?),
                }
            }
            Act::MoveDirectory { from, to, inode } => move_directory(self.at(from)?, self.at(to)?, *inode),
            Act::Take { spot, temporary, version } => {
                let expected = self.notes[index].expected.as_ref();
                take(self.at(spot)?, self.at(temporary)?, *version, expected)
            }
            Act::TakeLink { spot, temporary, target } => {
                take_link(self.at(spot)?, self.at(temporary)?, target)
            }
            Act::Put { temporary, spot, .. } => match rename_new(self.at(temporary)?, self.at(spot)?) {
                Err(Errno::EXIST) => Err(Fault::Taken),
                answer => Ok(answer?),
            },
            Act::Swap { temporary, spot, old, new, .. } => {
                let expected = self.notes[index].expected.as_ref();
                swap(self.at(temporary)?, self.at(spot)?, *old, *new, expected)
            }
        }
    }

    fn make_directory(&mut self, act: usize, spot: &NameRef, becomes: usize) -> Result<(), Fault> {
        let at = self.at(spot)?;
        match (mkdirat(at.directory, at.name, Mode::from_raw_mode(0o777)), &self.notes[act].attributes) {
            (Ok(()), Some(attributes)) => attributes.give(&File::from(tree::open_directory(at)?))?,
            // Another program made it in the meantime: as good.
            (Ok(()) | Err(Errno::EXIST), _) => {}
            (Err(errno), _) => return Err(errno.into()),
        }
        let parent = self.handles[spot.directory].as_ref().ok_or(Errno::NOENT)?;
        self.handles[becomes] = Some(parent.step_into(&spot.name).map_err(Fault::Whole)?);
        Ok(())
    }

    fn sync_directories(&self) -> Result<(), Failure> {
        let directories: Vec<&Dir> = self.handles.iter().flatten().collect();
        sync_in_parallel(&directories, |directory| directory.sync())
            .map_err(|error| self.failure(Fault::Whole(error)))
    }

    /// Looks at the old files once more before they are given up.
    fn look_again(&self) -> Result<(), Failure> {
        for (act, spot) in self.displaced() {
            let (Act::Swap { old: version, .. } | Act::Take { version, .. }) = &self.plan.acts[act] else {
                continue;
            };
            let note = &self.notes[act];
            let looked = self.at(spot).map_err(Fault::from);
            looked
                .and_then(|at| look_again(at, *version, note.expected.as_ref()))
                .map_err(|fault| Failure { change: Some(note.change), ..self.failure(fault) })?;
        }
        for (act, note) in self.plan.acts.iter().zip(&self.notes) {
            let Act::RemoveTree { temporary, entries, .. } = act else { continue };
            let looked = self.at(temporary).map_err(Fault::from);
            match looked.and_then(|at| Ok(holds_exactly(at, entries)?)) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(Failure { change: Some(note.change), ..self.failure(Fault::Changed) });
                }
                Err(fault) => return Err(Failure { change: Some(note.change), ..self.failure(fault) }),
            }
        }
        Ok(())
    }

    /// The names under which old files wait, each with the act that displaced the file.
    pub(crate) fn displaced(&self) -> impl Iterator<Item = (usize, &NameRef)> {
        let acts = self.plan.acts.iter().enumerate();
        let last: HashMap<&NameRef, usize> =
            acts.filter_map(|(index, act)| Some((act.temporary()?, index))).collect();
        waiting(&self.plan.acts).into_iter().filter_map(move |spot| Some((*last.get(spot)?, spot)))
    }

    /// A failure after everything was done.
    fn failure(&self, fault: Fault) -> Failure {
        Failure { change: None, done: self.plan.acts.len(), fault }
    }

    /// Rolls back what was done and says what is the matter.
    fn give_up(&self, failure: Failure) -> CommitError {
        let handles = Handles(&self.handles);
        let mut left = Vec::new();
        let mut settled = true;
        let mut kept: HashSet<&NameRef> = HashSet::new();
        let mut until = None;
        let shown = self.shown(failure.shown());
        for (index, act) in self.plan.acts[..failure.done].iter().enumerate().rev() {
            // An act that was not rolled back has left another file there than this one knows.
            if act.temporary().is_some_and(|temporary| kept.contains(temporary)) {
                left.push(self.plan.path(act.spot()));
                continue;
            }
            let was_shown = act.temporary().and_then(|temporary| shown.get(temporary).copied());
            let back = match (act, &self.notes[index].staging, was_shown) {
                (Act::Stage { temporary, .. }, Some(staging), Some(spot)) => {
                    let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
                    self.part_with_new(temporary, staging, spot, until).map(|()| Back::AsBefore)
                }
                _ => handles.roll_back(act),
            };
            match back {
                Ok(Back::AsBefore) => {}
                Ok(Back::SavedOver) => left.push(self.plan.path(act.spot())),
                Err(_) => {
                    kept.extend(act.temporary());
                    settled = false;
                    left.push(self.plan.path(act.spot()));
                }
            }
        }
        let Failure { change, fault, .. } = failure;
        let error = CommitError::new(self.explain(fault, change), change, left);
        if settled { error } else { error.unsettled() }
    }

    /// Where what waited under each temporary name may have been for a while, if so many acts have been tried.
    fn shown(&self, tried: usize) -> HashMap<&NameRef, &NameRef> {
        let acts = self.plan.acts.iter().take(tried).rev();
        acts.filter_map(|act| match act {
            Act::Swap { temporary, spot, .. } | Act::Put { temporary, spot, .. } => Some((temporary, spot)),
            _ => None,
        })
        .collect()
    }

    pub(crate) fn at<'s>(&'s self, spot: &'s NameRef) -> Result<DirEntryRef<'s>, Errno> {
        Handles(&self.handles).at(spot).ok_or(Errno::NOENT)
    }
}

impl InPlace<'_> {
    /// Removes the old files.
    ///
    /// That can fail only where the file system has become read-only or broken since. The changes are in place all the
    /// same; a journal that has written the plan down removes what is left [later](crate::Plan::repair).
    pub fn finish(self) -> Committed {
        self.try_finish().0
    }

    /// Like [`finish`](InPlace::finish), and tells whether something is left to be removed.
    pub fn try_finish(self) -> (Committed, Result<(), Error>) {
        let Self(mut planned) = self;
        let leases = planned.take_leases();
        let cleaned = planned.part(leases).map_err(|(spot, errno)| {
            planned.workspace.0.system(errno, Doing::Change, &planned.plan.path(spot))
        });
        (Committed::new(planned.outcomes), cleaned)
    }

    /// Leaves everything in place although `error` came in the way: it is no longer known whether it should go back.
    pub fn leave(self, error: Error) -> CommitError {
        let left = self.0.outcomes.iter().map(|outcome| outcome.reached.clone());
        CommitError::new(error, None, left.collect()).unsettled()
    }

    /// Puts everything back as it was, because something else that belongs to the commit has failed with `error`.
    pub fn roll_back(self, error: Error) -> CommitError {
        let failure = self.0.failure(Fault::Whole(error));
        self.0.give_up(failure)
    }
}

/// What is only moved, and the directories that it may go to.
struct Moves {
    /// The temporary names of what was taken from another name.
    taken: HashSet<NameRef>,
    /// The directories that are made, each with the one that it is in.
    parents: HashMap<usize, usize>,
    /// The directories whose names are on the disk.
    on_disk: HashSet<usize>,
}

impl Moves {
    fn of(acts: &[Act]) -> Self {
        let taken = acts.iter().filter_map(|act| match act {
            Act::Take { temporary, .. } => Some(temporary.clone()),
            _ => None,
        });
        let made = acts.iter().filter_map(|act| match act {
            Act::MakeDirectory { spot, becomes } => Some((*becomes, spot.directory)),
            _ => None,
        });
        Self { taken: taken.collect(), parents: made.collect(), on_disk: HashSet::new() }
    }
}

/// Enough for the disk to do several at once, and far from the number of files that a process may open.
const BATCH: usize = 64;

/// How many acts stage something; they come first.
pub(crate) fn stages(acts: &[Act]) -> usize {
    acts.iter().take_while(|act| matches!(act, Act::Stage { .. })).count()
}
