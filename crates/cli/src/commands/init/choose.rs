//! `toolcrib init` without a name: the agents that are installed.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolcrib::{ErrorKind, ToolError, names};

use super::client::Client;
use super::{Configured, InitArgs, add, text_of};
use crate::args::Common;
use crate::failure::Failure;
use crate::{json, output, prompt};

/// An agent that is installed.
struct Found {
    client: Client,
    file: PathBuf,
    /// Whether it has the server.
    has_it: bool,
}

/// Offers each agent that does not have the server yet: with a question on a terminal, as a list in a pipe.
pub(super) fn offer(common: &Common, args: &InitArgs) -> Result<ExitCode, Failure> {
    let found = installed();
    if found.is_empty() {
        let all: Vec<String> = Client::all().map(|client| client.typed()).collect();
        let error = ToolError::new(ErrorKind::NotFound, "No known agent is installed");
        let hint = format!("name one: {}; or pass --print to print the configuration", all.join(", "));
        return Err(error.hint(hint).into());
    }
    if args.json {
        let agents: Vec<Value> = found.iter().map(Found::to_json).collect();
        return json::print(&list(&found), &json!({"agents": agents}));
    }
    if !common.yes && !common.dry_run && !prompt::can_ask() {
        output::answer(&list(&found))?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.iter().all(|found| found.has_it) {
        output::answer(&list(&found))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = false;
    for found in found.iter().filter(|found| !found.has_it) {
        let title = found.client.title();
        output::say(&format!("{title} is installed."));
        match add(common, args, found.client) {
            Ok(_) => {}
            // A no to one agent is no answer about the others.
            Err(failure) if failure.is_refusal() => output::say(&format!("{title} was not changed.")),
            Err(failure) => {
                failed = true;
                failure.report(false);
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn installed() -> Vec<Found> {
    let installed = Client::all().filter(|client| client.is_installed());
    let found = installed.filter_map(|client| {
        let file = client.user_file().ok()?;
        let has_it = text_of(&file).is_some_and(|text| !Configured::in_text(client, &text).is_empty());
        Some(Found { client, file, has_it })
    });
    found.collect()
}

/// One agent a line, with what to type.
fn list(found: &[Found]) -> String {
    let width = found.iter().map(|found| found.client.title().len()).max().unwrap_or_default();
    let line = |found: &Found| {
        let next = if found.has_it {
            format!("has Toolcrib; `toolcrib uninit {}` removes it", found.client.typed())
        } else {
            format!("toolcrib init {}", found.client.typed())
        };
        format!("{:<width$}  {next}\n", found.client.title())
    };
    found.iter().map(line).collect()
}

impl Found {
    fn to_json(&self) -> Value {
        json!({
            "client": self.client.title(),
            "name": self.client.typed(),
            "file": names::escape(&self.file),
            "configured": self.has_it,
        })
    }
}
