//! What is printed where the arguments are not those of a command: help, or what is wrong with them.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::help;
use crate::failure::Failure;
use crate::output;

/// Prints help as an answer, and wrong usage as an error. What was typed may be the name of a file, which a shell put there, and
/// is not shown raw.
pub(crate) fn explain(error: &clap::Error, as_json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp => {
            let text = error.render().to_string();
            let usage = text.split_once("Usage: toolcrib ").map(|(_, usage)| usage);
            let command = usage.and_then(|usage| usage.split_whitespace().next()).unwrap_or_default();
            // As in `output`: a reader that went away early is no error.
            _ = help::print(command);
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            _ = error.print();
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
        _ if as_json => Failure::usage(error, other_name(error).as_deref()).report(true),
        _ => match other_name(error) {
            // Whoever types the name of another program does not mean the command of ours that looks like it.
            Some(hint) => Failure::usage(error, Some(&hint)).report(false),
            None => {
                output::say(error.render().to_string().trim_end());
                ExitCode::from(2)
            }
        },
    }
}

/// What to type for a command that other programs have under this name.
fn other_name(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let command = match typed.as_str() {
        "rg" | "search" | "ag" | "ack" => "grep",
        "find" | "fd" | "files" => "glob",
        "cat" | "head" | "tail" | "view" | "less" => "read",
        "list" | "dir" | "tree" => "ls",
        "sed" | "replace" => "edit",
        "apply" | "git-apply" => "patch",
        "install" | "setup" | "add" => "init",
        "uninstall" | "remove" => "uninit",
        "serve" | "server" | "start" => "mcp",
        "status" | "check" => "doctor",
        "history" => "log",
        "revert" | "restore" | "rollback" => "undo",
        "policy" | "permissions" => "rules",
        "update" | "upgrade" | "self-update" => {
            return Some("update it with the package manager that installed it".to_owned());
        }
        _ => return None,
    };
    Some(format!("use `toolcrib {command}`"))
}
