//! `toolcrib init`: the server in an agent's configuration.
//!
//! The new text is made by editing the old one, never by writing it anew, so that what else stands there stays. It is
//! written by the same tool that agents write with: whole or not at all, and only if the file is still what was shown.

mod check;
mod choose;
mod client;
mod configured;
mod file;
mod jsonc;
mod record;
mod remove;
mod toml;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Dialect, ErrorKind, ToolError, names};

pub(crate) use client::Client;
use client::Wishes;
pub(crate) use configured::Configured;
use file::Draft;
pub(crate) use file::text_of;
pub(crate) use remove::{UninitArgs, uninit};

use super::from_here;
use super::server::{Reach, RootForm, Server};
use crate::args::{Common, name};
use crate::failure::Failure;
use crate::paint::Paint;
use crate::{json, output, prompt};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib init                       # find the installed agents and offer them
  toolcrib init claude-code
  toolcrib init cursor --root ~/project --dry-run
  toolcrib init vscode --project --yes
  toolcrib init --print

Shows a diff of the agent's configuration and writes it after you confirm.
Everything else in the file is kept, including comments; running it again
changes nothing. Agents that start the server in the current project get no
root, so that each project is served separately; pass --root to always serve
one directory. `toolcrib uninit` removes the server again.")]
pub(crate) struct InitArgs {
    /// The agent to configure [default: offer those that are installed]
    client: Option<Client>,
    /// Only print the configuration snippet; without an agent, the generic one
    #[arg(long)]
    print: bool,
    /// Write the project's configuration, in the first root, instead of the user's
    #[arg(long, conflicts_with = "file")]
    project: bool,
    /// Write this file instead of the usual one
    #[arg(long, value_name = "FILE", conflicts_with = "print")]
    file: Option<PathBuf>,
    /// Register the server under this name
    #[arg(long, value_name = "NAME", default_value = "toolcrib", value_parser = name)]
    name: String,
    /// Let the agent call the tools without asking each time; Toolcrib's own rules still ask
    #[arg(long)]
    trust: bool,
    /// Disable the agent's built-in file tools, so that it uses Toolcrib's
    #[arg(long)]
    replace_built_ins: bool,
    /// Instead of the server, install the hook that records the agent's own edits, so that `toolcrib log` shows them and
    /// `toolcrib undo` undoes them
    #[arg(long, requires = "client", conflicts_with_all = ["trust", "replace_built_ins"])]
    record: bool,
    /// Skip the check whether the agent can start the server
    #[arg(long)]
    no_check: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &InitArgs) -> Result<ExitCode, Failure> {
    match args.client {
        Some(client) => add(common, args, client),
        None if args.print => {
            let server = Server::new(common, &args.name, Reach::ThisMachine, RootForm::Path)?;
            output::answer_as_it_is(&server.in_general())?;
            Ok(ExitCode::SUCCESS)
        }
        None => choose::offer(common, args),
    }
}

