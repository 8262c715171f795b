//! The directories of a plan: each once, however many changes go there, and also those that are still to be made.

use std::ffi::OsString;

use crate::open::dir::Dir;
use crate::open::stat::look;
use crate::path::WorkspacePath;
use rustix::io::Errno;

#[derive(Debug, Default)]
pub(crate) struct Directories(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    path: WorkspacePath,
    handle: Option<Dir>,
    identity: Identity,
}

#[derive(Debug, PartialEq, Eq)]
enum Identity {
    Exists { dev: u64, ino: u64 },
    Missing { parent: usize, name: OsString },
}

impl Directories {
    /// The index of a directory that exists.
    pub(crate) fn existing(&mut self, directory: Dir) -> Result<usize, Errno> {
        let stat = look(directory.handle())?.stat;
        let identity = Identity::Exists { dev: stat.dev, ino: stat.ino };
        Ok(self.position(&identity).unwrap_or_else(|| {
            self.push(Slot { path: directory.reached().clone(), handle: Some(directory), identity })
        }))
    }

    /// The index of a directory that is to be made, and whether this is the first to ask for it.
    pub(crate) fn missing(&mut self, parent: usize, name: &OsString) -> (usize, bool) {
        let identity = Identity::Missing { parent, name: name.clone() };
        if let Some(index) = self.position(&identity) {
            return (index, false);
        }
        let path = self.0[parent].path.join(name);
        (self.push(Slot { path, handle: None, identity }), true)
    }

    pub(crate) fn handle(&self, index: usize) -> Option<&Dir> {
        self.0[index].handle.as_ref()
    }

    /// The device that the directory is on, or will be.
    pub(crate) fn device(&self, index: usize) -> u64 {
        match &self.0[index].identity {
            Identity::Exists { dev, .. } => *dev,
            Identity::Missing { parent, .. } => self.device(*parent),
        }
    }

    pub(crate) fn into_parts(self) -> (Vec<WorkspacePath>, Vec<Option<Dir>>) {
        self.0.into_iter().map(|slot| (slot.path, slot.handle)).unzip()
    }

    fn position(&self, identity: &Identity) -> Option<usize> {
        self.0.iter().position(|slot| slot.identity == *identity)
    }

    fn push(&mut self, slot: Slot) -> usize {
        self.0.push(slot);
        self.0.len() - 1
    }
}
