//! What a patch makes of all its files: everything, or every reason why not.

use std::collections::{HashMap, HashSet};
use std::fmt;

use toolcrib_edit::{Bounds, Change, TooLarge};

use crate::apply::{Applied, DiagnosisBudget, HunkFailure, HunkReport, Options};
use crate::patch::{Action, FileChange, FileMode, Patch};

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// What happens to it.
    pub action: Action,
    /// Where it is afterwards; for a deletion, where it was.
    pub path: String,
    /// Where a moved or copied file was.
    pub from: Option<String>,
    /// The mode it gets, if the patch says so.
    pub mode: Option<FileMode>,
    /// Its text afterwards; none if it is deleted.
    pub text: Option<String>,
    /// What changed in the text it had; nothing for a file that is added or deleted.
    pub changes: Vec<Change>,
    /// Where the hunks were found.
    pub hunks: Vec<HunkReport>,
    /// It already is what the patch would make of it.
    pub already_applied: bool,
}

/// A patch that was not applied, with every reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The files that stand in the way, in the order of the patch.
    pub failures: Vec<FileFailure>,
}

/// A file that stands in the way of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFailure {
    /// The file.
    pub path: String,
    /// What should have happened to it.
    pub action: Action,
    /// Why it did not.
    pub problem: Problem,
}

/// Why a file stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It does not exist.
    Missing,
    /// It exists already.
    Exists,
    /// It is to be deleted, and has more lines than the patch removes.
    Leftover,
    /// Hunks that do not fit.
    Hunks(Vec<HunkFailure>),
    /// With it the files of the patch would become too large together.
    TooLarge(TooLarge),
}

impl Patch {
    /// The files whose texts are asked for by [`Patch::plan`], each once.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let paths = self.files.iter().flat_map(|change| change.from.iter().chain([&change.path]));
        paths.map(String::as_str).filter(|path| seen.insert(*path)).collect()
    }

    /// What becomes of all files. `read` gives the text of a file, if it exists.
    ///
    /// # Errors
    /// All files that stand in the way. Then nothing may be changed.
    pub fn plan<'t>(
        &self,
        options: Options,
        read: impl Fn(&str) -> Option<&'t str>,
    ) -> Result<Vec<Planned>, Refused> {
        let mut planned = Vec::new();
        let mut failures = Vec::new();
        for file in self.plan_each(options, Bounds::none(), read) {
            match file {
                Ok(file) => planned.push(file),
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() { Ok(planned) } else { Err(Refused { failures }) }
    }

    /// The same file by file, and within bounds: so many bytes may all files have together that are written. If one fails,
    /// nothing may be changed.
    pub fn plan_each<'p, 't: 'p>(
        &'p self,
        options: Options,
        bounds: Bounds<'p>,
        read: impl Fn(&str) -> Option<&'t str> + 'p,
    ) -> impl Iterator<Item = Result<Planned, FileFailure>> + 'p {
        let mut planner = Planner {
            options,
            bounds,
            read,
            now: HashMap::new(),
            sizes: HashMap::new(),
            used: 0,
            vacated: vacated(&self.files),
            again: named_again(&self.files),
            diagnoses: DiagnosisBudget::default(),
        };
        self.files.iter().map(move |change| {
            let failure = |(path, problem)| FileFailure { path, action: change.action, problem };
            planner.plan(change).map_err(failure)
        })
    }
}

/// The paths that a move leaves: another file may take its place, wherever in the patch that is said.
fn vacated(files: &[FileChange]) -> HashSet<&str> {
    files
        .iter()
        .filter(|change| change.action == Action::Move)
        .filter_map(|change| change.from.as_deref())
        .collect()
}

/// The paths that more than one change names: what one makes of it, another may need.
fn named_again(files: &[FileChange]) -> HashSet<&str> {
    let mut seen = HashSet::new();
    let paths = files.iter().flat_map(|change| change.from.iter().chain([&change.path]));
    paths.map(String::as_str).filter(|path| !seen.insert(*path)).collect()
}

struct Planner<'p, R> {
    options: Options,
    bounds: Bounds<'p>,
    read: R,
    /// What the changes so far made of a path that is named again; none if the file is gone.
    now: HashMap<&'p str, Option<String>>,
    /// How many bytes the changes so far made of each path, and of all of them.
    sizes: HashMap<&'p str, usize>,
    used: usize,
    vacated: HashSet<&'p str>,
    again: HashSet<&'p str>,
    diagnoses: DiagnosisBudget,
}

impl<'p, 't, R: Fn(&str) -> Option<&'t str>> Planner<'p, R> {
    fn plan(&mut self, change: &'p FileChange) -> Result<Planned, (String, Problem)> {
        let planned = match change.action {
            Action::Add => self.add(change)?,
            Action::Delete => self.delete(change)?,
            Action::Update | Action::Mode => self.update(change)?,
            Action::Move if !change.declared && self.text(&change.path).is_some() => self.update(change)?,
            Action::Move | Action::Copy => self.transfer(change)?,
        };
        let size = planned.text.as_ref().map_or(0, String::len);
        self.used = self.used - self.size(&change.path) + size;
        self.sizes.insert(&change.path, size);
        if self.again.contains(change.path.as_str()) {
            self.now.insert(&change.path, planned.text.clone());
        }
        Ok(planned)
    }

