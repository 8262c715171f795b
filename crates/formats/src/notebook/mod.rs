//! Jupyter notebooks, nbformat 3 and 4, read for their content; and changes to single cells ([`edit`]).
//!
//! Read by hand and with patience: what is missing or of another type than the schema says is taken as absent, because
//! half the notebooks in the world break the schema somewhere. Only what is no notebook at all is an error, and then
//! the caller can show the file as the text that it is.
//!
//! **Bounds.** The bytes are kept once and texts borrow from them; the tree above them has a limited number of values
//! ([`Error::TooComplex`]), and data that is not for readers (plots as JSON, widget states) is passed over without being
//! kept. So memory is at most the bytes twice (every text escaped) and some 40 MB. A caller that stays below 256 MB
//! passes at most [`MAX_BYTES`]; a notebook with a larger output is refused by its size before it is read.

mod ansi;
mod edit;
mod output;
mod parse;
mod render;
mod tree;

pub use edit::{CellEdit, EditError, Edited, edit};
pub use output::{Image, Output, Text};
pub use parse::parse;
pub use render::{render, render_cell};

/// How many bytes a notebook may have to be read within 256 MB of memory.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// How much of a notebook is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes of text of one output. What is cut is the middle: the start says what it is, and the end of a
    /// traceback says what went wrong.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { output: 10_000 }
    }
}

/// A notebook. Its images stay in the bytes that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notebook<'a> {
    /// The format's major version, 3 or 4.
    pub format: u32,
    /// The language of the kernel, if the notebook says.
    pub language: Option<String>,
    /// The cells, in order.
    pub cells: Vec<Cell<'a>>,
}

/// One cell of a [`Notebook`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// What it holds.
    pub kind: CellKind,
    /// Its text, whole.
    pub source: String,
    /// What running it gave. Only code has any.
    pub outputs: Vec<Output<'a>>,
}

/// What a [`Cell`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A program.
    Code,
    /// Text with markup. A heading of nbformat 3 is one, too.
    Markdown,
    /// Text that is passed on as it is, and what is of no known kind.
    Raw,
}

impl CellKind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// Why there is no notebook.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not JSON. The file can be shown as text.
    #[error("not a notebook: not JSON ({0})")]
    NotJson(String),
    /// JSON without the cells of a notebook. The file can be shown as text.
    #[error("not a notebook: {0}")]
    NotANotebook(&'static str),
    /// More values than are kept. The file can be shown as text.
    #[error("the notebook holds more than {} values", tree::MAX_VALUES)]
    TooComplex,
    /// More bytes than [`MAX_BYTES`].
    #[error("the notebook is too large: {bytes} bytes, {MAX_BYTES} at the most")]
    TooLarge {
        /// How many there are.
        bytes: usize,
    },
    /// The caller no longer wants it.
    #[error("it takes too long to decode")]
    Stopped,
}
