//! The files as they would be after the steps that were thought through so far. Nothing here changes the disk.
//!
//! A path is looked at once; from then on it is what the steps have made of it. What differs from the disk in the end is
//! the change that is proposed, so steps that cancel each other leave nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use toolcrib_workspace::{
    Attributes, Base, Change, ChangeSet, Error, ErrorKind, FileKind, Links, Restoration, ScanBuffer, Version,
    Workspace, WorkspacePath,
};

use super::error::UndoError;

pub(super) struct Scene {
    pub(super) workspace: Workspace,
    nodes: BTreeMap<WorkspacePath, Node>,
    /// Directories that get another name with everything in them.
    moved: Vec<(WorkspacePath, WorkspacePath)>,
}

/// What has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thing {
    Nothing,
    File(SceneFile),
    Directory(Option<Attributes>),
    Link(PathBuf),
    /// Something that no change of the journal leaves, or a file behind a link.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SceneFile {
    pub(super) content: Arc<Vec<u8>>,
    /// The name that it has on the disk; none if it is made anew.
    pub(super) from: Option<WorkspacePath>,
    /// What a file that is made anew gets.
    pub(super) attributes: Option<Attributes>,
    /// The mode, if it is to be another one than on the disk.
    pub(super) mode: Option<u32>,
}

struct Node {
    disk: Thing,
    /// The mode on the disk.
    mode: u32,
    now: Thing,
    /// It was made on the way to something else, so it goes without being named if it is empty.
    by_the_way: bool,
}

impl Scene {
    pub(super) fn new(workspace: Workspace) -> Self {
        Self { workspace, nodes: BTreeMap::new(), moved: Vec::new() }
    }

    /// What has this name by now.
    pub(super) fn now(&mut self, path: &WorkspacePath) -> Result<Thing, UndoError> {
        self.refuse_moved(path)?;
        let now = self.node(path)?.now.clone();
        let is_needed = now == Thing::Nothing && self.has_below(path);
        Ok(if is_needed { Thing::Directory(None) } else { now })
    }

    pub(super) fn set(&mut self, path: &WorkspacePath, thing: Thing) -> Result<(), UndoError> {
        self.node(path)?.now = thing;
        Ok(())
    }

    /// A directory that is named in the changes goes, or one that was made on the way to something else does.
    pub(super) fn remove_directory(
        &mut self,
        path: &WorkspacePath,
        by_the_way: bool,
    ) -> Result<(), UndoError> {
        let node = self.node(path)?;
        (node.now, node.by_the_way) = (Thing::Nothing, by_the_way);
        Ok(())
    }

    /// A directory gets another name. What is in it may be touched by no other step.
    pub(super) fn move_directory(&mut self, from: WorkspacePath, to: WorkspacePath) -> Result<(), UndoError> {
        let is_touched =
            |path: &WorkspacePath| lies_in(path, &from) && *path != from || lies_in(path, &to) && *path != to;
        if let Some(touched) = self.nodes.keys().find(|path| is_touched(path)) {
            return Err(in_moved_directory(touched));
        }
        self.refuse_moved(&from)?;
        self.refuse_moved(&to)?;
        // A newer step made the directory again, so it is not on the disk: it is made under its older name at once.
        if let Some(Node { disk, now: made @ Thing::Directory(_), .. }) = self.nodes.get(&from)
            && !matches!(disk, Thing::Directory(_))
        {
            let made = made.clone();
            if self.now(&to)? != Thing::Nothing {
                return Err(in_moved_directory(&to));
            }
            self.set(&from, Thing::Nothing)?;
            return self.set(&to, made);
        }
        // Directories are moved first, so the name must be free on the disk too.
        if self.nodes.get(&to).is_some_and(|node| node.disk != Thing::Nothing) {
            return Err(in_moved_directory(&to));
        }
        self.nodes.remove(&from);
        self.nodes.remove(&to);
        self.moved.push((from, to));
        Ok(())
    }

