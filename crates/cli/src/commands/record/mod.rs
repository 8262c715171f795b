//! `toolcrib record`: runs a command, and records all that it changes as one change.

pub(crate) mod hook;
mod run;

use std::ffi::OsString;
use std::process::ExitCode;

use toolcrib::{Bounds, ErrorKind, ForeignChange, ToolError, Toolbox, names};

use super::open;
use crate::args::{Common, at_least};
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib record -- make format
  toolcrib record -- git checkout other
  toolcrib record --ignored -- npm install
  toolcrib init claude-code --record    # record the agent's own edits

The command runs as always, and its exit status is returned. Before it runs, every file below the root is copied (by sharing \
blocks where the file system can). Afterwards, all that has changed is recorded as one change, which `toolcrib log` shows and \
`toolcrib undo` undoes. .git is never recorded: undoing a checkout restores the files, not the branch.")]
pub(crate) struct RecordArgs {
    /// Also record files that .gitignore and other ignore files exclude
    #[arg(long)]
    ignored: bool,
    /// Look at COUNT files and directories at most
    #[arg(long, value_name = "COUNT", default_value_t = Bounds::default().files, value_parser = at_least::<usize>(1))]
    max_files: usize,
    /// Copy MB megabytes at most
    #[arg(long, value_name = "MB", default_value_t = Bounds::default().bytes >> 20, value_parser = at_least::<u64>(0))]
    max_size: u64,
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(common: &Common, args: &RecordArgs) -> Result<ExitCode, Failure> {
    if common.dry_run {
        let message = "What a command changes cannot be shown without running it";
        return Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("leave out --dry-run").into());
    }
    let bounds =
        Bounds { files: args.max_files, bytes: args.max_size.saturating_mul(1 << 20), ignored: args.ignored };
    // Whatever cannot be recorded is no reason not to run the command.
    let toolbox = open(common);
    let name = title(&args.command);
    let before = toolbox
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|toolbox| toolbox.before_foreign_command(&name, bounds));
    if let Err(error) = &before {
        say_unrecorded(error);
    }
    let status = run::run(&args.command)?;
    if let Ok(before) = before {
        match before.finish(common.session.as_deref(), Some("record")) {
            Ok(change) => tell(toolbox.as_ref().ok(), &change),
            Err(error) => {
                say_unrecorded(&error);
                let _ = toolbox.as_ref().map(|toolbox| toolbox.note_unrecorded(&format!("{name}: {error}")));
            }
        }
    }
    Ok(ExitCode::from(status))
}

fn say_unrecorded(error: &ToolError) {
    output::say(&format!("note: what the command changes is not recorded: {error}"));
    error.next_step().into_iter().for_each(output::advise);
}

fn tell(toolbox: Option<&Toolbox>, change: &ForeignChange) {
    if let Some(id) = change.change {
        let files = if change.files == 1 { "1 file".to_owned() } else { format!("{} files", change.files) };
        output::say(&format!("recorded as change {id}: {files} (`toolcrib undo {id}` undoes it)"));
    }
    for what in &change.left_out {
        output::say(&format!("note: not recorded: {what}"));
        let _ = toolbox.map(|toolbox| toolbox.note_unrecorded(what));
    }
}

/// How the change is called: by what was typed.
fn title(command: &[OsString]) -> String {
    const LONGEST: usize = 100;
    let words: Vec<_> = command.iter().map(|word| names::escape(word).into_owned()).collect();
    let title = words.join(" ");
    match title.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title,
    }
}
