//! What the caller calls things.

use serde_json::{Map, Value};
use toolcrib_files::{FilePath, Refused};
use toolcrib_tool::{Parameter, ToolError};

use crate::refusals::refuse;
use crate::table::{Naming, Paths, Shared};

/// The names that one tool's caller knows, for sentences.
pub struct Words<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) canonical: &'a [Parameter],
    pub(crate) named: &'a [Parameter],
    pub(crate) given: &'a Given,
    /// The name of the tool, or of the command of one.
    pub(crate) called: &'static str,
}

/// The short texts among the arguments of a call, such as paths, under their canonical names.
pub(crate) struct Given(Vec<(String, String)>);

/// What a caller gave of whom nothing is known.
pub(crate) static NOTHING: Given = Given(Vec::new());

impl Given {
    /// Longer ones are what is written, and not what it is called.
    const MOST: usize = 4096;

    /// A path alone.
    pub(crate) fn path(canonical: &str, path: &str) -> Self {
        Self(vec![(canonical.to_owned(), path.to_owned())])
    }

    pub(crate) fn of(arguments: &Map<String, Value>) -> Self {
        let short = arguments.iter().filter_map(|(name, value)| {
            let text = value.as_str().filter(|text| text.len() <= Self::MOST)?;
            Some((name.clone(), text.to_owned()))
        });
        Self(short.collect())
    }
}

impl Words<'_> {
    /// Why an operation was refused, and what to do next.
    #[must_use]
    pub fn refuse(&self, refused: Refused) -> ToolError {
        refuse(refused, self)
    }

    /// The caller's name of a parameter, or of a field in a list that is one.
    #[must_use]
    pub fn parameter(&self, canonical: &str) -> String {
        named(canonical, self.canonical, self.named)
            .unwrap_or_else(|| self.shared.habits.naming.spell(canonical))
    }

    /// A parameter that is true or false, as the caller makes it true.
    pub(crate) fn switch(&self, canonical: &str) -> String {
        let name = self.parameter(canonical);
        if self.shared.habits.naming == Naming::Flag { name } else { format!("{name}=true") }
    }

    /// Tells the caller to make a parameter true.
    pub(crate) fn set(&self, canonical: &str) -> String {
        let verb = if self.shared.habits.naming == Naming::Flag { "pass" } else { "set" };
        format!("{verb} {}", self.switch(canonical))
    }

    /// Whether the caller knows a parameter.
    #[must_use]
    pub fn takes(&self, canonical: &str) -> bool {
        self.canonical.iter().any(|own| own.name == canonical)
    }

    /// What the caller gave for a parameter, if it is a short text.
    #[must_use]
    pub fn given(&self, canonical: &str) -> Option<&str> {
        let given = self.given.0.iter().find(|(name, _)| name == canonical);
        given.map(|(_, text)| text.as_str())
    }

    /// The same words about something else that was given.
    pub(crate) fn about<'b>(&'b self, given: &'b Given) -> Words<'b> {
        Words { given, ..*self }
    }

    /// Whether the call did not get as far as its arguments: they were refused, or it has none.
    pub(crate) fn nothing_given(&self) -> bool {
        self.given.0.is_empty()
    }

    /// The name of the tool, or of the command, that is called.
    #[must_use]
    pub fn called(&self) -> &'static str {
        self.called
    }

    /// The parameter that says where to begin reading: a line's number, or how many to skip.
    pub(crate) fn first_line(&self) -> &'static str {
        if self.canonical.iter().any(|own| own.name == "skip") { "skip" } else { "offset" }
    }

    /// The tool, or the command of one, that carries an operation out.
    #[must_use]
    pub fn tool(&self, operation: &'static str) -> &'static str {
        let tool = self.shared.names.iter().find(|(name, _)| *name == operation);
        tool.map_or(operation, |(_, tool)| tool)
    }

    /// A path as the caller's dialect shows it.
    #[must_use]
    pub fn path(&self, path: &FilePath) -> String {
        match self.shared.habits.paths {
            Paths::Absolute | Paths::Any => path.absolute.clone(),
            Paths::Relative => path.relative.clone(),
            Paths::Virtual(top) if path.relative == "." => top.to_owned(),
            Paths::Virtual(top) => format!("{top}/{}", path.relative),
        }
    }
}

fn named(canonical: &str, own: &[Parameter], said: &[Parameter]) -> Option<String> {
    own.iter().zip(said).find_map(|(own, said)| match (&own.items, &said.items) {
        _ if own.name == canonical => Some(said.name.clone()),
        (Some(own), Some(said)) => named(canonical, &own.properties, &said.properties),
        _ => None,
    })
}

/// The caller knows a long text from its beginning.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 500;
    let start = &text[..text.floor_char_boundary(MOST)];
    if start.len() < text.len() { format!("{start}...") } else { start.to_owned() }
}
