//! Files that no tool may reach: Toolcrib's own configuration, state folder and program.
//!
//! An agent that could change them would remove the guard that watches it, so this is containment and not permission:
//! no rule opens them. Each is known by what it is (device and inode), so that a link, a hard link or a bind mount is no
//! way around, and by the directory it is looked up in, so that it stays protected when an editor replaces it and when it
//! does not exist yet.
//!
//! Usually none of them lies in a root. Then the only cost is comparing the identity of what was opened; directories on
//! the way are looked at only where a root contains, or may contain, something protected.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD};

use crate::error::{Doing, Error, ErrorKind};
use crate::open::resolve::Mounts;
use crate::open::stat::{FileKind, Stat, look_at};
use crate::path::WorkspacePath;
use crate::path::root::Root;
use crate::workspace::{Shared, Workspace};

/// What no tool may read, list, write, move or find, in whichever root it lies. Cheap to clone.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// # let home = home.path();
/// # std::fs::create_dir(home.join("state"))?;
/// # std::fs::write(home.join("state/key"), "secret")?;
/// use toolcrib_workspace::{ErrorKind, Protected, Workspace};
///
/// let workspace = Workspace::builder().root(home).protect(Protected::new([home.join("state")])).open()?;
/// let key = workspace.path("state/key".as_ref(), home)?;
/// assert_eq!(workspace.open_file(&key).unwrap_err().kind(), ErrorKind::Protected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Protected(Arc<[Trace]>);

/// One protected path, as it was found when it was traced.
#[derive(Debug, Default)]
struct Trace {
    path: PathBuf,
    /// What the path leads to, if it exists.
    thing: Option<Identity>,
    /// Every name on the way that must stay as it is: links, the last name, and names that are still free.
    names: Vec<Reserved>,
    /// The directories that it lies in, at any depth.
    above: Vec<Identity>,
}

/// Names below a directory that no tool may take, change or list.
#[derive(Debug, Clone)]
struct Reserved {
    directory: Identity,
    names: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    dev: u64,
    ino: u64,
}

impl Identity {
    fn of(stat: &Stat) -> Self {
        Self { dev: stat.dev, ino: stat.ino }
    }

    fn at(path: &Path) -> Option<Self> {
        Some(Self::of(&look_at(CWD, path, AtFlags::empty()).ok()?.stat))
    }
}

impl Protected {
    /// Protects what these paths lead to and all that lies in it. A path that does not exist yet is protected too.
    pub fn new(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self(paths.into_iter().map(|path| Trace::new(&absolute(path.as_ref()))).collect())
    }
}

impl Trace {
    /// As many links as Linux follows.
    const MOST_LINKS: usize = 40;

    /// Follows the path as the kernel would, and keeps what it depends on.
    fn new(path: &Path) -> Self {
        let mut trace = Self { path: path.to_owned(), ..Self::default() };
        let mut here = PathBuf::from("/");
        let mut ahead: VecDeque<OsString> = names_of(path).collect();
        let mut links = 0;
        while let Some(name) = ahead.pop_front() {
            if name == ".." {
                here.pop();
                continue;
            }
            let next = here.join(&name);
            let Ok(look) = look_at(CWD, next.as_path(), AtFlags::SYMLINK_NOFOLLOW) else {
                trace.reserve(&here, std::iter::once(name).chain(ahead).collect());
                return trace;
            };
            if look.stat.kind == FileKind::Symlink && links < Self::MOST_LINKS {
                links += 1;
                trace.reserve(&here, vec![name]);
                let target = std::fs::read_link(&next).unwrap_or_default();
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                names_of(&target).rev().for_each(|name| ahead.push_front(name));
                continue;
            }
            if ahead.is_empty() {
                trace.reserve(&here, vec![name]);
                trace.thing = Some(Identity::of(&look.stat));
                return trace;
            }
            here = next;
        }
        trace
    }

    fn reserve(&mut self, directory: &Path, names: Vec<OsString>) {
        let Some(identity) = Identity::at(directory) else { return };
        self.names.push(Reserved { directory: identity, names });
        for above in directory.ancestors().filter_map(Identity::at) {
            if !self.above.contains(&above) {
                self.above.push(above);
            }
        }
    }
}

fn names_of(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    })
}

/// How a root stands to what is protected. Found out once, when the root is opened.
#[derive(Debug, Default)]
pub(crate) struct Exposure {
    /// The root itself is protected, or lies in something that is.
    inside: bool,
    /// Something protected may lie below the root, so the way to a file has to be looked at.
    below: bool,
    /// What is protected by its name below this root, beyond what its [`Trace`] says: the directory that the names start
    /// from lies above the root.
    names: Vec<Reserved>,
}

impl Exposure {
    pub(crate) fn of(root: &Root, protected: &Protected, mounts: Mounts) -> Self {
        let traces = &protected.0;
        if traces.is_empty() {
            return Self::default();
        }
        let above: Vec<(Identity, &Path)> = root
            .real()
            .ancestors()
            .filter_map(|path| Some((Identity::at(path)?, root.real().strip_prefix(path).ok()?)))
            .collect();
        let mut exposure = Self { below: mounts == Mounts::Follow, ..Self::default() };
        for (identity, to_root) in &above {
            let is_root = to_root.as_os_str().is_empty();
            exposure.inside |= traces.iter().any(|trace| trace.thing == Some(*identity));
            exposure.below |= is_root && traces.iter().any(|trace| trace.above.contains(identity));
            for reserved in traces.iter().flat_map(|trace| &trace.names) {
                if reserved.directory == *identity && !is_root {
                    exposure.descend(reserved, to_root, above[0].0);
                }
            }
        }
        exposure
    }

