//! A plan: what a commit will do to which names, as a value, and with the directories held open.

use std::collections::BTreeMap;
use std::fs::File;

use super::act::Act;
use super::attributes::Attributes;
use super::expected::Expected;
use super::planner::Planner;
use super::stage::Staging;
use super::{CommitError, Outcome};
use crate::commit::change_set::ChangeSet;
use crate::open::dir::Dir;
use crate::open::version::Version;
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// What is to happen, as a value: it can be written down, and [repaired](Plan::repair) after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The directories in which something happens, links resolved.
    pub directories: Vec<WorkspacePath>,
    /// What happens, in this order.
    pub acts: Vec<Act>,
}

/// A file that a commit replaces, removes or moves, as it is before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// Where it is, links resolved.
    pub reached: WorkspacePath,
    /// Its content.
    pub content: Vec<u8>,
    /// The content's version.
    pub version: Version,
    /// Its mode, owner and extended attributes.
    pub attributes: Attributes,
}

/// What a plan is to do beyond its changes, so that a change can be undone exactly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restoration {
    /// For a change that creates a file or directory: the attributes it gets.
    pub attributes: BTreeMap<usize, Attributes>,
    /// Directories that are removed at the end if they are empty, the deepest first.
    pub empty_directories: Vec<WorkspacePath>,
}

/// A plan with the directories held open: ready to be carried out.
#[derive(Debug)]
pub struct Planned<'a> {
    pub(crate) workspace: Workspace,
    pub(crate) plan: Plan,
    /// For each directory of the plan its handle; none yet for those that are to be made.
    pub(crate) handles: Vec<Option<Dir>>,
    /// For each act of the plan what else belongs to it.
    pub(crate) notes: Vec<Note<'a>>,
    pub(crate) before: Vec<Before>,
    pub(crate) outcomes: Vec<Outcome>,
}

/// What belongs to an act and is no part of the value.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    /// The change that the act serves.
    pub(crate) change: usize,
    /// For a file that is displaced: what it was when it was read and its attributes were copied.
    pub(crate) expected: Option<Expected>,
    /// For content that is staged.
    pub(crate) staging: Option<Staging<'a>>,
    /// The same in a file that is complete and has no name yet. See [`ahead`](super::ahead).
    pub(crate) ahead: Option<File>,
    /// For a directory that is made as it was once.
    pub(crate) attributes: Option<Attributes>,
}

impl Planned<'_> {
    /// What will happen.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The files that will be replaced, removed or moved, as they are now.
    pub fn before(&self) -> &[Before] {
        &self.before
    }

    /// What will have become of each file.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

impl Workspace {
    /// Finds out where each change goes and whether every file holds what its change is based on. Changes nothing.
    ///
    /// [`commit`](Workspace::commit) is this and [`Planned::carry_out`]; a journal writes the plan down in between.
    pub fn plan<'a>(&self, changes: &'a ChangeSet) -> Result<Planned<'a>, CommitError> {
        self.plan_restoring(changes, Restoration::default())
    }

    /// Like [`plan`](Workspace::plan), to put things back as they were once.
    pub fn plan_restoring<'a>(
        &self,
        changes: &'a ChangeSet,
        restoration: Restoration,
    ) -> Result<Planned<'a>, CommitError> {
        let mut planner = Planner::new(self, restoration.attributes);
        for (index, change) in changes.changes().iter().enumerate() {
            planner.expect_removal(change).map_err(CommitError::about(index))?;
        }
        for (index, change) in changes.changes().iter().enumerate() {
            planner.add(index, change).map_err(CommitError::about(index))?;
        }
        for directory in &restoration.empty_directories {
            planner.remove_directory(directory)?;
        }
        Ok(planner.planned())
    }
}
