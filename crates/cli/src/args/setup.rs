//! The commands that set Toolcrib up.

use std::path::PathBuf;

use clap::ValueEnum;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// The agent to configure
    #[arg(required_unless_present = "print")]
    pub(crate) client: Option<Client>,
    /// Only print the configuration snippet; without an agent, the generic one
    #[arg(long)]
    pub(crate) print: bool,
    /// Write the project's configuration, in the first root, instead of the user's
    #[arg(long, conflicts_with = "file")]
    pub(crate) project: bool,
    /// Write this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "print")]
    pub(crate) file: Option<PathBuf>,
    /// Register the server under this name
    #[arg(long, value_name = "NAME", default_value = "toolcrib", value_parser = name)]
    pub(crate) name: String,
    /// Let the agent call the tools without asking each time; Toolcrib's own rules still ask
    #[arg(long)]
    pub(crate) trust: bool,
    /// Disable the agent's built-in file tools, so that it uses Toolcrib's
    #[arg(long)]
    pub(crate) replace_built_ins: bool,
    /// Do not ask the agent afterwards whether it can start the server
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Verify every journal record and all stored contents, and repair what can be repaired
    #[arg(long)]
    pub(crate) journal: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to generate completions for
    pub(crate) shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Print the page of this command [default: the page of the whole program]
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
    Continue,
    Goose,
}

/// A name that every agent takes, and that means nothing else in JSON, TOML or YAML.
pub(super) fn name(name: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(fits) {
        Ok(name.to_owned())
    } else {
        Err("a name starts with a letter and contains only letters, digits, - and _".to_owned())
    }
}

pub(crate) const INIT_EXAMPLES: &str = "\
Examples:
  toolcrib init claude-code
  toolcrib init cursor --root ~/project --dry-run
  toolcrib init vscode --project --yes
  toolcrib init --print

Shows a diff of the agent's configuration and writes it after you confirm. Everything else in the file is kept, including \
comments; running it again changes nothing. For agents that start the server in the current project, no root is written, so \
that each project is served separately; pass --root to serve one directory always.";

pub(crate) const DOCTOR_EXAMPLES: &str = "\
Examples:
  toolcrib doctor
  toolcrib doctor --root ~/project --json
  toolcrib doctor --journal

Exit status: 0 no problems, 1 problems found, 2 usage error";

pub(crate) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  toolcrib completions bash > ~/.local/share/bash-completion/completions/toolcrib
  toolcrib completions zsh > ~/.zfunc/_toolcrib      # needs ~/.zfunc in fpath
  toolcrib completions fish > ~/.config/fish/completions/toolcrib.fish";

pub(crate) const MAN_EXAMPLES: &str = "\
Examples:
  toolcrib man > ~/.local/share/man/man1/toolcrib.1
  toolcrib man grep > ~/.local/share/man/man1/toolcrib-grep.1
  toolcrib man | man -l -";
