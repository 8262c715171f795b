//! One call of another program's tool, of which we are told before and after, by two processes of ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolcrib_access::disk_error;
use toolcrib_journal::{Entry, Pending, PendingImage, RecordId, Recording};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Error, FileImage, FileKind, Image, Links, WorkspacePath, names};

use super::{ForeignChange, moves};
use crate::Toolbox;

/// A call of a tool that is not ours.
#[derive(Clone, Copy, Debug)]
pub struct ForeignCall<'a> {
    /// The agent that makes it.
    pub agent: &'a str,
    /// The agent's session.
    pub session: Option<&'a str>,
    /// The tool, as the agent calls it.
    pub tool: &'a str,
    /// What the agent calls this call. Without, calls of one tool on the same paths are told apart by their order.
    pub id: Option<&'a str>,
    /// The files that the call names.
    pub paths: &'a [PathBuf],
    /// Where relative paths start.
    pub working_dir: &'a Path,
}

impl Toolbox {
    /// Takes note of what a call of another program's tool is about to change. Says what it cannot take note of.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be written.
    pub fn before_foreign_call(&self, call: &ForeignCall<'_>) -> Result<Vec<String>, ToolError> {
        let journal = self.journal()?;
        // Before the images: what the journal gets to know while they are taken is not in them for certain.
        let mark = journal.mark().map_err(disk_error)?;
        let _ = journal.sweep_pending(FORGOTTEN, MOST_WAITING);
        let (mut images, mut left_out, mut room) = (Vec::new(), Vec::new(), MOST_BYTES);
        for path in self.names_of(call, &mut left_out) {
            match self.image(&path, room) {
                Ok(pending) => {
                    room = room.saturating_sub(size(&pending.image));
                    images.push(pending);
                }
                Err(error) => left_out.push(error.to_string()),
            }
        }
        if !images.is_empty() {
            journal.store_pending(&key(call), &Pending { mark, images }).map_err(disk_error)?;
        }
        Ok(left_out)
    }

    /// Records what a call has changed since [note was taken](Self::before_foreign_call) of it. If no note was taken, nothing
    /// is recorded.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be written.
    pub fn after_foreign_call(&self, call: &ForeignCall<'_>) -> Result<ForeignChange, ToolError> {
        let journal = self.journal()?;
        let Some(Pending { mark, images }) = journal.take_pending(&key(call)).map_err(disk_error)? else {
            let named = self.names_of(call, &mut Vec::new());
            let left_out = if named.is_empty() { Vec::new() } else { vec![untold(call)] };
            return Ok(ForeignChange { left_out, ..ForeignChange::default() });
        };
        let mut left_out = Vec::new();
        let mut changed = Vec::new();
        for before in images {
            match self.workspace().image(&before.path, MOST_BYTES) {
                Ok(after) => changed.push((before, after)),
                Err(error) => left_out.push(error.to_string()),
            }
        }
        let mut recording = journal.recording(mark).map_err(disk_error)?;
        add_all(&mut recording, changed).map_err(disk_error)?;
        let files = recording.len();
        let entry = Entry { session: call.session, agent: Some(call.agent), ..Entry::new(call.tool) };
        let durability = self.history()?.waits_for();
        let change = recording.finish(durability, &entry).map_err(disk_error)?.map(RecordId::number);
        Ok(ForeignChange { change, files, left_out })
    }

    /// Keeps a sentence about what could not be recorded, for `toolcrib doctor`.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be written.
    pub fn note_unrecorded(&self, what: &str) -> Result<(), ToolError> {
        self.journal()?.note_unrecorded(what).map_err(disk_error)
    }

    /// Every name that the call may change: the files it names, what links lead to, and the directories that are missing on the
    /// way.
    fn names_of(&self, call: &ForeignCall<'_>, left_out: &mut Vec<String>) -> BTreeSet<WorkspacePath> {
        let workspace = self.workspace();
        let mut names = BTreeSet::new();
        if call.paths.len() > MOST_PATHS {
            left_out.push(format!("{} of its {} files", call.paths.len() - MOST_PATHS, call.paths.len()));
        }
        for given in call.paths.iter().take(MOST_PATHS) {
            let path = workspace.path(&call.working_dir.join(given), call.working_dir);
            match path.and_then(|path| self.places_of(&path)) {
                Ok(places) => names.extend(places),
                Err(error) => left_out.push(error.to_string()),
            }
        }
        names
    }

