//! Applies a patch to as many files as it names, all of them or none.
//!
//! The patch decides what each file becomes; [`ends`] makes of that one change a path, whatever way the patch took to it
//! (two sections for one file, files that change places, a deletion and an addition).

mod files;
mod final_state;
mod heading;
mod refused;
mod seen;
mod swaps;

use std::path::Path;

use toolcrib_access::{Proposal, Proposed, Sandbox};
use toolcrib_edit::{Level, Limit, Matching, Names};
use toolcrib_patch::{
    ErrorKind as Unreadable, HunkReport, NamedFile, Options, Patch, Planned, parse_diff_within, parse_within,
};
use toolcrib_text::{Stop, Stopped};
use toolcrib_tool::ToolError;

use crate::FilePath;
use crate::bounds::{bounds, reserve, stopped, until_over};
use crate::changed::{Shown, note_left_out, room, show_within};
use crate::refused::{Refused, require_version};
use files::Files;
use final_state::{FinalState, FinalStates};
pub(crate) use heading::Heading;
use swaps::Swaps;

/// A patch, and how it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchRequest {
    /// The text, in any of the grammars.
    pub patch: String,
    /// What the text is the diff of, if it does not name its files itself.
    pub file: Option<NamedFile>,
    /// Whether a file may be added, moved or copied onto one that exists.
    pub overwrite: bool,
    /// How many lines of context may be dropped at either end of a hunk.
    pub fuzz: usize,
    /// How much may be overlooked when looking for a hunk.
    pub matching: Matching,
    /// Whether lines that are only added, with nothing that says where, go to the end of their file.
    pub append: bool,
    /// What the file must hold before, as Read gave it; for a patch of one file.
    pub expected_version: Option<String>,
    /// How many bytes the files may grow by together, beyond what the patch itself contains.
    pub max_growth: usize,
}

impl PatchRequest {
    /// How many lines of context may be dropped at the most: with fewer left, a hunk could fit anywhere.
    pub const MAX_FUZZ: usize = 3;
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The files that changed, in the order of the patch.
    pub files: Vec<PatchedFile>,
    /// Files that already are what the patch makes of them.
    pub already_applied: Vec<FilePath>,
    /// Whether another program had changed one of the files since the session read it.
    pub changed_since_read: bool,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// Where it is afterwards; if it is deleted, where it was.
    pub path: FilePath,
    /// What happened to it.
    pub action: FileAction,
    /// Where it was before, or of what it is a copy.
    pub from: Option<FilePath>,
    /// Where its hunks were found.
    pub hunks: Vec<HunkReport>,
    /// How the change reads.
    pub shown: Shown,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAction {
    /// It was not there before.
    Add,
    /// It has other content or another mode.
    Update,
    /// It is gone.
    Delete,
    /// It has another name.
    Move,
}

impl FileAction {
    /// The name that results use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Move => "move",
        }
    }
}

impl Patched {
    /// The loosest level that was needed.
    #[must_use]
    pub fn level(&self) -> Level {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.map(|hunk| hunk.level).max().unwrap_or(Level::Exact)
    }

