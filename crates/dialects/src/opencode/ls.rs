//! `LS`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EntryKind, ListRequest, Listed, Listing};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::facts::{bytes, counted, time};

pub(crate) struct Ls;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct LsInput {
    /// The directory to list (default: the working directory)
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Whether to list what is in its directories too
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

#[derive(Serialize, JsonSchema)]
pub(crate) struct LsOutput {
    #[serde(skip)]
    content: String,
    /// The directory that was listed
    path: String,
    /// How many entries are shown
    count: usize,
    /// Whether there are more entries than shown
    truncated: bool,
    /// How many entries there are; absent when they were not all counted
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The offset to go on with
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// The entries
    entries: Vec<LsEntry>,
    /// How many entries the rules withhold
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<usize>,
    /// How many directories could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<u64>,
    /// Whether the time was up before everything was listed
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct LsEntry {
    /// The name
    name: String,
    /// The absolute path
    path: String,
    /// file, directory, symlink or other
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
    const NAME: &'static str = "LS";
    const TITLE: &'static str = "List directory";
    const DESCRIPTION: &'static str = "\
Lists a directory: directories first, then files, by name.

Usage:
- path is absolute or relative to the working directory, which is the default
- recursive lists what is in the directories too, down to depth levels; it leaves out what .gitignore ignores and does \
not go into .git, node_modules and the like
- ignore takes patterns of what to leave out
- Sizes, times and link targets are in the metadata
- Use Glob to find files by name, and Grep to find them by content";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: LsInput, call: &mut Call<'_>) -> Result<LsOutput, ToolError> {
        let request = ListRequest {
            path: input.path.map_or_else(|| call.context().working_dir.clone(), Into::into),
            depth: if input.recursive || input.depth.is_some() { input.depth } else { Some(1) },
            ignore: input.ignore,
            ignored: input.no_ignore,
            offset: input.offset,
            limit: input.limit,
        };
        Ok(LsOutput::new(toolcrib_files::list(call, &request)?))
    }

    fn render(&self, output: &LsOutput) -> Option<String> {
        Some(output.content.clone())
    }
}

impl LsOutput {
    fn new(listing: Listing) -> Self {
        Self {
            content: content(&listing),
            path: listing.path.absolute,
            count: listing.entries.len(),
            truncated: listing.next.is_some() || listing.partial,
            total: listing.total,
            next_offset: listing.next,
            entries: listing.entries.into_iter().map(LsEntry::new).collect(),
            withheld: (listing.withheld > 0).then_some(listing.withheld),
            unreadable: (listing.unreadable > 0).then_some(listing.unreadable),
            partial: listing.partial.then_some(true),
        }
    }
}

impl LsEntry {
    fn new(entry: Listed) -> Self {
        Self {
            name: entry.name,
            path: entry.path.absolute,
            kind: match entry.kind {
                EntryKind::File => "file",
                EntryKind::Directory => "directory",
                EntryKind::Link => "symlink",
                EntryKind::Other => "other",
            },
            size: entry.size,
            modified: time(entry.modified),
            target: entry.target,
        }
    }
}

/// The tree, one entry a line, and what is missing from it.
fn content(listing: &Listing) -> String {
    let mut lines = vec![format!("{}/", listing.path.absolute.trim_end_matches('/'))];
    lines.extend(listing.entries.first().into_iter().flat_map(|first| continued(listing, first)));
    lines.extend(listing.entries.iter().map(line));
    if listing.entries.is_empty() {
        let none = match (listing.total, listing.withheld) {
            (Some(0), 0) => "(empty)",
            (Some(0), _) => "(nothing to show)",
            _ => "(no more entries)",
        };
        lines.push(format!("  {none}"));
    }
    if let Some(next) = listing.next {
        let total = listing.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let shown = listing.entries.len();
        lines.push(format!("({shown} entries{total} shown: go on with offset {next})"));
    }
    if listing.withheld > 0 {
        lines.push(format!("({} withheld by rules)", counted(listing.withheld, "entry", "entries")));
    }
    if listing.unreadable > 0 {
        let unreadable = usize::try_from(listing.unreadable).unwrap_or(usize::MAX);
        lines.push(format!("({} could not be read)", counted(unreadable, "directory", "directories")));
    }
    if listing.partial {
        lines.push("(the time was up before everything was listed)".to_owned());
    }
    lines.join("\n")
}

/// A page may begin in the middle of a tree: the directories in which its first entry lies.
fn continued(listing: &Listing, first: &Listed) -> Vec<String> {
    let below = first.path.absolute.strip_prefix(&listing.path.absolute).unwrap_or_default();
    let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
    let above = names.iter().take(first.depth).enumerate();
    above.map(|(depth, name)| format!("{}{name}/ (continued)", "  ".repeat(depth + 1))).collect()
}

fn line(entry: &Listed) -> String {
    let indent = "  ".repeat(entry.depth + 1);
    let rest = match (entry.kind, entry.size, &entry.target) {
        (EntryKind::Directory, ..) => "/".to_owned(),
        (_, _, Some(target)) => format!(" -> {target}"),
        (_, Some(size), _) => format!("  ({})", bytes(size)),
        _ => String::new(),
    };
    format!("{indent}{}{rest}", entry.name)
}

fn default_limit() -> usize {
    ListRequest::DEFAULT_LIMIT
}
