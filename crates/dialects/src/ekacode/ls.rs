//! `ls`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EntryKind, ListRequest, Listed, Listing};
use toolcrib_tool::{Call, Category, Effect, ErrorKind, Tool, ToolError};

use crate::facts::time;

pub(crate) struct Ls;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LsInput {
    /// Path to the directory
    #[schemars(length(min = 1))]
    dir_path: String,
    /// List recursively
    #[serde(default)]
    recursive: bool,
    /// How many levels a recursive listing goes down; 1 is the directory alone
    #[schemars(range(min = 1))]
    depth: Option<usize>,
    /// Patterns of what to leave out, such as *.log or build/
    #[serde(default)]
    ignore: Vec<String>,
    /// Whether a recursive listing shows what .gitignore leaves out, and goes into .git and node_modules
    #[serde(default)]
    no_ignore: bool,
    /// Maximum number of entries
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = ListRequest::MAX_LIMIT))]
    limit: usize,
    /// How many entries to skip
    #[serde(default)]
    offset: usize,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LsOutput {
    /// The entries: directories first, then files, by name
    entries: Vec<LsEntry>,
    /// How many entries are shown
    count: usize,
    /// Whether there are more entries than shown
    truncated: bool,
    /// How many entries there are, where they were all counted
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The offset to go on with
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// How many entries the rules withhold
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<usize>,
    /// How many directories could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<u64>,
    /// Whether the time was up before everything was listed
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    /// Anything else to know about the listing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct LsEntry {
    /// The name
    name: String,
    /// The path relative to the workspace
    path: String,
    /// file or directory
    #[serde(rename = "type")]
    kind: &'static str,
    /// The size of a file in bytes
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// When the content last changed
    modified: String,
    /// What a symbolic link points to
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

impl Tool for Ls {
    type Input = LsInput;
    type Output = LsOutput;
    const NAME: &'static str = "ls";
    const TITLE: &'static str = "List directory";
    const DESCRIPTION: &'static str = "\
Lists a directory, directories first. Paths are relative to the workspace root, or absolute. With recursive, what is in \
the directories too, without what .gitignore ignores and without going into .git, node_modules and the like.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: LsInput, call: &mut Call<'_>) -> Result<LsOutput, ToolError> {
        let request = ListRequest {
            path: input.dir_path.clone().into(),
            depth: if input.recursive || input.depth.is_some() { input.depth } else { Some(1) },
            ignore: input.ignore,
            ignored: input.no_ignore,
            offset: input.offset,
            limit: input.limit,
        };
        match toolcrib_files::list(call, &request) {
            // In this dialect a directory that does not exist has no entries.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(LsOutput { note: Some(error.to_string()), ..LsOutput::default() })
            }
            listing => Ok(listing?.into()),
        }
    }
}

impl From<Listing> for LsOutput {
    fn from(listing: Listing) -> Self {
        Self {
            count: listing.entries.len(),
            truncated: listing.next.is_some() || listing.partial,
            total: listing.total,
            next_offset: listing.next,
            entries: listing.entries.into_iter().map(LsEntry::from).collect(),
            withheld: (listing.withheld > 0).then_some(listing.withheld),
            unreadable: (listing.unreadable > 0).then_some(listing.unreadable),
            partial: listing.partial.then_some(true),
            note: None,
        }
    }
}

impl From<Listed> for LsEntry {
    fn from(entry: Listed) -> Self {
        Self {
            name: entry.name,
            path: entry.path.relative,
            kind: if entry.kind == EntryKind::Directory { "directory" } else { "file" },
            size: entry.size,
            modified: time(entry.modified),
            target: entry.target,
        }
    }
}

fn default_limit() -> usize {
    ListRequest::DEFAULT_LIMIT
}
