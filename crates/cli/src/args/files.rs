//! The commands that read and change files.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// The file to show
    pub(crate) path: PathBuf,
    /// Start at this line, counted from 1
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<u64>,
    /// Show at most this many lines [default: 2000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
    /// Show the last COUNT lines instead
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["offset", "limit"])]
    pub(crate) tail: Option<usize>,
    /// Start each line at this character, counted from 1
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) column: Option<usize>,
    /// Decode the file with this encoding, such as utf-16le or shift_jis [default: detected]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// The file to write; missing parent directories are created
    pub(crate) path: PathBuf,
    /// The new content, written exactly as given [default: standard input]
    #[arg(conflicts_with = "from")]
    pub(crate) content: Option<String>,
    /// Read the content from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EditArgs {
    /// The file to edit
    pub(crate) path: PathBuf,
    /// The text to replace, which must occur exactly once, and its replacement; put -- before them if one starts with -
    #[arg(value_names = ["OLD", "NEW"], num_args = 0..=2)]
    pub(crate) texts: Vec<String>,
    /// Read the old text from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) old_from: Option<PathBuf>,
    /// Read the new text from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) new_from: Option<PathBuf>,
    /// Replace every occurrence of the old text
    #[arg(short = 'a', long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct MultieditArgs {
    /// The file to edit
    pub(crate) path: PathBuf,
    /// Replace OLD, which must occur exactly once, with NEW; repeatable
    #[arg(short = 'e', long = "edit", value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    pub(crate) edits: Vec<String>,
    /// Read the edits from this file, as a JSON list of {"old_string", "new_string", "replace_all"}; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edits")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PatchArgs {
    /// The patch file [default: standard input]
    pub(crate) patch: Option<PathBuf>,
    /// Overwrite existing files where the patch adds or moves a file
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Ignore up to this many context lines at either end of a hunk that does not match otherwise
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    pub(crate) fuzz: usize,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

// The options of every command that changes files. As a doc comment, this would appear in their help.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeArgs {
    /// Change the file only if it has this version, as printed by read --json
    #[arg(long, value_name = "VERSION")]
    pub(crate) expected_version: Option<String>,
    /// Print the complete result as one JSON object
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
  toolcrib write notes.txt 'one line without a final newline'
  date | toolcrib write today.txt
  toolcrib write config.json --from /tmp/new.json --dry-run

An existing file keeps its encoding and line endings.";

pub(crate) const EDIT_EXAMPLES: &str = "\
Examples:
  toolcrib edit src/main.rs 'let x = 1;' 'let x = 2;'
  toolcrib edit src/main.rs old_name new_name --all --dry-run
  toolcrib edit src/main.rs --old-from old.txt --new-from new.txt

If the old text occurs more than once, nothing is changed: include more of the surrounding text, or pass --all.";

pub(crate) const MULTIEDIT_EXAMPLES: &str = "\
Examples:
  toolcrib multiedit src/main.rs --edit foo bar --edit 'x = 1' 'x = 2'
  toolcrib multiedit src/main.rs < edits.json

Applies all edits or none. Each edit applies to the result of the one before it.";

pub(crate) const PATCH_EXAMPLES: &str = "\
Examples:
  git diff | toolcrib patch --root ~/copy
  toolcrib patch change.diff --dry-run

Accepts unified diffs, git diffs and the *** Begin Patch format. Paths are relative to the first root. Applies the whole \
patch or nothing.";
