//! What `log`, `show`, `diff`, `undo` and `redo` share: whose journal is meant, and which of its changes.

pub(crate) mod hunks;
pub(crate) mod when;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use toolcrib::{Damage, ErrorKind, LogQuery, ToolError, Toolbox, disk_error, names, nearest_journal};

use crate::args::Common;
use crate::commands::{from_here, open};
use crate::output;

/// A change by its number, or all from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Numbers {
    /// Whether it is one change that was named.
    pub(crate) fn one(self) -> Option<u64> {
        (self.first == self.last).then_some(self.first)
    }

    pub(crate) fn has(self, number: u64) -> bool {
        (self.first..=self.last).contains(&number)
    }
}

impl FromStr for Numbers {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.strip_prefix('#').unwrap_or(text).parse::<u64>().map_err(drop);
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first <= last { Ok(Self { first, last }) } else { Ok(Self { first: last, last: first }) }
    }
}

/// The number of a change, or several as a range.
pub(crate) fn numbers(text: &str) -> Result<Numbers, String> {
    text.parse().map_err(|()| NOT_A_NUMBER.to_owned())
}

const NOT_A_NUMBER: &str =
    "must be the number of a change, as `toolcrib log` shows it, or a range such as 3..7";

/// What stands behind a command, before the `--`: numbers of changes, or a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Changes(Numbers),
    Path(PathBuf),
}

/// Numbers and ranges are changes, everything else is a path.
fn named(text: &str) -> Result<Named, String> {
    Ok(text.parse().map_or_else(|()| Named::Path(text.into()), Named::Changes))
}

// Which changes to show. No documentation: clap would take it for that of the command.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Filter {
    /// Only these changes, by number or range, or those of this path [default: all]
    #[arg(value_name = "N|A..B|PATH", value_parser = named)]
    named: Vec<Named>,
    #[arg(last = true, value_name = "PATH", hide = true)]
    paths: Vec<PathBuf>,
    /// Only changes of this file, under any name it had, or of files in this directory
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
    /// Only changes by this agent
    #[arg(long, value_name = "NAME", alias = "author")]
    pub(crate) agent: Option<String>,
    /// Only changes since TIME: 2h, yesterday, 2026-11-15
    #[arg(long, value_name = "TIME", value_parser = when::moment, alias = "after")]
    pub(crate) since: Option<SystemTime>,
    /// Only changes until TIME
    #[arg(long, value_name = "TIME", value_parser = when::moment, alias = "before")]
    pub(crate) until: Option<SystemTime>,
    /// Only changes with TEXT in a path, or in the name of the tool, agent or session
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,
}

/// A journal that is looked at.
pub(crate) struct Books {
    pub(crate) toolbox: Toolbox,
}

impl Books {
    /// The journal of the given roots. Without, that of the current directory, or of the nearest directory above that has one,
    /// which is said.
    pub(crate) fn open(common: &Common) -> Result<Self, ToolError> {
        let above = if common.roots.is_empty() { nearest()? } else { None };
        let Some(root) = above else { return Ok(Self { toolbox: open(common)? }) };
        output::say(&format!("Using the journal of {}", names::escape(&root)));
        let common = Common { roots: vec![root], ..common.clone() };
        Ok(Self { toolbox: open(&common)? })
    }

    /// Says on standard error what of the journal cannot be read.
    pub(crate) fn tell_damage(&self) -> Result<(), ToolError> {
        // Also where nothing was found: that may be why.
        let Ok(journal) = self.toolbox.journal() else { return Ok(()) };
        tell_damage(&journal.damage().map_err(disk_error)?);
        Ok(())
    }
}

impl Filter {
    /// The changes that are named by their numbers.
    pub(crate) fn numbers(&self) -> Vec<Numbers> {
        let number = |named: &Named| if let Named::Changes(numbers) = named { Some(*numbers) } else { None };
        self.named.iter().filter_map(number).collect()
    }

