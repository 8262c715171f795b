//! What happens to names, as a value: the words in which a plan is written, carried out, rolled back and repaired.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use super::tree::TreeEntry;
use crate::open::version::Version;

/// A name in one of the plan's directories.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NameRef {
    /// An index into [`Plan::directories`](crate::Plan::directories).
    pub directory: usize,
    /// The name.
    pub name: OsString,
}

/// One step of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A temporary file with new content is written.
    Stage {
        /// Where.
        temporary: NameRef,
        /// What it holds.
        version: Version,
    },
    /// A directory that was missing is made.
    MakeDirectory {
        /// The name it gets.
        spot: NameRef,
        /// Which of the plan's directories it is from then on.
        becomes: usize,
    },
    /// A file loses its name and waits under a temporary one.
    Take {
        /// The name it had.
        spot: NameRef,
        /// The name it waits under.
        temporary: NameRef,
        /// What it must hold.
        version: Version,
    },
    /// What waits under a temporary name gets a name that nothing has.
    Put {
        /// Where it waits.
        temporary: NameRef,
        /// The name it gets.
        spot: NameRef,
        /// What it holds.
        version: Version,
    },
    /// What waits under a temporary name changes places with a file.
    Swap {
        /// Where it waits, and where the old file waits afterwards.
        temporary: NameRef,
        /// The name it gets.
        spot: NameRef,
        /// What the old file must hold.
        old: Version,
        /// What it holds itself.
        new: Version,
        /// The old file's number on its device: while the name leads to it, nothing has changed places.
        inode: u64,
    },
    /// A symbolic link is made.
    MakeLink {
        /// The name it gets.
        spot: NameRef,
        /// What it says.
        target: PathBuf,
    },
    /// A symbolic link loses its name and waits under a temporary one.
    TakeLink {
        /// The name it had.
        spot: NameRef,
        /// The name it waits under.
        temporary: NameRef,
        /// What it must say.
        target: PathBuf,
    },
    /// A directory gets another name, with everything in it.
    MoveDirectory {
        /// The name it had.
        from: NameRef,
        /// The name it gets.
        to: NameRef,
        /// Its number on its device.
        inode: u64,
    },
    /// A directory that was moved to a temporary name is removed with what is in it. This comes last.
    RemoveTree {
        /// Where it waits.
        temporary: NameRef,
        /// The name it had, and gets again if something else turns up in it.
        spot: NameRef,
        /// What is in it, sorted by path.
        entries: Vec<TreeEntry>,
    },
    /// A directory that may be empty by then is removed if it is. This comes last, after the old files are gone.
    RemoveDirectory {
        /// Its name.
        spot: NameRef,
    },
}

/// The temporary names under which something waits when all acts are done: the old files and links.
pub(crate) fn waiting(acts: &[Act]) -> Vec<&NameRef> {
    let mut waiting: Vec<&NameRef> = Vec::new();
    // Backwards, since what waits gets a name later or not at all.
    let mut placed: HashSet<&NameRef> = HashSet::new();
    for act in acts.iter().rev() {
        match act {
            Act::Stage { temporary, .. } | Act::Take { temporary, .. } | Act::TakeLink { temporary, .. } => {
                waiting.extend((!placed.contains(temporary)).then_some(temporary));
            }
            Act::Put { temporary, .. } => _ = placed.insert(temporary),
            Act::MakeDirectory { .. }
            | Act::Swap { .. }
            | Act::MakeLink { .. }
            | Act::MoveDirectory { .. }
            | Act::RemoveTree { .. }
            | Act::RemoveDirectory { .. } => {}
        }
    }
    waiting.reverse();
    waiting
}

impl Act {
    /// The name it is about.
    pub(crate) fn spot(&self) -> &NameRef {
        match self {
            Self::Stage { temporary: spot, .. }
            | Self::MakeDirectory { spot, .. }
            | Self::RemoveDirectory { spot }
            | Self::MakeLink { spot, .. }
            | Self::MoveDirectory { from: spot, .. }
            | Self::RemoveTree { spot, .. }
            | Self::Take { spot, .. }
            | Self::TakeLink { spot, .. }
            | Self::Put { spot, .. }
            | Self::Swap { spot, .. } => spot,
        }
    }

    /// The temporary name it uses.
    pub(crate) fn temporary(&self) -> Option<&NameRef> {
        match self {
            Self::MakeDirectory { .. }
            | Self::RemoveDirectory { .. }
            | Self::MakeLink { .. }
            | Self::MoveDirectory { .. } => None,
            Self::Stage { temporary, .. }
            | Self::RemoveTree { temporary, .. }
            | Self::Take { temporary, .. }
            | Self::TakeLink { temporary, .. }
            | Self::Put { temporary, .. }
            | Self::Swap { temporary, .. } => Some(temporary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> NameRef {
        NameRef { directory: 0, name: format!("n{number}").into() }
    }

    fn stage(number: usize) -> Act {
        Act::Stage { temporary: name(number), version: Version::of(b"") }
    }

    fn put(number: usize) -> Act {
        Act::Put { temporary: name(number), spot: name(number), version: Version::of(b"") }
    }

    #[test]
    fn what_gets_a_name_does_not_wait() {
        let acts = [stage(1), stage(2), put(1), stage(3), stage(1), put(3)];
        assert_eq!(waiting(&acts), [&name(2), &name(1)]);
    }

    /// Each file compared with each other, these would be 60,000,000,000 comparisons.
    #[test]
    fn many_new_files_are_each_looked_at_once() {
        let files = 0..250_000;
        let acts: Vec<Act> = files.clone().map(stage).chain(files.rev().map(put)).collect();
        assert!(waiting(&acts).is_empty());
    }
}
