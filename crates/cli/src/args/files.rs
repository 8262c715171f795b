//! What can be typed to read and change files.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The first line to show, counted from 1
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<u64>,
    /// At most so many lines [default: 2000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
    /// So many lines from the end instead
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["offset", "limit"])]
    pub(crate) tail: Option<usize>,
    /// Leave out what stands before this character of each line, counted from 1
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) column: Option<usize>,
    /// The encoding, such as utf-16le or shift_jis [default: as it is found]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// The file; directories above it are made where they are missing
    pub(crate) path: PathBuf,
    /// What it holds afterwards, to the letter [default: standard input]
    #[arg(conflicts_with = "from")]
    pub(crate) content: Option<String>,
    /// Take the content from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EditArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The text that stands there once, and the text that takes its place; after -- if one begins with -
    #[arg(value_names = ["OLD", "NEW"], num_args = 0..=2)]
    pub(crate) texts: Vec<String>,
    /// Take the old text from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) old_from: Option<PathBuf>,
    /// Take the new text from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) new_from: Option<PathBuf>,
    /// Change every place where the old text stands
    #[arg(short = 'a', long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct MultieditArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// An edit: the text that stands there once, and the text that takes its place; can be given several times
    #[arg(short = 'e', long = "edit", value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    pub(crate) edits: Vec<String>,
    /// Take the edits from a file, as a JSON list of {"old_string", "new_string", "replace_all"}; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edits")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PatchArgs {
    /// The file with the patch [default: standard input]
    pub(crate) patch: Option<PathBuf>,
    /// Replace a file that exists where one is added or moved to
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// How many lines of context may be dropped at either end of a hunk that does not fit otherwise
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    pub(crate) fuzz: usize,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

// What every command that changes understands. As documentation it would stand above their help.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeArgs {
    /// Change it only if the file has this version, as read --json gives it
    #[arg(long, value_name = "VERSION")]
    pub(crate) expected_version: Option<String>,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) const READ_EXAMPLES: &str = "\
Examples:
  toolcrib read src/main.rs
  toolcrib read src/main.rs --offset 100 --limit 20
  toolcrib read server.log --tail 50";

pub(crate) const WRITE_EXAMPLES: &str = "\
Examples:
  toolcrib write notes.txt 'one line, and no newline after it'
  date | toolcrib write today.txt
  toolcrib write config.json --from /tmp/new.json --dry-run

A file that exists keeps its encoding and the way its lines end.";

pub(crate) const EDIT_EXAMPLES: &str = "\
Examples:
  toolcrib edit src/main.rs 'let x = 1;' 'let x = 2;'
  toolcrib edit src/main.rs old_name new_name --all --dry-run
  toolcrib edit src/main.rs --old-from old.txt --new-from new.txt

A text that stands there more than once is changed nowhere: give more of it, or say --all.";

pub(crate) const MULTIEDIT_EXAMPLES: &str = "\
Examples:
  toolcrib multiedit src/main.rs --edit foo bar --edit 'x = 1' 'x = 2'
  toolcrib multiedit src/main.rs < edits.json

All of the edits are made, or none. Each sees the text that those before it left.";

pub(crate) const PATCH_EXAMPLES: &str = "\
Examples:
  git diff | toolcrib patch --root ~/copy
  toolcrib patch change.diff --dry-run

Takes unified and git diffs, and *** Begin Patch. Paths are relative to the first root. All of it is applied, or nothing.";
