//! `toolcrib init`: the server in an agent's configuration.
//!
//! The new text is made by editing the old one, never by writing it anew, so that what else stands there stays. It is
//! written by the same tool that agents write with: whole or not at all, and only if the file is still what was shown.

mod check;
mod client;
mod jsonc;
mod record;
mod toml;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use toolcrib::dialects::operations::Write;
use toolcrib::files::{WriteRequest, write};
use toolcrib::{
    Access, Action, ApprovalRequest, Config, Decision, Dialect, ErrorKind, Origin, Rule, ToolError, Toolbox,
    disk_error, names,
};

use client::{Client, Wishes};

use super::from_here;
use super::server::{Reach, RootForm, Server};
use crate::args::{Common, name};
use crate::failure::Failure;
use crate::paint::Paint;
use crate::{output, prompt};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib init claude-code
  toolcrib init cursor --root ~/project --dry-run
  toolcrib init vscode --project --yes
  toolcrib init --print

Shows a diff of the agent's configuration and writes it after you confirm. Everything else in the file is kept, including \
comments; running it again changes nothing. For agents that start the server in the current project, no root is written, so \
that each project is served separately; pass --root to serve one directory always.")]
pub(crate) struct InitArgs {
    /// The agent to configure
    #[arg(required_unless_present = "print")]
    client: Option<Client>,
    /// Only print the configuration snippet; without an agent, the generic one
    #[arg(long)]
    print: bool,
    /// Write the project's configuration, in the first root, instead of the user's
    #[arg(long, conflicts_with = "file")]
    project: bool,
    /// Write this file instead
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
    /// Do not ask the agent afterwards whether it can start the server
    #[arg(long)]
    no_check: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// A configuration is written by hand, or nearly; Claude Code keeps its history in it too.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

pub(crate) fn run(common: &Common, args: &InitArgs) -> Result<ExitCode, Failure> {
    let reach = if args.project { Reach::Project } else { Reach::ThisMachine };
    let form = args.client.map_or(RootForm::Path, Client::root_form);
    // An agent without its own tools is given those its model knows. Beside them, the same names would only confuse it.
    let own = args.client.filter(|_| args.replace_built_ins && common.dialect == Dialect::default());
    let common = &Common { dialect: own.map_or(common.dialect, Client::dialect), ..common.clone() };
    let mut server = Server::new(common, &args.name, reach, form)?;
    let Some(client) = args.client else {
        output::answer_as_it_is(&server.in_general())?;
        return Ok(ExitCode::SUCCESS);
    };
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
        (None, true) => client.project_file(&server)?,
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
                .hint("leave out --file, or --trust and --replace-built-ins")
                .into());
        }
        drafts.push(Draft::new(client, &settings, |text| client.with_settings(&server, wishes, text))?);
    }
    let before = drafts[0].config.before.as_deref().unwrap_or_default();
    if let Some(name) = client.reference_server(before).filter(|name| *name != args.name) {
        output::say(&format!(
            "note: {} has the reference filesystem server too, as {name}; --name {name} puts Toolcrib in its place",
            client.title()
        ));
    }
    drafts.retain(Draft::is_change);
    let file = names::escape(&file);
    // An agent does not look into a file of another name.
    let asked = (!args.no_check && !common.dry_run && args.file.is_none()).then(|| Path::new(&server.root));
    let done = Done { client, name: &args.name, file: &file, json: args.json };
    if drafts.is_empty() {
        return done.report("", "has the server already", asked);
    }
    let mut diff = String::new();
    for draft in &drafts {
        diff.push_str(&draft.config.write(&draft.text, true)?);
    }
    if common.dry_run {
        show(common, args, &diff)?;
        return done.report(&diff, "would get the server", None);
    }
    let files: Vec<String> =
        drafts.iter().map(|draft| names::escape(&draft.config.path).into_owned()).collect();
    let files = files.join(" and ");
    if common.yes {
        show(common, args, &diff)?;
    } else if !prompt::confirm(&diff, &files, common.color) {
        return Err(ToolError::new(ErrorKind::PermissionDenied, format!("{files} stays as it is"))
            .hint("answer y on a terminal, or say --yes; --dry-run shows the change")
            .into());
    }
    for draft in &drafts {
        draft.config.write(&draft.text, false)?;
    }
    done.report(&diff, "has the server now; start it anew", asked)
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
    let shown = names::escape(&file).into_owned();
    let done = Done { client, name: &args.name, file: &shown, json: args.json };
    if !draft.is_change() {
        return done.report("", "records its own edits already", None);
    }
    let diff = draft.config.write(&draft.text, true)?;
    if common.dry_run {
        show(common, args, &diff)?;
        return done.report(&diff, "would record its own edits", None);
    }
    if common.yes {
        show(common, args, &diff)?;
    } else if !prompt::confirm(&diff, &shown, common.color) {
        return Err(ToolError::new(ErrorKind::PermissionDenied, format!("{shown} stays as it is"))
            .hint("answer y on a terminal, or say --yes; --dry-run shows the change")
            .into());
    }
    draft.config.write(&draft.text, false)?;
    done.report(&diff, "records its own edits from its next start; `toolcrib log` shows them", None)
}

