//! The files that a patch names, as they are before it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use toolcrib_access::{Draft, LinkDraft, Sandbox};
use toolcrib_patch::{Action, FileChange, Patch};
use toolcrib_text::{Document, Meter};
use toolcrib_tool::{ErrorKind, ToolError};

use super::swaps::Swaps;
use crate::bounds::{reserve, stopped, to_change, until_over};
use crate::changed::refuse_link;

/// What stands for the text of a file that has none. No patch holds a NUL, so none can fit it.
const BINARY: &str = "\0";

/// Whether a text stands for a file that has none.
pub(super) fn is_binary(text: &str) -> bool {
    text == BINARY
}

/// All files by the paths that the patch gives them.
pub(super) struct Files {
    by_path: HashMap<String, File>,
}

/// A file, or a name that is free.
pub(super) struct File {
    pub(super) draft: Draft,
    /// Its text, if it exists and has one.
    pub(super) document: Option<Document>,
    /// If it is a symbolic link that the patch deletes, what it says.
    pub(super) link: Option<PathBuf>,
}

impl Files {
    /// Looks at every file that the patch touches.
    pub(super) fn draft(sandbox: &Sandbox<'_>, patch: &Patch, swaps: &Swaps) -> Result<Self, ToolError> {
        let mut files = Self { by_path: HashMap::new() };
        let mut errors: Vec<ToolError> = Vec::new();
        let once = named_once(patch);
        for change in &patch.files {
            sandbox.checkpoint()?;
            if change.action == Action::Delete && once.contains(&*change.path) {
                match files.add_link(sandbox, &change.path) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error) => {
                        errors.push(error);
                        continue;
                    }
                }
            }
            files.add(sandbox, &change.path, swaps).unwrap_or_else(|error| errors.push(error));
            // Of two different names, the new one is meant if there is such a file.
            let Some(from) = change.from.as_deref() else { continue };
            if change.declared || files.text(&change.path).is_none() {
                files.add(sandbox, from, swaps).unwrap_or_else(|error| errors.push(error));
            }
        }
        if let Some(error) = all_of(errors) {
            return Err(error);
        }
        for change in &patch.files {
            sandbox.checkpoint()?;
            files.refuse_links(change)?;
        }
        files.refuse_two_names(patch)?;
        Ok(files)
    }

    /// Adds the path if it names a symbolic link, which is deleted itself. False if it does not.
    fn add_link(&mut self, sandbox: &Sandbox<'_>, path: &str) -> Result<bool, ToolError> {
        let Some(LinkDraft { location, target }) = sandbox.draft_link(Path::new(path))? else {
            return Ok(false);
        };
        let draft = Draft { location, before: None, standing: None };
        self.by_path.insert(path.to_owned(), File { draft, document: None, link: Some(target) });
        Ok(true)
    }

    fn add(&mut self, sandbox: &Sandbox<'_>, path: &str, swaps: &Swaps) -> Result<(), ToolError> {
        if self.by_path.contains_key(path) {
            return Ok(());
        }
        let draft = match sandbox.draft(Path::new(path)) {
            Err(error)
                if swaps.frees(path)
                    && matches!(error.kind(), ErrorKind::IsDirectory | ErrorKind::NotDirectory) =>
            {
                sandbox.draft_freed(Path::new(path))?
            }
            draft => draft?,
        };
        let stop = until_over(sandbox);
        let document = match &draft.before {
            None => None,
            Some(before) => {
                reserve(before.bytes().len().saturating_mul(2))?;
                let document = Document::read_metered(before.bytes().to_vec(), &Meter::new(&stop));
                document.map_err(stopped(sandbox))?.ok()
            }
        };
        self.by_path.insert(path.to_owned(), File { draft, document, link: None });
        Ok(())
    }

    /// How many bytes all of them have.
    pub(super) fn size(&self) -> usize {
        let before = self.by_path.values().filter_map(|file| file.draft.before.as_ref());
        before.map(|before| before.bytes().len()).sum()
    }

    /// How much memory it takes to change all of them, if copies may have at most so many bytes together.
    pub(super) fn to_change(&self, patch: &Patch, most: usize) -> usize {
        /// How often a copy is held: as text, as bytes, in what is proposed.
        const COPIES: usize = 4;
        let documents = self.by_path.values().filter_map(|file| file.document.as_ref());
        let changed: usize =
            documents.map(|document| to_change(document.text(), document.bytes().len())).sum();
        let copies = patch.files.iter().filter(|change| change.action == Action::Copy);
        let copied = copies.filter_map(|change| self.text(change.from.as_deref()?)).map(str::len);
        changed.saturating_add(copied.sum::<usize>().min(most).saturating_mul(COPIES))
    }

    pub(super) fn get(&self, path: &str) -> Option<&File> {
        self.by_path.get(path)
    }

    /// The only file, if there is no other.
    pub(super) fn only(&self) -> Option<&Draft> {
        self.by_path.values().next().filter(|_| self.by_path.len() == 1).map(|file| &file.draft)
    }

    /// The text of a file, if it exists.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.get(path)?.text()
    }

    /// A file that is deleted or moved is meant by its own name: what a link leads to would go, and the link stay.
    fn refuse_links(&self, change: &FileChange) -> Result<(), ToolError> {
        let (path, act) = match change.action {
            Action::Delete => (&change.path, "deleted by a patch"),
            Action::Move => (change.from.as_ref().unwrap_or(&change.path), "moved by a patch"),
            _ => return Ok(()),
        };
        let Some(File { draft, link: None, .. }) = self.get(path) else { return Ok(()) };
        refuse_link(&draft.location, act)
    }

    /// One file under two names: what becomes of it would depend on which is looked at.
    fn refuse_two_names(&self, patch: &Patch) -> Result<(), ToolError> {
        let mut known: HashMap<PathBuf, &str> = HashMap::new();
        for path in patch.sources() {
            let Some(before) = self.get(path).and_then(|file| file.draft.before.as_ref()) else { continue };
            let (root, reached) = (before.reached().root().index(), before.reached().relative());
            let reached = Path::new(&root.to_string()).join(reached);
            if let Some(other) = known.insert(reached, path) {
                return Err(ToolError::new(
                    ErrorKind::InvalidParameter,
                    format!("{other} and {path} are the same file, reached by a link"),
                )
                .hint("name it once, by its own path"));
            }
        }
        Ok(())
    }
}

impl File {
    pub(super) fn text(&self) -> Option<&str> {
        if self.link.is_some() {
            return Some(BINARY);
        }
        self.draft.before.as_ref()?;
        Some(self.document.as_ref().map_or(BINARY, Document::text))
    }
}

/// The paths that only one section of the patch is about: a link that it deletes and then needs is not meant by its name.
fn named_once(patch: &Patch) -> HashSet<&str> {
    let (mut once, mut seen) = (HashSet::new(), HashSet::new());
    let paths = patch.files.iter().flat_map(|change| [Some(&*change.path), change.from.as_deref()]);
    for path in paths.flatten() {
        if seen.insert(path) {
            once.insert(path);
        } else {
            once.remove(path);
        }
    }
    once
}

/// One error of several: what kind the first is, and what all say.
fn all_of(errors: Vec<ToolError>) -> Option<ToolError> {
    let (first, more) = errors.split_first()?;
    if more.is_empty() {
        return errors.into_iter().next();
    }
    let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let all = ToolError::new(first.kind(), said.join("\n"));
    Some(match first.next_step() {
        Some(hint) => all.hint(hint),
        None => all,
    })
}