    fn places_of(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Error> {
        let workspace = self.workspace();
        let mut places = Vec::new();
        // A tool may write through the link, or put a file in its place.
        if workspace.stat(path, Links::Keep).is_ok_and(|stat| stat.kind == FileKind::Symlink) {
            places.push(workspace.reach(path, Links::Keep)?);
        }
        let place = match workspace.locate_new(path) {
            Ok(place) => place,
            Err(_) if !places.is_empty() => return Ok(places),
            Err(error) => return Err(error),
        };
        let mut above = place.base().reached().clone();
        for name in place.missing() {
            above = above.join(name);
            places.push(above.clone());
        }
        places.push(place.reached().clone());
        Ok(places)
    }

    fn image(&self, path: &WorkspacePath, limit: u64) -> Result<PendingImage, Error> {
        let mut image = self.workspace().image(path, limit)?;
        let keep = self.access().may_keep_at(path);
        if let (Image::File(FileImage { content, .. }), false) = (&mut image, keep) {
            *content = None;
        }
        Ok(PendingImage { path: path.clone(), image, keep })
    }
}

/// Adds what has changed. A file that has another name now, and no other content, was moved.
fn add_all(recording: &mut Recording<'_>, changed: Vec<(PendingImage, Image)>) -> Result<(), Error> {
    let file = |image: &Image| match image {
        Image::File(file) => Some(file.clone()),
        _ => None,
    };
    let (gone, rest): (Vec<_>, Vec<_>) = changed
        .into_iter()
        .partition(|(before, after)| file(&before.image).is_some() && *after == Image::Absent);
    let (appeared, rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|(before, after)| before.image == Image::Absent && file(after).is_some());
    let versions = |image: &Image| image.version().unwrap_or_else(|| toolcrib_workspace::Version::of(b""));
    let from: Vec<_> = gone.iter().map(|(before, _)| versions(&before.image)).collect();
    let to: Vec<_> = appeared.iter().map(|(_, after)| versions(after)).collect();
    let pairs = moves::pair(&from, &to);
    for (from, to) in &pairs {
        let ((before, _), (target, after)) = (&gone[*from], &appeared[*to]);
        if let (Some(old), Some(new)) = (file(&before.image), file(after)) {
            recording.add_moved(&before.path, &target.path, &old, &new, before.keep && target.keep);
        }
    }
    let is_moved =
        |at: usize, is_old: bool| pairs.iter().any(|(from, to)| if is_old { *from == at } else { *to == at });
    let gone = gone.into_iter().enumerate().filter(|(at, _)| !is_moved(*at, true)).map(|(_, change)| change);
    let appeared =
        appeared.into_iter().enumerate().filter(|(at, _)| !is_moved(*at, false)).map(|(_, change)| change);
    for (PendingImage { path, image, keep }, after) in gone.chain(appeared).chain(rest) {
        recording.add(&path, image, &after, keep)?;
    }
    Ok(())
}

fn size(image: &Image) -> u64 {
    match image {
        Image::File(file) => file.content.as_ref().map_or(0, |content| content.len() as u64),
        _ => 0,
    }
}

/// By what the two halves of a call find each other.
fn key(call: &ForeignCall<'_>) -> String {
    let ForeignCall { agent, session, tool, id, paths, .. } = call;
    let session = session.unwrap_or_default();
    match id {
        Some(id) => format!("{agent}\0{session}\0{id}"),
        None => {
            let paths: Vec<_> = paths.iter().map(|path| names::escape(path).into_owned()).collect();
            format!("{agent}\0{session}\0\0{tool}\0{}", paths.join("\0"))
        }
    }
}

fn untold(call: &ForeignCall<'_>) -> String {
    format!("{} was not announced before it ran, so what it changed is unknown", call.tool)
}

/// A call that takes longer waits for a person who has gone home. The next day its images are of no use.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);
/// So many calls are never made at once.
const MOST_WAITING: usize = 1_000;
/// No tool of an agent changes more files in one call.
const MOST_PATHS: usize = 256;
/// How much one call may change. Reading more takes longer than an agent waits gladly.
const MOST_BYTES: u64 = 32 << 20;
