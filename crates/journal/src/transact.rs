//! The life of one change: announced, made, promised, recorded.
//!
//! Whatever fails on the way, the error that is told is the first one. What could not be told to the log is found out by
//! the next repair, which looks at the files.

use toolcrib_workspace::{
    ChangeSet, CommitError, Committed, Durability, Error, ErrorKind, InPlace, Planned, Restoration,
    Workspace, WorkspacePath,
};

use crate::intent::{About, Intent, Purpose};
use crate::journal::{Contents, Entry, Journal, Recorded};
use crate::log::{Announcement, Begun, End, Rest};
use crate::record::RecordId;
use crate::recover::refuse;

/// What is to be done.
pub(crate) struct Proposal<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) changes: &'a ChangeSet,
    pub(crate) restoration: Restoration,
    pub(crate) purpose: &'a Purpose,
}

impl Journal {
    /// Makes changes whose files are locked.
    pub(crate) fn transact(
        &self,
        proposal: Proposal<'_>,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Recorded, CommitError> {
        let Proposal { workspace, changes, restoration, purpose } = proposal;
        // A process that died while changing these files held their locks until then, so it shows now.
        let mut unrepaired = self.recover()?;
        unrepaired.extend(self.recover_others()?);
        let mut planned = workspace.plan_restoring(changes, restoration)?;
        refuse(unrepaired, workspace, &planned)?;
        let instance = self.liveness.announce()?;
        let about = About { instance, tool: entry.tool, session: entry.session, agent: entry.agent, purpose };
        let (begun, single, settled) = planned.write_ahead(durability, |planned| {
            let (begun, single) = self.begin(about, workspace, changes, planned, entry)?;
            let settled = begun.settle(durability);
            Ok::<_, Error>((begun, single, settled))
        })?;
        let _finish = FinishGuard { journal: self, id: begun.id };
        if let Err(error) = settled {
            self.close_quietly(&begun, End::RolledBack);
            return Err(error.into());
        }
        let committed = self.carry_out(&begun, single, planned, durability, entry)?;
        Ok(Recorded { id: RecordId(begun.id), committed })
    }

    /// Writes down what is about to be done.
    fn begin(
        &self,
        about: About<'_>,
        workspace: &Workspace,
        changes: &ChangeSet,
        planned: &Planned<'_>,
        entry: &Entry<'_>,
    ) -> Result<(Begun<'_>, bool), Error> {
        let begin = |may_keep: &dyn Fn(&WorkspacePath) -> bool| {
            let (intent, contents) = Intent::new(about, workspace, changes, planned, may_keep);
            let is_single = intent.is_single();
            let begun = self.log.begin(Announcement {
                instance: about.instance,
                said: &intent.encode(),
                kept: &contents.into_bytes(),
                seen_in: (!is_single).then_some(workspace),
            })?;
            Ok((begun, is_single))
        };
        match begin(entry.may_keep) {
            Err(error) if self.options.contents == Contents::IfPossible && is_lack_of_room(&error) => {
                begin(&|_| false)
            }
            begun => begun,
        }
    }

    fn carry_out(
        &self,
        begun: &Begun<'_>,
        single: bool,
        planned: Planned<'_>,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Committed, CommitError> {
        let mut in_place = match planned.carry_out_unless(durability, entry.stop) {
            Ok(in_place) => in_place,
            Err(error) => {
                if error.is_settled() {
                    self.close_quietly(begun, End::RolledBack);
                }
                return Err(error);
            }
        };
        if !single {
            in_place = self.promise(begun, in_place, durability)?;
        }
        let (committed, cleaned) = in_place.try_finish();
        // The change is made, whatever happens now. What is left open here the next repair closes.
        match cleaned {
            Ok(()) if single => self.close_quietly(begun, End::Done),
            Ok(()) => drop(self.log.close(begun.id).and_then(|()| begun.leave())),
            Err(_) => {}
        }
        Ok(committed)
    }

    /// Writes down that everything is in place. From here on a crash is repaired forward, so it must not be forgotten;
    /// and nothing may be rolled back any more that a reader could find written down as done.
    fn promise<'a>(
        &self,
        begun: &Begun<'_>,
        in_place: InPlace<'a>,
        durability: Durability,
    ) -> Result<InPlace<'a>, CommitError> {
        let (error, revoked) = match self.log.end(begun.id, End::Done, Rest::CleanUp) {
            Err(error) => (error, true),
            Ok(end) => match end.settle(durability) {
                Ok(()) => return Ok(in_place),
                Err(error) => (error, self.log.end(begun.id, End::Revoked, Rest::Repair).is_ok()),
            },
        };
        if !revoked {
            return Err(in_place.leave(error));
        }
        let error = in_place.roll_back(error);
        if error.is_settled() {
            self.close_quietly(begun, End::RolledBack);
        }
        Err(error)
    }

    /// Tells the end of a change that has one, whether or not it can be told: the next repair finds the same.
    fn close_quietly(&self, begun: &Begun<'_>, end: End) {
        let _ = self.log.end(begun.id, end, Rest::Nothing).and_then(|_| begun.leave());
    }
}

/// A change that this process is making. However it ends, it is over then.
struct FinishGuard<'a> {
    journal: &'a Journal,
    id: u64,
}

impl Drop for FinishGuard<'_> {
    fn drop(&mut self) {
        self.journal.over().insert(self.id);
    }
}

fn is_lack_of_room(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::TooLarge { .. } | ErrorKind::NoSpace)
}
