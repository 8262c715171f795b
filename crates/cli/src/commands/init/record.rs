//! `toolcrib init AGENT --record`: the hook that has the journal cover the agent's own edits.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolcrib::{ErrorKind, ToolError};

use super::client::Client;
use super::jsonc;
use crate::commands::server::Server;

/// By what our hooks are found again.
const MARK: &str = "record-hook";

/// Where the agent is told of its hooks.
pub(super) fn file(client: Client, server: &Server, project: bool) -> Result<PathBuf, ToolError> {
    let configuration =
        || if project { client.project_file(Path::new(&server.root)) } else { client.user_file() };
    match client {
        Client::ClaudeCode => client.settings_file(server, project).ok_or_else(|| no_hooks(client)),
        Client::Gemini | Client::Qwen => configuration(),
        Client::Opencode => {
            let folder = configuration()?.parent().map(PathBuf::from).unwrap_or_default();
            let folder = if project { folder.join(".opencode") } else { folder };
            Ok(folder.join("plugin/toolcrib-record.js"))
        }
        _ => Err(no_hooks(client)),
    }
}

/// The file with the hook in it. Everything else in it stays.
pub(super) fn with(client: Client, server: &Server, text: &str) -> Result<String, String> {
    if client == Client::Opencode {
        let program = Value::from(server.command.as_str()).to_string();
        return Ok(OPENCODE.replace("\"toolcrib\"", &program));
    }
    let mut text = text.to_owned();
    for (event, entry) in entries(client, server) {
        text = jsonc::with_item(&text, &["hooks"], event, &entry, &is_ours)?;
    }
    Ok(text)
}

/// The file without the hook; none if nothing is left that the agent would read.
pub(super) fn without(client: Client, text: &str) -> Result<Option<String>, String> {
    if client == Client::Opencode {
        let heading = OPENCODE.lines().next();
        return Ok(if text.lines().next() == heading { None } else { Some(text.to_owned()) });
    }
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let mut text = text.to_owned();
    for event in events(client) {
        text = jsonc::without_items(&text, &["hooks"], event, &is_ours)?;
    }
    Ok(Some(text))
}

fn events(client: Client) -> &'static [&'static str] {
    match client {
        Client::Gemini => &["BeforeTool", "AfterTool"],
        _ => &["PreToolUse", "PostToolUse", "PostToolUseFailure"],
    }
}

fn entries(client: Client, server: &Server) -> Vec<(&'static str, Value)> {
    let matcher = match client {
        Client::ClaudeCode => "Edit|MultiEdit|Write|NotebookEdit",
        Client::Gemini => "write_file|replace",
        _ => "edit|write_file|Edit|WriteFile|notebook_edit|NotebookEdit",
    };
    // Claude Code counts seconds, the others milliseconds.
    let timeout = if client == Client::ClaudeCode { 10 } else { 10_000 };
    // With any other exit status than 0 the agent would think that its tool must not run.
    let command = format!("{} {MARK} {} || true", quoted(&server.command), client.typed());
    let hook = json!({"type": "command", "command": command, "timeout": timeout});
    let entry = json!({"matcher": matcher, "hooks": [hook]});
    events(client).iter().map(|event| (*event, entry.clone())).collect()
}

/// For a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Whether an entry of a list of hooks has no other hook than ours.
fn is_ours(entry: &Value) -> bool {
    let hooks = entry["hooks"].as_array().map_or(&[][..], Vec::as_slice);
    let ours = |hook: &Value| hook["command"].as_str().is_some_and(|command| command.contains(MARK));
    !hooks.is_empty() && hooks.iter().all(ours)
}

fn no_hooks(client: Client) -> ToolError {
    let message = format!("{} cannot be told to record its own edits", client.title());
    ToolError::new(ErrorKind::InvalidParameter, message).hint(
        "claude-code, gemini, qwen and opencode can; for others, run them with `toolcrib record -- COMMAND`",
    )
}

/// opencode loads every file in its folder of plugins.
const OPENCODE: &str = r#"// Written by `toolcrib init opencode --record`: tells Toolcrib before and after each edit, so that `toolcrib log` shows it
// and `toolcrib undo` undoes it. It never stops or fails an edit. Delete this file to end it.
import { spawn } from "node:child_process";

const PROGRAM = "toolcrib";
const TOOLS = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);

export const ToolcribRecord = async ({ directory }) => {
  const tell = (name, { sessionID, callID, tool }, args) =>
    new Promise((resolve) => {
      const event = {
        hook_event_name: name,
        session_id: sessionID,
        tool_use_id: callID,
        tool_name: tool,
        tool_input: args,
        cwd: directory,
      };
      const child = spawn(PROGRAM, ["record-hook", "opencode"], { stdio: ["pipe", "ignore", "ignore"], timeout: 10_000 });
      child.on("error", resolve);
      child.on("close", resolve);
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(event));
    });
  return {
    "tool.execute.before": async (input, output) => {
      if (TOOLS.has(input.tool)) await tell("PreToolUse", input, output.args);
    },
    "tool.execute.after": async (input) => {
      if (TOOLS.has(input.tool)) await tell("PostToolUse", input, input.args);
    },
  };
};
"#;
