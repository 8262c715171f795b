//! The register of changes under way: one small file for each change that goes through more than one step.
//!
//! The log knows them too. The register is there for those who do not read that log:
//!
//! - a process that opens another root that shares files with the change sees that something is half done, by listing a
//!   folder that is nearly always empty;
//! - if the record in the log is damaged, the change can be repaired from here: the file holds what the log says;
//! - other users, who see none of it, are told by a [notice](toolcrib_workspace::NoticeBoard).
//!
//! A change of one name is not registered: it is seen whole or not at all, whenever its process ends.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use toolcrib_workspace::{Durability, Error, NoticeBoard, StateFolder, Version, Workspace};

use crate::codec::{Malformed, Reader, Writer};
use crate::log::{Instance, Key, Position};
use crate::reach::{Reach, short};

/// Where it stands in the state folder.
pub(crate) const FOLDER: &str = "open";

/// The changes of one journal.
#[derive(Debug)]
pub(crate) struct Register {
    folder: StateFolder,
    /// What the journal is called.
    journal: OsString,
    board: NoticeBoard,
}

/// A change under way, as it is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registered {
    pub(crate) id: u64,
    /// Where its record stands in the log.
    pub(crate) at: Position,
    pub(crate) reach: Reach,
    /// The roots of its workspace, as they were called.
    pub(crate) roots: Vec<PathBuf>,
    /// What its record says.
    pub(crate) said: Vec<u8>,
    /// The journal's seal of all that.
    seal: [u8; 32],
}

/// A change that this process has registered.
#[derive(Debug)]
pub(crate) struct Entered {
    name: OsString,
    /// What it is called until it is published.
    unfinished: OsString,
    file: File,
    /// What other users are told.
    notices: Vec<OsString>,
}

/// The file of a change.
#[derive(Debug)]
pub(crate) struct RegisterFile {
    pub(crate) name: OsString,
    pub(crate) journal: OsString,
    pub(crate) id: u64,
    /// None if it is damaged.
    pub(crate) registered: Option<Registered>,
}

impl Register {
    pub(crate) fn new(state: &StateFolder, journal: OsString, board: NoticeBoard) -> Result<Self, Error> {
        Ok(Self { folder: state.folder(FOLDER.as_ref())?, journal, board })
    }

    /// Writes down what is to be registered. No process finds it before it is [published](Self::publish).
    pub(crate) fn enter(
        &self,
        key: &Key,
        id: u64,
        at: Position,
        workspace: &Workspace,
        said: &[u8],
    ) -> Result<Entered, Error> {
        let reach = Reach::of(workspace)?;
        let roots = workspace.roots().iter().map(|root| root.real().to_owned()).collect();
        let mut registered = Registered { id, at, reach, roots, said: said.to_owned(), seal: [0; 32] };
        registered.seal = seal(key, &self.journal, &registered.encode());
        let body = [&registered.seal[..], &registered.encode()].concat();
        let name = self.name(id);
        let mut unfinished = name.clone();
        unfinished.push(UNFINISHED);
        let mut file = self.folder.open_or_create(&unfinished)?;
        let written = file.write_all(&[MAGIC, blake3::hash(&body).as_bytes(), &body[..]].concat());
        if let Err(error) = written {
            let _ = self.folder.remove(&unfinished);
            return Err(self.folder.failure(&unfinished, error));
        }
        let notices = registered.reach.texts().map(|text| format!("{}.{text}", tag(&name)).into()).collect();
        Ok(Entered { name, unfinished, file, notices })
    }

    /// From now on everybody finds the change. The file is complete before it has its name, on the disk too if that is
    /// wanted, so that no reader takes it for a damaged one.
    pub(crate) fn publish(&self, entered: &Entered, durability: Durability) -> Result<(), Error> {
        let is_safe = durability == Durability::Safe;
        if is_safe {
            entered.file.sync_all().map_err(|error| self.folder.failure(&entered.unfinished, error))?;
        }
        self.folder.rename(&entered.unfinished, &entered.name)?;
        if is_safe {
            self.folder.sync()?;
        }
        // Other users are told if they can be. It is no reason not to make the change.
        entered.notices.iter().for_each(|notice| drop(self.board.post(notice)));
        Ok(())
    }