    /// Whether nothing would be left in a directory.
    pub(super) fn is_empty(&self, directory: &WorkspacePath) -> Result<bool, UndoError> {
        let has_moved = |path: &WorkspacePath| self.moved.iter().any(|(from, _)| from == path);
        let is_there = |path: &WorkspacePath| match self.nodes.get(path) {
            Some(node) => node.now != Thing::Nothing,
            None => !has_moved(path),
        };
        if self.has_below(directory) || self.moved.iter().any(|(_, to)| lies_in(to, directory)) {
            return Ok(false);
        }
        let opened = match self.workspace.open_dir(directory) {
            Ok(opened) => opened,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) => {
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        };
        let mut empty = true;
        opened.scan(&mut ScanBuffer::default(), |name, _| {
            empty &= !is_there(&directory.join(name));
            if empty { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
        })?;
        Ok(empty)
    }

    /// Whether something would be below this path that is not there now.
    fn has_below(&self, path: &WorkspacePath) -> bool {
        let below = self.nodes.range(path..).skip_while(|(other, _)| *other == path);
        below.take_while(|(other, _)| lies_in(other, path)).any(|(_, node)| node.now != Thing::Nothing)
    }

    /// Whether what leads to this path goes, so that nothing of what is there now is left.
    fn is_lost(&self, path: &WorkspacePath) -> bool {
        let is_directory = |thing: &Thing| matches!(thing, Thing::Directory(_));
        let changed =
            |node: &Node| node.now != node.disk && !(is_directory(&node.now) && is_directory(&node.disk));
        let mut above = std::iter::successors(path.parent(), WorkspacePath::parent);
        above.any(|above| self.nodes.get(&above).is_some_and(changed))
    }

    fn refuse_moved(&self, path: &WorkspacePath) -> Result<(), UndoError> {
        let is_moved = |(from, to): &(WorkspacePath, WorkspacePath)| lies_in(path, from) || lies_in(path, to);
        if self.moved.iter().any(is_moved) { Err(in_moved_directory(path)) } else { Ok(()) }
    }

    fn node(&mut self, path: &WorkspacePath) -> Result<&mut Node, UndoError> {
        if !self.nodes.contains_key(path) {
            let (disk, mode) = self.on_disk(path)?;
            let node = Node { now: disk.clone(), disk, mode, by_the_way: false };
            self.nodes.insert(path.clone(), node);
        }
        self.nodes.get_mut(path).ok_or(UndoError::NothingToDo)
    }

    /// What has this name on the disk; a link is a link, and so is not the file that was written.
    fn on_disk(&self, path: &WorkspacePath) -> Result<(Thing, u32), UndoError> {
        let is_gone = |error: &Error| {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory | ErrorKind::DanglingLink)
        };
        if self.is_lost(path) {
            return Ok((Thing::Nothing, 0));
        }
        let stat = match self.workspace.stat(path, Links::Keep) {
            Err(error) if is_gone(&error) => return Ok((Thing::Nothing, 0)),
            stat => stat?,
        };
        let thing = match stat.kind {
            FileKind::Directory => Thing::Directory(None),
            FileKind::Symlink => Thing::Link(self.workspace.read_link(path)?),
            FileKind::File => {
                let place = self.workspace.locate_new(path)?;
                match place.reached() == path {
                    false => Thing::Other,
                    true => Thing::File(SceneFile {
                        content: Arc::new(self.workspace.snapshot(path)?.into_bytes()),
                        from: Some(path.clone()),
                        attributes: None,
                        mode: None,
                    }),
                }
            }
            _ => Thing::Other,
        };
        Ok((thing, stat.mode))
    }

    /// The changes that lead there.
    pub(super) fn into_changes(mut self) -> Result<(ChangeSet, Restoration), UndoError> {
        self.open_circles()?;
        let mut proposal = Emitted::default();
        let early = self.made_for_moved()?;
        for path in &early {
            proposal.make_directory(path, &self.nodes[*path]);
        }
        for (from, to) in &self.moved {
            let (from, to) = (from.clone(), to.clone());
            proposal.changes.push(Change::MoveDirectory { from, to, inside: Vec::new() });
        }
        let moves = self.moves().ordered;
        let leaves: BTreeSet<&WorkspacePath> = moves.iter().map(|(from, _)| *from).collect();
        self.nodes.iter().for_each(|(path, node)| proposal.remove(path, node, &leaves));
        // Directories are made first where the name is free, then in the place of files that have moved.
        let others = self.nodes.iter().filter(|(path, _)| !early.contains(path));
        let (late, free): (Vec<_>, Vec<_>) = others.partition(|(path, _)| leaves.contains(path));
        free.into_iter().for_each(|(path, node)| proposal.make_directory(path, node));
        let onto_directory = |to: &WorkspacePath| matches!(self.nodes[to].disk, Thing::Directory(_));
        for (from, to) in moves.iter().filter(|(_, to)| !onto_directory(to)) {
            proposal.rename(&self.nodes[*from], from, &self.nodes[*to], to, leaves.contains(to));
        }
        for (path, node) in self.nodes.iter().rev() {
            proposal.remove_directory(path, node, self.is_left(path, &leaves));
        }
        for (from, to) in moves.iter().filter(|(_, to)| onto_directory(to)) {
            proposal.rename(&self.nodes[*from], from, &self.nodes[*to], to, true);
        }
        late.into_iter().for_each(|(path, node)| proposal.make_directory(path, node));
        self.nodes.iter().for_each(|(path, node)| proposal.write(path, node, leaves.contains(path)));
        let Emitted { changes, mut restoration, .. } = proposal;
        restoration
            .empty_directories
            .sort_by_key(|path| std::cmp::Reverse(path.relative().components().count()));
        Ok((changes, restoration))
    }

