//! What a user of the command line calls things: a dialect of flags and commands, for notes and errors.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use toolcrib::dialects::operations::{
    ApplyPatch, Caller, Edit, Glob, Grep, List, MultiEdit, Operation, Read, Write,
};
use toolcrib::dialects::{As, DialectTool, Habits, Naming, Paths, Row, Settings, Table};
use toolcrib::files::Refused;
use toolcrib::{Config, DynTool, ErrorKind, ToolError, ToolResult, names};

const HABITS: Habits = Habits::new(Naming::Flag, Paths::Absolute);

/// One row for each command on files. A parameter without a row of its own is the flag of the same name.
static COMMANDS: LazyLock<Vec<Arc<dyn DynTool>>> = LazyLock::new(|| {
    Table::new(HABITS, Settings::default())
        .with(Row::<Read> {
            takes: "file_path offset limit tail column encoding pages cells",
            ..Row::new("`toolcrib read`", "")
        })
        .with(Row::<Write> {
            parameters: &[As::Named("content", "CONTENT")],
            ..Row::new("`toolcrib write`", "")
        })
        .with(Row::<Edit> {
            parameters: &[
                As::Named("old_string", "OLD"),
                As::Named("new_string", "NEW"),
                As::Named("replace_all", "--all"),
            ],
            ..Row::new("`toolcrib edit`", "")
        })
        .with(Row::<MultiEdit> {
            parameters: &[
                As::Named("edits.old_string", "OLD"),
                As::Named("edits.new_string", "NEW"),
                As::Named("edits.replace_all", "--all"),
            ],
            ..Row::new("`toolcrib multiedit`", "")
        })
        .with(Row::<ApplyPatch>::new("`toolcrib patch`", ""))
        .with(Row::<Grep> {
            parameters: &[As::Named("literal", "-F"), As::Named("multiline", "-U")],
            ..Row::new("`toolcrib grep`", "")
        })
        .with(Row::<Glob>::new("`toolcrib glob`", ""))
        .with(Row::<List>::new("`toolcrib ls`", ""))
        .tools()
});

/// The hint about a refusal for the person who typed the command; an agent is told to ask that person.
pub(crate) fn hint_about_refusal(refused_by: &str) -> String {
    let file = Config::default_file();
    let file = file.as_deref().map_or("toolcrib/config.toml".into(), names::escape);
    let allow = format!("allow it with a rule in {file}; `toolcrib rules` lists the rules");
    match refused_by {
        "user" | "dismissed" => format!("to stop being asked, {allow}"),
        "nobody_asked" => format!("pass --yes to approve it without being asked, or {allow}"),
        _ => format!("to override the rule, {allow}"),
    }
}

/// A hint in the words of the person who typed the command, who can do what an agent is told to ask the user for.
pub(crate) fn hint_for_person(hint: &str) -> String {
    hint.replace("ask the user to ", "").replace("the user can ", "")
}

/// An error in the words of the person who typed the command.
pub(crate) fn for_person(error: ToolError) -> ToolError {
    match error.fact("refused_by").and_then(Value::as_str).map(hint_about_refusal) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The same for a result that is shown to a person.
pub(crate) fn result_for_person(mut result: ToolResult) -> ToolResult {
    if let Some(hint) = result.metadata.get("refused_by").and_then(Value::as_str).map(hint_about_refusal) {
        result.metadata.insert("hint".to_owned(), hint.into());
    }
    result
}

/// Runs an operation for a caller who has typed flags.
pub(crate) fn with_flags<O: Operation, T>(
    caller: &Caller<'_>,
    run: impl FnOnce(&Caller<'_>) -> Result<T, Refused>,
) -> Result<T, Refused> {
    let Some((command, _)) = DialectTool::<O>::among(&COMMANDS) else { return run(caller) };
    let words = command.words();
    let caller = Caller { words: &words, ..*caller };
    run(&caller).map_err(|refused| match words.refuse(refused) {
        // An agent is told to ask the user, who has typed this.
        error if error.kind() == ErrorKind::OutsideWorkspace => {
            error.hint("pass --root with a directory that contains it, or allow it with a rule").into()
        }
        error => error.into(),
    })
}
