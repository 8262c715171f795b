//! The lines before the hunks of a file: what happens to it, and what it is called.

use super::names::{self, Name};
use crate::error::{Error, ErrorKind};
use crate::patch::{Action, FileChange, FileMode, Hunk, Line};
use crate::path::{checked, unquoted};
use crate::rows::Rows;

/// A section of a diff on the way to becoming a change.
#[derive(Debug)]
pub(super) struct Header {
    line: usize,
    /// The names of `diff --git`, those of `---` and `+++`, and those of a rename or copy, with their prefixes.
    git: Option<(String, String)>,
    sides: Option<(Name, Name)>,
    from: Option<String>,
    to: Option<String>,
    declared: Option<Action>,
    mode: Option<FileMode>,
    binary: bool,
    pub(super) hunks: Vec<Hunk>,
}

/// Whether the next rows are `---` and `+++`.
pub(super) fn names_begin(rows: &Rows<'_>) -> bool {
    names_begin_at(rows, 0)
}

/// Whether the rows so many after the next one are `---` and `+++`.
pub(super) fn names_begin_at(rows: &Rows<'_>, ahead: usize) -> bool {
    let starts = |ahead: usize, sign: &str| rows.ahead(ahead).is_some_and(|row| row.text.starts_with(sign));
    starts(ahead, "--- ") && starts(ahead + 1, "+++ ")
}

impl Header {
    pub(super) fn read(rows: &mut Rows<'_>) -> Result<Self, Error> {
        let mut header = Self {
            line: rows.number(),
            git: None,
            sides: None,
            from: None,
            to: None,
            declared: None,
            mode: None,
            binary: false,
            hunks: Vec::new(),
        };
        if let Some(row) = rows.next_if(|text| text.starts_with("diff --git ")) {
            header.git = names::of_git_line(&row.text["diff --git ".len()..]);
            header.read_extended(rows)?;
        }
        rows.skip_blanks_before(|text| text.starts_with("--- "));
        if names_begin(rows)
            && let (Some(old), Some(new)) = (rows.ahead(0), rows.ahead(1))
        {
            let sides = (Name::read(&old.text[4..]), Name::read(&new.text[4..]));
            if header.is_of(&sides) {
                header.sides = Some(sides);
                rows.skip(2);
            }
        }
        Ok(header)
    }

    /// Whether names after `---` and `+++` are those of this file. Else they begin another section.
    fn is_of(&self, sides: &(Name, Name)) -> bool {
        let moves = self.from.is_some() || self.to.is_some();
        let one_sided = sides.0.is_null() || sides.1.is_null();
        let creates = matches!(self.declared, Some(Action::Add | Action::Delete));
        if one_sided && (moves || self.mode.is_some() && !creates) {
            return false;
        }
        let bare = |names: (&str, &str)| {
            let (old, new) = names::without_prefixes(names.0, names.1);
            (old.to_owned(), new.to_owned())
        };
        let known = match (&self.from, &self.to, &self.git) {
            (Some(from), Some(to), _) => vec![(from.clone(), to.clone())],
            (_, _, Some(names)) => vec![names.clone(), bare((&names.0, &names.1))],
            _ => return true,
        };
        let written = (&*sides.0.text, &*sides.1.text);
        let given = [(written.0.to_owned(), written.1.to_owned()), bare(written)];
        let same = |given: &(String, String), known: &(String, String)| {
            (sides.0.is_null() || given.0 == known.0) && (sides.1.is_null() || given.1 == known.1)
        };
        given.iter().any(|given| known.iter().any(|known| same(given, known)))
    }

