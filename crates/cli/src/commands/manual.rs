//! `toolcrib completions` and `toolcrib man`: generated from the command definitions.

use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use toolcrib::{ErrorKind, ToolError, nearest};

use crate::args::Args;
use crate::commands::help;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib completions bash > ~/.local/share/bash-completion/completions/toolcrib
  toolcrib completions zsh > ~/.zfunc/_toolcrib      # needs ~/.zfunc in fpath
  toolcrib completions fish > ~/.config/fish/completions/toolcrib.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell to generate completions for
    shell: Shell,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib man > ~/.local/share/man/man1/toolcrib.1
  toolcrib man grep > ~/.local/share/man/man1/toolcrib-grep.1
  toolcrib man | man -l -")]
pub(crate) struct ManArgs {
    /// Print the page of this command [default: the page of the whole program]
    command: Option<String>,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "toolcrib", &mut script);
    output::answer(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let program = help::all();
    let page = match &args.command {
        None => Man::new(program),
        Some(name) => Man::new(page_of(&program, name)?),
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    output::answer(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// One command of the program, which is called toolcrib-COMMAND since all of it is built.
fn page_of(program: &Command, name: &str) -> Result<Command, ToolError> {
    let command = program.find_subcommand(name).ok_or_else(|| {
        let error = ToolError::new(ErrorKind::InvalidParameter, format!("Unknown command '{name}'"));
        match nearest(name, program.get_subcommands().map(Command::get_name)) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error.hint("`toolcrib --help` lists the commands"),
        }
    })?;
    Ok(command.clone())
}
