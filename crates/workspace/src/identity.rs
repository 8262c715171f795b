//! What a thing is, whatever it is called: a root across renames, a run of the machine, and numbers that nobody guesses.

use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, openat, statx};
use rustix::io::{Errno, read};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::{Doing, Error};
use crate::names;
use crate::root::Root;
use crate::version::Version;

impl Root {
    /// The same for the same directory, also after it was renamed or its disk was mounted elsewhere; another for one that
    /// was made anew under the same name.
    ///
    /// A file system that does not keep a time of birth cannot tell that; there the name counts too.
    pub fn identity(&self) -> Result<Version, Error> {
        let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = statx(self.handle(), c"", AtFlags::EMPTY_PATH, flags)
            .map_err(|errno| Error::system(errno, Doing::Look, names::show(self.path())))?;
        let mut facts = Version::hasher();
        facts.update(&stat.stx_ino.to_le_bytes());
        if StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME) {
            facts.update(&stat.stx_btime.tv_sec.to_le_bytes());
            facts.update(&stat.stx_btime.tv_nsec.to_le_bytes());
        } else {
            facts.update(self.real().as_os_str().as_bytes());
        }
        Ok(facts.finish())
    }
}

/// The same from one start of the machine to its end. None where the system does not tell.
pub fn boot() -> Option<[u8; 36]> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/sys/kernel/random/boot_id", flags, Mode::empty()).ok()?;
    let mut id = [0; 36];
    (read(&file, &mut id).ok()? == id.len()).then_some(id)
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    if getrandom(&mut bytes, GetRandomFlags::empty())? < N {
        return Err(Errno::IO.into());
    }
    Ok(bytes)
}
