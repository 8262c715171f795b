//! The whole journal is checked: every record, all contents that it keeps, and what it keeps twice.

use std::path::PathBuf;

use toolcrib_workspace::Error;

use crate::damage::{Damage, Fault};
use crate::intent::Intent;
use crate::journal::Journal;
use crate::log::{Entry, Kind};
use crate::unrepaired::{Reason, Unrepaired};

/// What a check of the journal has found and done.
#[derive(Debug, Default)]
pub struct Scrub {
    /// The changes that can be read.
    pub changes: u64,
    /// The records that can be read: each change has one, and one for its outcome.
    pub records: u64,
    /// The contents that were checked.
    pub contents: u64,
    /// What is damaged.
    pub damage: Vec<Damage>,
    /// What was repaired.
    pub repaired: Vec<String>,
    /// Changes that are half done and could not be repaired.
    pub unrepaired: Vec<Unrepaired>,
    /// Files that were set aside for a person to look at, and their size. They are never deleted.
    pub aside: Vec<(PathBuf, u64)>,
}

impl Journal {
    /// Reads every record and looks for damage. Contents are not read, and nothing is repaired but what a crash left half
    /// done.
    pub fn check(&self) -> Result<Scrub, Error> {
        let mut scrub = Scrub::default();
        let checked = self.log.check(|entry, _| {
            scrub.changes += u64::from(entry.header.kind == Kind::Intent);
            Ok(())
        })?;
        scrub.records = checked.records;
        self.log.note_damage(&checked.faults)?;
        scrub.damage = self.damage()?;
        scrub.unrepaired = self.recover()?;
        scrub.unrepaired.extend(self.recover_others()?);
        scrub.aside = self.aside()?;
        Ok(scrub)
    }

    /// Checks every record and all contents that are kept, and repairs what can be repaired. What is damaged counts as told
    /// to a person afterwards.
    pub fn scrub(&self) -> Result<Scrub, Error> {
        let mut scrub = Scrub::default();
        let checked = self.log.check(|entry, faults| self.check_contents(entry, faults, &mut scrub))?;
        scrub.records = checked.records;
        self.log.note_damage(&checked.faults)?;
        scrub.repaired.extend(self.log.mend(&checked)?.into_iter().map(str::to_owned));
        for unrepaired in self.recover()? {
            self.settle(unrepaired, &mut scrub)?;
        }
        self.unregister_ended()?;
        scrub.unrepaired.extend(self.recover_others()?);
        scrub.damage = self.log.acknowledge(&checked)?.damage;
        scrub.aside = self.aside()?;
        Ok(scrub)
    }

    fn check_contents(&self, entry: &Entry, faults: &mut Vec<Fault>, scrub: &mut Scrub) -> Result<(), Error> {
        if entry.header.kind != Kind::Intent {
            return Ok(());
        }
        scrub.changes += 1;
        let damaged = Fault::Contents { change: entry.header.id };
        let Ok(intent) = Intent::decode(&entry.said) else {
            faults.push(damaged);
            return Ok(());
        };
        for file in intent.files.iter().filter(|file| file.is_kept()) {
            scrub.contents += 1;
            let over = file.over.as_ref().map(|over| self.old(&entry.header, over)).transpose()?;
            let is_whole =
                self.contents(&entry.header, file)?.is_some() && over.is_none_or(|over| over.is_some());
            if !is_whole && !faults.contains(&damaged) {
                faults.push(damaged);
            }
        }
        Ok(())
    }

    /// A change whose files are unknown cannot be repaired. It is told once more, and given up.
    fn settle(&self, unrepaired: Unrepaired, scrub: &mut Scrub) -> Result<(), Error> {
        match (&unrepaired.reason, unrepaired.change) {
            (Reason::Unreadable, Some(id)) => {
                self.give_up(id)?;
                scrub
                    .repaired
                    .push(format!("gave up change {id}, whose record is damaged: {}", unrepaired.hint()));
            }
            _ => scrub.unrepaired.push(unrepaired),
        }
        Ok(())
    }

    fn aside(&self) -> Result<Vec<(PathBuf, u64)>, Error> {
        let folder = self.log.folder().path();
        Ok(self.log.aside()?.into_iter().map(|(name, size)| (folder.join(name), size)).collect())
    }
}