/// Adds the server to the configuration of one agent.
fn add(common: &Common, args: &InitArgs, client: Client) -> Result<ExitCode, Failure> {
    let reach = if args.project { Reach::Project } else { Reach::ThisMachine };
    // An agent without its own tools is given those its model knows. Beside them, the same names would only confuse it.
    let own = (args.replace_built_ins && common.dialect == Dialect::default()).then(|| client.dialect());
    let common = &Common { dialect: own.unwrap_or(common.dialect), ..common.clone() };
    let mut server = Server::new(common, &args.name, reach, client.root_form())?;
    if args.record {
        return install_hook(common, args, client, &server);
    }
    server.args.extend(client.options(&args.name, common.dialect));
    let wishes = Wishes { trust: args.trust, replace_built_ins: args.replace_built_ins };
    client.refuse_wishes(wishes)?;
    if args.print {
        output::answer_as_it_is(&client.snippet(&server, wishes)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = match (&args.file, args.project) {
        (Some(file), _) => from_here(file)?,
        (None, true) => client.project_file(Path::new(&server.root))?,
        (None, false) => client.user_file()?,
    };
    let mut drafts = vec![Draft::new(client, &file, |text| client.with(&server, wishes, text))?];
    if wishes != Wishes::default()
        && let Some(settings) = client.settings_file(&server, args.project)
    {
        if args.file.is_some() {
            let message = format!(
                "{} keeps such settings in a file of its own, {}",
                client.title(),
                names::escape(&settings)
            );
            return Err(ToolError::new(ErrorKind::InvalidParameter, message)
                .hint("omit --file, or --trust and --replace-built-ins")
                .into());
        }
        drafts.push(Draft::new(client, &settings, |text| client.with_settings(&server, wishes, text))?);
    }
    if let Some(name) = client.reference_server(drafts[0].before()).filter(|name| *name != args.name) {
        output::say(&format!(
            "note: {} also has the reference filesystem server, as {name}; --name {name} replaces it with Toolcrib",
            client.title()
        ));
    }
    drafts.retain(Draft::is_change);
    let file = names::escape(&file);
    // An agent does not look into a file of another name.
    let asked = (!args.no_check && !common.dry_run && args.file.is_none()).then(|| Path::new(&server.root));
    let done = Done { client, name: &args.name, file: &file, json: args.json };
    if drafts.is_empty() {
        return done.report("", &format!("{} already has Toolcrib ({file})", client.title()), asked);
    }
    let diff = diff_of(&drafts)?;
    if common.dry_run {
        show(common, &diff, args.json)?;
        return done.report(
            &diff,
            &format!("[Dry Run] Would add Toolcrib to {} ({file})", client.title()),
            None,
        );
    }
    confirm(common, &drafts, &diff, args.json)?;
    for draft in &drafts {
        draft.write(false)?;
    }
    let said = format!("Added Toolcrib to {}. Restart it to load the server.", client.title());
    done.report(&diff, &said, asked)
}

/// How the drafts read.
fn diff_of(drafts: &[Draft]) -> Result<String, ToolError> {
    drafts.iter().map(|draft| draft.write(true)).collect()
}

/// Shows the diff, and asks whether it is to be written, unless that is clear.
///
/// # Errors
///
/// If the answer is no.
fn confirm(common: &Common, drafts: &[Draft], diff: &str, as_json: bool) -> Result<(), Failure> {
    let files: Vec<String> = drafts.iter().map(|draft| names::escape(draft.path()).into_owned()).collect();
    let files = files.join(" and ");
    if common.yes {
        return show(common, diff, as_json);
    }
    if prompt::confirm(diff, &files, common.color) {
        return Ok(());
    }
    let error = ToolError::new(ErrorKind::PermissionDenied, format!("{files} was not changed"));
    Err(error.hint("answer y on a terminal, or pass --yes; --dry-run shows the change").into())
}

/// Writes the hook into the agent's settings, after showing it.
fn install_hook(
    common: &Common,
    args: &InitArgs,
    client: Client,
    server: &Server,
) -> Result<ExitCode, Failure> {
    let default = record::file(client, server, args.project)?;
    if args.print {
        let text =
            record::with(client, server, "").map_err(|why| ToolError::new(ErrorKind::Internal, why))?;
        output::answer_as_it_is(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = args.file.as_deref().map(from_here).transpose()?.unwrap_or(default);
    let draft = Draft::new(client, &file, |text| record::with(client, server, text))?;
    let (title, shown) = (client.title(), names::escape(&file).into_owned());
    let done = Done { client, name: &args.name, file: &shown, json: args.json };
    if !draft.is_change() {
        return done.report("", &format!("{title} already records its own edits ({shown})"), None);
    }
    let diff = draft.write(true)?;
    if common.dry_run {
        show(common, &diff, args.json)?;
        return done.report(&diff, &format!("[Dry Run] {title} would record its own edits ({shown})"), None);
    }
    let drafts = [draft];
    confirm(common, &drafts, &diff, args.json)?;
    drafts[0].write(false)?;
    let said =
        format!("{title} records its own edits from its next start; `toolcrib log` shows them ({shown})");
    done.report(&diff, &said, None)
}

fn show(common: &Common, diff: &str, as_json: bool) -> Result<(), Failure> {
    if !as_json {
        output::answer(&Paint::new(common.color).diff(diff))?;
    }
    Ok(())
}

/// What was done, and to whom.
struct Done<'a> {
    client: Client,
    name: &'a str,
    file: &'a str,
    json: bool,
}

impl Done<'_> {
    /// Says it, and what the agent itself says to it, if it is to be asked in a directory.
    fn report(&self, diff: &str, said: &str, asked: Option<&Path>) -> Result<ExitCode, Failure> {
        let title = self.client.title();
        let check = asked.and_then(|folder| check::ask(self.client, self.name, folder));
        if self.json {
            let check = check.as_ref().map(check::Check::to_json);
            let (file, changed) = (self.file, !diff.is_empty());
            let facts =
                json!({"client": title, "file": file, "changed": changed, "diff": diff, "check": check});
            return json::print(said, &facts);
        }
        output::say(said);
        check.into_iter().for_each(|check| output::say(&check.to_string()));
        Ok(ExitCode::SUCCESS)
    }
}
