//! Reads a patch, whatever its grammar, and applies it to texts in memory.
//!
//! It must not know files, permissions or JSON: the caller reads the files, passes their texts in, and gets back what
//! they become. Matching is that of [`toolcrib_edit`]: strictest level first, two places are an error, and what a hunk
//! does not mean to change keeps the text's own spelling.
//!
//! ```
//! use toolcrib_patch::{Action, Options, parse};
//!
//! let patch = parse("--- a/count.txt\n+++ b/count.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")?;
//! assert_eq!((patch.files[0].action, &*patch.files[0].path), (Action::Update, "count.txt"));
//!
//! let plan = patch.plan(Options::default(), |path| (path == "count.txt").then_some("zero\r\none\r\ntwo\r\n"))?;
//! assert_eq!(plan[0].text.as_deref(), Some("zero\r\none\r\n2\r\n"));
//! assert_eq!(plan[0].hunks[0].offset, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod blocks;
mod conflict;
mod envelope;
mod error;
mod parse;
mod patch;
mod path;
mod plan;
mod rows;
mod unified;
mod v4a;

pub use apply::{Applied, HunkFailure, HunkReport, Options, Reason};
pub use error::{Error, ErrorKind};
pub use parse::{parse, parse_within};
pub use patch::{Action, FileChange, FileMode, Format, Hunk, Line, Location, Patch};
pub use plan::{FileFailure, Planned, Problem, Refused};
pub use v4a::{NamedFile, parse_diff_within};
