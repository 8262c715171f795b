//! The single steps in which a file is displaced, each with a look at what it was.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::claim::{Claim, claim};
use super::exchange::{DirEntryRef, Seen, exchange, rename_new};
use super::expected::{Expected, see};
use super::fault::Fault;
use super::roll_back::{OLD, beside, exchange_back, give_back};
use crate::open::stat::Stat;
use crate::open::version::Version;

/// The file waits under its temporary name; if it is not the one that was meant, it gets its name back.
pub(crate) fn take(
    spot: DirEntryRef<'_>,
    temporary: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
) -> Result<(), Fault> {
    let held = claim(spot);
    refuse_another(spot, version, expected, held.as_ref())?;
    take_held(spot, temporary, version, expected, held.as_ref())
}

/// The link waits under its temporary name; if it says something else, or is no link, it gets its name back.
pub(crate) fn take_link(
    spot: DirEntryRef<'_>,
    temporary: DirEntryRef<'_>,
    target: &Path,
) -> Result<(), Fault> {
    let is_the_one = |at: DirEntryRef<'_>| at.link().map(|link| link.is_some_and(|link| link == target));
    if !is_the_one(spot)? {
        return Err(Fault::Changed);
    }
    match rename_new(spot, temporary) {
        Err(Errno::NOENT) => return Err(Fault::Changed),
        answer => answer?,
    }
    let taken = is_the_one(temporary);
    if matches!(taken, Ok(true)) {
        return Ok(());
    }
    give_back(temporary, spot)?;
    Err(taken.map_or_else(Fault::from, |_| Fault::Changed))
}

/// The new file takes the name; what it displaced waits under the temporary one and is looked at.
pub(crate) fn swap(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    old: Version,
    new: Version,
    expected: Option<&Expected>,
) -> Result<(), Fault> {
    let (_new, held) = (claim(temporary), claim(spot));
    let held = held.as_ref();
    refuse_another(spot, old, expected, held)?;
    match exchange(temporary, spot) {
        Ok(true) => {}
        Ok(false) => return swap_in_two(temporary, spot, old, expected, held),
        Err(Errno::NOENT) => return Err(Fault::Changed),
        Err(errno) => return Err(errno.into()),
    }
    let seen = match see_held(temporary, old, expected, held) {
        Ok(Some(seen)) if is_the_one(&seen, old, expected) => return Ok(()),
        seen => seen,
    };
    exchange_back(temporary, spot, |out| out.version == Some(new))?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// Without an exchange: the old file goes aside and is looked at, then the new one takes the name.
fn swap_in_two(
    temporary: DirEntryRef<'_>,
    spot: DirEntryRef<'_>,
    old: Version,
    expected: Option<&Expected>,
    held: Option<&Claim>,
) -> Result<(), Fault> {
    let aside = beside(temporary, OLD);
    let aside = DirEntryRef { name: &aside, ..temporary };
    take_held(spot, aside, old, expected, held)?;
    if let Err(errno) = rename_new(temporary, spot) {
        give_back(aside, spot)?;
        return Err(if errno == Errno::EXIST { Fault::Changed } else { errno.into() });
    }
    Ok(rename_new(aside, temporary)?)
}

fn take_held(
    spot: DirEntryRef<'_>,
    temporary: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
    held: Option<&Claim>,
) -> Result<(), Fault> {
    match rename_new(spot, temporary) {
        Err(Errno::NOENT) => return Err(Fault::Changed),
        answer => answer?,
    }
    let seen = match see_held(temporary, version, expected, held) {
        Ok(Some(seen)) if is_the_one(&seen, version, expected) => return Ok(()),
        seen => seen,
    };
    give_back(temporary, spot)?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// What is known to be another file, or written anew, is not displaced at all: another program was faster.
fn refuse_another(
    spot: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
    held: Option<&Claim>,
) -> Result<(), Fault> {
    let facts = |stat: &Stat| (stat.dev, stat.ino, stat.size, stat.mtime);
    let same = |stat: &Stat| expected.is_some_and(|old| facts(&old.stat) == facts(stat));
    let there = match held {
        Some(held) => Some(held.stat.clone()),
        None => spot.look()?.map(|there| there.stat),
    };
    match there {
        Some(there) if same(&there) => Ok(()),
        Some(_) if spot.see()?.is_some_and(|seen| is_the_one(&seen, version, expected)) => Ok(()),
        _ => Err(Fault::Changed),
    }
}

/// What was displaced, by the handle by which it is held if that is the file which is expected.
fn see_held(
    temporary: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
    held: Option<&Claim>,
) -> io::Result<Option<Seen>> {
    let is_expected = |held: &&Claim| {
        expected.is_some_and(|old| (old.stat.dev, old.stat.ino) == (held.stat.dev, held.stat.ino))
    };
    see(temporary, version, expected, held.filter(is_expected).map(|held| &held.file))
}

/// Looks once more at a file that was displaced, before it is given up. A program that had it open at that moment, to
/// write it anew, may have done so since; and as fast as that no clock tells two moments apart, so it is read again.
pub(crate) fn look_again(
    temporary: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
) -> Result<(), Fault> {
    let untouched =
        see(temporary, version, expected, None)?.is_some_and(|seen| is_the_one(&seen, version, expected));
    if untouched { Ok(()) } else { Err(Fault::Changed) }
}

/// Whether what was displaced is the file that the change was based on, and still has the attributes that were copied.
fn is_the_one(seen: &Seen, version: Version, expected: Option<&Expected>) -> bool {
    let attributes = |stat: &Stat| (stat.mode, stat.uid, stat.gid);
    let same_attributes = expected.is_none_or(|old| attributes(&old.stat) == attributes(&seen.stat));
    // Who opens a file to write it anew empties it first. An empty one looks the same afterwards, but for its time.
    let emptied = expected
        .map(|old| &old.stat)
        .is_some_and(|stat| stat.size == 0 && stat.ino == seen.stat.ino && stat.mtime != seen.stat.mtime);
    seen.version == Some(version) && same_attributes && !emptied
}