    /// Removes files that were never finished, of changes that are not under way any more.
    pub(crate) fn sweep(&self, is_open: impl Fn(u64) -> bool) -> Result<(), Error> {
        for name in self.folder.names()? {
            let finished = name.to_str().and_then(|name| name.strip_suffix(UNFINISHED));
            let of = finished.and_then(|name| parts(name.as_ref()));
            if of.is_some_and(|(journal, id)| journal == self.journal && !is_open(id)) {
                self.folder.remove(&name)?;
            }
        }
        Ok(())
    }

    /// A change that this process has entered is not under way any more.
    pub(crate) fn leave(&self, entered: &Entered) -> Result<(), Error> {
        // The notices first: who finds the file takes care of them too.
        entered.notices.iter().for_each(|notice| drop(self.board.remove(notice)));
        self.folder.remove(&entered.name)?;
        self.folder.remove(&entered.unfinished)
    }

    /// The same for a change that any process has entered, or none.
    pub(crate) fn remove(&self, id: u64) -> Result<(), Error> {
        remove_notices(&self.board, &self.name(id));
        self.folder.remove(&self.name(id))
    }

    /// The files of this journal's changes. What is not genuine counts as damaged.
    pub(crate) fn own(&self, key: &Key) -> Result<Vec<RegisterFile>, Error> {
        let is_genuine =
            |registered: &Registered| registered.seal == seal(key, &self.journal, &registered.encode());
        let mut own = files(&self.folder)?;
        own.retain(|file| file.journal == self.journal);
        own.iter_mut().for_each(|file| file.registered = file.registered.take().filter(is_genuine));
        Ok(own)
    }

    fn name(&self, id: u64) -> OsString {
        let mut name = self.journal.clone();
        name.push(format!(".{id}"));
        name
    }
}

/// Others need not be told any more of the change that is registered under this name.
pub(crate) fn remove_notices(board: &NoticeBoard, name: &OsStr) {
    let tag = tag(name);
    let is_its = |notice: &OsString| notice.to_string_lossy().split('.').next() == Some(&tag);
    board
        .own()
        .unwrap_or_default()
        .iter()
        .filter(|notice| is_its(notice))
        .for_each(|notice| drop(board.remove(notice)));
}

/// By what the notices of a change are known to its user, and tell nothing to others.
fn tag(name: &OsStr) -> String {
    short(Version::of(name.as_encoded_bytes()), 16)
}

/// The changes of all journals that are under way, or were when their process ended.
pub(crate) fn files(folder: &StateFolder) -> Result<Vec<RegisterFile>, Error> {
    let mut files = Vec::new();
    for name in folder.names()? {
        let Some((journal, id)) = parts(&name) else { continue };
        let Some(file) = folder.open_file(&name)? else { continue };
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes).map_err(|error| folder.failure(&name, error))?;
        let registered = Registered::decode(&bytes).ok().filter(|registered| registered.id == id);
        files.push(RegisterFile { name, journal, id, registered });
    }
    Ok(files)
}

fn parts(name: &OsStr) -> Option<(OsString, u64)> {
    let (journal, id) = name.to_str()?.split_once('.')?;
    Some((journal.into(), id.parse().ok()?))
}

impl Registered {
    pub(crate) fn instance(&self) -> Instance {
        self.said.first_chunk().copied().unwrap_or_default()
    }

    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        [self.id, self.at.segment, self.at.offset].into_iter().for_each(|number| writer.number(number));
        writer.bytes(self.reach.to_string().as_bytes());
        writer.list(&self.roots, |writer, root| writer.name(root));
        writer.bytes(&self.said);
        writer.into_bytes()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let (magic, hash): ([u8; 8], [u8; 32]) = (reader.fixed()?, reader.fixed()?);
        if magic != *MAGIC || hash != *blake3::hash(reader.0).as_bytes() {
            return Err(Malformed);
        }
        let seal = reader.fixed()?;
        let id = reader.number()?;
        let at = Position { segment: reader.number()?, offset: reader.number()? };
        let reach = Reach::parse(reader.text()?.split(':'));
        let roots = reader.list(|reader| Ok(PathBuf::from(reader.name()?)))?;
        let said = reader.bytes()?.to_vec();
        Ok(Self { id, at, reach, roots, said, seal })
    }
}

fn seal(key: &Key, journal: &OsStr, body: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new_keyed(key).update(journal.as_encoded_bytes()).update(body).finalize().as_bytes()
}

/// How the name of a file ends while it is written.
const UNFINISHED: &str = ".new";

const MAGIC: &[u8] = b"TCOPEN\x00\x01";

/// No record says more.
const MOST: u64 = 65 << 20;
