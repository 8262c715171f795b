//! Carries a plan out, and takes it back if it fails.

use std::fs::File;
use std::io;
use std::thread;

use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;

use super::act::{Act, Spot};
use super::exchange::{At, Seen, exchange, rename_new};
use super::plan::Planned;
use super::take_back::{Back, Handles, OLD, beside, exchange_back, give_back};
use super::{CommitError, Committed, Durability};
use crate::dir::Dir;
use crate::error::{Doing, Error, ErrorKind};
use crate::stat::Stat;
use crate::version::Version;

/// Everything is in place; the old files still wait under their temporary names.
#[derive(Debug)]
#[must_use = "the old files are removed by `finish`, or put back by `take_back`"]
pub struct InPlace<'a>(Planned<'a>);

impl<'a> Planned<'a> {
    /// Changes the files. Afterwards all changes are in place, or none is.
    pub fn carry_out(self, durability: Durability) -> Result<InPlace<'a>, CommitError> {
        self.carry_out_unless(durability, &|| false)
    }

    /// Like [`carry_out`](Planned::carry_out), but gives up with [`Stopped`](ErrorKind::Stopped) if `stop` says so while
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
        self.stage(0..stages, durability, stop)?;
        for act in stages..self.plan.acts.len() {
            self.act(act).map_err(|fault| Failure { act: Some(act), fault })?;
        }
        if durability == Durability::Safe {
            self.sync_directories()?;
        }
        Ok(())
    }

    /// Writes the new contents. They are synced a batch at a time: the disk can then do several at once, and not too
    /// many files are open.
    fn stage(
        &self,
        acts: std::ops::Range<usize>,
        durability: Durability,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        let acts: Vec<usize> = acts.collect();
        for batch in acts.chunks(BATCH) {
            let failed =
                |act| move |error: io::Error| Failure { act: Some(act), fault: Fault::Staging(error) };
            let mut files: Vec<(usize, File)> = Vec::new();
            for &act in batch {
                if stop() {
                    return Err(Failure { act: Some(act), fault: Fault::Stopped });
                }
                files.push((act, self.write(act).map_err(failed(act))?));
            }
            if durability == Durability::Safe {
                at_once(&files, |(act, file)| file.sync_all().map_err(failed(*act)))?;
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

    fn act(&mut self, index: usize) -> Result<(), Fault> {
        match &self.plan.acts[index] {
            Act::Stage { .. } | Act::RemoveDirectory { .. } => Ok(()),
            Act::MakeDirectory { spot, becomes } => {
                let (spot, becomes) = (spot.clone(), *becomes);
                self.make_directory(&spot, becomes)
            }
            Act::Take { spot, temporary, version } => {
                take(self.at(spot)?, self.at(temporary)?, *version, None)
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

    fn make_directory(&mut self, spot: &Spot, becomes: usize) -> Result<(), Fault> {
        let At { directory, name } = self.at(spot)?;
        match mkdirat(directory, name, Mode::from_raw_mode(0o777)) {
            // Somebody else made it in the meantime: as good.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        let parent = self.handles[spot.directory].as_ref().ok_or(Errno::NOENT)?;
        self.handles[becomes] = Some(parent.step_into(&spot.name).map_err(Fault::Whole)?);
        Ok(())
    }

    fn sync_directories(&self) -> Result<(), Failure> {
        let directories: Vec<&Dir> = self.handles.iter().flatten().collect();
        at_once(&directories, |directory| directory.sync())
            .map_err(|error| Failure { act: None, fault: Fault::Whole(error) })
    }

    /// Takes back what was done and says what is the matter.
    fn give_up(&self, failure: Failure) -> CommitError {
        let handles = Handles(&self.handles);
        let mut left = Vec::new();
        let mut settled = true;
        let mut kept: Vec<&Spot> = Vec::new();
        for act in self.plan.acts[..failure.done(&self.plan.acts)].iter().rev() {
            if matches!(act, Act::Stage { temporary, .. } if kept.contains(&temporary)) {
                continue;
            }
            match handles.take_back(act) {
                Ok(Back::AsBefore) => {}
                Ok(Back::SavedOver) => left.push(self.plan.path(act.spot())),
                Err(_) => {
                    // The old file may still wait there, so that name must not be removed.
                    kept.extend(act.temporary());
                    settled = false;
                    left.push(self.plan.path(act.spot()));
                }
            }
        }
        let change = failure.act.map(|act| self.notes[act].change);
        let error = CommitError::new(self.explain(failure.fault, change), change, left);
        if settled { error } else { error.unsettled() }
    }

    fn explain(&self, fault: Fault, change: Option<usize>) -> Error {
        let workspace = &self.workspace;
        let path = change.and_then(|change| self.outcomes.get(change)).map(|outcome| &outcome.reached);
        let (error, path) = match (fault, path) {
            (Fault::Whole(error), _) => return error,
            (Fault::Io(error) | Fault::Staging(error), None) => return Error::io(error, Doing::Change, ""),
            (fault, None) => (fault, &self.plan.directories[0]),
            (fault, Some(path)) => (fault, path),
        };
        match error {
            Fault::Whole(error) => error,
            Fault::Changed => workspace
                .0
                .error(ErrorKind::Changed, Doing::Change, path)
                .detail("somebody saved it at the same moment; theirs is kept"),
            Fault::Taken => workspace.0.error(ErrorKind::AlreadyExists, Doing::Change, path),
            Fault::Stopped => workspace.0.error(ErrorKind::Stopped, Doing::Change, path),
            Fault::Io(error) => Error::io(error, Doing::Change, workspace.show(path)).at(path),
            Fault::Staging(error) => {
                let error = Error::io(error, Doing::Change, workspace.show(path)).at(path);
                match error.kind() {
                    ErrorKind::PermissionDenied => error.detail(
                        "a new file cannot be made in its directory, or cannot be given the owner and attributes of the old",
                    ),
                    _ => error,
                }
            }
        }
    }

    fn at<'s>(&'s self, spot: &'s Spot) -> Result<At<'s>, Errno> {
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
        let Self(planned) = self;
        let cleaned = Handles(&planned.handles).clean_up(&planned.plan.acts).map_err(|(spot, errno)| {
            planned.workspace.0.system(errno, Doing::Change, &planned.plan.path(spot))
        });
        (Committed::new(planned.outcomes), cleaned)
    }

    /// Leaves everything in place although `error` came in the way: nobody can say any more whether it should go back.
    pub fn leave(self, error: Error) -> CommitError {
        let left = self.0.outcomes.iter().map(|outcome| outcome.reached.clone());
        CommitError::new(error, None, left.collect()).unsettled()
    }

    /// Puts everything back as it was, because something else that belongs to the commit has failed with `error`.
    pub fn take_back(self, error: Error) -> CommitError {
        self.0.give_up(Failure { act: None, fault: Fault::Whole(error) })
    }
}

/// Does something that waits for the disk for several at once: one commit of the file system's own journal then serves
/// many of them.
fn at_once<T: Sync, E: Send>(all: &[T], wait: impl Fn(&T) -> Result<(), E> + Sync) -> Result<(), E> {
    if let [only] = all {
        return wait(only);
    }
    let share = all.len().div_ceil(THREADS).max(1);
    let wait = &wait;
    thread::scope(|scope| {
        let one = |share: &'_ [T]| share.iter().try_for_each(wait);
        let threads: Vec<_> = all.chunks(share).map(|share| scope.spawn(move || one(share))).collect();
        // All are waited for, whichever fails.
        let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        ended.into_iter().try_for_each(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

const THREADS: usize = 16;

/// Enough for the disk to do several at once, and far from the number of files that a process may open.
const BATCH: usize = 64;

/// How many acts stage something; they come first.
fn stages(acts: &[Act]) -> usize {
    acts.iter().take_while(|act| matches!(act, Act::Stage { .. })).count()
}

/// What failed, and at which act.
struct Failure {
    act: Option<usize>,
    fault: Fault,
}

impl Failure {
    /// How many of the acts may have left something. One that found something else than expected has put it back; one
    /// that failed for another reason may be half done. Contents are staged several at a time, so all of them count.
    fn done(&self, acts: &[Act]) -> usize {
        let done = match (self.act, &self.fault) {
            (Some(act), Fault::Changed | Fault::Taken) => act,
            (Some(act), _) => act + 1,
            (None, _) => acts.len(),
        };
        done.max(stages(acts))
    }
}

enum Fault {
    Io(io::Error),
    /// While the new content was written, when no name had changed yet.
    Staging(io::Error),
    /// The file is not what the change was based on.
    Changed,
    /// Something has the name that should be free.
    Taken,
    /// The caller does not want it any more.
    Stopped,
    /// An error that already says everything.
    Whole(Error),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The file waits under its temporary name; if it is not the one that was meant, it gets its name back.
fn take(spot: At<'_>, temporary: At<'_>, version: Version, expected: Option<&Stat>) -> Result<(), Fault> {
    match rename_new(spot, temporary) {
        Err(Errno::NOENT) => return Err(Fault::Changed),
        answer => answer?,
    }
    let seen = temporary.see();
    if matches!(&seen, Ok(Some(seen)) if is_the_one(seen, version, expected)) {
        return Ok(());
    }
    give_back(temporary, spot)?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// The new file takes the name; what it displaced waits under the temporary one and is looked at.
fn swap(
    temporary: At<'_>,
    spot: At<'_>,
    old: Version,
    new: Version,
    expected: Option<&Stat>,
) -> Result<(), Fault> {
    match exchange(temporary, spot) {
        Ok(true) => {}
        Ok(false) => return swap_in_two(temporary, spot, old, expected),
        Err(Errno::NOENT) => return Err(Fault::Changed),
        Err(errno) => return Err(errno.into()),
    }
    let seen = temporary.see();
    if matches!(&seen, Ok(Some(seen)) if is_the_one(seen, old, expected)) {
        return Ok(());
    }
    exchange_back(temporary, spot, |out| out.version == Some(new))?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// Without an exchange: the old file goes aside and is looked at, then the new one takes the name.
fn swap_in_two(temporary: At<'_>, spot: At<'_>, old: Version, expected: Option<&Stat>) -> Result<(), Fault> {
    let aside = beside(temporary, OLD);
    let aside = At { name: &aside, ..temporary };
    take(spot, aside, old, expected)?;
    if let Err(errno) = rename_new(temporary, spot) {
        give_back(aside, spot)?;
        return Err(if errno == Errno::EXIST { Fault::Changed } else { errno.into() });
    }
    Ok(rename_new(aside, temporary)?)
}

/// Whether what was displaced is the file that the change was based on, and still has the attributes that were copied.
fn is_the_one(seen: &Seen, version: Version, expected: Option<&Stat>) -> bool {
    let attributes = |stat: &Stat| (stat.mode, stat.uid, stat.gid);
    let same_attributes = expected.is_none_or(|stat| attributes(stat) == attributes(&seen.stat));
    // Who opens a file to write it anew empties it first. An empty one looks the same afterwards, but for its time.
    let emptied = expected
        .is_some_and(|stat| stat.size == 0 && stat.ino == seen.stat.ino && stat.mtime != seen.stat.mtime);
    seen.version == Some(version) && same_attributes && !emptied
}
