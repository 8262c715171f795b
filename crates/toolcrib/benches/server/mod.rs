//! The MCP server as a client meets it: a process, with one message a line.
//!
//! The process is this benchmark once more, with a tool beside the others that does nothing.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::{Answer, Call, Effect, Tool, ToolError, Toolbox};

use crate::Result;

/// Does nothing.
struct Nothing;

#[derive(Deserialize, JsonSchema)]
struct Input {}

impl Tool for Nothing {
    type Input = Input;
    type Output = String;
    const NAME: &'static str = "Nothing";
    const DESCRIPTION: &'static str = "Does nothing.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _input: Input, _call: &Call<'_>) -> std::result::Result<Answer<String>, ToolError> {
        Ok("nothing done".to_owned().into())
    }
}

/// Serves the tools of a workspace until the client goes.
pub(crate) fn serve(root: &Path) -> Result<()> {
    let toolbox = Toolbox::open(root)?;
    toolbox.register(Nothing)?;
    Ok(toolcrib_mcp::serve_stdio(toolcrib_mcp::Server::new(toolbox))?)
}

/// A running server that has shaken hands.
pub(crate) struct Server {
    pub(crate) process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The last answer.
    pub(crate) line: String,
    id: u64,
}

impl Server {
    pub(crate) fn start(root: &Path) -> Result<Self> {
        Self::of(Command::new(std::env::current_exe()?).arg("serve").arg(root))
    }

    /// Starts a program that is a server.
    pub(crate) fn of(command: &mut Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = process.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        let mut server = Self { process, input, output, line: String::new(), id: 0 };
        let client = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        server.ask("initialize", &hello)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Calls a tool, and makes sure that the answer holds a text. Only looked for, not parsed: that is the client's.
    pub(crate) fn call(&mut self, parameters: &Value, holds: &str) -> Result<()> {
        self.ask("tools/call", parameters)?;
        if self.line.contains(holds) {
            Ok(())
        } else {
            Err(format!("the server answered {}", self.line).into())
        }
    }

    pub(crate) fn stop(mut self) -> Result<()> {
        drop(self.input);
        self.process.wait()?;
        Ok(())
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Result<()> {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters}))?;
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes())?)
    }
}
