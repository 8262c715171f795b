//! A dialect as a table: the habits of its agents, and one row for each tool.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, Hints};

use crate::facts::Facts;
use crate::folded::Folded;
use crate::operations::Operation;
use crate::tool::DialectTool;
use crate::words::Words;

/// What holds for every tool of a dialect.
#[derive(Clone, Copy)]
pub struct Habits {
    /// How names of parameters and facts are spelt, unless a row says otherwise.
    pub naming: Naming,
    /// How paths are given and shown.
    pub paths: Paths,
    /// Says that the text to be replaced, which is given, is not in the file.
    pub not_found: fn(&str, &Words<'_>) -> String,
    /// The dialect's own sentence for a refusal, where it has one.
    pub sentence: fn(&Refused, &Words<'_>) -> Option<String>,
    /// Whether a session may change what it has not read.
    pub unread: Unread,
    /// What the callers of every tool are used to.
    pub conventions: Conventions,
}

impl Habits {
    /// Habits with nothing else out of the ordinary.
    #[must_use]
    pub const fn new(naming: Naming, paths: Paths) -> Self {
        Self {
            naming,
            paths,
            not_found: |_, words| format!("{} not found", words.parameter("old_string")),
            sentence: |_, _| None,
            unread: Unread::Refused,
            conventions: Conventions::NONE,
        }
    }
}

/// How a name of several words is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// `file_path`
    Snake,
    /// `filePath`
    Camel,
    /// `--file-path`, as it is typed on a command line
    Flag,
}

impl Naming {
    /// A canonical name, which is in snake case, in this spelling.
    #[must_use]
    pub fn spell(self, canonical: &str) -> String {
        match self {
            Self::Snake => return canonical.to_owned(),
            Self::Flag => return format!("--{}", canonical.replace('_', "-")),
            Self::Camel => {}
        }
        let mut words = canonical.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| {
            let (initial, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            name + &initial.to_uppercase() + rest
        })
    }
}

/// How paths are given and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// From the top of the file system. A file must be named so.
    Absolute,
    /// From the root of the workspace. Absolute paths are taken too.
    Relative,
    /// Given in either way, or from the home directory (`~/a.txt`), and shown from the top of the file system.
    Any,
    /// From a top of the dialect's own, such as `/memories`, which stands for the root of the workspace.
    Virtual(&'static str),
}

/// What a dialect says otherwise of a parameter than the operation does. The first field is the canonical name, such as
/// `path` or `edits.old_string`.
#[derive(Clone, Copy, Debug)]
pub enum As {
    /// Another name than its usual spelling.
    Named(&'static str, &'static str),
    /// Another description.
    Described(&'static str, &'static str),
    /// Another default.
    Default(&'static str, u32),
    /// Another greatest value.
    Max(&'static str, u32),
    /// A call must have it.
    Required(&'static str),
    /// A text that a call may leave out, which means an empty one.
    MayBeAbsent(&'static str),
    /// A text that must not be empty.
    NotEmpty(&'static str),
    /// A text that callers are used to giving, by its name and what is said of it. The operation has no use for it.
    Unused(&'static str, &'static str),
    /// Callers do not know it; it always has this value.
    Fixed(&'static str, Fixed),
}

/// A value that a dialect fixes.
#[derive(Clone, Copy, Debug)]
pub enum Fixed {
    /// Yes.
    Yes,
    /// A number.
    Number(u32),
    /// One of the parameter's choices.
    Choice(&'static str),
}

/// One tool of a dialect: an operation under a name, and how its outcome reads.
pub struct Row<O: Operation> {
    /// The name a model calls it by.
    pub name: &'static str,
    /// What it does and when to use it, for a model.
    pub description: &'static str,
    /// The name people see; empty means the operation's.
    pub title: &'static str,
    /// What MCP clients are told of its effect; without, that follows from the operation.
    pub hints: Option<Hints>,
    /// The canonical names of the parameters it takes, in order, separated by blanks; empty means all.
    pub takes: &'static str,
    /// What is said otherwise of them.
    pub parameters: &'static [As],
    /// The facts of the answer.
    pub facts: fn() -> Facts<O::Outcome>,
    /// The text of the answer, beside which the facts are metadata; without one the facts are the answer.
    pub text: Render<O>,
    /// Facts for the metadata that the answer itself has no place for. Their names are canonical.
    pub beside: fn() -> Facts<O::Outcome>,
}

/// Writes an outcome as text.
pub type Render<O> = fn(&<O as Operation>::Outcome, &Words<'_>) -> Option<String>;

impl<O: Operation> Row<O> {
    /// An operation with all its parameters and facts, and without a text.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        let (facts, beside) = (O::facts as fn() -> _, Facts::new as fn() -> _);
        let (takes, parameters, text) = ("", &[], (|_, _| None) as Render<O>);
        Self { name, description, title: "", hints: None, takes, parameters, facts, text, beside }
    }
}

/// Makes the tools of a dialect.
///
/// ```
/// use toolcrib_dialects::{Habits, Naming, Paths, Row, Settings, Table, operations};
///
/// let habits = Habits::new(Naming::Snake, Paths::Relative);
/// let tools = Table::new(habits, Settings::default())
///     .with(Row::<operations::Read> { takes: "file_path", ..Row::new("cat", "Shows a file") })
///     .tools();
/// assert_eq!(tools[0].descriptor().parameters.len(), 1);
/// ```
pub struct Table {
    shared: Shared,
    makers: Vec<Maker>,
    /// Whether its rows are the commands of one tool, which callers know as a whole: all of them are offered.
    folded: bool,
}

type Maker = Box<dyn FnOnce(&Arc<Shared>) -> Arc<dyn DynTool>>;

/// What the tools of a dialect know of one another.
pub(crate) struct Shared {
    pub(crate) habits: Habits,
    pub(crate) settings: Settings,
    /// The canonical name of each operation that is offered, and the name of its tool.
    pub(crate) names: Vec<(&'static str, &'static str)>,
}

impl Table {
    /// A dialect without tools.
    #[must_use]
    pub fn new(habits: Habits, settings: Settings) -> Self {
        Self { shared: Shared { habits, settings, names: Vec::new() }, makers: Vec::new(), folded: false }
    }

    /// Adds a tool, if the user's settings offer its operation.
    #[must_use]
    pub fn with<O: Operation>(mut self, row: Row<O>) -> Self {
        if self.folded || (O::OFFERED)(&self.shared.settings) {
            self.shared.names.push((O::NAME, row.name));
            self.makers.push(Box::new(|shared| Arc::new(DialectTool::new(row, Arc::clone(shared)))));
        }
        self
    }

    /// Adds one tool that does what several rows say: its `command` parameter takes their names. The user's settings do not
    /// choose among them.
    #[must_use]
    pub fn fold(
        mut self,
        name: &'static str,
        description: &'static str,
        rows: impl FnOnce(Table) -> Table,
    ) -> Self {
        let inner = Table { folded: true, ..Table::new(self.shared.habits, self.shared.settings) };
        let inner = rows(inner);
        self.shared.names.extend(inner.shared.names);
        self.makers.push(Box::new(move |shared| {
            let commands = inner.makers.into_iter().map(|make| make(shared)).collect();
            Arc::new(Folded::new(name, description, commands, Arc::clone(shared)))
        }));
        self
    }

    /// The tools.
    #[must_use]
    pub fn tools(self) -> Vec<Arc<dyn DynTool>> {
        let shared = Arc::new(self.shared);
        self.makers.into_iter().map(|make| make(&shared)).collect()
    }
}
