//! What is written down before a change is made: enough to repair it after a crash, to show it, and to undo it.

pub(crate) mod encoding;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolcrib_workspace::{
    Act, Attributes, Base, Before, Change, ChangeSet, Error, Plan, Planned, Subject, Version, Workspace,
    WorkspacePath,
};

use crate::image::{Contents, Splice, Stored};
use crate::log::Instance;

/// A path as it is written down: one of the record's roots, and the way from there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordPath {
    pub(crate) root: usize,
    pub(crate) relative: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Intent {
    pub(crate) instance: Instance,
    pub(crate) time: SystemTime,
    pub(crate) tool: String,
    pub(crate) session: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) purpose: Purpose,
    /// The roots by their real paths. The first is the one that the journal belongs to, wherever it is by now.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) directories: Vec<RecordPath>,
    pub(crate) acts: Vec<Act>,
    pub(crate) files: Vec<FileChange>,
}

/// What becomes of one file, directory or link. The content of a link is the path it says; that of a directory is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(crate) subject: Subject,
    pub(crate) path: RecordPath,
    pub(crate) from: Option<RecordPath>,
    pub(crate) before: Option<Old>,
    /// Of a move, what had the new name.
    pub(crate) over: Option<Old>,
    pub(crate) after: Option<New>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Old {
    pub(crate) version: Version,
    pub(crate) attributes: Attributes,
    /// None if it is not to be kept.
    pub(crate) content: Option<Stored>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct New {
    pub(crate) version: Version,
    /// The mode, if the change gives one.
    pub(crate) mode: Option<u32>,
    pub(crate) content: Option<Splice>,
}

impl FileChange {
    /// Whether the contents are kept, so that it can be shown and undone.
    pub(crate) fn is_kept(&self) -> bool {
        self.before.iter().chain(&self.over).all(|old| old.content.is_some())
            && self.after.as_ref().is_none_or(|new| new.content.is_some())
    }
}

/// What to write down about a change beside the change itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) instance: Instance,
    pub(crate) tool: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
    pub(crate) purpose: &'a Purpose,
}

/// What a change is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Itself.
    Change,
    /// It undoes that change, all of it.
    Undo(u64),
    /// It reverts that undo.
    Redo(u64),
    /// Another program made it. It was recorded afterwards, so there is nothing to repair.
    Foreign,
    /// It reverts several records, or parts of some.
    Selection {
        /// Whether these are undos, so that it is a redo.
        redo: bool,
        /// What it reverts.
        targets: Vec<Target>,
    },
}

/// A record that another one reverts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) id: u64,
    /// The files of it that are reverted; none if that is all of it.
    pub(crate) files: Option<Vec<TargetFile>>,
}

/// A file of a record that another one reverts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetFile {
    /// Its place among the files of the record.
    pub(crate) file: usize,
    /// Some of its hunks; none if that is all of it.
    pub(crate) hunks: Option<TargetHunks>,
}

/// Some hunks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetHunks {
    /// What they are called.
    pub(crate) ids: Vec<String>,
    /// How many there are in the file.
    pub(crate) of: usize,
}

impl Purpose {
    /// The records that it reverts.
    pub(crate) fn targets(&self) -> Vec<Target> {
        match self {
            Self::Change | Self::Foreign => Vec::new(),
            Self::Undo(id) | Self::Redo(id) => vec![Target { id: *id, files: None }],
            Self::Selection { targets, .. } => targets.clone(),
        }
    }

    /// Whether it is a change of its own, and reverts none.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Change | Self::Foreign)
    }

    /// Whether it undoes changes, so that it can be redone.
    pub(crate) fn is_undo(&self) -> bool {
        matches!(self, Self::Undo(_) | Self::Selection { redo: false, .. })
    }
}

impl Intent {
    /// Describes a planned change, and keeps the contents that `may_keep` does not withhold.
    pub(crate) fn new(
        about: About<'_>,
        workspace: &Workspace,
        changes: &ChangeSet,
        planned: &Planned<'_>,
        may_keep: &dyn Fn(&WorkspacePath) -> bool,
    ) -> (Self, Contents) {
        let mut contents = Contents::default();
        let mut files = Vec::new();
        let old: BTreeMap<&WorkspacePath, &Before> =
            planned.before().iter().map(|before| (&before.reached, before)).collect();
        for (change, outcome) in changes.changes().iter().zip(planned.outcomes()) {
            let old_at = |path: &WorkspacePath| old.get(path).copied();
            let was_at = outcome.from.as_ref().unwrap_or(&outcome.reached);
            let before = outcome.before.and_then(|_| old_at(was_at));
            let is_over = matches!(change, Change::Move { over: Base::Version(_), .. });
            let over = old_at(&outcome.reached).filter(|_| is_over);
            let kept = may_keep(was_at) && may_keep(&outcome.reached);
            let mut old = |before: &Before| Old {
                version: before.version,
                attributes: before.attributes.clone(),
                content: kept.then(|| contents.keep(&before.content)),
            };
            let (old_before, old_over) = (before.map(&mut old), over.map(&mut old));
            let content = before.map_or(&[][..], |before| &before.content);
            let after = outcome.after.map(|version| New {
                version,
                mode: mode_of(change),
                content: kept
                    .then(|| contents.keep_difference(content, content_of(change).unwrap_or(content))),
            });
            files.push(FileChange {
                subject: outcome.subject,
                path: record_path(&outcome.reached),
                from: outcome.from.as_ref().map(record_path),
                before: old_before,
                over: old_over,
                after,
            });
        }
        let plan = planned.plan();
        let intent = Self {
            instance: about.instance,
            time: SystemTime::now(),
            tool: about.tool.to_owned(),
            session: about.session.map(str::to_owned),
            agent: about.agent.map(str::to_owned),
            purpose: about.purpose.clone(),
            roots: workspace.roots().iter().map(|root| root.real().to_owned()).collect(),
            directories: plan.directories.iter().map(record_path).collect(),
            acts: plan.acts.clone(),
            files,
        };
        (intent, contents)
    }

