//! An intent as bytes and back.
//!
//! The log has checked that the bytes are the ones that were written. Still nothing here trusts them: a path that leads
//! anywhere but down, or an index beyond its list, is damage.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolcrib_workspace::{Act, Attributes, NameRef, Subject, TreeEntry, TreeEntryKind, Version};

use super::{FileChange, Intent, New, Old, Purpose, RecordPath, Target, TargetFile, TargetHunks};
use crate::codec::{Malformed, Reader, Writer};
use crate::image::{Splice, Stored};

impl Intent {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.fixed(&self.instance);
        writer.number(nanoseconds(self.time));
        writer.bytes(self.tool.as_bytes());
        for text in [&self.session, &self.agent] {
            writer.option(text.as_ref(), |writer, text| writer.bytes(text.as_bytes()));
        }
        write_purpose(&mut writer, &self.purpose);
        writer.list(&self.roots, |writer, root| writer.name(root));
        writer.list(&self.directories, write_path);
        writer.list(&self.acts, write_act);
        writer.list(&self.files, |writer, file| {
            write_path(writer, &file.path);
            writer.option(file.from.as_ref(), write_path);
            writer.option(file.before.as_ref(), write_old);
            writer.option(file.over.as_ref(), write_old);
            writer.option(file.after.as_ref(), |writer, new| {
                writer.fixed(new.version.as_bytes());
                writer.option(new.mode, |writer, mode| writer.number(mode.into()));
                writer.option(new.content.as_ref(), |writer, splice| splice.write(writer));
            });
        });
        // Most changes are of files alone. Their records end here.
        if self.files.iter().any(|file| file.subject != Subject::File) {
            writer.list(&self.files, |writer, file| {
                writer.byte(match file.subject {
                    Subject::File => 0,
                    Subject::Directory => 1,
                    Subject::Link => 2,
                });
            });
        }
        writer.into_bytes()
    }

    pub(crate) fn decode(said: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(said);
        let instance = reader.fixed()?;
        let time = UNIX_EPOCH + Duration::from_nanos(reader.number()?);
        let tool = reader.text()?;
        let session = reader.option(Reader::text)?;
        let agent = reader.option(Reader::text)?;
        let purpose = read_purpose(&mut reader)?;
        let roots = reader.list(|reader| Ok(PathBuf::from(reader.name()?)))?;
        let directories = reader.list(read_path)?;
        let acts = reader.list(|reader| read_act(reader, directories.len()))?;
        let mut files = reader.list(|reader| {
            Ok(FileChange {
                subject: Subject::File,
                path: read_path(reader)?,
                from: reader.option(read_path)?,
                before: reader.option(read_old)?,
                over: reader.option(read_old)?,
                after: reader.option(read_new)?,
            })
        })?;
        if !reader.0.is_empty() {
            let subjects = reader.list(read_subject)?;
            files.iter_mut().zip(subjects).for_each(|(file, subject)| file.subject = subject);
        }
        Ok(Self { instance, time, tool, session, agent, purpose, roots, directories, acts, files })
    }
}

/// A code and the number of a record. The records of a selection follow.
fn write_purpose(writer: &mut Writer, purpose: &Purpose) {
    let (code, number) = match purpose {
        Purpose::Change => (0, 0),
        Purpose::Undo(id) => (1, *id),
        Purpose::Redo(id) => (2, *id),
        Purpose::Foreign => (3, 0),
        Purpose::Selection { redo: false, .. } => (4, 0),
        Purpose::Selection { redo: true, .. } => (5, 0),
    };
    writer.byte(code);
    writer.number(number);
    let Purpose::Selection { targets, .. } = purpose else { return };
    writer.list(targets, |writer, Target { id, files }| {
        writer.number(*id);
        writer.option(files.as_ref(), |writer, files| writer.list(files, write_target_file));
    });
}

fn write_target_file(writer: &mut Writer, target: &TargetFile) {
    writer.number(target.file as u64);
    writer.option(target.hunks.as_ref(), |writer, TargetHunks { ids, of }| {
        writer.number(*of as u64);
        writer.list(ids, |writer, id| writer.bytes(id.as_bytes()));
    });
}

