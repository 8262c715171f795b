//! The door closed a second time: the kernel holds the whole process to its roots (Linux, Landlock).
//!
//! Containment does not need it. It is there for what containment cannot see: a fault in this program, or a library that
//! opens a file by itself. It holds for the calling thread and every thread that is started afterwards, so it comes before
//! the first one.

use std::fmt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
};

use crate::host::identity::boot;
use crate::workspace::Workspace;

/// The newest rights that are asked for; an older kernel gives those it knows.
const NEWEST: ABI = ABI::V5;

/// Whether the kernel holds the process to its roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lockdown {
    /// It does.
    InForce,
    /// It does for the rights that this kernel knows.
    Partial,
    /// It does not, because of this.
    Unavailable(String),
}

impl fmt::Display for Lockdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InForce => f.write_str("in force"),
            Self::Partial => f.write_str("in force for the rights that this kernel knows"),
            Self::Unavailable(why) => write!(f, "not in force ({why})"),
        }
    }
}

/// What the process may still reach besides its roots.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// Directories to read and write.
    pub writable: Vec<PathBuf>,
    /// Directories and files to read.
    pub readable: Vec<PathBuf>,
    /// Directories whose names may be listed, and of which nothing can be opened.
    pub listable: Vec<PathBuf>,
}

impl Workspace {
    /// Gives up, for good, the right to open anything but what lies in a root or `beside` it. What does not exist is left
    /// out.
    pub fn lock_down(&self, beside: &Beside) -> Lockdown {
        // What is asked for afterwards is known by then.
        boot();
        match self.restrict(beside) {
            Ok(RestrictionStatus { ruleset: RulesetStatus::FullyEnforced, .. }) => Lockdown::InForce,
            Ok(RestrictionStatus { ruleset: RulesetStatus::PartiallyEnforced, .. }) => Lockdown::Partial,
            Ok(_) => Lockdown::Unavailable("the kernel has no Landlock".to_owned()),
            Err(error) => Lockdown::Unavailable(error.to_string()),
        }
    }

    fn restrict(&self, beside: &Beside) -> Result<RestrictionStatus, RulesetError> {
        let (all, reading) = (AccessFs::from_all(NEWEST), AccessFs::from_read(NEWEST));
        let mut rules =
            Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(all)?.create()?;
        for root in self.roots() {
            rules = rules.add_rule(PathBeneath::new(root.handle(), all))?;
        }
        for path in &beside.writable {
            rules = allow(rules, path, all)?;
        }
        for path in &beside.readable {
            rules = allow(rules, path, reading)?;
        }
        for path in &beside.listable {
            rules = allow(rules, path, AccessFs::ReadDir.into())?;
        }
        rules.restrict_self()
    }
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(handle) => rules.add_rule(PathBeneath::new(handle, access)),
        Err(_) => Ok(rules),
    }
}
