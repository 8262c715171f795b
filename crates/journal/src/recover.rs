//! After a crash: every change that was begun and has no end is brought to one of its two ends.
//!
//! Forward where all of it is in place, back where not; a repair that is itself interrupted is begun anew by the next.

use std::time::Duration;

use toolcrib_workspace::{CommitError, Direction, Error, Planned, WorkspacePath};

use crate::intent::Intent;
use crate::journal::Journal;
use crate::log::{End, Open, Rest, lock};

/// Changes that could not be repaired now, and why.
#[derive(Debug, Default)]
pub(crate) struct Unrepaired(Vec<(Vec<WorkspacePath>, Error)>);

impl Unrepaired {
    /// A change of a file that waits for a repair would be taken back with it. Other files are free.
    pub(crate) fn refuse(self, planned: &Planned<'_>) -> Result<(), CommitError> {
        let touched =
            planned.outcomes().iter().flat_map(|outcome| [Some(&outcome.reached), outcome.from.as_ref()]);
        let touched: Vec<_> = touched.flatten().collect();
        let in_the_way =
            self.0.into_iter().find(|(paths, _)| paths.iter().any(|path| touched.contains(&path)));
        in_the_way.map_or(Ok(()), |(_, error)| Err(error.into()))
    }
}

impl Journal {
    /// Repairs what processes that are gone have left half done.
    pub(crate) fn recover(&self) -> Result<Unrepaired, Error> {
        if self.dead()?.is_empty() {
            return Ok(Unrepaired::default());
        }
        let name = "repair".as_ref();
        let only_one = self.log.folder().open_or_create(name)?;
        lock(&only_one, PATIENCE).map_err(|error| self.log.folder().failure(name, error))?;
        let mut unrepaired = Unrepaired::default();
        // The last first: where two have touched one directory, that is the order in which they can be taken back.
        for open in self.dead()?.iter().rev() {
            self.repair_one(open, &mut unrepaired)?;
        }
        self.locks.sweep()?;
        Ok(unrepaired)
    }

    fn dead(&self) -> Result<Vec<Open>, Error> {
        let mut dead = Vec::new();
        // What was over before the log was read, and is open there, was left half done. Other threads go on meanwhile, so
        // in the other order what they have just begun or ended would look like that.
        let over = self.over().clone();
        let open_changes = self.log.open_changes()?;
        let is_open = |id: &u64| open_changes.iter().any(|open| open.id == *id);
        self.over().retain(|id| is_open(id) || !over.contains(id));
        for open in open_changes {
            let alive = if self.presence.is_own(open.instance) {
                !over.contains(&open.id)
            } else {
                self.presence.is_alive(open.instance)?
            };
            if !alive {
                dead.push(open);
            }
        }
        Ok(dead)
    }

    fn repair_one(&self, open: &Open, unrepaired: &mut Unrepaired) -> Result<(), Error> {
        let entry = self.log.read(open.at)?;
        let Some(intent) = entry.and_then(|entry| Intent::decode(&entry.said).ok()) else {
            // Damaged or gone: nobody knows what it was about.
            return self.log.close(open.id);
        };
        match self.repair_files(open, &intent) {
            Ok(Direction::Forward) if open.in_place => self.log.close(open.id)?,
            Ok(Direction::Forward) => self.end(open.id, End::Done)?,
            Ok(Direction::Back) => self.end(open.id, End::TakenBack)?,
            Err(error) => {
                let paths = intent.files.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]);
                let paths = paths.flatten().filter_map(|path| intent.locate(&self.workspace, path));
                unrepaired.0.push((paths.collect(), error));
                return Ok(());
            }
        }
        self.presence.forget_if_done(open.instance, &self.log.open_changes()?)
    }

    fn repair_files(&self, open: &Open, intent: &Intent) -> Result<Direction, Error> {
        let workspace = intent.workspace(&self.workspace)?;
        let Some(plan) = intent.plan(&workspace) else { return Ok(Direction::Back) };
        let forward = open.in_place || plan.is_in_place(&workspace)?;
        let direction = if forward { Direction::Forward } else { Direction::Back };
        plan.repair(&workspace, direction)?;
        Ok(direction)
    }

    fn end(&self, id: u64, end: End) -> Result<(), Error> {
        let written = self.log.end(id, end, Rest::Nothing)?;
        written.sync().map_err(|error| self.log.folder().failure("".as_ref(), error))
    }
}

/// A repair is some renames and a sync for each change.
const PATIENCE: Duration = Duration::from_secs(60);
