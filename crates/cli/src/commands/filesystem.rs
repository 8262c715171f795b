//! `toolcrib filesystem`: the server in place of the MCP reference server, with its arguments.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::{Dialect, Workspace, names};

use crate::args::Common;
use crate::commands::mcp::{self, McpArgs};
use crate::failure::Failure;
use crate::output;

#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib filesystem ~/project ~/notes

In a client's configuration, replace the command of the reference server and keep its name:
  \"filesystem\": {\"command\": \"toolcrib\", \"args\": [\"filesystem\", \"/home/ada/project\"]}

If you pass no directory, the server uses the client's roots. A client can narrow the directories given here, but not widen
them. If you run the program through a link named mcp-server-filesystem, omit `filesystem`.")]
pub(crate) struct FilesystemArgs {
    /// Directories that the tools may access; those that do not exist are skipped with a warning
    #[arg(value_name = "DIR")]
    directories: Vec<PathBuf>,
}

/// The name under which the program stands in for the reference server.
pub(crate) const PROGRAM: &str = "mcp-server-filesystem";

pub(crate) fn run(common: &Common, args: &FilesystemArgs) -> Result<ExitCode, Failure> {
    let given = args.directories.iter().map(|directory| expand(directory));
    let usable: Vec<PathBuf> = given
        .filter(|directory| match Workspace::open(directory) {
            Ok(_) => true,
            Err(error) => {
                let shown = names::escape(directory);
                output::say(&format!("Warning: Cannot access directory {shown}, skipping ({error})"));
                false
            }
        })
        .collect();
    if usable.is_empty() && !args.directories.is_empty() {
        return Err(Failure::failed("None of the specified directories are accessible"));
    }
    let roots = common.roots.iter().cloned().chain(usable).collect();
    mcp::run(&Common { roots, dialect: Dialect::Filesystem, ..common.clone() }, &McpArgs::default())
}

/// Clients give arguments without a shell, which would know the home directory.
fn expand(directory: &Path) -> PathBuf {
    match (directory.strip_prefix("~"), std::env::home_dir()) {
        (Ok(below), Some(home)) => home.join(below),
        _ => directory.to_owned(),
    }
}
