//! A patch as a value: which files change, and how.

use std::fmt;

use toolcrib_edit::visible;

/// What a text said: changes of files, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The grammar it was written in.
    pub format: Format,
    /// The changes. A move or copy reads the file as it was before the whole patch; any other sees what those before
    /// it did to the same path.
    pub files: Vec<FileChange>,
}

/// The grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A unified diff, with or without git's headers.
    Unified,
    /// The envelope that starts with `*** Begin Patch`.
    Envelope,
    /// Blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`.
    Blocks,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// What happens to it.
    pub action: Action,
    /// Where it is afterwards; for a deletion, where it was. Relative, without `..`.
    pub path: String,
    /// Where a moved or copied file was.
    pub from: Option<String>,
    /// A move or copy was said in so many words. Else the two sides only have different names, and if a file of the
    /// new name exists it is that which is meant.
    pub declared: bool,
    /// The mode it gets, if the patch says so.
    pub mode: Option<FileMode>,
    /// What changes in its text.
    pub hunks: Vec<Hunk>,
    /// The line of the patch where it begins, counted from 1.
    pub line: usize,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is created.
    Add,
    /// Its text changes.
    Update,
    /// It is deleted.
    Delete,
    /// It gets another name, and perhaps another text.
    Move,
    /// It is created from another one, perhaps with another text.
    Copy,
    /// Only its mode changes.
    Mode,
}

impl Action {
    /// The name that results use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Copy => "copy",
            Self::Mode => "mode",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The modes that a patch may give: those that git knows for a file with text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// 100644.
    Regular,
    /// 100755.
    Executable,
}

/// A part of a file's text, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Where it is said to be.
    pub location: Location,
    /// Its lines, in order.
    pub lines: Vec<Line>,
    /// Nothing follows it in the file.
    pub to_end: bool,
    /// The number of its lines is not what its head says.
    pub miscounted: bool,
    /// The line of the patch where it begins, counted from 1.
    pub line: usize,
}

/// Where a hunk is said to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// At this line of the old text, counted from 1; 0 is before the first.
    Line(usize),
    /// After these lines, each after the one before; if there is none, anywhere.
    After(Vec<String>),
}

/// A line of a hunk, with the ending it has in the patch. Without one it is the last line of a text that has no final
/// newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// It stays.
    Context(String),
    /// It goes.
    Removed(String),
    /// It comes.
    Added(String),
}

impl Line {
    /// The line without saying what becomes of it.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    pub(crate) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    pub(crate) fn is_context(&self) -> bool {
        matches!(self, Self::Context(_))
    }
}

impl Hunk {
    /// What must be there: the lines that stay and those that go.
    #[must_use]
    pub fn old_text(&self) -> String {
        self.lines.iter().filter(|line| !matches!(line, Line::Added(_))).map(Line::text).collect()
    }

    /// The first lines that must be there, as a patch writes them, for the error that says that they are not.
    pub(crate) fn beginning(&self) -> Vec<String> {
        const SHOWN: usize = 4;
        let old = self.lines.iter().filter(|line| !matches!(line, Line::Added(_)));
        let shown = |line: &Line| {
            let sign = if matches!(line, Line::Removed(_)) { '-' } else { ' ' };
            format!("{sign}{}", visible(line.text().trim_end_matches(['\n', '\r'])))
        };
        let mut lines: Vec<String> = old.clone().take(SHOWN).map(shown).collect();
        let more = old.count() - lines.len();
        if more > 0 {
            lines.push(format!("… ({more} more)"));
        }
        lines
    }

    /// What is there afterwards: the lines that stay and those that come.
    #[must_use]
    pub fn new_text(&self) -> String {
        self.lines.iter().filter(|line| !matches!(line, Line::Removed(_))).map(Line::text).collect()
    }
}