    /// The only path that was given, in full.
    pub(crate) fn path(&self) -> Result<Option<PathBuf>, ToolError> {
        fn path(named: &Named) -> Option<&PathBuf> {
            if let Named::Path(path) = named { Some(path) } else { None }
        }
        let paths = self.named.iter().filter_map(path).chain(&self.file).chain(&self.paths);
        match &paths.collect::<Vec<_>>()[..] {
            [] => Ok(None),
            [only] => from_here(only).map(Some),
            _ => Err(ToolError::new(ErrorKind::InvalidParameter, "One file or directory at a time")
                .hint("name the directory that they are in, or run the command for each")),
        }
    }

    /// All that is asked for except single numbers, of which only the range is in it.
    pub(crate) fn query<'q>(&'q self, common: &'q Common, path: Option<&'q Path>) -> LogQuery<'q> {
        let query = LogQuery {
            session: common.session.as_deref(),
            agent: self.agent.as_deref(),
            file: path,
            since: self.since,
            until: self.until,
            text: self.grep.as_deref(),
            diffs: false,
            ..LogQuery::default()
        };
        match &self.numbers()[..] {
            [] => query,
            numbers => within(numbers, query),
        }
    }

    /// Says that no change was found.
    pub(crate) fn say_nothing(&self, common: &Common) {
        let Self { named, paths, file, agent, since, until, grep } = self;
        let path = !paths.is_empty() || file.is_some();
        let time = since.is_some() || until.is_some();
        let narrowed = !named.is_empty() || path || time || agent.is_some() || grep.is_some();
        let nothing = if narrowed { "No recorded change fits".to_owned() } else { no_changes(common) };
        output::say(&nothing);
        if narrowed || common.session.is_some() {
            output::advise(SHOWS_ALL);
        }
    }
}

/// That there are no changes at all, or none of the session.
pub(crate) fn no_changes(common: &Common) -> String {
    let session = common.session.as_ref().map(|session| format!(" of session {session}"));
    format!("No changes{} are recorded for this directory", session.unwrap_or_default())
}

/// The query for changes from the first to the last of these.
pub(crate) fn within<'q>(numbers: &[Numbers], query: LogQuery<'q>) -> LogQuery<'q> {
    let first = numbers.iter().map(|numbers| numbers.first).min().unwrap_or_default();
    let last = numbers.iter().map(|numbers| numbers.last).max().unwrap_or_default();
    LogQuery { after: Some(first.saturating_sub(1)), before: Some(last.saturating_add(1)), ..query }
}

/// The hint where no change was found.
pub(crate) const SHOWS_ALL: &str = "`toolcrib log` shows the changes that are kept for this directory";

/// The directory above the current one that the journal belongs to; none if it is the current one, or none has one.
fn nearest() -> Result<Option<PathBuf>, ToolError> {
    let Some(state) = toolcrib::state_folder() else { return Ok(None) };
    let here = from_here(Path::new("."))?;
    let nearest = nearest_journal(&state, &here).map_err(disk_error)?;
    Ok(nearest.filter(|nearest| *nearest != here))
}

fn tell_damage(damage: &[Damage]) {
    let lost: Vec<&Damage> = damage.iter().filter(|damage| damage.loses_records()).collect();
    let Some(first) = lost.first() else { return };
    let places = match lost.len() {
        1 => "1 place".to_owned(),
        more => format!("{more} places"),
    };
    let more = if lost.len() > 1 { ", …" } else { "" };
    output::say(&format!(
        "warning: The journal is damaged, so changes are missing from this list: {places} ({first}{more})\n\
         hint: `toolcrib doctor --journal` verifies the whole journal and reports what is lost"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_named_by_number_or_range() {
        for (typed, first, last) in [("12", 12, 12), ("#12", 12, 12), ("3..7", 3, 7), ("7..3", 3, 7)] {
            assert_eq!(typed.parse(), Ok(Numbers { first, last }), "{typed}");
        }
        for wrong in ["", "x", "HEAD", "1..", "..", "1...3", "-1"] {
            assert_eq!(wrong.parse::<Numbers>(), Err(()), "{wrong}");
        }
    }
}