    /// How many bytes the changes so far made of a path.
    fn size(&self, path: &str) -> usize {
        self.sizes.get(path).copied().unwrap_or(0)
    }

    /// How large a path may become, beside what the others have.
    fn room(&self, path: &str) -> Bounds<'p> {
        let others = self.used - self.size(path);
        Bounds { size: self.bounds.size.saturating_sub(others), ..self.bounds }
    }

    fn refuse_too_large(&self, change: &FileChange, size: usize) -> Result<(), (String, Problem)> {
        let limit = self.room(&change.path).size;
        if size <= limit {
            return Ok(());
        }
        let (size, limit) = (size.saturating_add(self.bounds.size - limit), self.bounds.size);
        Err((change.path.clone(), Problem::TooLarge(TooLarge { size, limit })))
    }

    /// The text of a file after the changes so far.
    fn text<'s>(&'s self, path: &str) -> Option<&'s str>
    where
        't: 's,
    {
        match self.now.get(path) {
            Some(text) => text.as_deref(),
            None => (self.read)(path),
        }
    }

    /// Whether a file is in the way of one that shall be created.
    fn is_taken(&self, path: &str) -> bool {
        !self.options.overwrite && !self.vacated.contains(path) && self.text(path).is_some()
    }

    fn add(&self, change: &FileChange) -> Result<Planned, (String, Problem)> {
        let text: String = change.hunks.iter().map(crate::Hunk::new_text).collect();
        self.refuse_too_large(change, text.len())?;
        let already_applied = self.text(&change.path) == Some(&text);
        if !already_applied && self.is_taken(&change.path) {
            return Err((change.path.clone(), Problem::Exists));
        }
        Ok(Planned { text: Some(text), already_applied, ..planned(change) })
    }

    fn delete(&self, change: &FileChange) -> Result<Planned, (String, Problem)> {
        let text = self.text(&change.path).ok_or_else(|| (change.path.clone(), Problem::Missing))?;
        let applied = self.apply(change, text)?;
        if !change.hunks.is_empty() && (applied.already_applied || !applied.text.is_empty()) {
            return Err((change.path.clone(), Problem::Leftover));
        }
        Ok(Planned { hunks: applied.hunks, ..planned(change) })
    }

    fn update(&self, change: &FileChange) -> Result<Planned, (String, Problem)> {
        let text = self.text(&change.path).ok_or_else(|| (change.path.clone(), Problem::Missing))?;
        let updated = self.applied(change, text)?;
        let action = if change.action == Action::Move { Action::Update } else { change.action };
        Ok(Planned { action, from: None, ..updated })
    }

    /// Moves and copies read the file as it was before the patch.
    fn transfer(&mut self, change: &'p FileChange) -> Result<Planned, (String, Problem)> {
        let from = change.from.as_deref().unwrap_or(&change.path);
        let text = (self.read)(from).ok_or_else(|| (from.to_owned(), Problem::Missing))?;
        if from != change.path && self.is_taken(&change.path) {
            return Err((change.path.clone(), Problem::Exists));
        }
        let transferred = self.applied(change, text)?;
        if change.action == Action::Move && !self.now.contains_key(from) {
            self.now.insert(from, None);
        }
        Ok(transferred)
    }

    fn apply(&self, change: &FileChange, text: &str) -> Result<Applied, (String, Problem)> {
        let bounds = self.room(&change.path);
        change
            .apply_as_part(text, self.options, bounds, &self.diagnoses)
            .map_err(|hunks| (change.path.clone(), Problem::Hunks(hunks)))
    }

    fn applied(&self, change: &FileChange, text: &str) -> Result<Planned, (String, Problem)> {
        if change.hunks.is_empty() {
            self.refuse_too_large(change, text.len())?;
        }
        let applied = self.apply(change, text)?;
        Ok(Planned {
            text: Some(applied.text),
            changes: applied.changes,
            hunks: applied.hunks,
            already_applied: applied.already_applied,
            ..planned(change)
        })
    }
}

fn planned(change: &FileChange) -> Planned {
    Planned {
        action: change.action,
        path: change.path.clone(),
        from: change.from.clone(),
        mode: change.mode,
        text: None,
        changes: Vec::new(),
        hunks: Vec::new(),
        already_applied: false,
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, failure) in self.failures.iter().enumerate() {
            f.write_str(if index > 0 { "\n" } else { "" })?;
            write!(f, "{failure}")?;
        }
        Ok(())
    }
}

impl fmt::Display for FileFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.problem {
            Problem::Missing => write!(f, "{path}: there is no such file"),
            Problem::Exists => write!(f, "{path}: the file already exists"),
            Problem::Leftover => {
                write!(f, "{path}: the patch deletes it, but it has lines that the patch does not remove")
            }
            Problem::TooLarge(TooLarge { size, limit }) => {
                write!(
                    f,
                    "{path}: with it the files would have {size} bytes, and one patch may write {limit} at most"
                )
            }
            Problem::Hunks(hunks) => {
                for (index, hunk) in hunks.iter().enumerate() {
                    f.write_str(if index > 0 { "\n" } else { "" })?;
                    write!(f, "{path}: {hunk}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Refused {}
