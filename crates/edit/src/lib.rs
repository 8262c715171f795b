//! Finds the place that an edit means, and produces the new text.
//!
//! Works on text in memory. It must not know files, permissions or JSON: the code that edits files uses it.
//!
//! Matching goes from strict to tolerant ([`Level`]) and stops at the first level that finds a place. Two places are an
//! error, never a guess. What the caller did not mean to change keeps the text's own spelling.
//!
//! ```
//! use toolcrib_edit::{Edit, Level, Matching};
//!
//! let text = "fn main() {\r\n    run(1);\r\n}\r\n";
//! let edit = Edit::new("fn main() {\n    run(1);\n}\n", "fn main() {\n    run(2);\n    stop();\n}\n");
//! let applied = edit.apply(text, Matching::Tolerant)?;
//! assert_eq!(applied.text, "fn main() {\r\n    run(2);\r\n    stop();\r\n}\r\n");
//! assert_eq!(applied.level, Level::LineEndings);
//! # Ok::<(), toolcrib_edit::Error>(())
//! ```

mod align;
mod bounds;
mod carry;
mod change;
mod diagnosis;
mod diff;
mod edit;
mod error;
mod find;
mod fold;
mod level;
mod lines;
mod parts;
mod reveal;
mod shift;
mod slip;
mod splice;
mod together;
mod vocabulary;
mod words;

pub use bounds::{Bounds, TooLarge};
pub use carry::Uncertain;
pub use change::{Change, LineSpan, changes_of};
pub use diagnosis::{Closest, Diagnosis, Difference, Shown as ShownLine, visible};
pub use diff::{
    ByteHunk, Diff, Hidden, Hunk, HunkRow, Hunks, Limit, Line, Names, Shown as ShownDiff, UnknownHunk,
    differing_words,
};
pub use edit::{Applied, AppliedAll, Edit, Matching, Step, apply_all, changed_lines};
pub use error::{Error, Failed};
pub use find::{Index, Place, Places, Scope, Target};
pub use level::Level;
pub use reveal::reveal;
pub use splice::{Splice, splice, spliced_size};
