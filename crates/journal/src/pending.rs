//! Images that wait: taken before another program changes something, by a process that ends before that program does.
//!
//! Each set is one file in the journal's folder, under the hash of a key that whoever records chooses, and is taken out once.
//! What is never taken out is swept after a while.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolcrib_workspace::{Error, ErrorKind, FileImage, FileKind, Image, StateFolder, Version, WorkspacePath};

use crate::codec::{Malformed, Reader, Writer, path_of};
use crate::foreign::{Mark, record_path};
use crate::intent::encoding::{read_attributes, read_path, write_attributes, write_path};
use crate::journal::Journal;

/// Images that wait.
#[derive(Debug)]
pub struct Pending {
    /// Where the journal ended when they were taken.
    pub mark: Mark,
    /// For each name what it led to, and whether the contents may be kept.
    pub images: Vec<PendingImage>,
}

/// What a name led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingImage {
    /// The name.
    pub path: WorkspacePath,
    /// What it led to. A file whose contents may not be kept has none.
    pub image: Image,
    /// Whether the contents may be kept.
    pub keep: bool,
}

impl Journal {
    /// Stores images until they are [taken](Self::take_pending) under the same key. Of several sets of one key, the first is
    /// taken first.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn store_pending(&self, key: &str, pending: &Pending) -> Result<(), Error> {
        let folder = self.pending()?;
        let body = self.encode_pending(pending);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name: OsString = format!("{}.{now:032x}", prefix(key)).into();
        let mut unfinished = name.clone();
        unfinished.push(UNFINISHED);
        let mut file = folder.open_or_create(&unfinished)?;
        let written = file.write_all(&[MAGIC, blake3::hash(&body).as_bytes(), &body[..]].concat());
        let named = written
            .map_err(|error| folder.failure(&unfinished, error))
            .and_then(|()| folder.rename(&unfinished, &name));
        if named.is_err() {
            let _ = folder.remove(&unfinished);
        }
        named
    }

    /// Takes the images out that were stored under this key; none if there are none, or they are damaged.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn take_pending(&self, key: &str) -> Result<Option<Pending>, Error> {
        let folder = self.pending()?;
        let prefix = prefix(key);
        let is_ours = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with(&prefix) && !name.ends_with(UNFINISHED)
        };
        // The names are sorted, and a name says when it was made.
        for name in folder.names()?.into_iter().filter(is_ours) {
            // Only one process gets it.
            let mut taken = name.clone();
            taken.push(format!(".{}", std::process::id()));
            taken.push(UNFINISHED);
            match folder.rename(&name, &taken) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                renamed => renamed?,
            }
            let read = folder.open_file(&taken)?.map(|file| read(&folder, &taken, file)).transpose();
            folder.remove(&taken)?;
            return Ok(read?.and_then(|bytes| self.decode_pending(&bytes).ok()));
        }
        Ok(None)
    }

    /// Removes what was stored longer ago than this, and what is more than so many sets, the oldest first. Says how many
    /// there were.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn sweep_pending(&self, older: Duration, most: usize) -> Result<usize, Error> {
        let folder = self.pending()?;
        let mut found = Vec::new();
        for name in folder.names()? {
            let time =
                name.to_string_lossy().split('.').nth(1).and_then(|time| u128::from_str_radix(time, 16).ok());
            found.push((time.unwrap_or(0), name));
        }
        found.sort();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let oldest = now.saturating_sub(older).as_nanos();
        let too_many = found.len().saturating_sub(most);
        let mut removed = 0;
        for (number, (time, name)) in found.iter().enumerate() {
            if *time < oldest || number < too_many {
                folder.remove(name)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn pending(&self) -> Result<StateFolder, Error> {
        self.log.folder().folder(FOLDER.as_ref())
    }

    fn decode_pending(&self, bytes: &[u8]) -> Result<Pending, Malformed> {
        let mut reader = Reader(bytes);
        let (magic, hash): ([u8; 8], [u8; 32]) = (reader.fixed()?, reader.fixed()?);
        if magic != *MAGIC || hash != *blake3::hash(reader.0).as_bytes() {
            return Err(Malformed);
        }
        let mark = Mark::new(reader.number()?);
        let roots = reader.list(|reader| Ok(path_of(reader.bytes()?.to_vec())))?;
        let images = reader.list(|reader| {
            let path = read_path(reader)?;
            let real = roots.get(path.root).ok_or(Malformed)?;
            let mut roots = self.workspace.roots().iter();
            let root = roots.find(|root| root.real() == real).ok_or(Malformed)?;
            let path = root.path_to(&path.relative);
            Ok(PendingImage { path, image: read_image(reader)?, keep: reader.byte()? == 1 })
        })?;
        Ok(Pending { mark, images })
    }

    fn encode_pending(&self, pending: &Pending) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(pending.mark.number());
        let roots: Vec<&Path> = self.workspace.roots().iter().map(|root| root.real()).collect();
        writer.list(&roots, |writer, root| writer.name(root));
        writer.list(&pending.images, |writer, PendingImage { path, image, keep }| {
            write_path(writer, &record_path(path));
            write_image(writer, image);
            writer.byte((*keep).into());
        });
        writer.into_bytes()
    }
}

fn read(folder: &StateFolder, name: &OsStr, file: std::fs::File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).map_err(|error| folder.failure(name, error))?;
    Ok(bytes)
}

fn write_image(writer: &mut Writer, image: &Image) {
    match image {
        Image::Absent => writer.byte(0),
        Image::File(FileImage { version, attributes, content }) => {
            writer.byte(1);
            writer.fixed(version.as_bytes());
            write_attributes(writer, attributes);
            writer.option(content.as_ref(), |writer, content| writer.bytes(content));
        }
        Image::Link(target) => {
            writer.byte(2);
            writer.name(target);
        }
        Image::Directory(attributes) => {
            writer.byte(3);
            write_attributes(writer, attributes);
        }
        Image::Other(_) => writer.byte(4),
    }
}

fn read_image(reader: &mut Reader<'_>) -> Result<Image, Malformed> {
    Ok(match reader.byte()? {
        0 => Image::Absent,
        1 => {
            let version = Version::from_bytes(reader.fixed()?);
            let attributes = read_attributes(reader)?;
            let content = reader.option(|reader| Ok(reader.bytes()?.to_vec()))?;
            Image::File(FileImage { version, attributes, content })
        }
        2 => Image::Link(path_of(reader.bytes()?.to_vec())),
        3 => Image::Directory(read_attributes(reader)?),
        // Which sort of thing it is makes no difference: it is never restored.
        4 => Image::Other(FileKind::Fifo),
        _ => return Err(Malformed),
    })
}

/// By what the names of a key's files begin.
fn prefix(key: &str) -> String {
    let mut text = Version::of(key.as_bytes()).to_string();
    text.truncate(32);
    text
}

/// Where it stands in the journal's folder.
const FOLDER: &str = "pending";

/// How the name of a file ends that is being written, or was taken.
const UNFINISHED: &str = ".new";

const MAGIC: &[u8] = b"TCPEND\x00\x01";

/// Nobody stores more.
const MOST: u64 = 1 << 30;
