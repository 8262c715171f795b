//! What is below the roots at one moment: every name, with a copy of each file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use toolcrib_search::{Everything, Start, Stop, Visitor, WalkOptions, walk};
use toolcrib_workspace::{
    Attributes, Dir, Error, FileImage, FileKind, Fingerprint, Image, Span, Spool, Version, Workspace,
    WorkspacePath,
};

use super::Bounds;

/// Every name, and what it leads to.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) names: BTreeMap<WorkspacePath, Seen>,
    /// Whether there are more names than the bounds allow.
    pub(super) is_cut: bool,
}

/// What a name leads to.
#[derive(Debug)]
pub(super) enum Seen {
    /// A file, and where its copy is; none if there is no room for it, or it cannot be read.
    File { fingerprint: Fingerprint, attributes: Attributes, copy: Option<Span> },
    /// A file that cannot be opened.
    Unreadable,
    /// Anything else, as it is.
    Other(Image),
}

impl Seen {
    /// As it was, with its content; none if that is not known.
    pub(super) fn image(&self, spool: &Spool) -> Option<Image> {
        match self {
            Self::File { attributes, copy, .. } => {
                let content = spool.get((*copy)?).ok()?;
                let (version, attributes) = (Version::of(&content), attributes.clone());
                Some(Image::File(FileImage { version, attributes, content: Some(content) }))
            }
            Self::Unreadable => None,
            Self::Other(image) => Some(image.clone()),
        }
    }
}

/// The names and kinds below the roots, as far as `bounds` allow. What version control keeps for itself is never among them.
pub(super) fn names(
    workspace: &Workspace,
    bounds: Bounds,
    stop: &dyn Stop,
) -> Result<(BTreeMap<WorkspacePath, FileKind>, bool), Error> {
    let options = WalkOptions { hidden: true, ..WalkOptions::default() };
    let (mut names, mut is_cut) = (BTreeMap::new(), false);
    for root in workspace.roots() {
        let top = root.path_to(std::path::Path::new(""));
        let dir = workspace.open_dir(&top)?;
        let Ok(start) = Start::new(workspace, dir, 0, bounds.ignored)? else { continue };
        let most = bounds.files.saturating_sub(names.len());
        let collect = || Collect { top: &top, found: Vec::new(), most, is_cut: false };
        let (visitors, _) = walk(&start, &options, &Everything, stop, 1, collect);
        for visitor in visitors {
            is_cut |= visitor.is_cut;
            names.extend(visitor.found);
        }
    }
    Ok((names, is_cut))
}

/// Takes a copy of everything.
pub(super) fn copy(
    workspace: &Workspace,
    bounds: Bounds,
    spool: &mut Spool,
    stop: &dyn Stop,
) -> Result<Tree, Error> {
    let (names, is_cut) = names(workspace, bounds, stop)?;
    let mut tree = Tree { names: BTreeMap::new(), is_cut };
    let mut room = bounds.bytes;
    let mut parent: Option<Dir> = None;
    for (path, kind) in names {
        let seen = match kind {
            FileKind::File => copy_file(workspace, &path, &mut parent, spool, &mut room)?,
            // The contents of everything else take no room.
            _ => workspace.image(&path, 0).map_or(Seen::Unreadable, Seen::Other),
        };
        tree.names.insert(path, seen);
    }
    Ok(tree)
}

fn copy_file(
    workspace: &Workspace,
    path: &WorkspacePath,
    parent: &mut Option<Dir>,
    spool: &mut Spool,
    room: &mut u64,
) -> Result<Seen, Error> {
    for _ in 0..ATTEMPTS {
        let (Some(above), Some(name)) = (path.parent(), path.relative().file_name()) else { break };
        // The names are sorted, so most share their directory with the one before.
        if parent.as_ref().is_none_or(|dir| *dir.reached() != above) {
            *parent = workspace.open_dir(&above).ok();
        }
        let Some(file) = parent.as_ref().and_then(|dir| dir.open_file(name).ok()) else { break };
        let Ok(attributes) = file.attributes() else { break };
        let (fingerprint, size) = (file.fingerprint(), file.stat().size);
        if size > *room {
            return Ok(Seen::File { fingerprint, attributes, copy: None });
        }
        // It is taken again if it changed while it was copied.
        if let Some(copy) = spool.put(&file, *room)? {
            *room -= size;
            return Ok(Seen::File { fingerprint, attributes, copy: Some(copy) });
        }
    }
    Ok(Seen::Unreadable)
}

struct Collect<'a> {
    top: &'a WorkspacePath,
    found: Vec<(WorkspacePath, FileKind)>,
    most: usize,
    is_cut: bool,
}

impl Collect<'_> {
    fn take(&mut self, entry: &toolcrib_search::Entry<'_>) -> ControlFlow<()> {
        if self.found.len() >= self.most {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        self.found.push((self.top.join(entry.path()), entry.kind()));
        ControlFlow::Continue(())
    }
}

impl Visitor for Collect<'_> {
    fn visit(&mut self, entry: &toolcrib_search::Entry<'_>) -> ControlFlow<()> {
        self.take(entry)
    }

    fn enter(&mut self, entry: &toolcrib_search::Entry<'_>) -> bool {
        !VERSION_CONTROL.iter().any(|name| entry.name() == *name) && self.take(entry).is_continue()
    }
}

/// What changes so often while it is copied changes all the time.
const ATTEMPTS: usize = 4;

/// What version control keeps for itself: a command of its own changes that back.
const VERSION_CONTROL: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", "CVS"];
