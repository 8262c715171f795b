//! After a crash: every change that was begun and has no end is brought to one of its two ends.
//!
//! Forward where all of it is in place, back where not; a repair that is itself interrupted is begun anew by the next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolcrib_workspace::{CommitError, Direction, Durability, Error, Planned, Workspace, WorkspacePath};

use crate::intent::{Intent, Purpose};
use crate::journal::Journal;
use crate::log::{End, Open, Rest, lock};
use crate::record::RecordId;
use crate::unrepaired::{Reason, Unrepaired};

impl Journal {
    /// Repairs what processes that are gone have left half done. Gives what could not be repaired.
    pub(crate) fn recover(&self) -> Result<Vec<Unrepaired>, Error> {
        if self.dead()?.is_empty() {
            return Ok(Vec::new());
        }
        let name = "repair".as_ref();
        let only_one = self.log.folder().open_or_create(name)?;
        lock(&only_one, PATIENCE).map_err(|error| self.log.folder().failure(name, error))?;
        let mut unrepaired = Vec::new();
        // The last first: where two have touched one directory, that is the order in which they can be rolled back.
        for open in self.dead()?.iter().rev() {
            unrepaired.extend(self.repair_one(open)?);
        }
        self.locks.sweep()?;
        Ok(unrepaired)
    }

    fn dead(&self) -> Result<Vec<Open>, Error> {
        let mut dead = Vec::new();
        // What was over before the log was read, and is open there, was left half done. Other threads go on meanwhile, so
        // in the other order what they have just begun or ended would look like that.
        let over = self.over().clone();
        let open_changes = self.log.head()?.open;
        let is_open = |id: &u64| open_changes.iter().any(|open| open.id == *id);
        self.over().retain(|id| is_open(id) || !over.contains(id));
        for open in open_changes {
            let alive = if self.liveness.is_own(open.instance) {
                !over.contains(&open.id)
            } else {
                self.liveness.is_alive(open.instance)?
            };
            if !alive {
                dead.push(open);
            }
        }
        Ok(dead)
    }

    fn repair_one(&self, open: &Open) -> Result<Option<Unrepaired>, Error> {
        let said = self.log.said_by(open)?;
        let Some(intent) = said.and_then(|said| Intent::decode(&said).ok()) else {
            // It is unknown what it was about. It stays open, so that it is told again and again.
            return Ok(Some(self.unrepaired(open, Vec::new(), Reason::Unreadable)));
        };
        match self.repair_files(open, &intent) {
            Ok(Repaired::Forward) if open.in_place => self.log.close(open.id)?,
            Ok(Repaired::Forward) => self.end(open.id, End::Done)?,
            Ok(Repaired::Back) => self.end(open.id, End::RolledBack)?,
            Ok(Repaired::NotNeeded) => self.end(open.id, End::Unknown)?,
            Err(error) => {
                let paths = intent.files.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]);
                let paths = paths.flatten().map(|path| intent.shown_from(self.root(), path)).collect();
                return Ok(Some(self.unrepaired(open, paths, Reason::Failed(error))));
            }
        }
        self.log.unregister(open.id)?;
        self.liveness.forget_if_done(open.instance, &self.log.head()?.open)?;
        Ok(None)
    }

    fn repair_files(&self, open: &Open, intent: &Intent) -> Result<Repaired, Error> {
        if intent.purpose == Purpose::Foreign {
            // It was made before it was recorded.
            return Ok(Repaired::Forward);
        }
        let workspace = intent.workspace(&self.workspace)?;
        let Some(plan) = intent.plan(&workspace) else { return Ok(Repaired::Back) };
        let is_in_place = open.in_place || plan.is_in_place(&workspace)?;
        if open.doubtful && !plan.has_leftovers(&workspace)? {
            // It had ended. Others may have changed its files since, so that they do not tell how.
            return Ok(if is_in_place { Repaired::Forward } else { Repaired::NotNeeded });
        }
        // A change of several names is registered until it is over.
        let is_registered = || Ok(self.log.registered()?.iter().any(|file| file.id == open.id));
        let (direction, repaired) = match is_in_place {
            true if open.in_place && !is_registered()? => (Direction::Completed, Repaired::Forward),
            true => (Direction::Forward, Repaired::Forward),
            false => (Direction::Back, Repaired::Back),
        };
        plan.repair(&workspace, direction)?;
        Ok(repaired)
    }

    fn unrepaired(&self, open: &Open, files: Vec<PathBuf>, reason: Reason) -> Unrepaired {
        Unrepaired { root: self.root().to_owned(), change: Some(RecordId(open.id)), files, reason }
    }

    /// The root that the journal belongs to.
    pub(crate) fn root(&self) -> &Path {
        self.workspace.roots()[0].real()
    }

    /// Gives up a change whose files are unknown.
    pub(crate) fn give_up(&self, id: RecordId) -> Result<(), Error> {
        self.end(id.0, End::Unknown)?;
        self.log.unregister(id.0)
    }

    fn end(&self, id: u64, end: End) -> Result<(), Error> {
        self.log.end(id, end, Rest::Nothing)?.settle(Durability::Safe)
    }
}

/// What a repair has led to.
enum Repaired {
    Forward,
    Back,
    /// It was not half done.
    NotNeeded,
}

/// A change of a file that waits for a repair would be rolled back with it. Other files are free.
pub(crate) fn refuse(
    unrepaired: Vec<Unrepaired>,
    workspace: &Workspace,
    planned: &Planned<'_>,
) -> Result<(), CommitError> {
    let real = |path: &WorkspacePath| workspace.roots()[path.root().index()].real().join(path.relative());
    let touched =
        planned.outcomes().iter().flat_map(|outcome| [Some(&outcome.reached), outcome.from.as_ref()]);
    let touched: Vec<PathBuf> = touched.flatten().map(real).collect();
    let refusal = unrepaired.into_iter().find_map(|one| {
        let file = touched.iter().find(|file| one.files.contains(file))?;
        one.into_refusal(file)
    });
    refusal.map_or(Ok(()), |error| Err(error.into()))
}

/// A repair is some renames and a sync for each change.
const PATIENCE: Duration = Duration::from_secs(60);
