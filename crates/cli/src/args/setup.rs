//! What can be typed to set Toolcrib up.

use std::path::PathBuf;

use clap::ValueEnum;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// The agent whose configuration gets the server
    #[arg(required_unless_present = "print")]
    pub(crate) client: Option<Client>,
    /// Only print what belongs into the configuration, for any agent
    #[arg(long)]
    pub(crate) print: bool,
    /// Write into the project's configuration, in the first root, instead of the user's
    #[arg(long, conflicts_with = "file")]
    pub(crate) project: bool,
    /// Write into this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "print")]
    pub(crate) file: Option<PathBuf>,
    /// What the server is called there
    #[arg(long, value_name = "NAME", default_value = "toolcrib", value_parser = name)]
    pub(crate) name: String,
    /// Let the agent call the tools without asking each time; what Toolcrib's own rules ask about is still asked
    #[arg(long)]
    pub(crate) trust: bool,
    /// Switch off the agent's own file tools, so that it uses these
    #[arg(long)]
    pub(crate) replace_built_ins: bool,
    /// Print what was done as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Check every record of the journal and all contents it keeps, and repair what can be repaired
    #[arg(long)]
    pub(crate) journal: bool,
    /// Print it as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The page of one command [default: that of the program]
    pub(crate) command: Option<String>,
}

/// An agent whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Opencode,
    Codex,
    Cursor,
    #[value(name = "vscode", alias = "vs-code")]
    VsCode,
    Zed,
    #[value(name = "gemini", alias = "gemini-cli")]
    Gemini,
    #[value(name = "qwen", alias = "qwen-code")]
    Qwen,
    Cline,
    Goose,
}

/// A name that every agent takes, and that means nothing else in JSON, TOML or YAML.
fn name(name: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(fits) {
        Ok(name.to_owned())
    } else {
        Err("a name begins with a letter, and has letters, digits, - and _".to_owned())
    }
}

pub(crate) const INIT_EXAMPLES: &str = "\
Examples:
  toolcrib init claude-code
  toolcrib init cursor --root ~/project --dry-run
  toolcrib init vscode --project --yes
  toolcrib init --print

Shows the change to the agent's configuration and writes it on yes. Everything else in the file stays as it is, comments
too. Run again, it changes nothing. Agents that start the server in the project they work on are given no root: each project
is served by itself. --root names one for all of them.";

pub(crate) const DOCTOR_EXAMPLES: &str = "\
Examples:
  toolcrib doctor
  toolcrib doctor --root ~/project --json
  toolcrib doctor --journal

Exit status: 0 no problems, 1 something is wrong, 2 wrong usage";

pub(crate) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  toolcrib completions bash > ~/.local/share/bash-completion/completions/toolcrib
  toolcrib completions zsh > ~/.zfunc/_toolcrib      with ~/.zfunc in fpath
  toolcrib completions fish > ~/.config/fish/completions/toolcrib.fish";

pub(crate) const MAN_EXAMPLES: &str = "\
Examples:
  toolcrib man > ~/.local/share/man/man1/toolcrib.1
  toolcrib man grep > ~/.local/share/man/man1/toolcrib-grep.1
  toolcrib man | man -l -";
