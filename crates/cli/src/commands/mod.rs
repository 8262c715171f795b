//! One file per command: its arguments, its examples and its code.

mod apply_patch;
mod call;
mod dialects;
mod diff;
mod doctor;
mod edit;
mod filesystem;
mod glob;
mod grep;
pub(crate) mod help;
mod history;
mod init;
mod log;
mod ls;
mod manual;
mod mcp;
mod multiedit;
mod operation;
mod patch;
mod read;
mod record;
mod rules;
mod schemas;
mod server;
mod show;
mod ui;
mod undo;
mod write;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use toolcrib::{
    Builder, Config, Dialect, ErrorKind, HalfDone, ToolError, Toolbox, UndoKind, Workspace, names,
};

use crate::args::{Args, Common, Deferred};
use crate::failure::Failure;
use crate::{output, program, prompt};

/// The arguments with the command that the program's name stands for.
pub(crate) fn by_program_name(
    arguments: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    let mut arguments = arguments.into_iter();
    let program = arguments.next();
    let arguments = with_counts(arguments.collect());
    let named = program.as_deref().and_then(|program| Path::new(program).file_name());
    let command = named.and_then(|name| match name.to_str()? {
        filesystem::PROGRAM => Some("filesystem".into()),
        name if apply_patch::PROGRAMS.contains(&name) => Some("apply-patch".into()),
        _ => None,
    });
    program.into_iter().chain(command).chain(arguments)
}

/// The arguments with `log -5` as git takes it: the five latest.
fn with_counts(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.first().is_none_or(|first| first != "log") {
        return arguments;
    }
    for argument in arguments.iter_mut().take_while(|argument| *argument != "--") {
        let count = argument.to_str().and_then(|argument| argument.strip_prefix('-'));
        if let Some(count) =
            count.filter(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
        {
            *argument = format!("--limit={count}").into();
        }
    }
    arguments
}

/// What can be typed.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a file with line numbers
    Read(Deferred<read::ReadArgs>),
    /// Create a file or replace its whole content
    Write(Deferred<write::WriteArgs>),
    /// Replace text in a file
    Edit(Deferred<edit::EditArgs>),
    /// Apply several edits to one file, all or none
    Multiedit(Deferred<multiedit::MultieditArgs>),
    /// Apply a patch to one or more files, all or nothing
    Patch(Deferred<patch::PatchArgs>),
    /// Search file contents for a pattern
    Grep(Deferred<grep::GrepArgs>),
    /// Find files whose path matches a glob, newest first
    Glob(Deferred<glob::GlobArgs>),
    /// List a directory
    Ls(Deferred<ls::LsArgs>),
    /// Call a tool by name with its parameters as JSON
    Call(Deferred<call::CallArgs>),
    /// List the dialects: their tools, and which agents they are for
    Dialects(Deferred<dialects::DialectsArgs>),
    /// Print the tool schemas in a model provider's format
    Schemas(Deferred<schemas::SchemasArgs>),
    /// Show the effective rules: what agents may read and edit, what needs approval, what is denied
    Rules(Deferred<rules::RulesArgs>),
    /// List the recorded changes: when, by which agent and tool, in which files
    Log(Deferred<log::LogArgs>),
    /// Show one change with its diff
    Show(Deferred<show::ShowArgs>),
    /// Show what several changes together did, as one diff
    Diff(Deferred<diff::DiffArgs>),
    /// Undo a change: restore every file it touched, byte for byte
    #[command(after_help = undo::UNDO_EXAMPLES)]
    Undo(Deferred<undo::UndoArgs>),
    /// Redo a change that was undone
    #[command(after_help = undo::REDO_EXAMPLES)]
    Redo(Deferred<undo::UndoArgs>),
    /// Open a page in the browser: watch what agents change, approve, review, undo
    Ui(Deferred<ui::UiArgs>),
    /// Run a command, and record all that it changes as one change
    Record(Deferred<record::RecordArgs>),
    /// Record what an agent's own tools change; the agent's hook calls this
    #[command(hide = true)]
    RecordHook(Deferred<record::hook::HookArgs>),
    /// Add the MCP server to an agent's configuration
    Init(Deferred<init::InitArgs>),
    /// Remove the MCP server from an agent's configuration
    Uninit(Deferred<init::UninitArgs>),
    /// Show the effective configuration and diagnose problems
    Doctor(Deferred<doctor::DoctorArgs>),
    /// Print the completion script for a shell
    Completions(Deferred<manual::CompletionsArgs>),
    /// Print the manual page
    Man(Deferred<manual::ManArgs>),
    /// Serve the tools to an agent over MCP, on standard input and output by default
    Mcp(Deferred<mcp::McpArgs>),
    /// Stand in for the MCP reference filesystem server, with its tools and arguments
    Filesystem(Deferred<filesystem::FilesystemArgs>),
    /// Apply a patch as Codex's apply_patch command does
    ApplyPatch(Deferred<apply_patch::ApplyPatchArgs>),
}

