//! The help of a command: its own options, and of the global ones those that mean something to it.

use std::io;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{ColorChoice, Command, CommandFactory};

use crate::args::Args;
use crate::output;
use crate::paint::Paint;

/// All commands, each with the global options that it shows.
pub(crate) fn all() -> Command {
    let mut program = Args::command();
    program.build();
    // The last one is that of clap, which has no options.
    let names = program.get_subcommands().map(|command| command.get_name().to_owned());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    names.into_iter().fold(program, |program, name| {
        let unused = without_effect(&name);
        program.mut_subcommand(name.clone(), |command| {
            // An argument that is touched goes to the end, where the global ones belong.
            GLOBAL.iter().fold(command, |command, option| {
                let meaning = meaning(&name, option);
                command.mut_arg(option, |shown| {
                    let shown = shown.hide(unused.contains(option));
                    if let Some(meaning) = meaning { shown.help(meaning) } else { shown }
                })
            })
        })
    })
}

/// Prints the help of a command, or of the program.
pub(crate) fn print(command: &str) -> io::Result<ExitCode> {
    let (text, coloured) = (of(command), Paint::new(ColorChoice::Auto).has_colour());
    output::answer(&if coloured { text.ansi().to_string() } else { text.to_string() })?;
    Ok(ExitCode::SUCCESS)
}

fn of(command: &str) -> StyledStr {
    let mut program = all();
    match program.find_subcommand_mut(command) {
        Some(command) => command.render_help(),
        None => program.render_help(),
    }
}

const GLOBAL: [&str; 7] = ["roots", "dialect", "session", "config", "dry_run", "yes", "color"];

/// The global options that change nothing about a command.
fn without_effect(command: &str) -> &'static [&'static str] {
    match command {
        "read" | "grep" | "glob" | "ls" => &["dialect", "dry_run"],
        "log" | "show" | "diff" => &["dialect", "dry_run", "yes"],
        "write" | "edit" | "multiedit" | "patch" => &["dialect"],
        "undo" | "redo" => &["dialect", "yes"],
        "record" => &["dialect", "dry_run", "yes", "color"],
        "apply-patch" => &["dialect"],
        "dialects" | "completions" | "man" => &["roots", "dialect", "session", "config", "dry_run", "yes"],
        "schemas" => &["session", "dry_run", "yes", "color"],
        "rules" => &["dialect", "session", "dry_run", "yes"],
        "doctor" => &["dialect", "session", "dry_run", "yes"],
        "init" | "uninit" => &["session"],
        "mcp" => &["yes", "color"],
        "ui" => &["dialect", "session", "dry_run", "yes", "color"],
        "filesystem" => &["dialect", "yes", "color"],
        _ => &[],
    }
}

/// What a global option means to a command, where it is not what it means to the others.
fn meaning(command: &str, option: &str) -> Option<&'static str> {
    Some(match (command, option) {
        ("log" | "diff", "session") => "Show only the changes of this session",
        ("show", "session") => "Show the latest change of this session",
        ("undo", "session") => "Undo the changes of this session",
        ("redo", "session") => "Redo the changes of this session",
        ("record", "session") => "Record the change as one of this session",
        ("init" | "uninit", "yes") => "Write without asking",
        _ => return None,
    })
}
