//! What each path holds when the whole patch is applied, and the one change that makes it so.

use std::collections::HashMap;

use toolcrib_access::{Draft, Location, Sandbox};
use toolcrib_patch::{Action, FileMode, HunkReport, Planned};
use toolcrib_text::{Document, Meter};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::Change;

use super::FileAction;
use super::files::{File, Files};
use super::heading::LINK;
use crate::bounds::{stopped, until_over};
use crate::changed::{replaced, spliced};

/// The end of every path that the patch touches.
pub(super) struct FinalStates<'f> {
    sandbox: &'f Sandbox<'f>,
    files: &'f Files,
    by_path: HashMap<String, FinalState>,
    /// Where moved files went.
    moved: HashMap<String, String>,
    /// How many bytes all of them have together, and may have.
    size: usize,
    limit: usize,
}

/// What a path holds in the end.
#[derive(Default)]
pub(super) struct FinalState {
    content: Option<Content>,
    /// The file that was moved or copied here.
    pub(super) from: Option<String>,
    /// The mode that the patch gives it.
    mode: Option<FileMode>,
    /// Where the hunks were found.
    pub(super) hunks: Vec<HunkReport>,
}

#[derive(Clone)]
enum Content {
    Text(Document),
    /// What is no text can only be moved and copied.
    Other(Vec<u8>),
}

impl Content {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(document) => document.bytes(),
            Self::Other(bytes) => bytes,
        }
    }
}

/// A change of one path, and where it is made.
pub(super) struct Made<'f> {
    pub(super) change: Change,
    pub(super) location: &'f Location,
}

impl<'f> FinalStates<'f> {
    /// Before anything of the patch, which may come to so many bytes.
    pub(super) fn new(sandbox: &'f Sandbox<'f>, files: &'f Files, limit: usize) -> Self {
        Self { sandbox, files, by_path: HashMap::new(), moved: HashMap::new(), size: 0, limit }
    }

    /// Goes on to the next file of the patch.
    pub(super) fn add(&mut self, planned: &Planned) -> Result<(), ToolError> {
        let end = self.end(planned)?;
        self.size = self
            .size
            .saturating_add(end.size())
            .saturating_sub(self.of_path(&planned.path).map_or(0, FinalState::size));
        if self.size > self.limit {
            return Err(self.too_large(&planned.path));
        }
        if planned.action == Action::Move
            && let Some(from) = &planned.from
            && *from != planned.path
        {
            self.by_path.entry(from.clone()).or_default();
            self.moved.insert(from.clone(), planned.path.clone());
        }
        self.by_path.insert(planned.path.clone(), end);
        Ok(())
    }

    pub(super) fn of_path(&self, path: &str) -> Option<&FinalState> {
        self.by_path.get(path)
    }

    /// What becomes of a path, in one word.
    pub(super) fn action(&self, path: &str) -> FileAction {
        let end = self.of_path(path);
        if end.is_some_and(|end| end.content.is_none()) {
            return FileAction::Delete;
        }
        match end.and_then(|end| end.from.as_deref()) {
            Some(from) if self.moved_to(from) == Some(path) => FileAction::Move,
            _ if self.files.text(path).is_some() => FileAction::Update,
            _ => FileAction::Add,
        }
    }

    /// The file went to another name, and nothing took its place.
    pub(super) fn is_moved_away(&self, path: &str) -> bool {
        self.moved_to(path).is_some() && self.of_path(path).is_some_and(|end| end.content.is_none())
    }

    /// The permission bits before and after.
    pub(super) fn modes(&self, path: &str) -> [Option<u32>; 2] {
        let Some(end) = self.of_path(path) else { return [None; 2] };
        let old = end.from.as_deref().unwrap_or(path);
        let before = self.files.get(old).and_then(File::mode);
        [before, end.content.as_ref().map(|_| end.mode_after(before))]
    }

