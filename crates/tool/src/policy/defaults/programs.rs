//! Files that make other programs run things: a person is asked before one is edited.

use super::super::pattern::Reach;
use super::super::{Action, Group, Origin};
use super::{Row, Table, row};

pub(super) static TABLES: &[Table] = &[
    table("Internals of git", "hooks and settings in them run programs", Action::Deny, GIT),
    table(
        "Configurations",
        "editors, agents, MCP clients and shells run what they name",
        Action::Ask,
        CONFIGURATIONS,
    ),
];

const fn table(label: &'static str, reason: &'static str, edit: Action, rows: &'static [Row]) -> Table {
    Table {
        group: Group { label, reason, reach: Reach::Projects },
        read: None,
        edit: Some(edit),
        origin: Origin::Default,
        rows,
    }
}

const GIT: &[Row] = &[row("**/{.git,git~?}"), row("**/{.git,git~?}/**")];

const CONFIGURATIONS: &[Row] = &[
    row(
        "**/.{vscode,idea,zed,cursor,windsurf,claude,codex,gemini,opencode,goose,continue,roo,devcontainer,husky}/**",
    ),
    row("**/{.mcp.json,mcp.json,opencode.json,opencode.jsonc,.aider.conf.yml,.devcontainer.json}"),
    row("**/{.exrc,.vimrc,.nvimrc,.nvim.lua,.dir-locals.el,.lldbinit,.gdbinit}"),
    row("**/{.bashrc,.bash_profile,.profile,.zshrc,.zshenv,.zprofile,.gitconfig}"),
];