pub(crate) fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.command {
        Command::Read(read) => read::run(&args.common, &read),
        Command::Write(write) => write::run(&args.common, &write),
        Command::Edit(edit) => edit::run(&args.common, &edit),
        Command::Multiedit(multiedit) => multiedit::run(&args.common, &multiedit),
        Command::Patch(patch) => patch::run(&args.common, &patch),
        Command::Grep(grep) => grep::run(&args.common, &grep),
        Command::Glob(glob) => glob::run(&args.common, &glob),
        Command::Ls(ls) => ls::run(&args.common, &ls),
        Command::Call(call) => call::run(&args.common, &call),
        Command::Dialects(dialects) => dialects::run(&args.common, &dialects),
        Command::Schemas(schemas) => schemas::run(&args.common, &schemas),
        Command::Rules(rules) => rules::run(&args.common, &rules),
        Command::Log(log) => log::run(&args.common, &log),
        Command::Show(show) => show::run(&args.common, &show),
        Command::Diff(diff) => diff::run(&args.common, &diff),
        Command::Undo(undo) => undo::run(&args.common, UndoKind::Undo, &undo),
        Command::Redo(redo) => undo::run(&args.common, UndoKind::Redo, &redo),
        Command::Ui(ui) => ui::run(&args.common, &ui),
        Command::Record(record) => record::run(&args.common, &record),
        Command::RecordHook(hook) => Ok(record::hook::run(&args.common, &hook)),
        Command::Init(init) => init::run(&args.common, &init),
        Command::Uninit(uninit) => init::uninit(&args.common, &uninit),
        Command::Doctor(doctor) => doctor::run(&args.common, &doctor),
        Command::Completions(completions) => manual::completions(&completions),
        Command::Man(man) => manual::man(&man),
        Command::Mcp(mcp) => mcp::run(&args.common, &mcp),
        Command::Filesystem(served) => filesystem::run(&args.common, &served),
        Command::ApplyPatch(patch) => apply_patch::run(&args.common, &patch),
    }
}

/// Shown where changes are not recorded.
const UNRECORDED: &str = "Changes are not recorded and cannot be undone";

/// The same with its cause and remedy, unless the user disabled the journal.
fn unrecorded(common: &Common) -> Result<Option<String>, ToolError> {
    if toolcrib::state_folder().is_some() || !configuration(common)?.keeps_journal() {
        return Ok(None);
    }
    let remedy = "set HOME or XDG_STATE_HOME to an absolute path, or set enabled = false under [journal]";
    Ok(Some(format!("{UNRECORDED}: there is no folder for the journal ({remedy})")))
}

/// A sentence for every root that overlaps with Toolcrib's own files.
fn exposed(toolbox: &Toolbox) -> Vec<String> {
    let exposed = toolbox.workspace().exposed().into_iter();
    let sentence = |(root, own)| {
        format!("The root {} overlaps with Toolcrib's own {}", names::escape(root), names::escape(own))
    };
    exposed.map(sentence).collect()
}