    /// The directories that are made before others are moved into them.
    fn made_for_moved(&self) -> Result<BTreeSet<&WorkspacePath>, UndoError> {
        let is_above_moved =
            |path: &WorkspacePath| self.moved.iter().any(|(_, to)| to != path && lies_in(to, path));
        let mut early = BTreeSet::new();
        for (path, node) in self.nodes.iter().filter(|(path, _)| is_above_moved(path)) {
            match (&node.disk, &node.now) {
                (Thing::Directory(_), _) => {}
                (Thing::Nothing, _) => drop(early.insert(path)),
                _ => return Err(in_moved_directory(path)),
            }
        }
        Ok(early)
    }

    /// Whether something moves out of a directory. It is not removed with what is in it: a crash in the middle could not be
    /// rolled back. Directories in it that nothing moves out of are, so a redo makes them again.
    fn is_left(&self, path: &WorkspacePath, leaves: &BTreeSet<&WorkspacePath>) -> bool {
        let mut sources = leaves.iter().copied().chain(self.moved.iter().map(|(from, _)| from));
        sources.any(|from| lies_in(from, path))
    }

    /// Files that have exchanged their names, two or more: none of them can be moved first. One is made again under its name, with
    /// its attributes, after all others have moved.
    fn open_circles(&mut self) -> Result<(), UndoError> {
        let circles = self.moves().circles;
        let circles: Vec<_> = circles.into_iter().map(|(from, to)| (from.clone(), to.clone())).collect();
        for (from, to) in circles {
            let attributes = self.workspace.open_file(&from)?.attributes()?;
            if let Thing::File(file) = &mut self.node(&to)?.now {
                file.from = None;
                file.attributes = Some(attributes);
            }
        }
        Ok(())
    }

    /// The files that get another name.
    fn moves(&self) -> Moves<'_> {
        let mut sources: BTreeMap<&WorkspacePath, &WorkspacePath> = BTreeMap::new();
        for (to, node) in &self.nodes {
            if let Thing::File(SceneFile { from: Some(from), .. }) = &node.now
                && from != to
            {
                sources.insert(to, from);
            }
        }
        let leaving: BTreeSet<&WorkspacePath> = sources.values().copied().collect();
        let free: Vec<&WorkspacePath> = sources.keys().copied().filter(|to| !leaving.contains(to)).collect();
        let mut moves = Moves::default();
        for mut to in free {
            // The name that a file has left is free for the next.
            while let Some(from) = sources.remove(to) {
                moves.ordered.push((from, to));
                to = from;
            }
        }
        while let Some((to, from)) = sources.pop_first() {
            moves.circles.push((from, to));
            let mut next = from;
            while let Some(before) = sources.remove(next) {
                next = before;
            }
        }
        moves
    }
}

/// The old name of a file, and the new one.
type Renamed<'s> = (&'s WorkspacePath, &'s WorkspacePath);

/// The files that get another name.
#[derive(Default)]
struct Moves<'s> {
    /// Each after the one that has that name now.
    ordered: Vec<Renamed<'s>>,
    /// One of each circle: its new name is not left before it has left its old one.
    circles: Vec<Renamed<'s>>,
}

/// The changes in the making.
#[derive(Default)]
struct Emitted {
    changes: ChangeSet,
    restoration: Restoration,
}

