//! A change as it is put before a person: all of it, exactly as it would be committed.
//!
//! What a model reads of a change is cut to a bound. A person decides by what they see, so nothing is cut for them: long
//! lines are shown around the difference, what cannot be seen is made visible, and what does not fit on a page goes on
//! the next one. An answer is bound to the [digest](digest) of the change and never to how it was shown.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use toolcrib_edit::{Diff, Names, reveal};
use toolcrib_text::Document;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Base, Change, Version, VersionHasher, Workspace, WorkspacePath, names};

use crate::error::disk_error;
use crate::policy::Access;
use crate::proposal::Proposal;

/// What would become of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedChange {
    /// The file, as an absolute path; of a move, where it goes.
    pub path: String,
    /// Of a move, where it comes from.
    pub from: Option<String>,
    /// What it holds now; none if it is created.
    pub before: Option<Arc<[u8]>>,
    /// What it would hold; none if it is deleted.
    pub after: Option<Arc<[u8]>>,
    /// Of a move, what the file holds that it would replace.
    pub replaced: Option<Arc<[u8]>>,
    /// The permission bits that it would get; none keeps them.
    pub mode: Option<u32>,
    /// What would be made, removed or moved, if it is not a file: one sentence, and for a move what is in the directory.
    pub entry: Option<EntryChange>,
    /// Whether a rule keeps agents from reading it.
    pub denied: bool,
    /// Its name in a diff: from where calls start.
    name: String,
    old_name: String,
}

/// A change of a directory or a link, which has no content to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChange {
    /// What would be done.
    pub sentence: String,
    /// What is in a directory that is moved.
    pub inside: Vec<String>,
}

/// How much stands on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize {
    /// How many rows.
    pub rows: usize,
    /// How many characters.
    pub characters: usize,
}

impl Default for PageSize {
    /// What a dialog window can show.
    fn default() -> Self {
        Self { rows: 120, characters: 12_000 }
    }
}

/// A page of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The rows, each with a newline. No row holds a control character.
    pub text: String,
    /// Which page it is, from 1.
    pub number: usize,
    /// How many pages there are.
    pub of: usize,
}

impl Page {
    /// Whether the whole change is on this page.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.of == 1
    }
}

impl ProposedChange {
    /// A file that holds one content and would hold another; either may not exist.
    #[must_use]
    pub fn new(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        Self {
            path: path.to_owned(),
            from: None,
            before: before.map(Arc::from),
            after: after.map(Arc::from),
            replaced: None,
            mode: None,
            entry: None,
            denied: false,
            name: path.to_owned(),
            old_name: path.to_owned(),
        }
    }

    /// What a proposal would do. What is there now is read, and must be what the proposal is based on.
    pub(crate) fn of(proposal: &Proposal) -> Result<Self, ToolError> {
        let location = &proposal.location;
        let workspace = &location.workspace;
        let name = |path: &WorkspacePath| location.show_relative(path);
        let there = |path: &WorkspacePath, base: Base| match base {
            Base::Absent => Ok(None),
            Base::Version(version) => read(workspace, path, version).map(Some),
        };
        let path = proposal.change.path();
        let mut file =
            Self { name: name(path), old_name: name(path), ..Self::new(&workspace.show(path), None, None) };
        match &proposal.change {
            Change::Write { base, content, mode, .. } => {
                (file.before, file.after, file.mode) = (there(path, *base)?, Some(content[..].into()), *mode);
            }
            Change::Remove { base, .. } => file.before = there(path, Base::Version(*base))?,
            Change::Move { base, to, over, content, mode, .. } => {
                file.before = there(path, Base::Version(*base))?;
                file.after = content.as_deref().map(Arc::from).or_else(|| file.before.clone());
                file.replaced = there(to, *over)?;
                file.from = Some(std::mem::replace(&mut file.path, workspace.show(to)));
                (file.name, file.mode) = (name(to), *mode);
            }
            change => file.entry = Some(EntryChange::of(change, workspace)),
        }
        Ok(file)
    }

    /// Whether it can be replaced by another change of the same file: another text, or some of its hunks.
    #[must_use]
    pub fn is_editable(&self) -> bool {
        self.entry.is_none() && self.from.is_none() && self.after.is_some()
    }

    /// The change as a unified diff, to the letter. A file that is not text is only named.
    #[must_use]
    pub fn diff(&self) -> String {
        if let Some(entry) = &self.entry {
            return format!("{}\n", entry.sentence);
        }
        let [before, after] = self.texts();
        let names = self.names();
        match (before, after) {
            (Ok(before), Ok(after)) => Diff::between(text(&before), text(&after)).to_patch(names),
            _ => {
                let side = |side, name: Option<&str>| {
                    name.map_or_else(|| "/dev/null".to_owned(), |name| Names::quoted(side, name))
                };
                format!("Binary files {} and {} differ\n", side("a/", names.old), side("b/", names.new))
            }
        }
    }

