//! A directory's entries.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib_access::Proposed;
use toolcrib_files::{EntryKind, ListRequest, Listed, Listing, Refused};
use toolcrib_tool::{Effect, ErrorKind};

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};
use crate::table::Paths;
use crate::units::time;

/// Lists a directory.
pub struct List;

parameters! {
    /// Which directory, and how much of it.
    pub struct ListInput;
    path: Option<String>, schemars(length(min = 1)) => "Absolute, or relative to the working directory, the default";
    recursive: bool, serde(default) => "List directories in it too, except .git, node_modules and the like, and ignored files";
    depth: Option<usize>, schemars(range(min = 1)) =>
        "Levels to go down; 1 is the directory alone";
    ignore: Vec<String>, serde(default) => "Patterns to leave out, such as *.log or build/";
    no_ignore: bool, serde(default) =>
        "With recursive, except nothing";
    limit: usize, serde(default = "default_limit"), schemars(range(min = 1, max = ListRequest::MAX_LIMIT)) =>
        "Most entries";
    offset: usize, serde(default) => "Entries to skip";
    sort_by: SortBy, serde(default) => "Sort entries by name or size";
}

/// What the entries of one directory are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortBy {
    /// Directories first, then by name.
    #[default]
    Name,
    /// The largest first.
    Size,
}

fn default_limit() -> usize {
    ListRequest::DEFAULT_LIMIT
}

/// The entries, or why there are none.
pub enum ListOutcome {
    /// The entries.
    Listed(Listing),
    /// There is no such directory.
    Missing(String),
}

impl ListOutcome {
    /// The entries; none if there is no such directory.
    #[must_use]
    pub fn entries(&self) -> Vec<&Listed> {
        self.listing().into_iter().flat_map(|listing| &listing.entries).collect()
    }

    /// All of it, if there is such a directory.
    #[must_use]
    pub fn listing(&self) -> Option<&Listing> {
        if let Self::Listed(listing) = self { Some(listing) } else { None }
    }
}

impl Operation for List {
    type Input = ListInput;
    type Outcome = ListOutcome;
    const NAME: &'static str = "list";
    const TITLE: &'static str = "List directory";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ListInput, caller: &Caller<'_>) -> Result<Proposed<ListOutcome>, Refused> {
        let request = ListRequest {
            path: caller.start(input.path)?,
            depth: if input.recursive || input.depth.is_some() { input.depth } else { Some(1) },
            ignore: input.ignore,
            ignored: input.no_ignore,
            offset: input.offset,
            limit: input.limit,
        };
        match toolcrib_files::list(caller.sandbox, &request) {
            // To agents that work inside a workspace, a directory that does not exist has no entries.
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && caller.words.shared.habits.paths == Paths::Relative =>
            {
                Ok(ListOutcome::Missing(error.to_string()).into())
            }
            listing => {
                let mut listing = listing?;
                if input.sort_by == SortBy::Size {
                    // Directories, which have none, stay first.
                    listing.entries.sort_by_key(|entry| Reverse(entry.size.unwrap_or(u64::MAX)));
                }
                Ok(ListOutcome::Listed(listing).into())
            }
        }
    }

    fn facts() -> Facts<ListOutcome> {
        facts! { ListOutcome, |it, words|
            "path": "The directory that was listed" =>
                it.listing().map(|it| words.path(&it.path)).unwrap_or_default();
            "count": "How many entries are shown" => it.entries().len();
            "truncated": "Whether there are more entries than shown" =>
                it.listing().is_some_and(|it| it.next.is_some() || it.partial);
            "total": "How many entries there are; absent when they were not all counted" => it.listing()?.total;
            "next_offset": "The offset of the next page" => it.listing()?.next;
            "entries": "The entries", list(Self::entry()) => ListOutcome::entries(it);
            "withheld": "How many entries the rules withhold" => some(it.listing()?.withheld);
            "unreadable": "How many directories could not be read" => some(it.listing()?.unreadable);
            "partial": "Whether the listing stopped at the deadline" => some(it.listing()?.partial);
            "index": "How the entries were found: warm, by an index, or scan, by reading the directories" =>
                it.listing().map(|it| it.found_by.word());
            "note": "Anything else to know about the listing" =>
                match it { ListOutcome::Missing(why) => Some(why.clone()), ListOutcome::Listed(_) => None, };
        }
    }
}

impl List {
    /// The facts about one entry.
    #[must_use]
    pub fn entry() -> Facts<Listed> {
        facts! { Listed, |it, words|
            "name": "The name" => it.name.clone();
            "path": "The absolute path" => words.path(&it.path);
            "type": "file, directory, symlink or other" =>
                match it.kind { EntryKind::File => "file", EntryKind::Directory => "directory", EntryKind::Link => "symlink", EntryKind::Other => "other", };
            "size": "The size of a file in bytes" => it.size;
            "modified": "When the content last changed" => time(it.modified);
            "target": "What a symbolic link points to" => it.target.clone();
        }
    }
}
