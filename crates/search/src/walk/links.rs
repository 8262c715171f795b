//! Hard links: a file is withheld if another of its names in the same directory is.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use toolcrib_workspace::{FileKind, ScanBuffer, Stat};

use super::Entry;
use super::worker::path_of;

impl Entry<'_> {
    /// Whether no other name of this file in its directory is withheld. Only a file with several names costs anything: the
    /// directory is read once more, for all such files in it.
    #[must_use]
    pub fn may_show_linked(&self, stat: &Stat) -> bool {
        stat.nlink < 2
            || stat.kind != FileKind::File
            || !self.node.withheld.get_or_init(|| self.withheld()).contains(&(stat.dev, stat.ino))
    }

    /// The withheld files of the directory that have more than one name.
    fn withheld(&self) -> Vec<(u64, u64)> {
        let (node, visibility) = (self.node, self.job.visibility);
        let (mut found, mut path) = (Vec::new(), Vec::new());
        // It was looked at, so it is open.
        let Ok(dir) = self.dir() else { return found };
        // What could not be read any more says nothing; the names that were read count.
        _ = dir.scan(&mut ScanBuffer::default(), |name, kind| {
            if kind != FileKind::File || !(node.wary || visibility.may_hide(name)) {
                return ControlFlow::Continue(());
            }
            path_of(&mut path, node, name);
            if !visibility.shows(Path::new(OsStr::from_bytes(&path)))
                && let Ok(stat) = dir.look(name)
                && stat.nlink > 1
            {
                found.push((stat.dev, stat.ino));
            }
            ControlFlow::Continue(())
        });
        found
    }
}