    /// The characters in new lines that a reader does not see, each with its file.
    #[must_use]
    pub fn hidden(&self, name: impl Fn(&FilePath) -> String) -> Vec<String> {
        let of_file = |file: &PatchedFile| {
            let named = |hidden: &String| format!("{}: {hidden}", name(&file.path));
            file.shown.hidden.iter().map(named).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }
}

/// Proposes what a patch makes of its files.
///
/// # Errors
///
/// If the text is no patch or one that may not be applied, if a file may not be changed, or with every hunk that does not
/// fit. Then nothing is proposed.
pub fn apply_patch(sandbox: &Sandbox<'_>, request: &PatchRequest) -> Result<Proposed<Patched>, Refused> {
    let _memory = reserve(to_read(&request.patch))?;
    let stop = until_over(sandbox);
    let patch = match &request.file {
        Some(file) => parse_diff_within(file, &request.patch, &stop),
        None => parse_within(&request.patch, &stop),
    };
    let mut patch = patch.map_err(|error| match error.kind {
        Unreadable::Stopped => stopped(sandbox)(Stopped),
        _ => refused::unreadable(&error),
    })?;
    name_from(&mut patch, &sandbox.context().working_dir);
    let swaps = Swaps::of(sandbox, &patch)?;
    let files = Files::draft(sandbox, &patch, &swaps)?;
    let most = bounds(request.max_growth, files.size(), request.patch.len(), &stop).size;
    let _memory = reserve(files.to_change(&patch, most))?;
    expect(&files, request.expected_version.as_deref())?;
    let (changed_since_read, ends) = plan(sandbox, &patch, request, &files)?;
    sandbox.checkpoint()?;
    let mut proposed = propose(sandbox, &patch, &files, &ends, &stop)?;
    proposed.changes.proposals = swaps.order(sandbox, proposed.changes.proposals)?;
    Ok(proposed.map(|patched| Patched { changed_since_read, ..patched }))
}

/// Names files in the directory that calls start from by their path in it, as diffs name them.
fn name_from(patch: &mut Patch, directory: &Path) {
    let from_here = |path: &mut String| {
        if let Some(inside) = Path::new(&*path).strip_prefix(directory).ok().and_then(Path::to_str) {
            *path = inside.to_owned();
        }
    };
    for file in &mut patch.files {
        from_here(&mut file.path);
        file.from.as_mut().map(from_here);
    }
}

/// How much memory it takes to read a patch: each of its lines is a value of its own.
fn to_read(patch: &str) -> usize {
    const EACH_LINE: usize = 128;
    let lines = memchr::memchr_iter(b'\n', patch.as_bytes()).count();
    lines.saturating_mul(EACH_LINE).saturating_add(patch.len().saturating_mul(2))
}

/// What becomes of the files, and whether one of them has changed since it was read.
fn plan<'f>(
    sandbox: &'f Sandbox<'f>,
    patch: &Patch,
    request: &PatchRequest,
    files: &'f Files,
) -> Result<(bool, FinalStates<'f>), Refused> {
    let &PatchRequest { matching, fuzz, overwrite, append, .. } = request;
    let options = Options { matching, fuzz, overwrite, append };
    let stop = until_over(sandbox);
    let bounds = bounds(request.max_growth, files.size(), request.patch.len(), &stop);
    let (mut planned, mut failures) = (Vec::new(), Vec::new());
    let mut ends = FinalStates::new(sandbox, files, bounds.size);
    let mut ended = Ok(());
    for file in patch.plan_each(options, bounds, |path| files.text(path)) {
        sandbox.checkpoint()?;
        match file {
            Ok(file) => {
                if ended.is_ok() {
                    ended = ends.add(&file);
                }
                // The text is in place now, and may be large.
                planned.push(Planned { text: None, changes: Vec::new(), ..file });
            }
            Err(failure) => failures.push(failure),
        }
    }
    if !failures.is_empty() {
        return Err(refused::unfit(files, patch.format, &failures));
    }
    let changed_since_read = seen::check(sandbox, patch, &planned, files)?;
    ended?;
    Ok((changed_since_read, ends))
}

fn expect(files: &Files, version: Option<&str>) -> Result<(), Refused> {
    match (version, files.only()) {
        (None, _) => Ok(()),
        (version, Some(draft)) => require_version(draft, version),
        (Some(_), None) => Err(Refused::VersionOfSeveral),
    }
}

fn propose(
    sandbox: &Sandbox<'_>,
    patch: &Patch,
    files: &Files,
    ends: &FinalStates<'_>,
    stop: &dyn Stop,
) -> Result<Proposed<Patched>, ToolError> {
    let mut proposals = Vec::new();
    let mut patched = Patched { files: Vec::new(), already_applied: Vec::new(), changed_since_read: false };
    let mut room = room(sandbox);
    for path in patch.sources() {
        let (Some(file), Some(end)) = (files.get(path), ends.of_path(path)) else { continue };
        sandbox.checkpoint()?;
        let named = FilePath::new(&file.draft.location);
        let Some(made) = ends.made(path) else {
            if !ends.is_moved_away(path) {
                patched.already_applied.push(named);
            }
            continue;
        };
        let shown = show(files, ends, path, end, room, stop).map_err(stopped(sandbox))?;
        room.bytes = room.bytes.saturating_sub(shown.diff.len());
        room.lines = room.lines.saturating_sub(shown.diff.lines().count());
        let diff = shown.diff.clone();
        proposals.push(Proposal { location: made.location.clone(), change: made.change, diff });
        let from = end.from.as_deref().and_then(|from| files.get(from));
        patched.files.push(PatchedFile {
            path: named,
            action: ends.action(path),
            from: from.map(|file| FilePath::new(&file.draft.location)),
            hunks: end.hunks.clone(),
            shown,
        });
    }
    note_left_out(sandbox, patched.files.iter().map(|file| file.shown.left_out).sum());
    Ok(Proposed::new(patched, proposals))
}

/// How the change of one path reads, in the room that is left.
fn show(
    files: &Files,
    ends: &FinalStates<'_>,
    path: &str,
    end: &FinalState,
    room: Limit,
    stop: &dyn Stop,
) -> Result<Shown, Stopped> {
    let action = ends.action(path);
    let old = end.from.as_deref().unwrap_or(path);
    let before = files.text(old);
    let names = Names { old: before.map(|_| old), new: (action != FileAction::Delete).then_some(path) };
    let heading = Heading { names, moved: action == FileAction::Move, modes: ends.modes(path) };
    let before = before.filter(|text| !files::is_binary(text)).unwrap_or_default();
    let shown = show_within(before, end.text().unwrap_or_default(), names, room, stop)?;
    Ok(Shown { diff: format!("{heading}{}", shown.diff), ..shown })
}