    /// The change that makes the path what it is in the end; none, if there is nothing to do.
    pub(super) fn made(&self, path: &str) -> Option<Made<'f>> {
        let (end, draft) = (self.of_path(path)?, &self.files.get(path)?.draft);
        let (location, at) = (&draft.location, draft.location.path.clone());
        if let Some(target) = self.files.get(path)?.link.clone() {
            return Some(Made { change: Change::RemoveLink { path: at, target }, location });
        }
        let Some(content) = &end.content else {
            let taken = self.moved_to(path).is_some_and(|to| self.is_plain_move(path, to));
            let base = draft.before.as_ref().filter(|_| !taken)?.version();
            return Some(Made { change: Change::Remove { path: at, base }, location });
        };
        if let Some(from) = end.from.as_deref().filter(|from| self.is_plain_move(from, path)) {
            return self.renamed(from, content, path, draft);
        }
        let (present, [_, after]) = (mode_of(draft), self.modes(path));
        // A file that is copied or moved here brings its mode.
        let given = end.mode.is_some() || end.from.is_some();
        let mode = after.filter(|_| given && present != after);
        let same = draft.before.as_ref().is_some_and(|before| before.bytes() == content.bytes());
        if same && mode.is_none() {
            return None;
        }
        let change = Change::Write { path: at, base: draft.base(), content: content.bytes().to_vec(), mode };
        Some(Made { change, location })
    }

    fn renamed(&self, from: &str, content: &Content, path: &str, target: &Draft) -> Option<Made<'f>> {
        let source = &self.files.get(from)?.draft;
        let old = source.before.as_ref()?;
        let [before, after] = self.modes(path);
        let change = Change::Move {
            from: source.location.path.clone(),
            base: old.version(),
            to: target.location.path.clone(),
            over: target.base(),
            content: (old.bytes() != content.bytes()).then(|| content.bytes().to_vec()),
            mode: after.filter(|_| before != after),
        };
        Some(Made { change, location: &source.location })
    }

    fn moved_to(&self, from: &str) -> Option<&str> {
        self.moved.get(from).map(String::as_str)
    }

    /// A move that needs no more than a rename: nothing takes the old name, and what had the new one goes nowhere else.
    /// Files that change places are written instead.
    fn is_plain_move(&self, from: &str, to: &str) -> bool {
        self.moved_to(from) == Some(to) && self.is_moved_away(from) && self.moved_to(to).is_none()
    }

    fn end(&mut self, planned: &Planned) -> Result<FinalState, ToolError> {
        let mode = planned.mode;
        let hunks = planned.hunks.clone();
        match planned.action {
            Action::Delete => Ok(FinalState { hunks, ..FinalState::default() }),
            Action::Add => {
                Ok(FinalState { content: Some(self.added(planned)?), mode, ..FinalState::default() })
            }
            Action::Update | Action::Mode => {
                let mut end = match self.by_path.remove(&planned.path) {
                    Some(end) => end,
                    None => {
                        FinalState { content: self.file(&planned.path)?.content(), ..FinalState::default() }
                    }
                };
                end.content = end.content.map(|now| self.patched(now, planned)).transpose()?;
                end.mode = mode.or(end.mode);
                end.hunks.extend(hunks);
                Ok(end)
            }
            Action::Move | Action::Copy => {
                let now = self.file(source(planned))?.content();
                let content = now.map(|now| self.patched(now, planned)).transpose()?;
                Ok(FinalState { content, from: planned.from.clone(), mode, hunks })
            }
        }
    }

    /// A file's whole new text, in the encoding of the one that it replaces.
    fn added(&self, planned: &Planned) -> Result<Content, ToolError> {
        let target = self.file(&planned.path)?;
        if planned.already_applied
            && let Some(content) = target.content()
        {
            return Ok(content);
        }
        let text = planned.text.as_deref().unwrap_or_default();
        let replaced = replaced(self.sandbox, target.document.as_ref(), text, &target.draft)?;
        let (stop, charset) = (until_over(self.sandbox), replaced.encoding.charset);
        let document = Document::decode_metered(replaced.bytes, charset, &Meter::new(&stop));
        document.map(Content::Text).map_err(stopped(self.sandbox))
    }

    fn patched(&self, now: Content, planned: &Planned) -> Result<Content, ToolError> {
        if planned.changes.is_empty() {
            return Ok(now);
        }
        let draft = &self.file(source(planned))?.draft;
        let (Content::Text(document), Some(after)) = (&now, &planned.text) else {
            return Err(ToolError::new(
                ErrorKind::Unsupported,
                format!("Cannot patch binary file: {}", draft.location.show()),
            ));
        };
        spliced(self.sandbox, document, after, &planned.changes, draft).map(Content::Text)
    }

    fn too_large(&self, path: &str) -> ToolError {
        let (size, limit) = (self.size, self.limit);
        ToolError::new(
            ErrorKind::TooLarge,
            format!(
                "{path}: with it the files would have {size} bytes, and one patch may write {limit} at most"
            ),
        )
        .hint("make several patches of it, or write the files whole")
        .with("size", size)
        .with("limit", limit)
    }

    fn file(&self, path: &str) -> Result<&'f File, ToolError> {
        self.files.get(path).ok_or_else(|| {
            ToolError::new(ErrorKind::Internal, format!("the patch's file {path} was not looked at"))
        })
    }
}

impl FinalState {
    /// How many bytes the file has.
    fn size(&self) -> usize {
        self.content.as_ref().map_or(0, |content| content.bytes().len())
    }

    /// The text, if the file exists and has one.
    pub(super) fn text(&self) -> Option<&str> {
        match self.content.as_ref()? {
            Content::Text(document) => Some(document.text()),
            Content::Other(_) => None,
        }
    }

    fn mode_after(&self, before: Option<u32>) -> u32 {
        let present = before.unwrap_or(0o644);
        match self.mode {
            None => present,
            Some(FileMode::Regular) => present & !0o111,
            // All who may read it may run it.
            Some(FileMode::Executable) => present | (present & 0o444) >> 2,
        }
    }
}

impl File {
    /// The permission bits, or what stands for a link.
    fn mode(&self) -> Option<u32> {
        if self.link.is_some() { Some(LINK) } else { mode_of(&self.draft) }
    }

    fn content(&self) -> Option<Content> {
        let before = self.draft.before.as_ref()?;
        Some(match &self.document {
            Some(document) => Content::Text(document.clone()),
            None => Content::Other(before.bytes().to_vec()),
        })
    }
}

fn mode_of(draft: &Draft) -> Option<u32> {
    draft.before.as_ref().map(|before| before.stat().mode & 0o7777)
}

/// Where the text comes from that the hunks change.
fn source(planned: &Planned) -> &str {
    planned.from.as_deref().unwrap_or(&planned.path)
}
