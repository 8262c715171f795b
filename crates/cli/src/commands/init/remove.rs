//! `toolcrib uninit`: removes from an agent's configuration what `toolcrib init` has added, and nothing else.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::{ErrorKind, ToolError, names};

use super::client::Client;
use super::file::Draft;
use super::{Configured, Done, confirm, show, text_of};
use crate::args::{Common, name};
use crate::commands::from_here;
use crate::commands::server::{Reach, RootForm, Server};
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib uninit                     # list the agents that have the server
  toolcrib uninit claude-code
  toolcrib uninit vscode --project --dry-run

Shows a diff of the agent's configuration and writes it after you confirm.
Removes the server, the permission that --trust has given and, if all of them
are still disabled, re-enables the tools that --replace-built-ins has disabled.")]
pub(crate) struct UninitArgs {
    /// The agent to remove the server from [default: list the agents that have it]
    client: Option<Client>,
    /// Change the project's configuration, in the first root, instead of the user's
    #[arg(long, conflicts_with = "file", requires = "client")]
    project: bool,
    /// Change this file instead of the usual one
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// The name under which the server is registered
    #[arg(long, value_name = "NAME", default_value = "toolcrib", value_parser = name)]
    name: String,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn uninit(common: &Common, args: &UninitArgs) -> Result<ExitCode, Failure> {
    match args.client {
        Some(client) => remove(common, args, client),
        None => list(args),
    }
}

fn list(args: &UninitArgs) -> Result<ExitCode, Failure> {
    let with_it = Client::all().filter_map(|client| {
        let text = text_of(&client.user_file().ok()?)?;
        (!Configured::in_text(client, &text).is_empty()).then_some(client)
    });
    let lines: String = with_it.map(|client| format!("toolcrib uninit {}\n", client.typed())).collect();
    let text = if lines.is_empty() { "No agent has Toolcrib\n".to_owned() } else { lines };
    if args.json {
        return crate::json::print(&text, &serde_json::json!({}));
    }
    output::answer(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn remove(common: &Common, args: &UninitArgs, client: Client) -> Result<ExitCode, Failure> {
    let server = Server::new(common, &args.name, Reach::Project, RootForm::Path)?;
    let file = match (&args.file, args.project) {
        (Some(file), _) => from_here(file)?,
        (None, true) => client.project_file(Path::new(&server.root))?,
        (None, false) => client.user_file()?,
    };
    let settings = if args.file.is_none() { client.settings_file(&server, args.project) } else { None };
    let mut drafts = Vec::new();
    for (file, is_settings) in std::iter::once((&file, false)).chain(settings.iter().map(|file| (file, true)))
    {
        let Some(before) = text_of(file) else { continue };
        let after = if is_settings {
            client.without_settings(&args.name, &before)
        } else {
            client.without(&args.name, &before)
        };
        let after = after.map_err(|why| unchanged(file, &why))?;
        if let Some(after) = after {
            drafts.push(Draft::new(client, file, |_| Ok(after))?);
        }
    }
    drafts.retain(Draft::is_change);
    let (title, shown) = (client.title(), names::escape(&file));
    let done = Done { client, name: &args.name, file: &shown, json: args.json };
    if drafts.is_empty() {
        return done.report("", &format!("{title} does not have Toolcrib ({shown})"), None);
    }
    let mut diff = String::new();
    for draft in &drafts {
        diff.push_str(&draft.config.write(&draft.text, true)?);
    }
    if common.dry_run {
        show(common, &diff, args.json)?;
        return done.report(&diff, &format!("[Dry Run] Would remove Toolcrib from {title} ({shown})"), None);
    }
    confirm(common, &drafts, &diff, args.json)?;
    for draft in &drafts {
        draft.config.write(&draft.text, false)?;
    }
    done.report(&diff, &format!("Removed Toolcrib from {title}. Restart it to unload the server."), None)
}

fn unchanged(file: &Path, why: &str) -> ToolError {
    let message = format!("{} was not changed: {why}", names::escape(file));
    ToolError::new(ErrorKind::Unsupported, message).hint("remove the entry by hand")
}
