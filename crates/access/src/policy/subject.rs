//! What a rule is asked about: a file under all the names by which it is known.
//!
//! A name is absolute. It also says where the roots lie in it that the file was reached through, since a pattern may be
//! relative to a root, and since not every rule is about what lies above one.

use std::path::Path;
use std::sync::Arc;

use super::glob::NamePattern;
use super::pattern::{Pattern, Reach};
use super::{copies, fold};

/// A path under all the names it is known by: what was asked for and what was reached.
#[derive(Clone, Debug)]
pub struct Subject(pub(super) Vec<Names>);

impl Subject {
    /// The path `relative` to `root`.
    #[must_use]
    pub fn inside(root: &Path, relative: &Path) -> Self {
        Self::under([RootName { path: root, project: false }], &root.join(relative))
    }

    /// A path outside every root.
    #[must_use]
    pub fn outside(absolute: &Path) -> Self {
        Self(vec![Names::new(absolute, Vec::new(), false)])
    }

    /// An absolute path, as it is known to those of these roots that it lies in.
    pub(crate) fn under<'r>(roots: impl IntoIterator<Item = RootName<'r>>, absolute: &Path) -> Self {
        let mut around: Vec<(usize, bool)> = roots
            .into_iter()
            .filter(|root| absolute.starts_with(root.path))
            .map(|root| (root.path.iter().filter(|name| *name != "/").count(), root.project))
            .collect();
        around.sort_unstable();
        around.dedup_by_key(|(depth, _)| *depth);
        // The outermost root sees the most of the path, so what it is decides.
        let project = around.first().is_some_and(|(_, project)| *project);
        Self(vec![Names::new(absolute, around.into_iter().map(|(depth, _)| depth).collect(), project)])
    }

    /// Whether a pattern covers every name.
    pub(crate) fn is_covered_by(&self, pattern: &Pattern) -> bool {
        self.0.iter().all(|names| pattern.matches(names, Reach::Everywhere))
    }

    /// What lies at this path below it.
    pub(crate) fn join(&self, relative: &Path) -> Self {
        Self(self.0.iter().map(|names| names.join(relative)).collect())
    }

    /// The same file is also known by another name.
    #[must_use]
    pub fn also(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// A root as a subject sees it.
pub(crate) struct RootName<'a> {
    pub(crate) path: &'a Path,
    /// Whether it is a checkout of its own, so that what it happens to lie in says nothing about what is in it.
    pub(crate) project: bool,
}

/// One absolute name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Its parts. Names in the same directory share those of the directory.
    pub(super) parts: Vec<Arc<Part>>,
    /// How many of the parts lead to each root that it lies in, the outermost first; of a path in none, the top.
    pub(super) roots: Vec<usize>,
    /// Whether the outermost root is a checkout of its own.
    pub(super) project: bool,
}

/// A part of a path, between two slashes.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// As it is spelt.
    given: Box<str>,
    /// As a refusing rule sees it, where that is something else.
    folded: Option<Box<str>>,
    /// What it may be a backup or an editor's copy of.
    originals: Vec<String>,
    /// As it is spelt but for case, where folding does more.
    spelt: Option<String>,
}

impl Names {
    fn new(absolute: &Path, mut roots: Vec<usize>, project: bool) -> Self {
        if roots.is_empty() {
            roots.push(0);
        }
        Self { parts: parts(absolute).collect(), roots, project }
    }

    /// The name of something below.
    fn join(&self, relative: &Path) -> Self {
        let parts = self.parts.iter().cloned().chain(parts(relative)).collect();
        Self { parts, roots: self.roots.clone(), project: self.project }
    }

    /// How many parts lead to the outermost root.
    pub(super) fn outermost(&self) -> usize {
        self.roots.first().copied().unwrap_or_default()
    }
}

impl Part {
    pub(super) fn new(given: &str) -> Self {
        let name = fold::name(given);
        let spelt = (!given.eq_ignore_ascii_case(&name)).then(|| given.to_ascii_lowercase());
        let originals = copies::originals(&name);
        Self { given: given.into(), folded: (*name != *given).then(|| name.into()), originals, spelt }
    }

    pub(super) fn given(&self) -> &str {
        &self.given
    }

    pub(super) fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.given)
    }

    pub(super) fn is_like(&self, pattern: &NamePattern, or_copy: bool) -> bool {
        pattern.is_like(self.folded()) || (or_copy && self.originals.iter().any(|name| pattern.is_like(name)))
    }

    /// Under which names a rule may mean it.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.folded()).chain(self.originals.iter().chain(&self.spelt).map(String::as_str))
    }
}

fn parts(path: &Path) -> impl Iterator<Item = Arc<Part>> {
    path.iter().filter(|name| *name != "/").map(|name| Arc::new(Part::new(&name.to_string_lossy())))
}
