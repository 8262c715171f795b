//! The agents: where each keeps its configuration, and in which form it takes a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use toolcrib::{Dialect, ErrorKind, ToolError};

use super::{jsonc, toml, yaml};
use crate::commands::is_file;
use crate::commands::server::{RootForm, Server};

/// An agent whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Opencode,
    Codex,
    Cursor,
    #[value(name = "vscode", alias = "vs-code")]
    VsCode,
    Zed,
    #[value(name = "gemini", alias = "gemini-cli")]
    Gemini,
    #[value(name = "qwen", alias = "qwen-code")]
    Qwen,
    Cline,
    Continue,
    Goose,
}

/// What the user wants beside the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// That the agent calls the tools without asking.
    pub(super) trust: bool,
    /// That the agent's own file tools are switched off.
    pub(super) replace_built_ins: bool,
}

impl Client {
    /// The dialect of its built-in tools, where there is one.
    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::ClaudeCode => Dialect::ClaudeCode,
            Self::Opencode => Dialect::Opencode,
            Self::Gemini => Dialect::Gemini,
            _ => Dialect::default(),
        }
    }

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
            Self::Qwen => "Qwen Code",
            Self::Cline => "Cline",
            Self::Continue => "Continue",
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
    /// | Claude Code | `~/.claude.json`, or in `CLAUDE_CONFIG_DIR` | the same | code.claude.com/docs/en/mcp |
    /// | Claude Desktop | `~/.config/Claude/claude_desktop_config.json` | `~/Library/Application Support/Claude/…` | modelcontextprotocol.io/quickstart/user |
    /// | opencode | `~/.config/opencode/opencode.json`, or `.jsonc` | the same | opencode.ai/docs/config |
    /// | Codex | `~/.codex/config.toml`, or in `CODEX_HOME` | the same | developers.openai.com/codex/mcp |
    /// | Cursor | `~/.cursor/mcp.json` | the same | cursor.com/docs/mcp |
    /// | VS Code | `~/.config/Code/User/mcp.json` | `~/Library/Application Support/Code/User/…` | code.visualstudio.com/docs/copilot/reference/mcp-configuration |
    /// | Zed | `~/.config/zed/settings.json` | the same | zed.dev/docs/ai/mcp |
    /// | Gemini CLI | `~/.gemini/settings.json`; `GEMINI_CLI_HOME` for `~` | the same | geminicli.com/docs/cli/configuration |
    /// | Qwen Code | `~/.qwen/settings.json`, or in `QWEN_HOME` | the same | qwenlm.github.io/qwen-code-docs |
    /// | Cline | `~/.cline/data/settings/cline_mcp_settings.json`; `CLINE_MCP_SETTINGS_PATH`, `CLINE_DATA_DIR`, `CLINE_DIR` | the same | docs.cline.bot |
    /// | Continue | `~/.continue/config.yaml`, or in `CONTINUE_GLOBAL_DIR` | the same | docs.continue.dev/reference |
    /// | Goose | `~/.config/goose/config.yaml` | the same | block.github.io/goose/docs/guides/config-files |
    ///
    /// On Linux `~/.config` is `XDG_CONFIG_HOME` where that is set.
    pub(super) fn user_file(self) -> Result<PathBuf, ToolError> {
        let found = match self {
            Self::ClaudeCode => {
                folder("CLAUDE_CONFIG_DIR").or_else(|| folder("HOME")).map(|home| home.join(".claude.json"))
            }
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
            Self::Gemini => folder("GEMINI_CLI_HOME")
                .or_else(|| folder("HOME"))
                .map(|home| home.join(".gemini/settings.json")),
            Self::Qwen => folder("QWEN_HOME")
                .or_else(|| Some(folder("HOME")?.join(".qwen")))
                .map(|folder| folder.join("settings.json")),
            Self::Cline => folder("CLINE_MCP_SETTINGS_PATH").or_else(|| {
                let data = folder("CLINE_DATA_DIR")
                    .or_else(|| Some(folder("CLINE_DIR")?.join("data")))
                    .or_else(|| Some(folder("HOME")?.join(".cline/data")))?;
                Some(data.join("settings/cline_mcp_settings.json"))
            }),
            Self::Continue => folder("CONTINUE_GLOBAL_DIR")
                .or_else(|| Some(folder("HOME")?.join(".continue")))
                .map(|folder| folder.join("config.yaml")),
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
            Self::Qwen => ".qwen/settings.json",
            Self::ClaudeDesktop | Self::Cline | Self::Continue | Self::Goose => {
                let message = format!("{} has no configuration that belongs to a project", self.title());
                return Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("leave --project out"));
            }
        };
        Ok(Path::new(&server.root).join(file))
    }

    /// How it says which directory is served. Those that start the server in the project were seen to.
    pub(super) fn root_form(self) -> RootForm {
        match self {
            Self::ClaudeCode
            | Self::Codex
            | Self::Continue
            | Self::Gemini
            | Self::Goose
            | Self::Opencode
            | Self::Qwen => RootForm::Started,
            Self::Cursor | Self::VsCode => RootForm::Variable("${workspaceFolder}"),
            Self::ClaudeDesktop | Self::Cline | Self::Zed => RootForm::Path,
        }
    }

    /// What the server is started with beside the usual.
    pub(super) fn options(self, name: &str, dialect: Dialect) -> Vec<String> {
        match (self, dialect) {
            // It puts nothing before a tool's name, has a Read, a Write and an Edit of its own, and calls those.
            (Self::Continue, _) => {}
            // With a built-in tool it hides the tools of servers that have the same name.
            (Self::Gemini, Dialect::Gemini) => {}
            _ => return Vec::new(),
        }
        vec!["--prefix".to_owned(), format!("{name}_")]
    }

    /// The file beside the configuration that says what the agent may call, if that is another one.
    pub(super) fn settings_file(self, server: &Server, project: bool) -> Option<PathBuf> {
        match self {
            Self::ClaudeCode if project => Some(Path::new(&server.root).join(".claude/settings.json")),
            Self::ClaudeCode => {
                let folder = folder("CLAUDE_CONFIG_DIR").or_else(|| Some(folder("HOME")?.join(".claude")))?;
                Some(folder.join("settings.json"))
            }
            _ => None,
        }
    }

    /// Whether it can be told by its configuration what is wished.
    pub(super) fn refuse_wishes(self, wishes: Wishes) -> Result<(), ToolError> {
        let trusts = matches!(self, Self::ClaudeCode | Self::Codex | Self::Gemini | Self::Qwen);
        let has_switch = matches!(self, Self::ClaudeCode | Self::Gemini | Self::Opencode | Self::Qwen);
        let refused = match wishes {
            Wishes { trust: true, .. } if !trusts => "--trust",
            Wishes { replace_built_ins: true, .. } if !has_switch => "--replace-built-ins",
            _ => return Ok(()),
        };
        let message = format!("{} has no setting for {refused}", self.title());
        Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("leave it out"))
    }

    /// The settings with what is wished.
    pub(super) fn with_settings(self, server: &Server, wishes: Wishes, text: &str) -> Result<String, String> {
        let mut text = text.to_owned();
        if wishes.trust {
            text = jsonc::with_items(&text, &["permissions"], "allow", &[&format!("mcp__{}", server.name)])?;
        }
        if wishes.replace_built_ins {
            let own = ["Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep", "LS"];
            text = jsonc::with_items(&text, &["permissions"], "deny", &own)?;
        }
        Ok(text)
    }

    /// The configuration with the server in it, and with what is wished.
    pub(super) fn with(self, server: &Server, wishes: Wishes, text: &str) -> Result<String, String> {
        let text = self.with_server(server, wishes, text)?;
        if !wishes.replace_built_ins {
            return Ok(text);
        }
        match self {
            Self::Opencode => {
                let off = ["read", "write", "edit", "patch", "grep", "glob", "list"];
                let off = off.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
                jsonc::with(&text, &[], "tools", &off)
            }
            Self::Gemini | Self::Qwen => {
                let own = [
                    "read_file",
                    "read_many_files",
                    "write_file",
                    "replace",
                    "edit",
                    "glob",
                    "grep_search",
                    "search_file_content",
                    "list_directory",
                ];
                jsonc::with_items(&text, &["tools"], "exclude", &own)
            }
            _ => Ok(text),
        }
    }

    fn with_server(self, server: &Server, wishes: Wishes, text: &str) -> Result<String, String> {
        match self {
            Self::Codex => {
                // It passes no other variables on, and these say where the user's rules and the journal are.
                let forwarded: Vec<String> = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"].map(str::to_owned).into();
                let approval = wishes.trust.then_some("approve");
                toml::with(text, "mcp_servers", server, &forwarded, approval)
            }
            Self::Goose => yaml::with(text, "extensions", server),
            Self::Continue if text.trim().is_empty() => {
                Err("there is none yet, and one without models would leave it without any".to_owned())
            }
            Self::Continue => yaml::with_item(text, "mcpServers", server),
            Self::Opencode => {
                // Its second major version has the servers one level deeper.
                let deeper = jsonc::holds_object(text, &["mcp", "servers"]);
                let at: &[&str] = if deeper { &["mcp", "servers"] } else { &["mcp"] };
                jsonc::with(text, at, &server.name, &self.entry(server, wishes))
            }
            Self::VsCode => jsonc::with(text, &["servers"], &server.name, &self.entry(server, wishes)),
            Self::Zed => jsonc::with(text, &["context_servers"], &server.name, &self.entry(server, wishes)),
            _ => jsonc::with(text, &["mcpServers"], &server.name, &self.entry(server, wishes)),
        }
    }

    /// The name of the reference filesystem server in a configuration, which offers the same and keeps none of the promises.
    pub(super) fn reference_server(self, text: &str) -> Option<String> {
        let at = match self {
            Self::Opencode => "mcp",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
            Self::Codex | Self::Continue | Self::Goose => return None,
            _ => "mcpServers",
        };
        jsonc::entry_with(text, &[at], "server-filesystem")
    }

    /// What belongs into the configuration, alone.
    pub(super) fn snippet(self, server: &Server, wishes: Wishes) -> Result<String, ToolError> {
        if self == Self::Continue {
            return Ok(format!("mcpServers:\n{}", yaml::item(server, "  ")));
        }
        self.with(server, wishes, "").map_err(|why| ToolError::new(ErrorKind::Internal, why))
    }

    fn entry(self, server: &Server, wishes: Wishes) -> Map<String, Value> {
        let entry = match self {
            Self::Opencode => {
                let command: Vec<&String> = std::iter::once(&server.command).chain(&server.args).collect();
                json!({"type": "local", "command": command, "enabled": true})
            }
            // Else the model has to search for the tools before it can call them.
            Self::ClaudeCode => {
                json!({"type": "stdio", "command": server.command, "args": server.args, "alwaysLoad": true})
            }
            Self::VsCode => json!({"type": "stdio", "command": server.command, "args": server.args}),
            Self::Gemini | Self::Qwen if wishes.trust => {
                json!({"command": server.command, "args": server.args, "trust": true})
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
