//! The operations as dialects see them: canonical parameters in, an outcome and the facts about it out. One file each; a
//! dialect names and renders them.

/// A table of parameters: `name: Type, attributes => "what it means";`.
macro_rules! parameters {
    ($(#[$doc:meta])* $vis:vis struct $input:ident; $($name:ident: $type:ty $(, $attribute:meta)* => $about:tt;)*) => {
        $(#[$doc])*
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        $vis struct $input {
            $(#[doc = $about] $(#[$attribute])* $name: $type,)*
        }
    };
}

mod apply_patch;
mod delete;
mod edit;
mod glob;
mod grep;
mod insert;
mod list;
mod make_directory;
mod move_file;
mod notebook_edit;
mod patch_file;
mod read;
mod read_many;
mod read_matching;
mod read_media;
mod read_or_list;
mod read_text;
mod roots;
mod stat;
mod undo;
mod view;
mod write;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toolcrib_access::{Proposed, Sandbox};
use toolcrib_files::{Refused, Settings};
use toolcrib_tool::{Effect, ErrorKind, ToolError};

use crate::facts::Facts;
use crate::table::Paths;
use crate::words::Words;

pub use apply_patch::ApplyPatch;
pub(crate) use apply_patch::elsewhere;
pub use delete::Delete;
pub use edit::{Edit, MultiEdit};
pub use glob::{Glob, GlobOutcome};
pub(crate) use grep::all_ignored;
pub use grep::{Grep, GrepOutcome};
pub use insert::Insert;
pub use list::{List, ListOutcome};
pub use make_directory::MakeDirectory;
pub use move_file::Move;
pub use notebook_edit::NotebookEdit;
pub use patch_file::PatchFile;
pub(crate) use read::first_number;
pub use read::{Read, ReadOutcome};
pub use read_many::{ReadFile, ReadMany, ReadManyOutcome};
pub use read_matching::ReadMatching;
pub use read_media::ReadMedia;
pub use read_or_list::{ReadOrList, ReadOrListOutcome};
pub use read_text::{ReadText, ReadTexts, ReadTextsOutcome};
pub use roots::{Roots, RootsOutcome};
pub use stat::Stat;
pub use undo::{Undo, UndoFile, UndoOutcome};
pub use view::{View, ViewOutcome};
pub use write::{Create, Write};

/// An operation that a dialect can offer.
pub trait Operation: Send + Sync + 'static {
    /// The parameters, under their canonical names, which are in snake case. The doc comments are their descriptions.
    type Input: DeserializeOwned + JsonSchema;
    /// What it answers with.
    type Outcome: 'static;

    /// The canonical name.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What it does to the world.
    const EFFECT: Effect;
    /// Whether the user lets agents have it.
    const OFFERED: fn(&Settings) -> bool = |_| true;

    /// Whether the answer is what an image, a sound or a file holds, and not a text.
    const MEDIA: bool = false;

    /// Carries it out.
    ///
    /// # Errors
    ///
    /// Why it cannot be, for the dialect to put into words.
    fn run(input: Self::Input, caller: &Caller<'_>) -> Result<Proposed<Self::Outcome>, Refused>;

    /// The facts about an outcome.
    fn facts() -> Facts<Self::Outcome>;
}

/// Who asks for an operation: the files of the call, what the user has set, and what things are called.
pub struct Caller<'a> {
    /// The files.
    pub sandbox: &'a Sandbox<'a>,
    /// The user's choices.
    pub settings: Settings,
    /// The caller's words.
    pub words: &'a Words<'a>,
}

impl Caller<'_> {
    /// The path of a file, which some dialects want in full.
    fn file(&self, given: String, parameter: &str) -> Result<PathBuf, ToolError> {
        let path = match self.words.shared.habits.paths {
            Paths::Absolute => PathBuf::from(given),
            _ => return self.place(given),
        };
        if path.is_absolute() {
            return Ok(path);
        }
        let message = format!("{} must be an absolute path", self.words.parameter(parameter));
        let meant = self.sandbox.context().working_dir.join(path);
        Err(ToolError::new(ErrorKind::InvalidParameter, message)
            .hint(format!("did you mean '{}'?", meant.display())))
    }

    /// Where to look: the working directory unless the call says otherwise.
    fn start(&self, given: Option<String>) -> Result<PathBuf, ToolError> {
        given.map_or_else(|| Ok(self.sandbox.context().working_dir.clone()), |given| self.place(given))
    }

    /// What the caller means by a path.
    fn place(&self, given: String) -> Result<PathBuf, ToolError> {
        match self.words.shared.habits.paths {
            Paths::Absolute | Paths::Relative => Ok(given.into()),
            Paths::Any => Ok(from_home(&given).unwrap_or_else(|| given.into())),
            Paths::Virtual(top) => {
                let below = given.strip_prefix(top).filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let below = below.ok_or_else(|| {
                    let message = format!("Path must start with {top}, got: {given}");
                    ToolError::new(ErrorKind::OutsideWorkspace, message)
                })?;
                Ok(self.sandbox.context().working_dir.join(below.trim_start_matches('/')))
            }
        }
    }
}

/// A path that begins in the home directory.
fn from_home(given: &str) -> Option<PathBuf> {
    let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(std::env::home_dir()?.join(below.trim_start_matches('/')))
}

/// A number that is told only if there is something to tell.
fn some<N: PartialEq + Default>(count: N) -> Option<N> {
    Some(count).filter(|count| *count != N::default())
}