/// A file and what it is to hold.
struct Draft {
    config: ConfigFile,
    text: String,
}

impl Draft {
    fn new(
        client: Client,
        file: &Path,
        with: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Self, ToolError> {
        let config = ConfigFile::open(file)?;
        let text = with(config.before.as_deref().unwrap_or_default()).map_err(|why| {
            ToolError::new(ErrorKind::Unsupported, format!("{} stays as it is: {why}", names::escape(file)))
                .hint(format!("`toolcrib init {} --print` shows what belongs into it", client.typed()))
        })?;
        Ok(Self { config, text })
    }

    fn is_change(&self) -> bool {
        self.config.before.as_deref() != Some(self.text.as_str())
    }
}

fn show(common: &Common, args: &InitArgs, diff: &str) -> Result<(), Failure> {
    if !args.json {
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
    fn report(&self, diff: &str, what: &str, asked: Option<&Path>) -> Result<ExitCode, Failure> {
        let title = self.client.title();
        let check = asked.and_then(|folder| check::ask(self.client, self.name, folder));
        if self.json {
            let check = check.as_ref().map(check::Check::to_json);
            let (file, changed) = (self.file, !diff.is_empty());
            let answer =
                json!({"client": title, "file": file, "changed": changed, "diff": diff, "check": check});
            output::answer_json(&answer.to_string())?;
        } else {
            output::say(&format!("{title} {what} ({})", self.file));
            check.into_iter().for_each(|check| output::say(&check.to_string()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A file of the user's, which may not be there yet.
struct ConfigFile {
    path: PathBuf,
    before: Option<String>,
    version: Option<String>,
    toolbox: Toolbox,
}

impl ConfigFile {
    fn open(path: &Path) -> Result<Self, ToolError> {
        let toolbox = reaching(path)?;
        let workspace = toolbox.workspace();
        let place = workspace.path(path, &toolbox.context().working_dir).map_err(disk_error)?;
        let error = match workspace.snapshot_within(&place, MAX_SIZE) {
            Ok(snapshot) => {
                let version = Some(snapshot.version().to_string());
                let before = String::from_utf8(snapshot.into_bytes()).map_err(|_| {
                    ToolError::new(ErrorKind::Unsupported, format!("{} is not UTF-8", names::escape(path)))
                })?;
                return Ok(Self { path: path.to_owned(), before: Some(before), version, toolbox });
            }
            Err(error) => disk_error(error),
        };
        if error.kind() != ErrorKind::NotFound {
            return Err(error);
        }
        Ok(Self { path: path.to_owned(), before: None, version: None, toolbox })
    }

    /// Gives the file this content, or only shows it. The answer is the diff.
    fn write(&self, content: &str, dry_run: bool) -> Result<String, ToolError> {
        let request = WriteRequest {
            path: self.path.clone(),
            content: content.to_owned(),
            expected_version: self.version.clone(),
        };
        let context = self.toolbox.context().agent("init").dry_run(dry_run);
        let written = self.toolbox.perform::<Write>(&context, |caller| write(caller.sandbox, &request));
        written.map(|written| written.facts.shown.diff).map_err(|error| {
            let hint = error.next_step().unwrap_or("try again");
            ToolError::new(ErrorKind::Conflict, error.message()).hint(hint)
        })
    }
}

/// A toolbox that reaches the file: on the home, so that links of those who keep such files elsewhere in it lead on, or
/// else on the nearest directory that is there. The person is asked by this command, and so by no rule.
fn reaching(file: &Path) -> Result<Toolbox, ToolError> {
    let yes = Arc::new(|_: &ApprovalRequest| Decision::Once);
    // Claude Code keeps an account in the file that the server goes into, and Continue keys. Agents may not reach these, but
    // the person may.
    let mut config = Config::default();
    for file in ["**/.claude.json", "**/.continue/config.yaml"] {
        for access in [Access::Read, Access::Edit] {
            config = config.rule(Rule::new(access, file, Action::Ask, Origin::User)?);
        }
    }
    let open =
        |root: &Path| Toolbox::builder().root(root).config(config.clone()).approver(yes.clone()).open();
    let home = client::folder("HOME").filter(|home| file.starts_with(home));
    let mut folders = home.as_deref().into_iter().chain(file.ancestors().skip(1));
    let mut last = ToolError::new(ErrorKind::NotFound, format!("Not a file: {}", names::escape(file)));
    folders
        .find_map(|folder| open(folder).map_err(|error| last = error).ok())
        .ok_or_else(|| last.hint("give the file with --file"))
}