    fn names(&self) -> Names<'_> {
        Names {
            old: self.before.as_ref().map(|_| self.old_name.as_str()),
            new: self.after.as_ref().map(|_| self.name.as_str()),
        }
    }

    /// Both sides as text, in the encoding that the file has now. A side that does not exist is empty.
    pub(crate) fn texts(&self) -> [Result<Option<Document>, NotText>; 2] {
        let before = self.before.as_deref().map(|bytes| Document::read(bytes.to_vec())).transpose();
        let before = before.map_err(|_| NotText);
        let after = match (&before, &self.after) {
            (_, None) => Ok(None),
            (Ok(Some(before)), Some(after)) => {
                Ok(Some(Document::decode(after.to_vec(), before.encoding().charset)))
            }
            (_, Some(after)) => Document::read(after.to_vec()).map(Some).map_err(|_| NotText),
        };
        [before, after]
    }

    /// Gives every row to `row`.
    fn review(&self, row: &mut dyn FnMut(&str)) {
        if let Some(entry) = &self.entry {
            row(&entry.sentence);
            entry.inside.iter().for_each(|path| row(&format!("  {}", reveal(path))));
            return;
        }
        row(&self.heading());
        if let Some(mode) = self.mode {
            let executable = if mode & 0o111 == 0 { "" } else { " (executable)" };
            row(&format!("Its mode becomes {mode:03o}{executable}."));
        }
        if let Some(replaced) = &self.replaced {
            row(&format!("It replaces the file that is there now ({} bytes).", replaced.len()));
        }
        match self.texts() {
            [Ok(before), Ok(after)] => self.review_text(before.as_ref(), after.as_ref(), row),
            _ => {
                let size = |bytes: &Option<Arc<[u8]>>| bytes.as_ref().map_or(0, |bytes| bytes.len());
                let (before, after) = (size(&self.before), size(&self.after));
                row(&format!("It cannot be shown as text: {before} bytes before, {after} bytes after."));
            }
        }
    }

    fn review_text(&self, before: Option<&Document>, after: Option<&Document>, row: &mut dyn FnMut(&str)) {
        if let (Some(before), Some(after)) = (before, after)
            && before.encoding() != after.encoding()
        {
            row(&format!("Its encoding changes from {} to {}.", encoding(before), encoding(after)));
        }
        if let Some(bytes) = after.map(Document::undecodable).filter(|bytes| *bytes > 0) {
            row(&format!("Caution: {bytes} of its bytes are not text; they are shown as ⟨U+FFFD⟩."));
        }
        let diff = Diff::between(before.map_or("", Document::text), after.map_or("", Document::text));
        let hidden = diff.hidden().iter().filter(|hidden| hidden.added).count();
        if hidden > 0 {
            row(&format!(
                "Caution: {hidden} characters in added lines cannot be seen; they are shown as ⟨U+…⟩."
            ));
        }
        if diff.is_empty() && self.before.is_some() && self.after.is_some() && self.before != self.after {
            row("The text stays the same; only the bytes that stand for it change.");
        }
        if !diff.is_empty() {
            let side = |side: &str, name: Option<&str>| {
                name.map_or_else(|| "/dev/null".to_owned(), |name| format!("{side}{}", reveal(name)))
            };
            row(&format!("--- {}", side("a/", self.names().old)));
            row(&format!("+++ {}", side("b/", self.names().new)));
            diff.review(row);
        }
    }

    fn heading(&self) -> String {
        let path = reveal(&self.path);
        match (&self.from, &self.before, &self.after) {
            (Some(from), ..) => format!("Move {} to {path}:", reveal(from)),
            (None, None, _) => format!("Create {path}:"),
            (None, _, None) => format!("Delete {path}:"),
            _ => format!("Change {path}:"),
        }
    }
}

impl EntryChange {
    fn of(change: &Change, workspace: &Workspace) -> Self {
        let show = |path: &WorkspacePath| reveal(&workspace.show(path));
        let path = show(change.path());
        let link = |target: &Path| reveal(&names::escape(target));
        let mut inside = Vec::new();
        let sentence = match change {
            Change::RemoveDirectory { .. } => format!("Delete the directory {path}."),
            Change::MoveDirectory { to, inside: entries, .. } => {
                inside = entries.iter().map(|path| names::escape(path).into_owned()).collect();
                format!(
                    "Move the directory {path} to {}, with all that is in it ({} entries):",
                    show(to),
                    inside.len()
                )
            }
            Change::MakeLink { target, .. } => {
                format!("Create the symbolic link {path} to {}.", link(target))
            }
            Change::RemoveLink { target, .. } => {
                format!("Delete the symbolic link {path} to {}.", link(target))
            }
            _ => format!("Create the directory {path}."),
        };
        Self { sentence, inside }
    }
}

