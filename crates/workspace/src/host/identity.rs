//! What a thing is, whatever it is called: a root across renames, a run of the machine, and numbers that cannot be
//! guessed.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, openat, statx};
use rustix::io::{Errno, read};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::{Doing, Error};
use crate::open::stat::look;
use crate::open::version::Version;
use crate::path::names;
use crate::path::root::Root;

impl Root {
    /// The same for the same directory, also after it was renamed or its disk was mounted elsewhere; another for one that
    /// was made anew under the same name.
    ///
    /// A file system that does not keep a time of birth cannot tell that; there the name counts too.
    pub fn identity(&self) -> Result<Version, Error> {
        identity_of(self.handle(), self.real())
            .map_err(|errno| Error::system(errno, Doing::Look, names::escape(self.path())))
    }

    /// The [identities](Self::identity) of this directory and of those above it, from itself upwards: all of them, or
    /// as many as the user may look at.
    pub fn ancestry(&self) -> Result<Vec<Version>, Error> {
        let mut identities = vec![self.identity()?];
        let (mut path, mut above) = (self.real(), parent_of(self.handle()));
        while let (Some(parent), Ok(Some(handle))) = (path.parent(), &above) {
            let Ok(identity) = identity_of(handle, parent) else { break };
            identities.push(identity);
            (path, above) = (parent, parent_of(handle));
        }
        Ok(identities)
    }
}

fn identity_of(directory: impl AsFd, real: &Path) -> Result<Version, Errno> {
    let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let stat = statx(directory, c"", AtFlags::EMPTY_PATH, flags)?;
    let mut facts = Version::hasher();
    facts.update(&stat.stx_ino.to_le_bytes());
    if StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME) {
        facts.update(&stat.stx_btime.tv_sec.to_le_bytes());
        facts.update(&stat.stx_btime.tv_nsec.to_le_bytes());
    } else {
        facts.update(real.as_os_str().as_bytes());
    }
    Ok(facts.finish())
}

/// The directory above this one; none above the top.
fn parent_of(directory: impl AsFd) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = openat(&directory, c"..", flags, Mode::empty())?;
    Ok((!look(&directory)?.same_file(&look(&above)?)).then_some(above))
}

/// The same from one start of the machine to its end. None where the system does not tell.
///
/// It is read once: a process that is [locked down](crate::Workspace::lock_down) cannot read it any more, and would take itself for
/// one of another run of the machine.
pub fn boot() -> Option<[u8; 36]> {
    static BOOT: OnceLock<Option<[u8; 36]>> = OnceLock::new();
    *BOOT.get_or_init(read_boot)
}

fn read_boot() -> Option<[u8; 36]> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/sys/kernel/random/boot_id", flags, Mode::empty()).ok()?;
    let mut id = [0; 36];
    (read(&file, &mut id).ok()? == id.len()).then_some(id)
}

/// Bytes that cannot be guessed.
pub fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    if getrandom(&mut bytes, GetRandomFlags::empty())? < N {
        return Err(Errno::IO.into());
    }
    Ok(bytes)
}
