//! Whether anything is left half done, found out without opening a journal: the cost of a look for those who only read.
//!
//! A process that opens a workspace repairs what is half done there first, whichever root it was changed under: the
//! same one, one above it, one below, or one of several. A change that is seen half done is in the
//! [register](crate::register), which is nearly always empty, so that the look is one listing of a folder. What cannot
//! be repaired is told.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use toolcrib_workspace::{Error, ErrorKind, Notice, NoticeBoard, StateFolder, Workspace};

use crate::journal::{JOURNALS, Journal, Options, identity};
use crate::liveness::Liveness;
use crate::log::unfinished;
use crate::reach::Reach;
use crate::register::{self, RegisterFile, files, remove_notices};
use crate::unrepaired::{Reason, Unrepaired};

impl Journal {
    /// Repairs what a crash has left half done in any root of the workspace, and gives what could not be repaired. Where
    /// nothing is, no journal is opened and nothing is made in the state folder.
    ///
    /// A process that opens a workspace does this first, also to read: between the ends of a change that was
    /// interrupted nothing should be seen.
    pub fn repair(state: &Path, workspace: &Workspace, options: Options) -> Result<Vec<Unrepaired>, Error> {
        let repairer = Repairer::new(state, workspace, options);
        let (mut unrepaired, mut opened) = (Vec::new(), Vec::new());
        if let Some(folder) = StateFolder::existing(state)?
            && let Some(journals) = folder.existing_folder(JOURNALS.as_ref())?
        {
            for index in 0..workspace.roots().len() {
                let name = identity(workspace, index)?;
                if !is_at_rest(&journals, &name)? {
                    let (journal, own) = Self::open_alone(state, &repairer.alone(index)?, options)?;
                    journal.unregister_ended()?;
                    unrepaired.extend(own);
                    opened.push(name);
                }
            }
        }
        unrepaired.extend(repairer.repair_registered(|journal| !opened.iter().any(|name| name == journal))?);
        unrepaired.extend(repairer.interrupted_by_others()?);
        Ok(unrepaired)
    }

    /// Repairs changes of other roots that share files with this one.
    pub(crate) fn recover_others(&self) -> Result<Vec<Unrepaired>, Error> {
        self.repairer.repair_registered(|journal| journal != self.name)
    }
}

/// Finds the half-done changes of a workspace and repairs them, as often as it is asked to.
#[derive(Debug)]
pub struct Repairer {
    state: PathBuf,
    workspace: Workspace,
    options: Options,
    board: NoticeBoard,
    /// The register, once there is one.
    register: OnceLock<StateFolder>,
    /// Whether the state folder was looked into, and had none.
    was_absent: AtomicBool,
    reach: OnceLock<Reach>,
}

impl Repairer {
    /// For a workspace whose changes are written down in this state folder.
    pub fn new(state: &Path, workspace: &Workspace, options: Options) -> Self {
        Self {
            state: state.to_owned(),
            workspace: workspace.clone(),
            options,
            board: NoticeBoard::system(),
            register: OnceLock::new(),
            was_absent: AtomicBool::new(false),
            reach: OnceLock::new(),
        }
    }

    /// Repairs what processes that are gone have left half done in files of the workspace, and gives what could not be
    /// repaired. Mostly there is nothing, and it costs the listing of an empty folder.
    pub fn repair(&self) -> Result<Vec<Unrepaired>, Error> {
        let mut unrepaired = self.repair_registered(|_| true)?;
        unrepaired.extend(self.interrupted_by_others()?);
        Ok(unrepaired)
    }

    /// Repairs what is registered, of these journals.
    fn repair_registered(&self, concerns: impl Fn(&OsStr) -> bool) -> Result<Vec<Unrepaired>, Error> {
        let mut unrepaired = Vec::new();
        if let Some(register) = self.register()? {
            for file in files(register)?.iter().filter(|file| concerns(&file.journal)) {
                unrepaired.extend(self.look_at(file)?);
            }
        }
        Ok(unrepaired)
    }

    fn register(&self) -> Result<Option<&StateFolder>, Error> {
        if let Some(register) = self.register.get() {
            return Ok(Some(register));
        }
        // Every call looks, and mostly nothing was ever registered.
        if self.was_absent.load(Ordering::Relaxed)
            && StateFolder::lacks(&self.state, register::FOLDER.as_ref())
        {
            return Ok(None);
        }
        let register = self.existing_register()?;
        self.was_absent.store(register.is_none(), Ordering::Relaxed);
        Ok(register.map(|register| self.register.get_or_init(|| register)))
    }

    fn existing_register(&self) -> Result<Option<StateFolder>, Error> {
        let Some(state) = StateFolder::existing(&self.state)? else { return Ok(None) };
        state.existing_folder(register::FOLDER.as_ref())
    }

    fn look_at(&self, file: &RegisterFile) -> Result<Vec<Unrepaired>, Error> {
        let Some(registered) = &file.registered else { return self.look_at_damaged(file) };
        if !self.reach()?.overlaps(&registered.reach)
            || self.is_alive(&file.journal, registered.instance())?
        {
            return Ok(Vec::new());
        }
        // A root that is not there any more needs no repair. If it was moved, it is repaired when it is opened itself.
        let Some(root) = self.root_of(&file.journal, registered.roots.first())? else {
            remove_notices(&self.board, &file.name);
            return Ok(Vec::new());
        };
        let shown = root.roots()[0].real().to_owned();
        Ok(self.repair_root(&root).unwrap_or_else(|error| {
            let reason = Reason::Failed(error);
            vec![Unrepaired { root: shown, change: None, files: Vec::new(), reason }]
        }))
    }

