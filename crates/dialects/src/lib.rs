//! How a family of agents speaks: tool names, parameters, and the text it reads back.
//!
//! A dialect decides nothing. It is a [`Table`]: one [`Row`] for each tool names an [operation](operations), its parameters
//! and facts, and the function that writes the outcome. This crate must not know the disk, nor any protocol.
//!
//! An operation is one file in `operations`, and one row in each dialect that offers it. A dialect is one file, and one line
//! in [`Dialect`].

mod apply_patch;
mod changes;
mod claude_code;
mod ekacode;
mod facts;
mod filesystem;
mod folded;
mod gemini;
mod gutter;
mod memory;
mod opencode;
pub mod operations;
mod refusals;
mod standard;
mod table;
mod text_editor;
mod tool;
mod units;
mod viewed;
mod words;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use facts::Facts;
pub use table::{As, Fixed, Habits, Naming, Paths, Render, Row, Table};
pub use tool::DialectTool;
pub use toolcrib_files::{Matching, ReadLimits, Settings};
use toolcrib_tool::{DynTool, ErrorKind, ToolError, nearest};
pub use words::Words;

/// A family of agents.
///
/// ```
/// use toolcrib_dialects::{Dialect, Settings};
///
/// let dialect: Dialect = "ekacode".parse()?;
/// assert!(dialect.tools(Settings::default()).iter().any(|tool| tool.name() == "read"));
/// # Ok::<(), toolcrib_tool::ToolError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// `Read`, `file_path`, absolute paths, answers as text.
    #[default]
    Standard,
    /// `read`, `filePath`, paths relative to the workspace, answers as objects.
    Ekacode,
    /// The tools of the MCP reference server: `read_text_file`, `edit_file`.
    Filesystem,
    /// OpenAI's patch tool, as Codex has it: `apply_patch`.
    ApplyPatch,
    /// The same tool in the form of OpenAI's Responses API (V4A): `create_file`, `update_file`, `delete_file`.
    ApplyPatchV4a,
    /// The built-in tools of Claude Code: `Read`, `NotebookEdit`.
    ClaudeCode,
    /// The tools of opencode: `read`, `filePath`.
    Opencode,
    /// The tools of Gemini CLI: `read_file`, `replace`.
    Gemini,
    /// Anthropic's `str_replace_based_edit_tool`, as all current models know it.
    TextEditor,
    /// Anthropic's `str_replace_editor` of January 2025, with `undo_edit`.
    TextEditor20250124,
    /// Anthropic's `memory`: paths below `/memories`, which stands for the workspace.
    Memory,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 11] = [
        Self::Standard,
        Self::Ekacode,
        Self::Filesystem,
        Self::ApplyPatch,
        Self::ApplyPatchV4a,
        Self::TextEditor,
        Self::TextEditor20250124,
        Self::Memory,
        Self::ClaudeCode,
        Self::Opencode,
        Self::Gemini,
    ];

    /// The name on the command line and in configurations.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Ekacode => "ekacode",
            Self::Filesystem => "filesystem",
            Self::ApplyPatch => "apply-patch",
            Self::ClaudeCode => "claude-code",
            Self::ApplyPatchV4a => "apply-patch-v4a",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::TextEditor => "text-editor",
            Self::TextEditor20250124 => "text-editor-20250124",
            Self::Memory => "memory",
        }
    }

    /// Which agents it is for.
    #[must_use]
    pub fn audience(self) -> &'static str {
        match self {
            Self::Standard => "every agent; the default",
            Self::Ekacode => "agents that expect objects and filePath",
            Self::Filesystem => "clients of the MCP reference server",
            Self::ApplyPatch => "GPT models, and shells in which they type apply_patch",
            Self::ApplyPatchV4a => "programs on OpenAI's Responses API and the Agents SDK",
            Self::TextEditor => "programs on Anthropic's API: text_editor_20250728",
            Self::TextEditor20250124 => "older models, OpenHands and SWE-agent: text_editor_20250124",
            Self::Memory => "programs on Anthropic's API: memory_20250818",
            Self::ClaudeCode => "the Claude Agent SDK; Claude Code without its own file tools",
            Self::Gemini => "Gemini CLI in place of its own file tools; Gemini models",
            Self::Opencode => "opencode, in place of its own file tools",
        }
    }

    /// Its tools, as the user wants them.
    #[must_use]
    pub fn tools(self, settings: Settings) -> Vec<Arc<dyn DynTool>> {
        match self {
            Self::Standard => standard::tools(settings),
            Self::Ekacode => ekacode::tools(settings),
            Self::Filesystem => filesystem::tools(settings),
            Self::ApplyPatch => apply_patch::tools(settings),
            Self::ClaudeCode => claude_code::tools(settings),
            Self::ApplyPatchV4a => apply_patch::v4a(settings),
            Self::Opencode => opencode::tools(settings),
            Self::Gemini => gemini::tools(settings),
            Self::TextEditor => text_editor::current(settings),
            Self::TextEditor20250124 => text_editor::january_2025(settings),
            Self::Memory => memory::tools(settings),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = ToolError;

    fn from_str(name: &str) -> Result<Self, ToolError> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let near =
                nearest(name, names).map_or_else(String::new, |near| format!(", did you mean '{near}'?"));
            ToolError::new(ErrorKind::InvalidParameter, format!("Unknown dialect '{name}'{near}"))
                .hint(format!("known dialects: {}", names.join(", ")))
        })
    }
}