    /// Carries names that start above the root over to the root.
    fn descend(&mut self, reserved: &Reserved, to_root: &Path, root: Identity) {
        let steps: Vec<&OsStr> = to_root.iter().collect();
        if begins_with(&steps, &reserved.names) {
            self.inside = true;
        } else if reserved.names.len() > steps.len() {
            let (first, rest) = reserved.names.split_at(steps.len());
            if begins_with(&steps, first) {
                self.below = true;
                self.names.push(Reserved { directory: root, names: rest.to_vec() });
            }
        }
    }
}

/// Whether a path starts with these names, in any spelling of upper and lower case.
fn begins_with(path: &[&OsStr], names: &[OsString]) -> bool {
    path.len() >= names.len() && path.iter().zip(names).all(|(name, reserved)| is_same_name(name, reserved))
}

fn is_same_name(name: &OsStr, reserved: &OsStr) -> bool {
    if name.is_ascii() && reserved.is_ascii() {
        return name.eq_ignore_ascii_case(reserved);
    }
    name.to_string_lossy().to_lowercase() == reserved.to_string_lossy().to_lowercase()
}

impl Shared {
    /// Refuses what is protected: the thing itself, what lies in it, and a name that is kept free for it.
    ///
    /// `reached` is the path after all links, `existing` what has it, if something does.
    pub(crate) fn refuse_protected(
        &self,
        reached: &WorkspacePath,
        existing: Option<&Stat>,
        doing: Doing,
        asked: &WorkspacePath,
    ) -> Result<(), Error> {
        if self.is_protected(reached, existing) {
            return Err(self.error(ErrorKind::Protected, doing, asked));
        }
        Ok(())
    }

    /// Refuses every path of a root that is protected itself, before anything in it is looked at.
    pub(crate) fn refuse_protected_root(&self, doing: Doing, asked: &WorkspacePath) -> Result<(), Error> {
        if self.exposure(asked).inside {
            return Err(self.error(ErrorKind::Protected, doing, asked));
        }
        Ok(())
    }

    /// Whether an entry of a directory could be protected. A quick look; it never misses one.
    pub(crate) fn may_be_protected(&self, directory: &WorkspacePath, name: &OsStr, ino: u64) -> bool {
        let exposure = self.exposure(directory);
        let is_thing = |trace: &Trace| trace.thing.is_some_and(|thing| thing.ino == ino);
        self.protected.0.iter().any(is_thing) || (exposure.below && self.is_reserved_name(exposure, name))
    }

    pub(crate) fn is_protected(&self, reached: &WorkspacePath, existing: Option<&Stat>) -> bool {
        let traces = &self.protected.0;
        if traces.is_empty() {
            return false;
        }
        let exposure = self.exposure(reached);
        let is_thing = |identity: Identity| traces.iter().any(|trace| trace.thing == Some(identity));
        exposure.inside
            || existing.is_some_and(|stat| is_thing(Identity::of(stat)))
            || (exposure.below && self.lies_in_protected(exposure, reached))
    }

    /// Whether a directory is protected, or contains something that is.
    pub(crate) fn has_protected_below(&self, directory: &Stat) -> bool {
        let here = Identity::of(directory);
        let in_it = |trace: &Trace| trace.thing == Some(here) || trace.above.contains(&here);
        self.protected.0.iter().any(in_it)
    }

    /// Looks at every directory on the way from the root.
    fn lies_in_protected(&self, exposure: &Exposure, reached: &WorkspacePath) -> bool {
        let names: Vec<&OsStr> = reached.relative().iter().collect();
        let root = self.root(reached.root());
        let mut way = reached.root_itself();
        for taken in 0..names.len() {
            if taken > 0 {
                way = way.join(names[taken - 1]);
            }
            let look = look_at(root.handle(), way.for_kernel().as_path(), AtFlags::SYMLINK_NOFOLLOW);
            // What does not exist holds nothing that does; its name was compared from where it starts.
            let Ok(look) = look else { return false };
            let here = Identity::of(&look.stat);
            let reserved = self.protected.0.iter().flat_map(|trace| &trace.names).chain(&exposure.names);
            let mut reserved = reserved.filter(|reserved| reserved.directory == here);
            if self.protected.0.iter().any(|trace| trace.thing == Some(here))
                || reserved.any(|reserved| begins_with(&names[taken..], &reserved.names))
            {
                return true;
            }
        }
        false
    }

    fn is_reserved_name(&self, exposure: &Exposure, name: &OsStr) -> bool {
        let reserved = self.protected.0.iter().flat_map(|trace| &trace.names).chain(&exposure.names);
        reserved.filter_map(|reserved| reserved.names.last()).any(|last| is_same_name(name, last))
    }

    fn exposure(&self, path: &WorkspacePath) -> &Exposure {
        &self.exposures[path.root().index()]
    }
}

impl Workspace {
    /// What no tool may reach in it.
    pub fn protected(&self) -> &Protected {
        &self.0.protected
    }

    /// The protected paths that lie in a root, or that a root lies in: the root, and the path.
    pub fn exposed(&self) -> Vec<(&Path, &Path)> {
        let mut exposed = Vec::new();
        for root in self.roots() {
            let ancestors: Vec<Identity> = root.real().ancestors().filter_map(Identity::at).collect();
            for trace in self.0.protected.0.iter() {
                let around = trace.thing.is_some_and(|thing| ancestors.contains(&thing));
                if around || ancestors.first().is_some_and(|own| trace.above.contains(own)) {
                    exposed.push((root.path(), trace.path.as_path()));
                }
            }
        }
        exposed
    }
}