    /// Describes a change that another program has made.
    pub(crate) fn foreign(about: About<'_>, workspace: &Workspace, files: Vec<FileChange>) -> Self {
        Self {
            instance: about.instance,
            time: SystemTime::now(),
            tool: about.tool.to_owned(),
            session: about.session.map(str::to_owned),
            agent: about.agent.map(str::to_owned),
            purpose: about.purpose.clone(),
            roots: workspace.roots().iter().map(|root| root.real().to_owned()).collect(),
            directories: Vec::new(),
            acts: Vec::new(),
            files,
        }
    }

    /// Whether one name changes, in one step: then what is there tells whether it was done.
    pub(crate) fn is_single(&self) -> bool {
        let renames = |act: &Act| match act {
            Act::Take { .. }
            | Act::Put { .. }
            | Act::Swap { .. }
            | Act::MakeLink { .. }
            | Act::TakeLink { .. }
            | Act::MoveDirectory { .. } => 1,
            Act::Stage { .. } | Act::MakeDirectory { .. } | Act::RemoveDirectory { .. } => 0,
            // What is removed entry by entry must have been promised before.
            Act::RemoveTree { .. } => 2,
        };
        self.acts.iter().map(renames).sum::<usize>() <= 1
    }

    /// The directories that the change makes, the deepest first.
    pub(crate) fn made(&self) -> Vec<RecordPath> {
        let made = self.acts.iter().filter_map(|act| match act {
            Act::MakeDirectory { becomes, .. } => self.directories.get(*becomes).cloned(),
            _ => None,
        });
        // Of another program's acts nothing is known but what came of them.
        let is_made = |file: &&FileChange| {
            self.purpose == Purpose::Foreign && file.subject == Subject::Directory && file.before.is_none()
        };
        let found = self.files.iter().filter(is_made).map(|file| file.path.clone());
        let mut made: Vec<_> = made.chain(found).collect();
        made.sort_by_key(|path| std::cmp::Reverse(path.relative.components().count()));
        made
    }

    /// The workspace that its paths are in: `own` if that has all its roots, otherwise one with them.
    pub(crate) fn workspace(&self, own: &Workspace) -> Result<Workspace, Error> {
        let others = self.roots.iter().skip(1);
        let known = |real: &PathBuf| own.roots().iter().any(|root| root.real() == *real);
        if others.clone().all(known) {
            return Ok(own.clone());
        }
        let first = Workspace::builder().mounts(own.mounts()).root(own.roots()[0].path());
        others.fold(first, |builder, root| builder.root(root)).open()
    }

    /// A path of the record in a workspace that [`workspace`](Self::workspace) gave.
    pub(crate) fn locate(&self, workspace: &Workspace, path: &RecordPath) -> Option<WorkspacePath> {
        let root = match path.root {
            0 => workspace.roots().first(),
            other => {
                let real = self.roots.get(other)?;
                workspace.roots().iter().find(|root| root.real() == real)
            }
        };
        Some(root?.path_to(&path.relative))
    }

    pub(crate) fn plan(&self, workspace: &Workspace) -> Option<Plan> {
        let directories = self.directories.iter().map(|path| self.locate(workspace, path));
        Some(Plan { directories: directories.collect::<Option<_>>()?, acts: self.acts.clone() })
    }

    /// Where a path is now, if the first root is there and the others have not moved.
    pub(crate) fn shown_from(&self, first: &Path, path: &RecordPath) -> PathBuf {
        if path.root == 0 { first.join(&path.relative) } else { self.shown(path) }
    }

    /// For a path of the file, where it was when it was written down.
    pub(crate) fn shown(&self, path: &RecordPath) -> PathBuf {
        self.roots.get(path.root).map_or_else(|| path.relative.clone(), |root| root.join(&path.relative))
    }
}

fn content_of(change: &Change) -> Option<&[u8]> {
    match change {
        Change::Write { content, .. } => Some(content),
        Change::Move { content, .. } => content.as_deref(),
        Change::MakeLink { target, .. } => Some(target.as_os_str().as_encoded_bytes()),
        _ => None,
    }
}

fn mode_of(change: &Change) -> Option<u32> {
    match change {
        Change::Write { mode, .. } | Change::Move { mode, .. } => *mode,
        _ => None,
    }
}

fn record_path(path: &WorkspacePath) -> RecordPath {
    RecordPath { root: path.root().index(), relative: path.relative().to_owned() }
}
