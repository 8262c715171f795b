//! The way back from each act, whether or not it was done.
//!
//! It looks at what is there and decides from that alone, so that it serves a failure and a crash alike, and can itself
//! be interrupted and repeated. What another program saved on top of a new content is newer than anything a commit
//! could put back, and stays.

use std::ffi::OsString;
use std::io;

use rustix::io::Errno;

use super::act::{Act, NameRef, waiting};
use super::claim::claim;
use super::exchange::{DirEntryRef, Seen, are_one, exchange, rename_new};
use super::tree::{is_directory, move_directory_back};
use crate::open::dir::Dir;
use crate::open::version::Version;

/// What the way back led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Back {
    /// It is as it was before.
    AsBefore,
    /// Another program has saved something else there meanwhile, which stays.
    SavedOver,
}

/// The directories of a plan by index, as far as they exist.
pub(crate) struct Handles<'a>(pub(crate) &'a [Option<Dir>]);

impl<'a> Handles<'a> {
    /// The name in its directory; none if that does not exist, and so nothing can be there.
    pub(crate) fn at(&self, spot: &'a NameRef) -> Option<DirEntryRef<'a>> {
        let directory = self.0.get(spot.directory)?.as_ref()?.handle();
        Some(DirEntryRef { directory, name: &spot.name })
    }

    pub(crate) fn roll_back(&self, act: &'a Act) -> io::Result<Back> {
        match act {
            Act::Stage { temporary, .. } => {
                self.at(temporary).map_or(Ok(()), remove_both)?;
                Ok(Back::AsBefore)
            }
            Act::MakeDirectory { spot, .. } => {
                // If it is not empty, another program uses it by now.
                self.at(spot).map_or(Ok(()), DirEntryRef::remove_if_empty)?;
                Ok(Back::AsBefore)
            }
            // It was not done yet: that comes after everything else.
            Act::RemoveDirectory { .. } | Act::RemoveTree { .. } => Ok(Back::AsBefore),
            Act::MakeLink { spot, target } => {
                let Some(spot) = self.at(spot) else { return Ok(Back::AsBefore) };
                match spot.link() {
                    Ok(Some(link)) if link == *target => spot.remove()?,
                    Ok(None) if !spot.is_taken()? => {}
                    _ => return Ok(Back::SavedOver),
                }
                Ok(Back::AsBefore)
            }
            Act::MoveDirectory { from, to, inode } => match (self.at(from), self.at(to)) {
                (Some(from), Some(to)) => move_directory_back(from, to, *inode),
                _ => Ok(Back::AsBefore),
            },
            Act::Take { spot, temporary, .. } => self.pair(temporary, spot, |temporary, spot| {
                let version = |at: DirEntryRef<'_>| at.see().map(|seen| seen.and_then(|seen| seen.version));
                untake(temporary, spot, |one, other| Ok(version(one)? == version(other)?))
            }),
            Act::TakeLink { spot, temporary, .. } => self.pair(temporary, spot, |temporary, spot| {
                untake(temporary, spot, |one, other| {
                    Ok(one.link()?.is_some_and(|link| other.link() == Ok(Some(link))))
                })
            }),
            Act::Put { temporary, spot, version } => {
                self.pair(temporary, spot, |temporary, spot| unput(temporary, spot, *version))
            }
            Act::Swap { temporary, spot, new, inode, .. } => {
                self.pair(temporary, spot, |temporary, spot| unswap(temporary, spot, *new, *inode))
            }
        }
    }

    /// Whether the act was done, and its result looked at where it displaced something. `acts` are all of the plan.
    pub(crate) fn is_done(&self, act: &'a Act, acts: &[Act]) -> io::Result<bool> {
        let (spot, temporary) = match act {
            Act::Stage { .. }
            | Act::MakeDirectory { .. }
            | Act::RemoveDirectory { .. }
            | Act::RemoveTree { .. } => return Ok(true),
            Act::MakeLink { spot, .. } => {
                return Ok(self.at(spot).map_or(Ok(false), DirEntryRef::is_taken)?);
            }
            Act::TakeLink { spot, temporary, target } => {
                let (Some(spot), Some(temporary)) = (self.at(spot), self.at(temporary)) else {
                    return Ok(true);
                };
                return Ok(match temporary.link()? {
                    Some(link) => link == *target && !are_one(temporary, spot)?,
                    None => !temporary.is_taken()? && !spot.is_taken()?,
                });
            }
            Act::MoveDirectory { from, inode, .. } => {
                return Ok(!self.at(from).map_or(Ok(false), |from| is_directory(from, *inode))?);
            }
            Act::Take { spot, temporary, .. }
            | Act::Put { temporary, spot, .. }
            | Act::Swap { temporary, spot, .. } => (self.at(spot), self.at(temporary)),
        };
        let see = |at: Option<DirEntryRef<'_>>| at.map_or(Ok(None), DirEntryRef::see);
        let (there, waiting) = (see(spot)?, see(temporary)?);
        Ok(match act {
            Act::Swap { .. } if temporary.is_some_and(|at| is_between(at).unwrap_or(true)) => false,
            Act::Swap { old, inode, .. } => {
                there.is_none_or(|there| there.stat.ino != *inode)
                    && waiting.is_none_or(|waiting| waiting.version == Some(*old))
            }
            Act::Take { version, .. } => match waiting {
                Some(waiting) => {
                    waiting.version == Some(*version) && !there.is_some_and(|there| there.same(&waiting))
                }
                // What was taken has gone on from there, and another file may have got its name.
                None => there.is_none_or(|there| {
                    let put = put_at(act.spot(), acts);
                    put.is_some_and(|put| there.version != Some(*version) || put == *version)
                }),
            },
            _ => waiting.is_none() && there.is_some(),
        })
    }

    /// Whether something has this temporary name, or one that was made of it.
    pub(crate) fn is_left_over(&self, temporary: &'a NameRef) -> Result<bool, Errno> {
        let Some(at) = self.at(temporary) else { return Ok(false) };
        let second = beside(at, SECOND);
        Ok(at.is_taken()? || is_between(at)? || DirEntryRef { name: &second, ..at }.is_taken()?)
    }

    /// Removes the old files and, if asked to, the directories that should go if they are empty. Goes on after a failure and
    /// tells the first.
    pub(crate) fn clean_up(
        &self,
        acts: &'a [Act],
        with_directories: bool,
    ) -> Result<(), (&'a NameRef, Errno)> {
        let files =
            waiting(acts).into_iter().map(|spot| (spot, self.at(spot).map_or(Ok(()), DirEntryRef::remove)));
        let temporaries = acts.iter().filter_map(Act::temporary);
        let seconds = temporaries.map(|spot| (spot, self.at(spot).map_or(Ok(()), remove_second)));
        let empty = self.remove_directories(acts).take_while(|_| with_directories);
        let directories = self.remove_trees(acts).chain(empty);
        let answers = seconds.chain(files).chain(directories);
        let failures = answers.filter_map(|(spot, done)| Some((spot, done.err()?)));
        // All of it is tried, so the iterator must not end at the first failure.
        failures.collect::<Vec<_>>().into_iter().next().map_or(Ok(()), Err)
    }

    /// Removes the directories that should go, if they are empty, and says of each what came of it.
    pub(crate) fn remove_directories(
        &self,
        acts: &'a [Act],
    ) -> impl Iterator<Item = (&'a NameRef, Result<(), Errno>)> {
        let directories = acts.iter().filter_map(|act| match act {
            Act::RemoveDirectory { spot } => Some(spot),
            _ => None,
        });
        directories.map(|spot| (spot, self.at(spot).map_or(Ok(()), DirEntryRef::remove_if_empty)))
    }

    fn pair(
        &self,
        temporary: &'a NameRef,
        spot: &'a NameRef,
        back: impl FnOnce(DirEntryRef<'_>, DirEntryRef<'_>) -> io::Result<Back>,
    ) -> io::Result<Back> {
        match (self.at(temporary), self.at(spot)) {
            (Some(temporary), Some(spot)) => {
                remove_second(temporary)?;
                back(temporary, spot)
            }
            _ => Ok(Back::AsBefore),
        }
    }
}

/// The version of what a plan puts under a name; none if it puts nothing there.
fn put_at(name: &NameRef, acts: &[Act]) -> Option<Version> {
    acts.iter().find_map(|act| match act {
        Act::Put { spot, version, .. } if spot == name => Some(*version),
        _ => None,
    })
}

/// Where the file system cannot exchange names, one of the two files waits for a moment under a third: the old one on
/// the way there, the new one on the way back.
pub(crate) const OLD: &str = "-old";
const NEW: &str = "-new";
/// A second name that a file has for a moment before it is given up.
pub(crate) const SECOND: &str = "-2nd";

pub(crate) fn beside(temporary: DirEntryRef<'_>, ending: &str) -> OsString {
    let mut name = temporary.name.to_owned();
    name.push(ending);
    name
}

fn remove_second(temporary: DirEntryRef<'_>) -> Result<(), Errno> {
    let second = beside(temporary, SECOND);
    DirEntryRef { name: &second, ..temporary }.remove()
}

fn remove_both(temporary: DirEntryRef<'_>) -> Result<(), Errno> {
    remove_second(temporary)?;
    temporary.remove()
}

/// Whether one of the two files waits under a third name.
fn is_between(temporary: DirEntryRef<'_>) -> Result<bool, Errno> {
    let (old, new) = (beside(temporary, OLD), beside(temporary, NEW));
    Ok(DirEntryRef { name: &old, ..temporary }.is_taken()?
        || DirEntryRef { name: &new, ..temporary }.is_taken()?)
}

/// Puts what waits under `temporary` back under `spot`, where `ours` was put, as long as no program saves in between.
///
/// Whatever an exchange brings out that was not put there before is newer than what it put in, and goes back in. Under
/// `temporary` waits afterwards what was put there, or nothing if another program has saved over it.
pub(crate) fn exchange_back(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    is_ours: impl Fn(&Seen) -> bool,
) -> io::Result<Back> {
    let Some(wanted) = temporary.see()? else { return Ok(Back::AsBefore) };
    let mut waiting = wanted.clone();
    let mut put: Option<Seen> = None;
    loop {
        match exchange(temporary, spot) {
            Ok(true) => {}
            Ok(false) => return exchange_back_in_two(temporary, spot, is_ours),
            // Another program removed the file after us, and it stays removed.
            Err(Errno::NOENT) => break,
            Err(errno) => return Err(errno.into()),
        }
        let Some(out) = temporary.see()? else { return Ok(Back::SavedOver) };
        let expected = put.as_ref().map_or_else(|| is_ours(&out), |put| put.same(&out));
        if expected && waiting.same(&wanted) {
            return Ok(Back::AsBefore);
        }
        if expected {
            break;
        }
        put = Some(std::mem::replace(&mut waiting, out));
    }
    temporary.remove()?;
    Ok(Back::SavedOver)
}

/// Without an exchange: the new file goes aside and is looked at, then the old one takes the name.
fn exchange_back_in_two(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    is_ours: impl Fn(&Seen) -> bool,
) -> io::Result<Back> {
    let aside = beside(temporary, NEW);
    let aside = DirEntryRef { name: &aside, ..temporary };
    match rename_new(spot, aside) {
        Ok(()) if aside.see()?.is_some_and(|out| is_ours(&out)) => {
            return finish_in_two(temporary, aside, spot);
        }
        Ok(()) => give_back(aside, spot)?,
        Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    temporary.remove()?;
    Ok(Back::SavedOver)
}

/// The new file is aside. The old one takes the name, if it has not done so already, and the new one waits again.
fn finish_in_two(
    temporary: DirEntryRef<'_>,
    aside: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
) -> io::Result<Back> {
    if are_one(temporary, aside)? {
        aside.remove()?;
        return Ok(Back::AsBefore);
    }
    if are_one(temporary, spot)? {
        temporary.remove()?;
    }
    let back = match rename_new(temporary, spot) {
        Ok(()) | Err(Errno::NOENT) => Back::AsBefore,
        Err(Errno::EXIST) => {
            temporary.remove()?;
            Back::SavedOver
        }
        Err(errno) => return Err(errno.into()),
    };
    rename_new(aside, temporary)?;
    Ok(back)
}

/// `are_alike` tells whether losing the first of two would lose nothing, since the second says the same.
fn untake(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    are_alike: impl Fn(DirEntryRef<'_>, DirEntryRef<'_>) -> io::Result<bool>,
) -> io::Result<Back> {
    if !temporary.is_taken()? {
        // It is where it was, or another program has saved over it where it went.
        return Ok(if spot.is_taken()? { Back::AsBefore } else { Back::SavedOver });
    }
    if are_one(temporary, spot)? {
        temporary.remove()?;
        return Ok(Back::AsBefore);
    }
    match rename_new(temporary, spot) {
        Ok(()) => Ok(Back::AsBefore),
        Err(Errno::EXIST) => {
            // The old content is nowhere else. It stays where it is, unless what has its name now holds the same.
            if are_alike(temporary, spot)? {
                temporary.remove()?;
            }
            Ok(Back::SavedOver)
        }
        Err(errno) => Err(errno.into()),
    }
}

fn unput(temporary: DirEntryRef<'_>, spot: DirEntryRef<'_>, version: Version) -> io::Result<Back> {
    let Some(there) = spot.see()? else { return Ok(Back::AsBefore) };
    if let Some(waiting) = temporary.see()? {
        // A rename in two steps was interrupted: the file has both names.
        if waiting.same(&there) {
            spot.remove()?;
        }
        return Ok(Back::AsBefore);
    }
    if there.version != Some(version) {
        return Ok(Back::SavedOver);
    }
    match rename_new(spot, temporary) {
        Err(Errno::NOENT) => return Ok(Back::AsBefore),
        answer => answer?,
    }
    if temporary.see()?.is_some_and(|out| out.version == Some(version)) {
        return Ok(Back::AsBefore);
    }
    give_back(temporary, spot)?;
    Ok(Back::SavedOver)
}

fn unswap(temporary: DirEntryRef<'_>, spot: DirEntryRef<'_>, new: Version, inode: u64) -> io::Result<Back> {
    let (old_aside, new_aside) = (beside(temporary, OLD), beside(temporary, NEW));
    let old_aside = DirEntryRef { name: &old_aside, ..temporary };
    let new_aside = DirEntryRef { name: &new_aside, ..temporary };
    if old_aside.is_taken()? {
        if are_one(old_aside, spot)? || are_one(old_aside, temporary)? {
            // The first step was not finished, or the last one was.
            old_aside.remove()?;
        } else {
            return unswap_in_two(temporary, old_aside, spot, new);
        }
    }
    if new_aside.is_taken()? {
        if are_one(new_aside, spot)? {
            new_aside.remove()?;
        } else {
            return finish_in_two(temporary, new_aside, spot);
        }
    }
    if spot.look()?.is_some_and(|there| there.stat.ino == inode) {
        return Ok(Back::AsBefore);
    }
    let _held = (claim(temporary), claim(spot));
    let Some(waiting) = temporary.see()? else { return Ok(Back::AsBefore) };
    let there = spot.see()?;
    if there.is_some_and(|there| there.version == Some(new)) {
        return exchange_back(temporary, spot, |out| out.version == Some(new));
    }
    // Another program has saved there, or removed the file. That stays.
    if waiting.version == Some(new) && waiting.stat.ino != inode {
        return Ok(Back::AsBefore);
    }
    temporary.remove()?;
    Ok(Back::SavedOver)
}

/// The old file is set aside, and the new one may have its name already.
fn unswap_in_two(
    temporary: DirEntryRef<'_>,
    aside: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    new: Version,
) -> io::Result<Back> {
    if are_one(temporary, spot)? {
        spot.remove()?;
    } else if !temporary.is_taken()? && spot.see()?.is_some_and(|there| there.version == Some(new)) {
        rename_new(spot, temporary)?;
    }
    match rename_new(aside, spot) {
        Ok(()) => Ok(Back::AsBefore),
        Err(Errno::EXIST) => {
            aside.remove()?;
            Ok(Back::SavedOver)
        }
        Err(errno) => Err(errno.into()),
    }
}

/// Gives a file its name back unless another program has taken it; then that file is newer.
pub(crate) fn give_back(temporary: DirEntryRef<'_>, spot: DirEntryRef<'_>) -> io::Result<()> {
    match rename_new(temporary, spot) {
        Err(Errno::EXIST) => Ok(temporary.remove()?),
        answer => Ok(answer?),
    }
}