    fn read_extended(&mut self, rows: &mut Rows<'_>) -> Result<(), Error> {
        while let Some(row) = rows.peek() {
            let Some((key, value)) = split_key(row.text) else {
                return Ok(());
            };
            rows.next();
            let mode = |value: &str| mode(value).map_err(|kind| Error::new(row.number, kind));
            match key {
                "old mode" => drop(mode(value)?),
                "new mode" => self.mode = Some(mode(value)?),
                "new file mode" => (self.declared, self.mode) = (Some(Action::Add), Some(mode(value)?)),
                "deleted file mode" => (self.declared, _) = (Some(Action::Delete), mode(value)?),
                "rename from" | "rename old" => {
                    (self.declared, self.from) = (Some(Action::Move), Some(name(value)))
                }
                "copy from" => (self.declared, self.from) = (Some(Action::Copy), Some(name(value))),
                "rename to" | "rename new" | "copy to" => self.to = Some(name(value)),
                "index" => drop(value.split_once(' ').map(|(_, value)| mode(value)).transpose()?),
                "GIT binary patch" | "Binary files" => self.binary = true,
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<FileChange, Error> {
        let line = self.line;
        self.change().map_err(|kind| Error::new(line, kind))
    }

    fn change(self) -> Result<FileChange, ErrorKind> {
        let (old, new) = self.names()?;
        if self.binary {
            return Err(ErrorKind::Binary { path: new.or(old).unwrap_or_default() });
        }
        let action = self.action(old.as_deref(), new.as_deref());
        let moves = matches!(action, Action::Move | Action::Copy);
        let path = match action {
            Action::Delete => old.clone().or(new),
            _ => new.or(old.clone()),
        };
        let path = checked(&path.ok_or(ErrorKind::NoFile)?)?;
        let from = old.filter(|_| moves).map(|from| checked(&from)).transpose()?;
        if action == Action::Update && self.hunks.is_empty() {
            return Err(ErrorKind::NothingToDo { path });
        }
        let only_added = |hunk: &Hunk| hunk.lines.iter().all(|line| matches!(line, Line::Added(_)));
        if action == Action::Add && !self.hunks.iter().all(only_added) {
            return Err(ErrorKind::Unexpected { expected: "only added lines in a new file" });
        }
        let declared = self.declared.is_some();
        Ok(FileChange { action, path, from, declared, mode: self.mode, hunks: self.hunks, line: self.line })
    }

    /// The names of old and new file, without prefixes; none for a side that does not exist.
    fn names(&self) -> Result<(Option<String>, Option<String>), ErrorKind> {
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            return Ok((Some(from.clone()), Some(to.clone())));
        }
        let null =
            |side: fn(&(Name, Name)) -> &Name| self.sides.as_ref().is_some_and(|sides| side(sides).is_null());
        let one_sided = null(|sides| &sides.0) || null(|sides| &sides.1);
        // Beside /dev/null there is no telling a prefix from a folder, but the line of git has the name twice.
        let (old, new) = match (&self.sides, &self.git) {
            (None, Some((old, new))) => (&**old, &**new),
            (Some(_), Some((old, new))) if one_sided => (&**old, &**new),
            (Some((old, new)), _) => (&*old.text, &*new.text),
            (None, None) => return Err(ErrorKind::NoFile),
        };
        let (old, new) = names::without_prefixes(old, new);
        let existing = |name: &str, null: bool| (!null && name != "/dev/null").then(|| name.to_owned());
        Ok((existing(old, null(|sides| &sides.0)), existing(new, null(|sides| &sides.1))))
    }

    fn action(&self, old: Option<&str>, new: Option<&str>) -> Action {
        let epoch =
            |side: fn(&(Name, Name)) -> &Name| self.sides.as_ref().is_some_and(|sides| side(sides).epoch);
        let null =
            |side: fn(&(Name, Name)) -> &Name| self.sides.as_ref().is_some_and(|sides| side(sides).is_null());
        match self.declared {
            Some(action) => action,
            None if null(|sides| &sides.0) => Action::Add,
            None if null(|sides| &sides.1) => Action::Delete,
            None if epoch(|sides| &sides.0) && self.is_all(|line| matches!(line, Line::Added(_))) => {
                Action::Add
            }
            None if epoch(|sides| &sides.1) && self.is_all(|line| matches!(line, Line::Removed(_))) => {
                Action::Delete
            }
            None if old != new => Action::Move,
            None if self.hunks.is_empty() && self.mode.is_some() => Action::Mode,
            None => Action::Update,
        }
    }

    fn is_all(&self, fits: impl Fn(&Line) -> bool) -> bool {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).all(fits)
    }
}

const KEYS: [&str; 15] = [
    "old mode",
    "new mode",
    "new file mode",
    "deleted file mode",
    "rename from",
    "rename to",
    "rename old",
    "rename new",
    "copy from",
    "copy to",
    "similarity index",
    "dissimilarity index",
    "index",
    "GIT binary patch",
    "Binary files",
];

fn split_key(text: &str) -> Option<(&'static str, &str)> {
    KEYS.into_iter().find_map(|key| {
        let value = text.strip_prefix(key)?;
        (value.is_empty() || value.starts_with(' ')).then(|| (key, value.trim_start()))
    })
}

fn name(value: &str) -> String {
    unquoted(value).map_or_else(|| value.to_owned(), |(name, _)| name)
}

fn mode(value: &str) -> Result<FileMode, ErrorKind> {
    match value.trim_end() {
        "100644" | "100664" | "100600" => Ok(FileMode::Regular),
        "100755" | "100775" | "100700" => Ok(FileMode::Executable),
        other => Err(ErrorKind::Mode { mode: other.to_owned() }),
    }
}
