//! `toolcrib uninit`: removes from an agent's configuration what `toolcrib init` has added, and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::names;

use super::client::Client;
use super::file::Draft;
use super::{Configured, Done, confirm, diff_of, record, show, text_of};
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
Removes the server, the hook that --record has installed, the permission that
--trust has given and, if all of them are still disabled, re-enables the tools
that --replace-built-ins has disabled.")]
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
        None => list(common, args),
    }
}

fn list(common: &Common, args: &UninitArgs) -> Result<ExitCode, Failure> {
    let server = Server::new(common, &args.name, Reach::Project, RootForm::Path)?;
    let has_server = |client: Client| {
        let text = client.user_file().ok().and_then(|file| text_of(&file));
        text.is_some_and(|text| !Configured::in_text(client, &text).is_empty())
    };
    let has_hook = |client: Client| {
        let text = record::file(client, &server, false).ok().and_then(|file| text_of(&file));
        text.is_some_and(|text| record::without(client, &text).is_ok_and(|without| without != Some(text)))
    };
    let with_it = Client::all().filter(|client| has_server(*client) || has_hook(*client));
    let lines: String = with_it.map(|client| format!("toolcrib uninit {}\n", client.typed())).collect();
    let text = if lines.is_empty() { "No agent has Toolcrib\n".to_owned() } else { lines };
    if args.json {
        return crate::json::print(&text, &serde_json::json!({}));
    }
    output::answer(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// What a file may hold of ours.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    server: bool,
    settings: bool,
    hook: bool,
}

impl Held {
    /// The text without it; none if the file is to go.
    fn removed(self, client: Client, name: &str, text: &str) -> Result<Option<String>, String> {
        let mut text = text.to_owned();
        if self.server {
            text = client.without(name, &text)?.unwrap_or(text);
        }
        if self.settings {
            text = client.without_settings(name, &text)?.unwrap_or(text);
        }
        if self.hook { record::without(client, &text) } else { Ok(Some(text)) }
    }
}

/// The files of a client that `toolcrib init` writes to, and what.
fn files(
    args: &UninitArgs,
    client: Client,
    server: &Server,
) -> Result<(PathBuf, BTreeMap<PathBuf, Held>), Failure> {
    let mut files: BTreeMap<PathBuf, Held> = BTreeMap::new();
    let hook = record::file(client, server, args.project).ok();
    if let Some(file) = &args.file {
        let file = from_here(file)?;
        // The plugin of opencode is a file of its own.
        let is_plugin = client == Client::Opencode && file.extension().is_some_and(|ending| ending == "js");
        files.insert(file.clone(), Held { server: !is_plugin, settings: false, hook: hook.is_some() });
        return Ok((file, files));
    }
    let file =
        if args.project { client.project_file(Path::new(&server.root))? } else { client.user_file()? };
    files.entry(file.clone()).or_default().server = true;
    if let Some(settings) = client.settings_file(server, args.project) {
        files.entry(settings).or_default().settings = true;
    }
    if let Some(hook) = hook {
        files.entry(hook).or_default().hook = true;
    }
    Ok((file, files))
}

fn remove(common: &Common, args: &UninitArgs, client: Client) -> Result<ExitCode, Failure> {
    let server = Server::new(common, &args.name, Reach::Project, RootForm::Path)?;
    let (file, files) = files(args, client, &server)?;
    let mut drafts = Vec::new();
    for (file, held) in &files {
        drafts.extend(Draft::less(file, |text| held.removed(client, &args.name, text))?);
    }
    drafts.retain(Draft::is_change);
    let (title, shown) = (client.title(), names::escape(&file));
    let done = Done { client, name: &args.name, file: &shown, json: args.json };
    if drafts.is_empty() {
        return done.report("", &format!("{title} does not have Toolcrib ({shown})"), None);
    }
    let diff = diff_of(&drafts)?;
    if common.dry_run {
        show(common, &diff, args.json)?;
        return done.report(&diff, &format!("[Dry Run] Would remove Toolcrib from {title} ({shown})"), None);
    }
    confirm(common, &drafts, &diff, args.json)?;
    for draft in &drafts {
        draft.write(false)?;
    }
    done.report(&diff, &format!("Removed Toolcrib from {title}. Restart it to unload it there too."), None)
}
