//! Old files are given up, and what other programs write to them at the last moment is not.
//!
//! A program that saves in place looks the name up, opens what it has found and empties it. If the system lets it wait in
//! between for as long as a whole change takes, it opens a file that was displaced meanwhile and has no name any more. No
//! look at the file before that can tell. But once a file has lost its last name, the kernel tells who watches it as
//! soon as no program holds on to that name: none that has opened the file by it, and none that is about to. Mostly that
//! is at once. Otherwise it is waited for, and what was written is put where it was meant.
//!
//! To be read after that the file is held by a second name, which exists for a moment.

mod inode_watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, linkat};
use rustix::io::Errno;

use crate::commit::act::{Act, NameRef};
use crate::commit::attributes::Attributes;
use crate::commit::exchange::{DirEntryRef, rename_new, version_of};
use crate::commit::fault::Fault;
use crate::commit::plan::Planned;
use crate::commit::roll_back::{Handles, SECOND, beside};
use crate::commit::stage::Staging;
use crate::commit::step::swap;
use crate::host::file_system;
use crate::host::lease::{Lease, is_open_for_writing};
use crate::open::fingerprint::is_old;
use crate::open::stat::{Stat, look};
use crate::open::version::Version;
use inode_watch::{InodeWatcher, Watch};

/// How long to wait for a program that may just be reading the file.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);
/// How long, beyond that, to wait for a program that is writing it.
const PATIENCE_WITH_WRITERS: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(100);
/// A change of more files takes so long by itself that a program that had found the first has opened it when the last
/// is in place.
const FEW: usize = 64;

/// A file that had a name and was displaced, and where what is written to it belongs.
struct Origin<'a> {
    /// Where it was.
    spot: DirEntryRef<'a>,
    /// What it held.
    version: Version,
    /// How many bytes these are.
    size: Option<u64>,
    /// What it was.
    stat: Option<&'a Stat>,
    /// What is there now; nothing if no file is.
    now: Option<Version>,
}

/// It has no name any more.
struct DisplacedFile<'a> {
    origin: Origin<'a>,
    file: File,
    /// Since it held what it should.
    lease: Option<Lease>,
    watch: Watch<'a>,
    /// Where its second name was.
    directory: BorrowedFd<'a>,
    second: OsString,
}

impl Planned<'_> {
    /// Removes the old files, and the directories that should go if they are empty. Goes on after a failure and tells
    /// the first.
    ///
    /// A file that is leased is still so when its second name is leased, and the first lease is let go before anything is
    /// waited for: it is a handle of the name that is watched.
    pub(crate) fn part(&self, leases: BTreeMap<usize, Lease>) -> Result<(), (&NameRef, Errno)> {
        let displaced: Vec<(usize, &NameRef)> = self.displaced().collect();
        let few = displaced.len() <= FEW;
        let mut answers = Vec::new();
        let mut parting = Vec::new();
        for (act, spot) in displaced {
            let removed = self.at(spot).and_then(|temporary| {
                // A link cannot be written to.
                let is_link = matches!(self.plan.acts[act], Act::TakeLink { .. });
                let lease = leases.get(&act);
                let held =
                    if few && !is_link { self.hold(temporary, self.old(act)?, lease) } else { Ok(None) };
                temporary.remove()?;
                parting.extend(held?.map(|held| (spot, held)));
                Ok(())
            });
            answers.push((spot, removed));
        }
        drop(leases);
        let until = Instant::now() + PATIENCE;
        answers.extend(parting.into_iter().map(|(spot, parting)| (spot, parting.end(until))));
        answers.extend(Handles(&self.handles).remove_trees(&self.plan.acts));
        answers.extend(Handles(&self.handles).remove_directories(&self.plan.acts));
        answers.into_iter().find_map(|(spot, done)| Some((spot, done.err()?))).map_or(Ok(()), Err)
    }

    /// The leases of the old files, by the acts that have displaced them.
    pub(crate) fn take_leases(&mut self) -> BTreeMap<usize, Lease> {
        let notes = self.notes.iter_mut().enumerate();
        notes.filter_map(|(act, note)| Some((act, note.expected.as_mut()?.lease.take()?))).collect()
    }

    /// Removes a new file that was in its place, and was displaced from there because the commit is given up.
    pub(crate) fn part_with_new(
        &self,
        temporary: &NameRef,
        staging: &Staging<'_>,
        spot: &NameRef,
        until: Instant,
    ) -> io::Result<()> {
        let temporary = self.at(temporary)?;
        let Ok(spot) = self.at(spot) else { return Ok(temporary.remove()?) };
        let now = spot.see().ok().flatten().and_then(|seen| seen.version);
        let (version, size) = (staging.version(), Some(staging.size()));
        let held = self.hold(temporary, Origin { spot, version, size, stat: None, now }, None);
        temporary.remove()?;
        Ok(held?.map_or(Ok(()), |parting| parting.end(until))?)
    }

    /// The file that the act has displaced.
    fn old(&self, act: usize) -> Result<Origin<'_>, Errno> {
        let (Act::Swap { spot, old: version, .. } | Act::Take { spot, version, .. }) = &self.plan.acts[act]
        else {
            return Err(Errno::INVAL);
        };
        let stat = self.notes[act].expected.as_ref().map(|old| &old.stat);
        // What the last act made of the name: a file may be removed and made anew by one change.
        let now = match self.plan.acts[act..].iter().rfind(|later| later.spot() == spot) {
            Some(Act::Put { version, .. } | Act::Swap { new: version, .. }) => Some(*version),
            _ => None,
        };
        Ok(Origin { spot: self.at(spot)?, version: *version, size: stat.map(|stat| stat.size), stat, now })
    }

    /// Holds the file by a second name, which is gone when this returns. None where that cannot be; it fails only if that
    /// name remains.
    fn hold<'s>(
        &'s self,
        temporary: DirEntryRef<'s>,
        origin: Origin<'s>,
        lease: Option<&Lease>,
    ) -> Result<Option<DisplacedFile<'s>>, Errno> {
        let Some(watcher) = InodeWatcher::of_this_process() else { return Ok(None) };
        // Elsewhere another machine may hold on to the name.
        if !file_system::is_local(temporary.directory) {
            return Ok(None);
        }
        let name = beside(temporary, SECOND);
        let second = DirEntryRef { name: &name, ..temporary };
        let (from, to) = (temporary, second);
        if linkat(from.directory, from.name, to.directory, to.name, AtFlags::empty()).is_err() {
            return Ok(None);
        }
        let file = second.open();
        second.remove()?;
        let Ok(Some(file)) = file else { return Ok(None) };
        // A file that has more names than this one is not given up.
        if look(&file)?.stat.nlink != 1 {
            return Ok(None);
        }
        let watch = watcher.watch(&format!("/proc/thread-self/fd/{}", file.as_raw_fd()));
        let directory = temporary.directory;
        // One after the other, so that there is no moment between the two.
        let again = lease.and_then(|_| Lease::take(file.try_clone().ok()?));
        let lease = again.filter(|_| lease.is_some_and(Lease::lasts));
        Ok(watch.map(|watch| DisplacedFile { origin, file, lease, watch, directory, second: name }))
    }
}