/// A side that is not text.
pub(crate) struct NotText;

fn text(document: &Option<Document>) -> &str {
    document.as_ref().map_or("", Document::text)
}

fn encoding(document: &Document) -> String {
    let mark = if document.encoding().bom { " with a byte order mark" } else { "" };
    format!("{}{mark}", document.encoding().charset)
}

/// What a file holds, which must be what a change is based on.
fn read(workspace: &Workspace, path: &WorkspacePath, version: Version) -> Result<Arc<[u8]>, ToolError> {
    let snapshot = workspace.snapshot(path).map_err(disk_error)?;
    if snapshot.version() != version {
        let message = format!("File changed before it could be shown to the user: {}", workspace.show(path));
        return Err(ToolError::new(ErrorKind::Conflict, message).hint("read it again, then repeat the call"));
    }
    Ok(snapshot.into_bytes().into())
}

/// One page of a change. A page that does not exist is empty.
pub(crate) fn page(changes: &[ProposedChange], number: usize, size: PageSize) -> Page {
    let mut page = Page { text: String::new(), number, of: 1 };
    let (mut rows, mut characters) = (0, 0);
    let mut add = |row: &str| {
        let length = row.chars().count();
        if rows > 0 && (rows >= size.rows || characters + length > size.characters) {
            page.of += 1;
            (rows, characters) = (0, 0);
        }
        rows += 1;
        characters += length;
        if page.of == number {
            page.text.push_str(row);
            page.text.push('\n');
        }
    };
    for (at, file) in changes.iter().enumerate() {
        if at > 0 {
            add("");
        }
        file.review(&mut add);
    }
    page
}

/// What is asked, independent of who asks and how it is shown: access, paths, what each change is based on, and every
/// byte that would be written.
pub(crate) fn digest(access: Access, paths: &[String], proposals: &[Proposal]) -> Version {
    let mut facts = Facts(Version::hasher());
    facts.add(access.as_str());
    facts.count(paths.len());
    for path in paths {
        facts.add(path);
    }
    facts.count(proposals.len());
    for Proposal { location, change, .. } in proposals {
        let path =
            |path: &WorkspacePath| location.workspace.absolute(path).into_os_string().into_encoded_bytes();
        match change {
            Change::Write { path: file, base, content, mode } => {
                facts.add("write").add(path(file)).base(*base).mode(*mode).add(content);
            }
            Change::Remove { path: file, base } => {
                facts.add("remove").add(path(file)).base(Base::Version(*base));
            }
            Change::Move { from, base, to, over, content, mode } => {
                facts
                    .add("move")
                    .add(path(from))
                    .base(Base::Version(*base))
                    .add(path(to))
                    .base(*over)
                    .mode(*mode);
                match content {
                    Some(content) => facts.add("with").add(content),
                    None => facts.add("as it is"),
                };
            }
            Change::MakeDirectory { path: directory } => {
                facts.add("make directory").add(path(directory));
            }
            Change::RemoveDirectory { path: directory } => {
                facts.add("remove directory").add(path(directory));
            }
            Change::MoveDirectory { from, to, inside } => {
                facts.add("move directory").add(path(from)).add(path(to)).count(inside.len());
                for entry in inside {
                    facts.add(entry.as_os_str().as_encoded_bytes());
                }
            }
            Change::MakeLink { path: link, target } => {
                facts.add("make link").add(path(link)).add(target.as_os_str().as_encoded_bytes());
            }
            Change::RemoveLink { path: link, target } => {
                facts.add("remove link").add(path(link)).add(target.as_os_str().as_encoded_bytes());
            }
        }
    }
    facts.0.finish()
}

/// Facts in an order, each with its length, so that no two lists of them look alike.
struct Facts(VersionHasher);

impl Facts {
    fn count(&mut self, count: usize) -> &mut Self {
        self.0.update(&(count as u64).to_le_bytes());
        self
    }

    fn add(&mut self, fact: impl AsRef<[u8]>) -> &mut Self {
        self.count(fact.as_ref().len());
        self.0.update(fact.as_ref());
        self
    }

    fn base(&mut self, base: Base) -> &mut Self {
        match base {
            Base::Absent => self.add("absent"),
            Base::Version(version) => self.add(version.to_string()),
        }
    }

    fn mode(&mut self, mode: Option<u32>) -> &mut Self {
        let mut text = String::new();
        if let Some(mode) = mode {
            let _ = write!(text, "{mode:o}");
        }
        self.add(text)
    }
}
