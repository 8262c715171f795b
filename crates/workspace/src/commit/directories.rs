//! The directories of a plan: each once, however many changes go there, and also those that are still to be made.

use std::collections::HashMap;
use std::ffi::OsString;

use crate::open::dir::Dir;
use crate::open::stat::look;
use crate::path::WorkspacePath;
use rustix::io::Errno;

#[derive(Debug, Default)]
pub(crate) struct Directories {
    slots: Vec<Slot>,
    positions: HashMap<Identity, usize>,
}

#[derive(Debug)]
struct Slot {
    path: WorkspacePath,
    handle: Option<Dir>,
    /// The device that it is on, or will be.
    device: u64,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Identity {
    Exists { dev: u64, ino: u64 },
    Missing { parent: usize, name: OsString },
}

impl Directories {
    /// The index of a directory that exists.
    pub(crate) fn existing(&mut self, directory: Dir) -> Result<usize, Errno> {
        let stat = look(directory.handle())?.stat;
        let identity = Identity::Exists { dev: stat.dev, ino: stat.ino };
        if let Some(index) = self.positions.get(&identity) {
            return Ok(*index);
        }
        let path = directory.reached().clone();
        Ok(self.push(Slot { path, handle: Some(directory), device: stat.dev }, identity))
    }

    /// The index of a directory that is to be made, and whether this is the first to ask for it.
    pub(crate) fn missing(&mut self, parent: usize, name: &OsString) -> (usize, bool) {
        let identity = Identity::Missing { parent, name: name.clone() };
        if let Some(index) = self.positions.get(&identity) {
            return (*index, false);
        }
        let above = &self.slots[parent];
        let slot = Slot { path: above.path.join(name), handle: None, device: above.device };
        (self.push(slot, identity), true)
    }

    pub(crate) fn handle(&self, index: usize) -> Option<&Dir> {
        self.slots[index].handle.as_ref()
    }

    /// The device that the directory is on, or will be.
    pub(crate) fn device(&self, index: usize) -> u64 {
        self.slots[index].device
    }

    pub(crate) fn into_parts(self) -> (Vec<WorkspacePath>, Vec<Option<Dir>>) {
        self.slots.into_iter().map(|slot| (slot.path, slot.handle)).unzip()
    }

    fn push(&mut self, slot: Slot, identity: Identity) -> usize {
        let index = self.slots.len();
        self.slots.push(slot);
        self.positions.insert(identity, index);
        index
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::path::RootId;

    /// With a look at every directory for each of them, these would be 40,000,000,000 looks.
    #[test]
    fn many_directories_are_found_again() {
        let mut directories = Directories::default();
        let root = WorkspacePath::new(RootId(0), Path::new(""));
        directories.push(Slot { path: root, handle: None, device: 7 }, Identity::Exists { dev: 7, ino: 1 });
        let names: Vec<OsString> = (0..200_000).map(|n| format!("d{n}").into()).collect();
        for is_new in [true, false] {
            for (at, name) in names.iter().enumerate() {
                assert_eq!(directories.missing(0, name), (at + 1, is_new));
            }
        }
        let (inner, is_new) = directories.missing(5, &"d5".into());
        assert!(is_new && directories.device(inner) == 7);
        assert_eq!(directories.into_parts().0[inner].relative(), Path::new("d4/d5"));
    }
}
