//! The tools there are, by name.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use indexmap::IndexMap;

use crate::quote::quote;
use crate::{Category, DynTool, ErrorKind, Tool, ToolError, erase, nearest};

/// A set of tools. Listed in the order in which they were registered; safe to share between threads.
///
/// Most users own one (a `Toolbox` brings its own). [`Registry::global`] is there for those who want one for the
/// whole process.
#[derive(Default)]
pub struct Registry {
    tools: RwLock<IndexMap<String, Arc<dyn DynTool>>>,
}

impl Registry {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The one of this process.
    pub fn global() -> &'static Arc<Registry> {
        static GLOBAL: LazyLock<Arc<Registry>> = LazyLock::new(Arc::default);
        &GLOBAL
    }

    /// Empties the one of this process.
    pub fn reset() {
        Self::global().clear();
    }

    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// If a tool of that name is there already.
    pub fn register(&self, tool: impl Tool) -> Result<(), ToolError> {
        self.register_many([erase(tool)])
    }

    /// Adds several tools, or none of them.
    ///
    /// # Errors
    ///
    /// If one of the names is there already, or twice among them.
    pub fn register_many(&self, tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Result<(), ToolError> {
        let mut known = self.write();
        let mut added = IndexMap::new();
        for tool in tools {
            let name = tool.name().to_owned();
            if known.contains_key(&name) || added.contains_key(&name) {
                return Err(ToolError::new(
                    ErrorKind::AlreadyExists,
                    format!("A tool named '{name}' is registered already"),
                )
                .hint("deregister it first, or give the new one another name"));
            }
            added.insert(name, tool);
        }
        known.extend(added);
        Ok(())
    }

    /// Takes a tool out, and tells whether it was there.
    pub fn deregister(&self, name: &str) -> bool {
        self.write().shift_remove(name).is_some()
    }

    /// The tool of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn DynTool>> {
        self.read().get(name).cloned()
    }

    /// The tool of that name, or an error that names the nearest one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownTool`].
    pub fn get_or_raise(&self, name: &str) -> Result<Arc<dyn DynTool>, ToolError> {
        self.get(name).ok_or_else(|| unknown(name, &self.list_names()))
    }

    /// Whether there is a tool of that name.
    #[must_use]
    pub fn exists(&self, name: &str) -> bool {
        self.read().contains_key(name)
    }

    /// Every tool.
    #[must_use]
    pub fn list_all(&self) -> Vec<Arc<dyn DynTool>> {
        self.read().values().cloned().collect()
    }

    /// Every name.
    #[must_use]
    pub fn list_names(&self) -> Vec<String> {
        self.read().keys().cloned().collect()
    }

    /// The tools that work on the same thing.
    #[must_use]
    pub fn list_by_category(&self, category: Category) -> Vec<Arc<dyn DynTool>> {
        self.list_all().into_iter().filter(|tool| tool.descriptor().category == category).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.read().len()
    }

    /// Takes all of them out.
    pub fn clear(&self) {
        self.write().clear();
    }

    // A change is one insert, remove or clear, so a panic while the lock was held leaves the map whole.
    fn read(&self) -> std::sync::RwLockReadGuard<'_, IndexMap<String, Arc<dyn DynTool>>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, IndexMap<String, Arc<dyn DynTool>>> {
        self.tools.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(name: &str, known: &[String]) -> ToolError {
    let near = nearest(name, known.iter().map(String::as_str));
    let name = quote(name);
    let error = ToolError::new(
        ErrorKind::UnknownTool,
        match near {
            Some(near) => format!("Unknown tool '{name}', did you mean '{near}'?"),
            None => format!("Unknown tool '{name}'"),
        },
    );
    if known.is_empty() {
        error.hint("no tool is registered")
    } else {
        error.hint(format!("known tools: {}", known.join(", ")))
    }
}
