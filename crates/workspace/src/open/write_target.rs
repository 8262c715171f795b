//! Where a write goes: the directory that is really meant, held open, and the name in it.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};

use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::Dir;
use crate::open::resolve::{self, ResolvedTarget, Want, land};
use crate::open::stat::{FileKind, Links, Stat};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// An existing directory and a name in it, which may or may not be taken.
#[derive(Debug)]
pub struct WriteTarget {
    pub(crate) parent: Dir,
    pub(crate) name: OsString,
    pub(crate) reached: WorkspacePath,
    existing: Option<Stat>,
}

impl WriteTarget {
    /// The real parent directory. All further steps are relative to this handle.
    pub fn parent(&self) -> &Dir {
        &self.parent
    }

    /// The name in it.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Parent and name as one path, links resolved.
    pub fn reached(&self) -> &WorkspacePath {
        &self.reached
    }

    /// What has the name now. It is a link only if a link was [asked for](Workspace::locate_link); others have been followed.
    pub fn existing(&self) -> Option<&Stat> {
        self.existing.as_ref()
    }
}

/// A place whose parent directories need not exist yet.
#[derive(Debug)]
pub struct NewWriteTarget {
    pub(crate) base: Dir,
    pub(crate) missing: Vec<OsString>,
    pub(crate) name: OsString,
    pub(crate) reached: WorkspacePath,
    pub(crate) existing: Option<Stat>,
}

impl NewWriteTarget {
    /// The deepest directory on the way that exists.
    pub fn base(&self) -> &Dir {
        &self.base
    }

    /// The directories to be made below it, outermost first.
    pub fn missing(&self) -> &[OsString] {
        &self.missing
    }

    /// The name in the last of them.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What will be reached once they are made.
    pub fn reached(&self) -> &WorkspacePath {
        &self.reached
    }

    /// What has the name now; `None` whenever a directory is missing.
    pub fn existing(&self) -> Option<&Stat> {
        self.existing.as_ref()
    }
}

impl Workspace {
    /// Finds where a write to this path goes: links that stay inside are followed, so that the target changes and
    /// the link stays. A dangling link is refused, and so is a path whose parent does not exist.
    pub fn locate(&self, path: &WorkspacePath) -> Result<WriteTarget, Error> {
        let NewWriteTarget { base, missing, name, reached, existing } = self.locate_new(path)?;
        if !missing.is_empty() {
            return Err(self.0.error(ErrorKind::NotFound, Doing::Change, path));
        }
        Ok(WriteTarget { parent: base, name, reached, existing })
    }

    /// Finds a symbolic link itself, to remove it: links on the way are followed, the last one is not.
    pub fn locate_link(&self, path: &WorkspacePath) -> Result<WriteTarget, Error> {
        let error = |kind| self.0.error(kind, Doing::Change, path);
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(error(ErrorKind::InvalidName));
        };
        let found = resolve::open(&self.0, &above, Want::Look(Links::Follow))?;
        if found.look.stat.kind != FileKind::Directory {
            return Err(error(ErrorKind::NotDirectory));
        }
        let parent = Dir::standing(self.clone(), found.handle, found.reached);
        let stat = parent.look(name)?;
        if stat.kind != FileKind::Symlink {
            return Err(error(ErrorKind::InvalidName).detail("not a symbolic link"));
        }
        let reached = parent.reached().join(name);
        self.0.keep_to_part(&reached, Doing::Change, path)?;
        self.0.refuse_protected(&reached, Some(&stat), Doing::Change, path)?;
        Ok(WriteTarget { parent, name: name.to_owned(), reached, existing: Some(stat) })
    }

    /// Like [`locate`](Workspace::locate), for a path whose parent directories may have to be made first.
    pub fn locate_new(&self, path: &WorkspacePath) -> Result<NewWriteTarget, Error> {
        let ResolvedTarget { parent, reached, missing, name, existing } = land(&self.0, path)?;
        let end = missing.iter().chain([&name]).fold(reached.clone(), |path, name| path.join(name));
        self.0.keep_to_part(&end, Doing::Change, path)?;
        self.0.refuse_protected(&end, existing.as_ref().map(|look| &look.stat), Doing::Change, path)?;
        let base = Dir::standing(self.clone(), parent, reached);
        Ok(NewWriteTarget { base, missing, name, reached: end, existing: existing.map(|look| look.stat) })
    }

    /// Like [`locate_new`](Workspace::locate_new), for a path that leads through a file which is gone by then, so that a
    /// directory takes its place: `is_gone` is asked about that file.
    pub fn locate_through(
        &self,
        path: &WorkspacePath,
        is_gone: &dyn Fn(&WorkspacePath) -> bool,
    ) -> Result<NewWriteTarget, Error> {
        match self.locate_new(path) {
            Err(error) if error.kind() == ErrorKind::NotDirectory => {
                self.through_file(path, is_gone).unwrap_or(Err(error))
            }
            located => located,
        }
    }

    /// Like [`locate_new`](Workspace::locate_new), for a path that begins with that of a symbolic link which is gone by then,
    /// so that something else takes its place. The path has no other link on it.
    pub fn locate_in_place_of(
        &self,
        link: &WorkspacePath,
        path: &WorkspacePath,
    ) -> Result<NewWriteTarget, Error> {
        let WriteTarget { parent, name, .. } = self.locate_link(link)?;
        let below = path.relative().strip_prefix(link.relative()).unwrap_or(Path::new(""));
        let mut names: Vec<OsString> = [name].into_iter().chain(below.iter().map(OsStr::to_owned)).collect();
        let reached = names.iter().fold(parent.reached().clone(), |path, name| path.join(name));
        self.0.keep_to_part(&reached, Doing::Change, path)?;
        self.0.refuse_protected(&reached, None, Doing::Change, path)?;
        let name = names.pop().unwrap_or_default();
        Ok(NewWriteTarget { base: parent, missing: names, name, reached, existing: None })
    }

    /// The file is the deepest name on the way that exists.
    fn through_file(
        &self,
        path: &WorkspacePath,
        is_gone: &dyn Fn(&WorkspacePath) -> bool,
    ) -> Option<Result<NewWriteTarget, Error>> {
        if path.relative().components().any(|part| !matches!(part, Component::Normal(_))) {
            return None;
        }
        let mut below = vec![path.file_name()?.to_owned()];
        let mut above = path.parent()?;
        let file = loop {
            match self.locate_new(&above) {
                Ok(place) => break place,
                Err(_) => below.insert(0, above.file_name()?.to_owned()),
            }
            above = above.parent()?;
        };
        let is_file = file.existing.as_ref().is_some_and(|stat| stat.kind != FileKind::Directory);
        if !is_file || !is_gone(&file.reached) {
            return None;
        }
        let reached = below.iter().fold(file.reached.clone(), |path, name| path.join(name));
        let name = below.pop()?;
        let refused = self
            .0
            .keep_to_part(&reached, Doing::Change, path)
            .and_then(|()| self.0.refuse_protected(&reached, None, Doing::Change, path));
        let missing = [vec![file.name], below].concat();
        Some(refused.map(|()| NewWriteTarget { base: file.base, missing, name, reached, existing: None }))
    }
}
