//! The single steps in which a file is displaced, each with a look at what it was.

use std::io;

use rustix::io::Errno;

use super::exchange::{At, Seen, exchange, rename_new};
use super::fault::Fault;
use super::take_back::{OLD, beside, exchange_back, give_back};
use crate::stat::Stat;
use crate::version::Version;

/// The file waits under its temporary name; if it is not the one that was meant, it gets its name back.
pub(crate) fn take(
    spot: At<'_>,
    temporary: At<'_>,
    version: Version,
    expected: Option<&Stat>,
) -> Result<Stat, Fault> {
    match rename_new(spot, temporary) {
        Err(Errno::NOENT) => return Err(Fault::Changed),
        answer => answer?,
    }
    let seen = match temporary.see() {
        Ok(Some(seen)) if is_the_one(&seen, version, expected) => return Ok(seen.stat),
        seen => seen,
    };
    give_back(temporary, spot)?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// The new file takes the name; what it displaced waits under the temporary one and is looked at.
pub(crate) fn swap(
    temporary: At<'_>,
    spot: At<'_>,
    old: Version,
    new: Version,
    expected: Option<&Stat>,
) -> Result<Stat, Fault> {
    match exchange(temporary, spot) {
        Ok(true) => {}
        Ok(false) => return swap_in_two(temporary, spot, old, expected),
        Err(Errno::NOENT) => return Err(Fault::Changed),
        Err(errno) => return Err(errno.into()),
    }
    let seen = match temporary.see() {
        Ok(Some(seen)) if is_the_one(&seen, old, expected) => return Ok(seen.stat),
        seen => seen,
    };
    exchange_back(temporary, spot, |out| out.version == Some(new))?;
    Err(seen.map_or_else(Fault::Io, |_| Fault::Changed))
}

/// Without an exchange: the old file goes aside and is looked at, then the new one takes the name.
fn swap_in_two(
    temporary: At<'_>,
    spot: At<'_>,
    old: Version,
    expected: Option<&Stat>,
) -> Result<Stat, Fault> {
    let aside = beside(temporary, OLD);
    let aside = At { name: &aside, ..temporary };
    let stat = take(spot, aside, old, expected)?;
    if let Err(errno) = rename_new(temporary, spot) {
        give_back(aside, spot)?;
        return Err(if errno == Errno::EXIST { Fault::Changed } else { errno.into() });
    }
    rename_new(aside, temporary)?;
    Ok(stat)
}

/// Whether a file that was displaced still is what it was then. Somebody who had it open at that moment, to write it
/// anew, may have done so since.
pub(crate) fn is_untouched(
    temporary: At<'_>,
    then: &Stat,
    version: Version,
    expected: Option<&Stat>,
) -> io::Result<bool> {
    let facts = |stat: &Stat| (stat.dev, stat.ino, stat.size, stat.mtime, stat.ctime);
    let now = temporary.look()?.map(|seen| seen.stat);
    if now.is_some_and(|now| facts(&now) == facts(then)) {
        return Ok(true);
    }
    Ok(temporary.see()?.is_some_and(|seen| is_the_one(&seen, version, expected)))
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
