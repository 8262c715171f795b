//! Any MCP server, by a file that says how it is started and called:
//!
//! ```json
//! {
//!   "name": "reference server",
//!   "command": ["npx", "-y", "@modelcontextprotocol/server-filesystem", "$ROOT"],
//!   "edit": {"tool": "edit_file", "arguments": {"path": "$FILE", "edits": [{"oldText": "$OLD", "newText": "$NEW"}]}}
//! }
//! ```
//!
//! `edit`, `unified` and `envelope` are the forms that it takes; `$ROOT`, `$FILE`, `$OLD`, `$NEW` and `$PATCH` are filled in.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contestants::Contestant;
use crate::slips::{Case, Form};
use crate::{FILE, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adapter {
    name: String,
    command: Vec<String>,
    edit: Option<Tool>,
    unified: Option<Tool>,
    envelope: Option<Tool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    tool: String,
    arguments: Value,
}

/// A running server that has shaken hands.
pub(crate) struct Adapted {
    adapter: Adapter,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Adapted {
    pub(crate) fn start(file: &Path, root: &Path) -> Result<Self> {
        let adapter: Adapter = serde_json::from_str(
            &fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?,
        )?;
        let root = root.to_string_lossy();
        let mut words = adapter.command.iter().map(|word| word.replace("$ROOT", &root));
        let mut command = Command::new(words.next().ok_or("the adapter names no command")?);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let input = process.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        let mut server = Self { adapter, process, input, output, id: 0 };
        let client = json!({"name": "accuracy", "version": "1"});
        server.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        )?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn tool(&self, form: Form) -> Option<&Tool> {
        match form {
            Form::Edit => self.adapter.edit.as_ref(),
            Form::Unified => self.adapter.unified.as_ref(),
            Form::Envelope => self.adapter.envelope.as_ref(),
        }
    }

    /// Waits for the answer to the question; what else the server says is passed over.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<()> {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("{} ended", self.adapter.name).into());
            }
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            match (answer.get("id"), answer.get("method").and_then(Value::as_str)) {
                (Some(id), None) if *id == self.id => return Ok(()),
                // What it asks of us is answered with nothing.
                (Some(id), Some(_)) => {
                    let refusal = json!({"code": -32601, "message": "not known"});
                    self.send(&json!({"jsonrpc": "2.0", "id": id, "error": refusal}))?;
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes())?;
        Ok(self.input.flush()?)
    }
}

impl Contestant for Adapted {
    fn name(&self) -> String {
        self.adapter.name.clone()
    }

    fn takes(&self, form: Form) -> bool {
        self.tool(form).is_some()
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        let Some(tool) = self.tool(form) else { return Ok(()) };
        let [old, new] = case.texts();
        let file = root.join(FILE).to_string_lossy().into_owned();
        let known = [("$OLD", old), ("$NEW", new), ("$FILE", file), ("$PATCH", case.call(form))];
        let mut arguments = tool.arguments.clone();
        fill(&mut arguments, &known);
        let call = json!({"name": tool.tool, "arguments": arguments});
        self.ask("tools/call", call)
    }
}

impl Drop for Adapted {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn fill(value: &mut Value, known: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            if let Some((_, filled)) = known.iter().find(|(name, _)| name == text) {
                filled.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, known)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, known)),
        _ => {}
    }
}
