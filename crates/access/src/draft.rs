//! A file that a tool means to change: what it holds now, and what the session knows of it.
//!
//! With a session, a file that exists must have been read in it before it is changed. Whether it changed since then is
//! for the tool to weigh: replacing what the session has not seen is refused, while a change that still fits exactly
//! may go on.

use std::path::{Path, PathBuf};

use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Base, Change, ErrorKind as DiskError, FileKind, Snapshot, Version};

use crate::error::disk_error;
use crate::sandbox::{Location, Sandbox};
use crate::{Access, Standing};

/// A file as it is before a change, or a name that is free. [`Sandbox::draft`] gives it.
pub struct Draft {
    /// Where it is.
    pub location: Location,
    /// What it holds, if it exists.
    pub before: Option<Snapshot>,
    /// How that stands to what the session read; none without a session, or if it does not exist.
    pub standing: Option<Standing>,
}

impl Draft {
    /// The content, or an error where there is no file. It is taken, because it may be large; the facts about it stay.
    ///
    /// # Errors
    ///
    /// `File not found: PATH`, with near names.
    pub fn take_content(&mut self, sandbox: &Sandbox<'_>) -> Result<Vec<u8>, ToolError> {
        self.before.as_mut().map(Snapshot::take_bytes).ok_or_else(|| {
            let missing = format!("File not found: {}", self.location.show());
            let error = ToolError::new(ErrorKind::NotFound, missing)
                .hint("check the spelling, or write it as a new file");
            sandbox.not_found(&self.location, error)
        })
    }

    /// Whether another program has changed the file since the session read it.
    #[must_use]
    pub fn changed_since_read(&self) -> bool {
        self.standing == Some(Standing::Changed)
    }

    /// Refuses to replace what the session has not seen.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`].
    pub fn refuse_unseen(&self) -> Result<(), ToolError> {
        if !self.changed_since_read() {
            return Ok(());
        }
        Err(ToolError::new(
            ErrorKind::Conflict,
            format!("File has changed since it was read: {}", self.location.show()),
        )
        .hint("read it again, then write"))
    }

    /// Refuses to replace all of a file of which the session has seen only a part.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotRead`].
    pub fn refuse_seen_in_part(&self) -> Result<(), ToolError> {
        let Some(Standing::SeenInPart(parts)) = &self.standing else { return Ok(()) };
        let missing = parts.to_string();
        let which = if missing.is_empty() { String::new() } else { format!(" (not seen: {missing})") };
        let message =
            format!("Only a part of the file has been read in this session: {}{which}", self.location.show());
        Err(ToolError::new(ErrorKind::NotRead, message)
            .hint("read the rest and write then, or edit only the part that is to change"))
    }

    /// Refuses unless the file holds the version that the caller names.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`].
    pub fn require_version(&self, expected: Version) -> Result<(), ToolError> {
        if self.before.as_ref().is_some_and(|before| before.version() == expected) {
            return Ok(());
        }
        Err(ToolError::new(
            ErrorKind::Conflict,
            format!("File is not at the expected version: {}", self.location.show()),
        )
        .hint("read it again and base the change on what it holds now"))
    }

    /// The change that gives the file this content.
    #[must_use]
    pub fn write(&self, content: Vec<u8>) -> Change {
        Change::Write { path: self.location.path.clone(), base: self.base(), content, mode: None }
    }

    /// What must still be there when the change is carried out.
    #[must_use]
    pub fn base(&self) -> Base {
        self.before.as_ref().map_or(Base::Absent, |before| Base::Version(before.version()))
    }
}

impl Sandbox<'_> {
    /// The largest file that is changed: its content is held in memory more than once, and every pass over it that cannot
    /// be interrupted takes longer the larger it is.
    pub const MAX_CHANGED: u64 = 256 * 1024 * 1024;

    /// Looks at a file that is to be changed, or at the name of one that is to be created.
    ///
    /// # Errors
    ///
    /// If it lies outside, if a rule denies changing or reading it, if it is not a regular file, or if the session has not
    /// read it.
    pub fn draft(&self, given: &Path) -> Result<Draft, ToolError> {
        let mut location = self.locate(given)?;
        self.refuse(Access::Edit, &location, &location.path)?;
        let mut place = location.workspace.locate_new(&location.path).map_err(disk_error)?;
        if place.existing().is_none()
            && let Some(path) = location.workspace.find_again(&location.path)
        {
            location.path = path;
            self.refuse(Access::Edit, &location, &location.path)?;
            place = location.workspace.locate_new(&location.path).map_err(disk_error)?;
        }
        self.refuse(Access::Edit, &location, place.reached())?;
        if place.existing().is_some_and(|stat| stat.kind == FileKind::Directory) {
            return Err(is_directory(&location));
        }
        let Some(existing) = place.existing() else {
            return Ok(Draft { location, before: None, standing: None });
        };
        let subject = location.subject(&location.path).also(location.subject(place.reached()));
        let named = |access| self.with_links(access, subject.clone(), &location, place.reached(), existing);
        self.refuse_subject(Access::Edit, &location, &named(Access::Edit)?)?;
        // The diff shows what is there, and so may a refusal: that is reading.
        self.permit(Access::Read, &named(Access::Read)?, &location)?;
        let before = match location.workspace.snapshot_within(&location.path, Self::MAX_CHANGED) {
            Err(error) if error.kind() == DiskError::NotFound => {
                return Ok(Draft { location, before: None, standing: None });
            }
            snapshot => snapshot.map_err(disk_error)?,
        };
        let standing = match self.standing(&location, &before)? {
            Some(Standing::NeverRead | Standing::SeenInPart(_)) if self.may_change_unread() => None,
            Some(Standing::NeverRead) => return Err(never_read(&location)),
            standing => standing,
        };
        Ok(Draft { location, before: Some(before), standing })
    }

    pub(crate) fn standing(
        &self,
        location: &Location,
        before: &Snapshot,
    ) -> Result<Option<Standing>, ToolError> {
        let Some(session) = self.reader().filter(|_| self.requires_reading()) else { return Ok(None) };
        let identity: PathBuf = location.identity(before.reached());
        self.ledger().standing(session, &identity, &before.version(), &before.fingerprint()).map(Some)
    }
}

fn is_directory(location: &Location) -> ToolError {
    ToolError::new(ErrorKind::IsDirectory, format!("Cannot write directory: {}", location.show()))
        .hint("name a file in it")
}

fn never_read(location: &Location) -> ToolError {
    ToolError::new(ErrorKind::NotRead, format!("File has not been read in this session: {}", location.show()))
        .hint("read it first, then repeat this call")
}