impl Emitted {
    /// Files and links that go, and whose names nothing moves away from or takes in one step.
    fn remove(&mut self, path: &WorkspacePath, node: &Node, leaves: &BTreeSet<&WorkspacePath>) {
        match (&node.disk, &node.now) {
            (Thing::File(_), _) if leaves.contains(path) => {}
            (Thing::File(_), Thing::File(SceneFile { from: Some(_), .. })) => {}
            (Thing::File(file), _) => self.changes.remove(path.clone(), Version::of(&file.content)),
            (Thing::Link(target), now) if *now != node.disk => {
                self.changes.push(Change::RemoveLink { path: path.clone(), target: target.clone() });
            }
            _ => {}
        }
    }

    fn remove_directory(&mut self, path: &WorkspacePath, node: &Node, is_left: bool) {
        match (&node.disk, &node.now) {
            (Thing::Directory(_), Thing::Directory(_)) => {}
            (Thing::Directory(_), Thing::Nothing) if node.by_the_way || is_left => {
                self.restoration.empty_directories.push(path.clone());
            }
            (Thing::Directory(_), _) => self.changes.push(Change::RemoveDirectory { path: path.clone() }),
            _ => {}
        }
    }

    fn make_directory(&mut self, path: &WorkspacePath, node: &Node) {
        if let (Thing::Nothing | Thing::File(_) | Thing::Link(_), Thing::Directory(Some(attributes))) =
            (&node.disk, &node.now)
        {
            self.attributes(attributes);
            self.changes.push(Change::MakeDirectory { path: path.clone() });
        }
    }

    fn rename(&mut self, old: &Node, from: &WorkspacePath, new: &Node, to: &WorkspacePath, is_free: bool) {
        let (Thing::File(was), Thing::File(file)) = (&old.disk, &new.now) else { return };
        let over = match &new.disk {
            Thing::File(over) if !is_free => Base::Version(Version::of(&over.content)),
            _ => Base::Absent,
        };
        self.changes.push(Change::Move {
            from: from.clone(),
            base: Version::of(&was.content),
            to: to.clone(),
            over,
            content: (was.content != file.content).then(|| file.content.to_vec()),
            mode: file.mode.filter(|mode| *mode != old.mode),
        });
    }

    /// Files with other content, and files and links that are made.
    fn write(&mut self, path: &WorkspacePath, node: &Node, leaves: bool) {
        match (&node.disk, &node.now) {
            (Thing::File(was), Thing::File(file)) if file.from.as_ref() == Some(path) && !leaves => {
                let mode = file.mode.filter(|mode| *mode != node.mode);
                if was.content != file.content || mode.is_some() {
                    let base = Base::Version(Version::of(&was.content));
                    let content = file.content.to_vec();
                    self.changes.push(Change::Write { path: path.clone(), base, content, mode });
                }
            }
            (_, Thing::File(file)) if file.from.is_none() => {
                if let Some(attributes) = &file.attributes {
                    let mode = file.mode.unwrap_or(attributes.mode);
                    self.attributes(&Attributes { mode, ..attributes.clone() });
                }
                let (base, content) = (Base::Absent, file.content.to_vec());
                self.changes.push(Change::Write { path: path.clone(), base, content, mode: None });
            }
            (was, Thing::Link(target)) if *was != node.now => {
                self.changes.push(Change::MakeLink { path: path.clone(), target: target.clone() });
            }
            _ => {}
        }
    }

    /// Those of the change that comes next.
    fn attributes(&mut self, attributes: &Attributes) {
        self.restoration.attributes.insert(self.changes.changes().len(), attributes.clone());
    }
}

/// Compares bytes: the paths are plain, and taking them apart would make deep trees quadratic in what it costs most.
fn lies_in(path: &WorkspacePath, directory: &WorkspacePath) -> bool {
    let (below, above) =
        (path.relative().as_os_str().as_bytes(), directory.relative().as_os_str().as_bytes());
    let is_below = || match below.strip_prefix(above) {
        Some(rest) => above.is_empty() || rest.is_empty() || rest.starts_with(b"/"),
        None => false,
    };
    path.root() == directory.root() && is_below()
}

fn in_moved_directory(path: &WorkspacePath) -> UndoError {
    let shown = path.show();
    UndoError::OneByOne(format!("{shown} lies in a directory that one of them moved"))
}
