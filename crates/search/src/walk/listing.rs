//! The entries of one directory, kept together so that reading the next one costs no allocation.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use toolcrib_text::Stop;
use toolcrib_workspace::{Dir, Error, FileKind, ScanBuffer};

use toolcrib_index::Present;

#[derive(Debug, Default)]
pub(crate) struct Listing {
    buffer: ScanBuffer,
    names: Names,
    /// Which ignore files there are.
    pub(crate) present: Present,
}

/// How many names are read between two questions whether to stop.
const BETWEEN_QUESTIONS: usize = 4096;

/// Names, one after the other in one piece of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    /// Where each name ends, and what it is.
    ends: Vec<(usize, FileKind)>,
}

impl Listing {
    /// Reads a directory in place of the last one, or its beginning if it is stopped.
    pub(crate) fn read(&mut self, dir: &Dir, stop: &dyn Stop) -> Result<(), Error> {
        self.names.clear();
        self.present = Present::default();
        let Self { buffer, names, present } = self;
        dir.scan(buffer, |name, kind| {
            present.saw(name, kind);
            names.push(name, kind);
            if names.len().is_multiple_of(BETWEEN_QUESTIONS) && stop.stopped() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn take_names(&mut self) -> Names {
        std::mem::take(&mut self.names)
    }
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn push(&mut self, name: &OsStr, kind: FileKind) {
        self.bytes.extend_from_slice(name.as_bytes());
        self.ends.push((self.bytes.len(), kind));
    }

    pub(crate) fn get(&self, index: usize) -> (&OsStr, FileKind) {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, kind) = self.ends[index];
        (OsStr::from_bytes(&self.bytes[start..end]), kind)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, FileKind)> {
        (0..self.len()).map(|index| self.get(index))
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}