fn read_purpose(reader: &mut Reader<'_>) -> Result<Purpose, Malformed> {
    let (code, number) = (reader.byte()?, reader.number()?);
    match code {
        0 => Ok(Purpose::Change),
        1 => Ok(Purpose::Undo(number)),
        2 => Ok(Purpose::Redo(number)),
        3 => Ok(Purpose::Foreign),
        4 | 5 => {
            let targets = reader.list(|reader| {
                let id = reader.number()?;
                Ok(Target { id, files: reader.option(|reader| reader.list(read_target_file))? })
            })?;
            Ok(Purpose::Selection { redo: code == 5, targets })
        }
        _ => Err(Malformed),
    }
}

fn read_target_file(reader: &mut Reader<'_>) -> Result<TargetFile, Malformed> {
    let file = reader.index()?;
    let hunks = reader.option(|reader| {
        let of = reader.index()?;
        Ok(TargetHunks { ids: reader.list(Reader::text)?, of })
    })?;
    Ok(TargetFile { file, hunks })
}

fn read_subject(reader: &mut Reader<'_>) -> Result<Subject, Malformed> {
    match reader.byte()? {
        0 => Ok(Subject::File),
        1 => Ok(Subject::Directory),
        2 => Ok(Subject::Link),
        _ => Err(Malformed),
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

pub(crate) fn write_path(writer: &mut Writer, path: &RecordPath) {
    writer.number(path.root as u64);
    writer.name(&path.relative);
}

pub(crate) fn read_path(reader: &mut Reader<'_>) -> Result<RecordPath, Malformed> {
    let (root, relative) = (reader.index()?, PathBuf::from(reader.name()?));
    if is_plain(&relative) { Ok(RecordPath { root, relative }) } else { Err(Malformed) }
}

/// What was written was reached, so it is plain. Anything else would lead somewhere.
fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

fn write_old(writer: &mut Writer, old: &Old) {
    writer.fixed(old.version.as_bytes());
    write_attributes(writer, &old.attributes);
    writer.option(old.content.as_ref(), |writer, stored| stored.write(writer));
}

fn read_old(reader: &mut Reader<'_>) -> Result<Old, Malformed> {
    let version = read_version(reader)?;
    let attributes = read_attributes(reader)?;
    Ok(Old { version, attributes, content: reader.option(Stored::read)? })
}

pub(crate) fn write_attributes(writer: &mut Writer, attributes: &Attributes) {
    let Attributes { mode, uid, gid, extended, flags } = attributes;
    [mode, uid, gid, flags].into_iter().for_each(|number| writer.number((*number).into()));
    writer.list(extended, |writer, (name, value)| {
        writer.bytes(name.as_bytes());
        writer.bytes(value);
    });
}

pub(crate) fn read_attributes(reader: &mut Reader<'_>) -> Result<Attributes, Malformed> {
    let [mode, uid, gid] = [read_small(reader)?, read_small(reader)?, read_small(reader)?];
    let flags = read_small(reader)?;
    let extended = reader.list(|reader| Ok((reader.c_string()?, reader.bytes()?.to_vec())))?;
    Ok(Attributes { mode, uid, gid, extended, flags })
}

fn read_new(reader: &mut Reader<'_>) -> Result<New, Malformed> {
    let version = read_version(reader)?;
    Ok(New { version, mode: reader.option(read_small)?, content: reader.option(Splice::read)? })
}

fn read_small(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    u32::try_from(reader.number()?).map_err(|_| Malformed)
}

fn read_version(reader: &mut Reader<'_>) -> Result<Version, Malformed> {
    Ok(Version::from_bytes(reader.fixed()?))
}

fn write_act(writer: &mut Writer, act: &Act) {
    match act {
        Act::Stage { temporary, version } => {
            writer.byte(1);
            write_spot(writer, temporary);
            writer.fixed(version.as_bytes());
        }
        Act::MakeDirectory { spot, becomes } => {
            writer.byte(2);
            write_spot(writer, spot);
            writer.number(*becomes as u64);
        }
        Act::Take { spot, temporary, version } => {
            writer.byte(3);
            write_spot(writer, spot);
            write_spot(writer, temporary);
            writer.fixed(version.as_bytes());
        }
        Act::Put { temporary, spot, version } => {
            writer.byte(4);
            write_spot(writer, temporary);
            write_spot(writer, spot);
            writer.fixed(version.as_bytes());
        }
        Act::Swap { temporary, spot, old, new, inode } => {
            writer.byte(5);
            write_spot(writer, temporary);
            write_spot(writer, spot);
            writer.fixed(old.as_bytes());
            writer.fixed(new.as_bytes());
            writer.number(*inode);
        }
        Act::RemoveDirectory { spot } => {
            writer.byte(6);
            write_spot(writer, spot);
        }
        Act::MakeLink { spot, target } => {
            writer.byte(7);
            write_spot(writer, spot);
            writer.name(target);
        }
        Act::MoveDirectory { from, to, inode } => {
            writer.byte(8);
            write_spot(writer, from);
            write_spot(writer, to);
            writer.number(*inode);
        }
        Act::RemoveTree { temporary, spot, entries } => {
            writer.byte(9);
            write_spot(writer, temporary);
            write_spot(writer, spot);
            writer.list(entries, write_entry);
        }
        Act::TakeLink { spot, temporary, target } => {
            writer.byte(10);
            write_spot(writer, spot);
            write_spot(writer, temporary);
            writer.name(target);
        }
    }
}

/// The fields are read in the order in which they stand, which is the one they were written in.
fn read_act(reader: &mut Reader<'_>, directories: usize) -> Result<Act, Malformed> {
    let kind = reader.byte()?;
    let spot = |reader: &mut Reader<'_>| read_spot(reader, directories);
    Ok(match kind {
        1 => Act::Stage { temporary: spot(reader)?, version: read_version(reader)? },
        2 => {
            let (spot, becomes) = (spot(reader)?, reader.index()?);
            if becomes >= directories {
                return Err(Malformed);
            }
            Act::MakeDirectory { spot, becomes }
        }
        3 => Act::Take { spot: spot(reader)?, temporary: spot(reader)?, version: read_version(reader)? },
        4 => Act::Put { temporary: spot(reader)?, spot: spot(reader)?, version: read_version(reader)? },
        5 => Act::Swap {
            temporary: spot(reader)?,
            spot: spot(reader)?,
            old: read_version(reader)?,
            new: read_version(reader)?,
            inode: reader.number()?,
        },
        6 => Act::RemoveDirectory { spot: spot(reader)? },
        7 => Act::MakeLink { spot: spot(reader)?, target: reader.name()?.into() },
        8 => Act::MoveDirectory { from: spot(reader)?, to: spot(reader)?, inode: reader.number()? },
        9 => Act::RemoveTree {
            temporary: spot(reader)?,
            spot: spot(reader)?,
            entries: reader.list(read_entry)?,
        },
        10 => Act::TakeLink { spot: spot(reader)?, temporary: spot(reader)?, target: reader.name()?.into() },
        _ => return Err(Malformed),
    })
}

fn write_entry(writer: &mut Writer, entry: &TreeEntry) {
    writer.name(&entry.path);
    match &entry.kind {
        TreeEntryKind::Directory => writer.byte(0),
        TreeEntryKind::File(version) => {
            writer.byte(1);
            writer.fixed(version.as_bytes());
        }
        TreeEntryKind::Link(target) => {
            writer.byte(2);
            writer.name(target);
        }
    }
}

fn read_entry(reader: &mut Reader<'_>) -> Result<TreeEntry, Malformed> {
    let path = PathBuf::from(reader.name()?);
    if !is_plain(&path) {
        return Err(Malformed);
    }
    let kind = match reader.byte()? {
        0 => TreeEntryKind::Directory,
        1 => TreeEntryKind::File(read_version(reader)?),
        2 => TreeEntryKind::Link(reader.name()?.into()),
        _ => return Err(Malformed),
    };
    Ok(TreeEntry { path, kind })
}

fn write_spot(writer: &mut Writer, spot: &NameRef) {
    writer.number(spot.directory as u64);
    writer.name(&spot.name);
}

fn read_spot(reader: &mut Reader<'_>, directories: usize) -> Result<NameRef, Malformed> {
    let spot = NameRef { directory: reader.index()?, name: reader.name()? };
    if spot.directory < directories && is_single(&spot.name) { Ok(spot) } else { Err(Malformed) }
}

fn is_single(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(|byte| matches!(byte, b'/' | 0))
}
