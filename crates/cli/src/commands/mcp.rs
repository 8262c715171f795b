//! `toolcrib mcp`: the server.

use std::io::IsTerminal;
use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Lockdown, Toolbox};
use toolcrib_mcp::Server;

use crate::args::{Common, McpArgs};
use crate::commands::open;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(common: &Common, args: &McpArgs) -> Result<ExitCode, Failure> {
    let toolbox = open(common)?;
    let lockdown = toolbox.lock_down();
    if std::io::stdin().is_terminal() {
        output::say(&greeting(&toolbox, &lockdown)?);
    }
    let mut server = Server::new(toolbox).dry_run(common.dry_run);
    server = server.ignore_client_roots(args.ignore_client_roots);
    if let Some(session) = &common.session {
        server = server.session(Some(session.clone()));
    }
    toolcrib_mcp::serve_stdio(server)?;
    Ok(ExitCode::SUCCESS)
}

/// For somebody who started the server by hand to see what it does.
fn greeting(toolbox: &Toolbox, lockdown: &Lockdown) -> Result<String, Failure> {
    let roots: Vec<String> =
        toolbox.workspace().roots().iter().map(|root| root.path().display().to_string()).collect();
    Ok(format!(
        "Toolcrib serves {}\n\
         Tools ({}): {}\n\
         Landlock: {lockdown}\n\n\
         It speaks MCP on standard input and output, so an agent should start it. Add this to its configuration:\n\n\
         {}\n\n\
         Waiting for a client; Ctrl-C ends it.",
        roots.join(", "),
        toolbox.dialect(),
        toolbox.executor().registry().list_names().join(", "),
        snippet(&roots, toolbox)?,
    ))
}

/// The entry that most agents' configurations take.
fn snippet(roots: &[String], toolbox: &Toolbox) -> Result<String, Failure> {
    let mut args = vec!["mcp".to_owned()];
    args.extend(roots.iter().flat_map(|root| ["--root".to_owned(), root.clone()]));
    if toolbox.dialect() != toolcrib::Dialect::default() {
        args.extend(["--dialect".to_owned(), toolbox.dialect().to_string()]);
    }
    let command =
        std::env::current_exe().map_or_else(|_| "toolcrib".to_owned(), |path| path.display().to_string());
    let snippet = json!({"mcpServers": {"toolcrib": {"command": command, "args": args}}});
    serde_json::to_string_pretty(&snippet).map_err(Failure::failed)
}