impl DisplacedFile<'_> {
    /// Waits until no program holds the file by its old name any more, and carries over what was written to it.
    fn end(self, until: Instant) -> Result<(), Errno> {
        self.wait(until);
        if self.is_untouched().unwrap_or(true) {
            return Ok(());
        }
        self.wait(until + PATIENCE_WITH_WRITERS);
        // What is still being written is nothing to put in the place of anything.
        if !self.watch.is_over() && is_open_for_writing(&self.file) {
            return Ok(());
        }
        self.carry_over().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    fn wait(&self, until: Instant) {
        while !self.watch.is_over() && Instant::now() < until {
            // Who waits for the lease gets it back now.
            self.is_leased();
            thread::sleep(PAUSE);
        }
    }

    fn is_leased(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::lasts)
    }

    fn is_untouched(&self) -> io::Result<bool> {
        if self.is_leased() {
            return Ok(true);
        }
        let Origin { version, stat, .. } = self.origin;
        let look = look(&self.file)?;
        let facts = |stat: &Stat| (stat.size, stat.mtime);
        let same = stat.is_some_and(|stat| facts(stat) == facts(&look.stat));
        if same && is_old(look.stat.mtime, look.taken) {
            return Ok(true);
        }
        Ok(version_of(&self.file)? == version)
    }

    /// Puts what the file holds where it was, as if its program had come a moment later: in the place of the new file, or
    /// where none is. Whatever else a program has put there is newer. It is written beside its place first, under the
    /// second name, which every repair removes.
    fn carry_over(&self) -> io::Result<()> {
        let Origin { spot, now, .. } = self.origin;
        let there = spot.open()?;
        let (content, attributes_of) = match (&there, now) {
            (Some(there), Some(_)) => (self.content_after(there)?, there),
            (None, None) => (content_of(&self.file)?, &self.file),
            _ => return Ok(()),
        };
        let attributes = Attributes::of(attributes_of, &look(attributes_of)?.stat)?;
        let staging = Staging::copy(content, attributes, None);
        let aside = DirEntryRef { directory: self.directory, name: &self.second };
        let put = staging.write(aside).and_then(|file| file.sync_all()).and_then(|()| match now {
            Some(now) => match swap(aside, spot, now, staging.version(), None) {
                Err(Fault::Io(error)) => Err(error),
                // If it is refused, another program was faster.
                _ => Ok(()),
            },
            None => Ok(rename_new(aside, spot)?),
        });
        aside.remove()?;
        put
    }

    /// What the new file holds when the program is done with it: what it wrote, or if that begins with all that was there
    /// before, the new content with the rest at its end.
    fn content_after(&self, new: &File) -> io::Result<Vec<u8>> {
        let Origin { version, size, .. } = self.origin;
        let written = content_of(&self.file)?;
        let size = size.and_then(|size| usize::try_from(size).ok());
        match size.and_then(|size| written.split_at_checked(size)) {
            Some((old, more)) if !old.is_empty() && Version::of(old) == version => {
                Ok([&content_of(new)?, more].concat())
            }
            _ => Ok(written),
        }
    }
}

fn content_of(mut file: &File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(content)
}
