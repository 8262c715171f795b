//! The agents: where each keeps its configuration, and in which form it takes a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use toolcrib::{Dialect, ErrorKind, ToolError, Workspace};

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
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied()
    }

    /// The dialect of its built-in tools, where there is one.
    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::ClaudeCode => Dialect::ClaudeCode,
            Self::Opencode => Dialect::Opencode,
            Self::Gemini => Dialect::Gemini,
            _ => Dialect::default(),
        }
    }

    pub(crate) fn title(self) -> &'static str {
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
    pub(crate) fn typed(self) -> String {
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
    pub(crate) fn user_file(self) -> Result<PathBuf, ToolError> {
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
            ToolError::new(
                ErrorKind::NotFound,
                format!("HOME is not set, so the configuration of {} cannot be found", self.title()),
            )
            .hint("set HOME, or name the file with --file")
        })
    }

    /// The configuration that belongs to a project.
    pub(crate) fn project_file(self, root: &Path) -> Result<PathBuf, ToolError> {
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
                let message = format!("{} has no project configuration", self.title());
                return Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("omit --project"));
            }
        };
        Ok(root.join(file))
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
        Err(ToolError::new(ErrorKind::InvalidParameter, message).hint("omit it"))
    }

    /// The settings with what is wished.
    pub(super) fn with_settings(self, server: &Server, wishes: Wishes, text: &str) -> Result<String, String> {
        let mut text = text.to_owned();
        if wishes.trust {
            text = jsonc::with_items(&text, &["permissions"], "allow", &[&format!("mcp__{}", server.name)])?;
        }
        if wishes.replace_built_ins {
            text = jsonc::with_items(&text, &["permissions"], "deny", &CLAUDE_TOOLS)?;
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
                let off = OPENCODE_TOOLS.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
                jsonc::with(&text, &[], "tools", &off)
            }
            Self::Gemini | Self::Qwen => jsonc::with_items(&text, &["tools"], "exclude", &GEMINI_TOOLS),
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
                Err("it does not exist yet, and a file without models would leave Continue without any"
                    .to_owned())
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

    /// Where its servers are, in JSON: the names that lead to them, in either form.
    pub(super) fn places(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Opencode => &[&["mcp", "servers"], &["mcp"]],
            Self::VsCode => &[&["servers"]],
            Self::Zed => &[&["context_servers"]],
            _ => &[&["mcpServers"]],
        }
    }

    /// The configuration without the server of that name, and without what was wished beside it; nothing, if there is none.
    pub(super) fn without(self, name: &str, text: &str) -> Result<Option<String>, String> {
        let text = match self {
            Self::Codex => toml::without(text, "mcp_servers", name)?,
            Self::Goose => yaml::without(text, "extensions", name)?,
            Self::Continue => yaml::without(text, "mcpServers", name)?,
            _ if text.trim().is_empty() => None,
            _ => {
                let at = self.places().iter().find(|at| jsonc::holds_object(text, at));
                at.map(|at| jsonc::without(text, at, name)).transpose()?.flatten()
            }
        };
        let Some(text) = text else { return Ok(None) };
        let without = match self {
            Self::Opencode => {
                let off: Map<String, Value> =
                    OPENCODE_TOOLS.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
                let all = jsonc::value(&text).is_some_and(|value| {
                    off.iter().all(|(tool, off)| value.pointer(&format!("/tools/{tool}")) == Some(off))
                });
                let mut text = text.clone();
                for tool in OPENCODE_TOOLS.iter().filter(|_| all) {
                    text = jsonc::without(&text, &["tools"], tool)?.unwrap_or(text);
                }
                Some(text)
            }
            Self::Gemini | Self::Qwen => jsonc::without_all(&text, &["tools"], "exclude", &GEMINI_TOOLS)?,
            _ => None,
        };
        Ok(Some(without.unwrap_or(text)))
    }

    /// The settings without what was wished; nothing, if nothing of it is there.
    pub(super) fn without_settings(self, name: &str, text: &str) -> Result<Option<String>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let trusted = jsonc::without_all(text, &["permissions"], "allow", &[&format!("mcp__{name}")])?;
        let after = trusted.clone().unwrap_or_else(|| text.to_owned());
        let denied = jsonc::without_all(&after, &["permissions"], "deny", &CLAUDE_TOOLS)?;
        Ok(denied.or(trusted))
    }

    /// Whether it is on this machine: its program is on the search path, or it has put its folder there.
    pub(super) fn is_installed(self) -> bool {
        let file = self.user_file().ok();
        // A file in the home itself has no folder of its own.
        let own =
            file.as_deref().and_then(Path::parent).filter(|own| folder("HOME").as_deref() != Some(*own));
        own.is_some_and(is_directory)
            || file.as_deref().is_some_and(is_file)
            || self.programs().iter().any(|program| on_path(program))
    }

    /// What its programs are called.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::ClaudeDesktop => &["claude-desktop"],
            Self::Opencode => &["opencode"],
            Self::Codex => &["codex"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::VsCode => &["code"],
            Self::Zed => &["zed", "zeditor"],
            Self::Gemini => &["gemini"],
            Self::Qwen => &["qwen"],
            Self::Cline => &["cline"],
            Self::Continue => &["cn"],
            Self::Goose => &["goose"],
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

/// The built-in file tools of each, which are switched off on demand.
const CLAUDE_TOOLS: [&str; 8] = ["Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep", "LS"];
const OPENCODE_TOOLS: [&str; 7] = ["read", "write", "edit", "patch", "grep", "glob", "list"];
const GEMINI_TOOLS: [&str; 9] = [
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

fn is_directory(path: &Path) -> bool {
    Workspace::open(path).is_ok()
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.is_absolute() && is_file(&folder.join(program)))
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
