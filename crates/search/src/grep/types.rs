//! Kinds of files by their names: `py`, `rust`, `md`.

use std::fmt;
use std::path::Path;

use ignore::types::{Types, TypesBuilder};

/// Chosen kinds of files.
///
/// ```
/// use std::path::Path;
/// use toolcrib_search::FileTypes;
///
/// let types = FileTypes::new("py")?;
/// assert!(types.include(Path::new("src/a.py")) && !types.include(Path::new("src/a.js")));
/// let others = FileTypes::new("!py")?;
/// assert!(!others.include(Path::new("src/a.py")) && others.include(Path::new("src/a.js")));
/// assert!(FileTypes::new("pyton").unwrap_err().to_string().starts_with("Unknown file type 'pyton'"));
/// # Ok::<(), toolcrib_search::UnknownType>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileTypes(Types);

/// A name that no kind of file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType {
    /// The name.
    pub name: String,
    /// All there are.
    pub known: Vec<String>,
}

impl FileTypes {
    /// The kind of this name; several are separated by commas. With `!` in front, files of this kind are left out.
    ///
    /// # Errors
    ///
    /// If there is none, with the names of all there are.
    pub fn new(names: &str) -> Result<Self, UnknownType> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        for name in names.split(',').map(str::trim) {
            let known =
                || builder.definitions().iter().map(|known| known.name().to_owned()).collect::<Vec<_>>();
            let (left_out, name) = name.strip_prefix('!').map_or((false, name), |name| (true, name));
            if name == "all" || !known().iter().any(|one| one == name) {
                return Err(UnknownType { name: name.to_owned(), known: known() });
            }
            if left_out {
                builder.negate(name)
            } else {
                builder.select(name)
            };
        }
        let unknown = |_| UnknownType { name: names.to_owned(), known: Vec::new() };
        builder.build().map(Self).map_err(unknown)
    }

    /// Whether a file is of one of these kinds, and of none that is left out.
    #[must_use]
    pub fn include(&self, path: &Path) -> bool {
        !self.0.matched(path, false).is_ignore()
    }

    /// The names of all kinds, and the patterns of each.
    #[must_use]
    pub fn all() -> Vec<(String, Vec<String>)> {
        let mut builder = TypesBuilder::new();
        let definitions = builder.add_defaults().definitions();
        definitions.iter().map(|kind| (kind.name().to_owned(), kind.globs().to_vec())).collect()
    }
}

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unknown file type '{}'", self.name)
    }
}

impl std::error::Error for UnknownType {}
