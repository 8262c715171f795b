//! The agents: where each keeps its configuration, and in which form it takes a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use toolcrib::{ErrorKind, ToolError};

use super::{jsonc, toml, yaml};
use crate::args::Client;
use crate::commands::is_file;
use crate::commands::server::Server;

impl Client {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Opencode => "opencode",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::Gemini => "Gemini CLI",
            Self::Goose => "Goose",
        }
    }

    /// As it is typed.
    pub(super) fn typed(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The user's configuration.
    ///
    /// | | Linux | macOS | documented in |
    /// | --- | --- | --- | --- |
    /// | Claude Code | `~/.claude.json` | the same | code.claude.com/docs/en/mcp |
    /// | Claude Desktop | `~/.config/Claude/claude_desktop_config.json` | `~/Library/Application Support/Claude/…` | modelcontextprotocol.io/quickstart/user |
    /// | opencode | `~/.config/opencode/opencode.json`, or `.jsonc` | the same | opencode.ai/docs/config |
    /// | Codex | `~/.codex/config.toml`, or in `CODEX_HOME` | the same | developers.openai.com/codex/mcp |
    /// | Cursor | `~/.cursor/mcp.json` | the same | cursor.com/docs/mcp |
    /// | VS Code | `~/.config/Code/User/mcp.json` | `~/Library/Application Support/Code/User/…` | code.visualstudio.com/docs/copilot/reference/mcp-configuration |
    /// | Zed | `~/.config/zed/settings.json` | the same | zed.dev/docs/ai/mcp |
    /// | Gemini CLI | `~/.gemini/settings.json` | the same | geminicli.com/docs/cli/configuration |
    /// | Goose | `~/.config/goose/config.yaml` | the same | block.github.io/goose/docs/guides/config-files |
    ///
    /// On Linux `~/.config` is `XDG_CONFIG_HOME` where that is set.
    pub(super) fn user_file(self) -> Result<PathBuf, ToolError> {
        let found = match self {
            Self::ClaudeCode => folder("HOME").map(|home| home.join(".claude.json")),
            Self::ClaudeDesktop => {
                applications().map(|folder| folder.join("Claude/claude_desktop_config.json"))
            }
            Self::Opencode => configurations().map(|folder| {
                let plain = folder.join("opencode/opencode.json");
                let commented = folder.join("opencode/opencode.jsonc");
                if !is_file(&plain) && is_file(&commented) { commented } else { plain }
            }),
            Self::Codex => folder("CODEX_HOME")
                .or_else(|| Some(folder("HOME")?.join(".codex")))
                .map(|folder| folder.join("config.toml")),
            Self::Cursor => folder("HOME").map(|home| home.join(".cursor/mcp.json")),
            Self::VsCode => applications().map(|folder| folder.join("Code/User/mcp.json")),
            Self::Zed => configurations().map(|folder| folder.join("zed/settings.json")),
            Self::Gemini => folder("HOME").map(|home| home.join(".gemini/settings.json")),
            Self::Goose => configurations().map(|folder| folder.join("goose/config.yaml")),
        };
        found.ok_or_else(|| {
            ToolError::new(ErrorKind::NotFound, format!("There is no home to look for {} in", self.title()))
                .hint("set HOME, or give the file with --file")
        })
    }

    /// The configuration that belongs to a project.
    pub(super) fn project_file(self, server: &Server) -> Result<PathBuf, ToolError> {
        let file = match self {
            Self::ClaudeCode => ".mcp.json",
            Self::Opencode => "opencode.json",
            Self::Codex => ".codex/config.toml",
            Self::Cursor => ".cursor/mcp.json",
            Self::VsCode => ".vscode/mcp.json",
            Self::Zed => ".zed/settings.json",
            Self::Gemini => ".gemini/settings.json",
            Self::ClaudeDesktop | Self::Goose => {
                let message = format!("{} has no configuration that belongs to a project", self.title());
                return Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("leave --project out"));
            }
        };
        Ok(Path::new(&server.root).join(file))
    }

    /// The configuration with the server in it.
    pub(super) fn with(self, server: &Server, text: &str) -> Result<String, String> {
        match self {
            Self::Codex => toml::with(text, "mcp_servers", server),
            Self::Goose => yaml::with(text, "extensions", server),
            Self::Opencode => {
                // Its second major version has the servers one level deeper.
                let deeper = jsonc::holds_object(text, &["mcp", "servers"]);
                let at: &[&str] = if deeper { &["mcp", "servers"] } else { &["mcp"] };
                jsonc::with(text, at, &server.name, &self.entry(server))
            }
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor | Self::Gemini => {
                jsonc::with(text, &["mcpServers"], &server.name, &self.entry(server))
            }
            Self::VsCode => jsonc::with(text, &["servers"], &server.name, &self.entry(server)),
            Self::Zed => jsonc::with(text, &["context_servers"], &server.name, &self.entry(server)),
        }
    }

    /// What belongs into the configuration, alone.
    pub(super) fn snippet(self, server: &Server) -> Result<String, ToolError> {
        self.with(server, "").map_err(|why| ToolError::new(ErrorKind::Internal, why))
    }

    fn entry(self, server: &Server) -> Map<String, Value> {
        let entry = match self {
            Self::Opencode => {
                let command: Vec<&String> = std::iter::once(&server.command).chain(&server.args).collect();
                json!({"type": "local", "command": command, "enabled": true})
            }
            Self::ClaudeCode | Self::VsCode => {
                json!({"type": "stdio", "command": server.command, "args": server.args})
            }
            _ => json!({"command": server.command, "args": server.args}),
        };
        entry.as_object().cloned().unwrap_or_default()
    }
}

/// A folder that the environment names.
pub(super) fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where programs keep their settings.
fn configurations() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
}

/// Where programs with windows keep theirs.
fn applications() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some(folder("HOME")?.join("Library/Application Support"));
    }
    configurations()
}
