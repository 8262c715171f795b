//! What the kernel has told and the table does not know yet.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use toolcrib_workspace::WatchId;

use crate::events::{Happened, Told};
use crate::tree::{DirId, EntryId, Tree};

/// What a watch is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    Directory(DirId),
    File(EntryId),
    /// `.git` or `.git/info` of a directory: an ignore file lies there.
    Git,
}

pub(crate) type Watches = HashMap<WatchId, Watched, RandomState>;

/// Changes that were told.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Names that came, went, or mean something else.
    pub(crate) names: BTreeMap<(DirId, Box<[u8]>), Happened>,
    /// Files whose content or attributes have changed.
    pub(crate) changed: BTreeSet<EntryId>,
    /// Files that a program has opened since it was last certain that none writes to them.
    pub(crate) opened: BTreeSet<EntryId>,
    /// The watches on ignore files, under whatever name they are watched.
    pub(crate) rules: BTreeSet<WatchId>,
    /// Those to which a program may be writing without a system call that is told.
    pub(crate) loose: BTreeSet<WatchId>,
    /// The table has to be made anew.
    pub(crate) lost: Option<Lost>,
}

/// Why an index cannot be used: for now, or on this root at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// More happened at once than the kernel keeps.
    #[error("more files changed at once than the kernel reports")]
    Overflow,
    /// More has happened than could be looked at yet.
    #[error("many files have just changed")]
    Behind,
    /// The root was removed, or its file system unmounted.
    #[error("the root was removed or unmounted")]
    RootGone,
    /// An ignore file has changed.
    #[error("an ignore file has changed")]
    Rules,
    /// The permissions of the root have changed.
    #[error("the permissions of the root have changed")]
    Permissions,
    /// A file or directory could not be opened or written for a reason that may pass, such as too many open files.
    #[error("files could not be opened or written for a reason that may pass")]
    Failed,
    /// Something was mounted or unmounted.
    #[error("a file system was mounted or unmounted")]
    Mounts,
    /// The same directory or file is mounted at several places below the root.
    #[error("a directory or file is mounted at two places below the root")]
    MountedTwice,
    /// There are more directories and files than the user may watch.
    #[error("there are more files than half of fs.inotify.max_user_watches")]
    TooManyWatches,
    /// Programs may be writing to very many files, or the files belong to another user, so that it cannot be told.
    #[error("too many files are open for writing or belong to another user")]
    Writers,
    /// The file system does not tell of every change: other machines, programs or layers change it too.
    #[error("the file system does not report every change")]
    Unreported,
    /// It would take more room than it may.
    #[error("it would be larger than the configuration allows")]
    TooLarge,
    /// What was written down does not hold together.
    #[error("the index was damaged")]
    Damaged,
}

impl Lost {
    /// Whether another attempt would end the same way.
    pub(crate) fn is_final(self) -> bool {
        matches!(
            self,
            Self::RootGone | Self::TooManyWatches | Self::Writers | Self::Unreported | Self::TooLarge
        )
    }
}

/// The parts of the freshness rule that tests leave out, to see that they are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaveOut {
    /// Nothing is drained before a query.
    pub drain: bool,
    /// What is in a new directory is not looked for.
    pub new_directories: bool,
    /// That events were lost is overlooked.
    pub overflow: bool,
    /// Programs that may be writing are not looked for.
    pub writers: bool,
    /// That something was mounted or unmounted is overlooked.
    pub mounts: bool,
    /// The thread keeps the priority of the others, so that a test need not wait until the machine is idle.
    pub priority: bool,
}

impl Pending {
    /// Relates what the kernel has told to the table.
    pub(crate) fn take(&mut self, told: Told, watches: &mut Watches, leave_out: LeaveOut) {
        if told.overflow && !leave_out.overflow {
            self.lost = Some(Lost::Overflow);
        }
        for (watch, name, happened) in told.names {
            match watches.get(&watch) {
                Some(Watched::Directory(dir)) => self.add_name(*dir, name, happened),
                Some(Watched::Git) if matches!(&*name, b"info" | b"exclude") => self.lost = Some(Lost::Rules),
                _ => {}
            }
        }
        for watch in told.changed {
            match watches.get(&watch) {
                Some(Watched::File(entry)) => _ = self.changed.insert(*entry),
                // Everything below it may be out of reach, or within reach again.
                Some(Watched::Directory(dir)) if *dir == Tree::ROOT => self.lost = Some(Lost::Permissions),
                _ => {}
            }
            if self.rules.contains(&watch) {
                self.lost = Some(Lost::Rules);
            }
        }
        for watch in told.opened {
            // Of an ignore file the table knows no content: what counts is what it says.
            if self.rules.contains(&watch) {
                self.loose.insert(watch);
            } else if let Some(Watched::File(entry)) = watches.get(&watch) {
                self.opened.insert(*entry);
            }
        }
        if told.gone.iter().any(|watch| watches.get(watch) == Some(&Watched::Directory(Tree::ROOT))) {
            self.lost = Some(Lost::RootGone);
        }
        for watch in told.ended {
            watches.remove(&watch);
            self.rules.remove(&watch);
            self.loose.remove(&watch);
        }
    }

    fn add_name(&mut self, dir: DirId, name: Box<[u8]>, happened: Happened) {
        if is_about_rules(&name) {
            self.lost = Some(Lost::Rules);
        }
        let known = self.names.entry((dir, name)).or_insert(happened);
        *known = happened.min(*known);
    }

    /// Forgets an entry that is not there any more.
    pub(crate) fn forget(&mut self, entry: EntryId) {
        self.changed.remove(&entry);
        self.opened.remove(&entry);
    }
}

/// Whether what an entry of this name says decides what a search leaves out.
pub(crate) fn is_about_rules(name: &[u8]) -> bool {
    matches!(name, b".gitignore" | b".ignore" | b".git")
}