    fn repair_root(&self, root: &Workspace) -> Result<Vec<Unrepaired>, Error> {
        // The limit of another journal is not known here, and nothing may be dropped from it.
        let options = Options { limit: u64::MAX, ..self.options };
        let (journal, unrepaired) = Journal::open_alone(&self.state, root, options)?;
        journal.unregister_ended()?;
        Ok(unrepaired)
    }

    /// A file of the register that cannot be read. The log knows the change too, and the next process to open its root
    /// repairs it; here it is unknown which root that is.
    fn look_at_damaged(&self, file: &RegisterFile) -> Result<Vec<Unrepaired>, Error> {
        for index in 0..self.workspace.roots().len() {
            if identity(&self.workspace, index)? == file.journal {
                return self.repair_root(&self.alone(index)?);
            }
        }
        let root = self.state.join(register::FOLDER).join(&file.name);
        Ok(vec![Unrepaired { root, change: None, files: Vec::new(), reason: Reason::NobodyKnows }])
    }

    /// One of the roots, alone.
    fn alone(&self, index: usize) -> Result<Workspace, Error> {
        if index == 0 {
            return Ok(self.workspace.clone());
        }
        let root = self.workspace.roots()[index].real();
        Workspace::builder().mounts(self.workspace.mounts()).root(root).open()
    }

    fn is_alive(&self, journal: &OsStr, instance: crate::log::Instance) -> Result<bool, Error> {
        let Some(state) = StateFolder::existing(&self.state)? else { return Ok(false) };
        let Some(journals) = state.existing_folder(JOURNALS.as_ref())? else { return Ok(false) };
        let Some(folder) = journals.existing_folder(journal)? else { return Ok(false) };
        let Some(live) = folder.existing_folder("live".as_ref())? else { return Ok(false) };
        Liveness::new(live).is_alive(instance)
    }

    /// The root of a journal: where it was when the change was made, or one of our own roots or above it, if it was moved
    /// with them.
    fn root_of(&self, journal: &OsStr, was: Option<&PathBuf>) -> Result<Option<Workspace>, Error> {
        let above = self.workspace.roots().iter().flat_map(|root| root.real().ancestors());
        for path in was.map(PathBuf::as_path).into_iter().chain(above) {
            match Workspace::builder().mounts(self.workspace.mounts()).root(path).open() {
                Ok(root) if identity(&root, 0)? == journal => return Ok(Some(root)),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) => {}
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn reach(&self) -> Result<&Reach, Error> {
        if let Some(reach) = self.reach.get() {
            return Ok(reach);
        }
        let reach = Reach::of(&self.workspace)?;
        Ok(self.reach.get_or_init(|| reach))
    }

    /// What other users say about files of the workspace. They may be at work at this moment, so they get one.
    fn interrupted_by_others(&self) -> Result<Vec<Unrepaired>, Error> {
        let mut told = self.notices()?;
        let until = SystemTime::now() + A_MOMENT;
        while told.iter().any(is_fresh) && SystemTime::now() < until {
            thread::sleep(A_MOMENT / 10);
            told = self.notices()?;
        }
        let mut users: Vec<u32> = told.iter().map(|notice| notice.uid).collect();
        users.sort_unstable();
        users.dedup();
        let root = self.workspace.roots()[0].real();
        let unrepaired = users.into_iter().map(|uid| Unrepaired {
            root: root.to_owned(),
            change: None,
            files: Vec::new(),
            reason: Reason::OtherUser(uid),
        });
        Ok(unrepaired.collect())
    }

    fn notices(&self) -> Result<Vec<Notice>, Error> {
        let notices = self.board.of_others();
        if notices.is_empty() {
            return Ok(notices);
        }
        let reach = self.reach()?;
        let concerns_us = |notice: &Notice| {
            let text = notice.says.to_str().and_then(|says| says.split_once('.'));
            text.is_some_and(|(_, text)| reach.overlaps(&Reach::parse([text])))
        };
        Ok(notices.into_iter().filter(concerns_us).collect())
    }
}

impl Journal {
    /// Takes changes out of the register that have ended: their process died before it could.
    pub(crate) fn unregister_ended(&self) -> Result<(), Error> {
        let open = self.log.head()?.open;
        for file in self.log.registered()? {
            let is_open = open.iter().any(|open| open.id == file.id);
            let is_alive = match &file.registered {
                Some(registered) => self.liveness.is_alive(registered.instance())?,
                None => false,
            };
            if !is_open && !is_alive {
                self.log.unregister(file.id)?;
            }
        }
        self.log.sweep_register(&open)
    }
}

/// Whether no change in this journal waits for a repair. One that a process is making at this moment does not.
fn is_at_rest(journals: &StateFolder, name: &OsStr) -> Result<bool, Error> {
    let Some(folder) = journals.existing_folder(name)? else { return Ok(true) };
    // It is unknown what stands in a log of an earlier run of the machine.
    let Some(open) = unfinished(&folder)? else { return Ok(false) };
    if open.is_empty() {
        return Ok(true);
    }
    let liveness = Liveness::new(folder.folder("live".as_ref())?);
    for change in open {
        if !liveness.is_alive(change.instance)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a change may still be under way that was begun then.
fn is_fresh(notice: &Notice) -> bool {
    SystemTime::now().duration_since(notice.since).is_ok_and(|age| age < 10 * A_MOMENT)
}

/// Most changes are over by then.
const A_MOMENT: Duration = Duration::from_millis(200);