/// What to do about [`exposed`].
const NARROWER: &str = "no tool can access it, but shell commands that an agent runs can; choose a root that does not contain it";

/// Warns before a change that is not recorded.
fn tell_unrecorded(common: &Common) -> Result<(), ToolError> {
    if !common.dry_run
        && let Some(sentence) = unrecorded(common)?
    {
        output::say(&format!("note: {sentence}"));
    }
    Ok(())
}

/// The toolbox on the given roots, or on the current directory. It asks for no approval.
fn open(common: &Common) -> Result<Toolbox, ToolError> {
    Ok(tell_half_done(prepare(common, common.dialect)?.one_call().open()?))
}

/// Warns about changes that were interrupted and could not be repaired.
fn tell_half_done(toolbox: Toolbox) -> Toolbox {
    for HalfDone { what, hint } in toolbox.half_done() {
        output::say(&format!("warning: {what}"));
        output::advise(&hint);
    }
    toolbox
}

/// The same for a person, who is asked for approval where a rule says ask.
fn open_for_person(common: &Common, dialect: Dialect) -> Result<Toolbox, ToolError> {
    open_with(common, prepare(common, dialect)?)
}

/// The same for a person who reads the answers.
fn open_for_reader(common: &Common, dialect: Dialect) -> Result<Toolbox, ToolError> {
    open_with(common, prepare(common, dialect)?.whole_diffs())
}

fn open_with(common: &Common, builder: Builder) -> Result<Toolbox, ToolError> {
    let builder = builder.one_call();
    let toolbox = match prompt::approver(common, builder.approval_wait()) {
        Some(approver) => builder.approver(approver).open(),
        None => builder.open(),
    };
    Ok(tell_half_done(toolbox?))
}

fn prepare(common: &Common, dialect: Dialect) -> Result<Builder, ToolError> {
    let builder = Toolbox::builder().dialect(dialect).config(configuration(common)?);
    let mut builder = on_the_roots(builder, common)?;
    builder = program::parts().fold(builder, Builder::protect);
    if common.session.is_some() {
        builder = builder.keep_sessions_in(state_folder()?);
    }
    if let Some(state) = toolcrib::state_folder() {
        builder = builder.journal_in(state);
    }
    Ok(builder)
}

fn configuration(common: &Common) -> Result<Config, ToolError> {
    match &common.config {
        Some(file) => Config::load(&from_here(file)?),
        None => Config::load_default(),
    }
}

fn on_the_roots(mut builder: Builder, common: &Common) -> Result<Builder, ToolError> {
    if common.roots.is_empty() {
        builder = builder.root(from_here(Path::new("."))?);
    }
    for root in &common.roots {
        builder = builder.root(from_here(root)?);
    }
    Ok(builder)
}

/// Whether there is a file that can be opened.
fn is_file(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new("/"));
    Workspace::open(folder).and_then(|workspace| workspace.open_file(&workspace.path(path, folder)?)).is_ok()
}

/// The user's state folder.
fn state_folder() -> Result<PathBuf, ToolError> {
    toolcrib::state_folder().ok_or_else(|| {
        ToolError::new(ErrorKind::NotFound, "There is no folder to store the session in")
            .hint("set HOME or XDG_STATE_HOME to an absolute path, or omit --session")
    })
}

/// A path in full. The current directory is asked for only where it is needed: it may have been deleted.
pub(crate) fn from_here(path: &Path) -> Result<PathBuf, ToolError> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    #[expect(clippy::disallowed_methods, reason = "a door is where the process's directory becomes a root")]
    let here = std::env::current_dir();
    here.map(|here| if path == Path::new(".") { here } else { here.join(path) }).map_err(|error| {
        ToolError::new(ErrorKind::NotFound, format!("The current directory cannot be used: {error}"))
            .hint("change to a directory that exists, or use absolute paths")
    })
}
