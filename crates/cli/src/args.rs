//! What every command accepts. The arguments of a command stand beside its code, in [`commands`](crate::commands).

mod deferred;

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ColorChoice, Parser};
use toolcrib::{Dialect, ToolError};

use crate::commands::Command;
pub(crate) use deferred::Deferred;

/// File tools for AI agents: contained, exact, fast.
#[derive(Debug, Parser)]
#[command(
    name = "toolcrib",
    version,
    max_term_width = 80,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The options that every command accepts.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Common {
    /// Allow access to DIR; repeatable [default: the current directory]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Use the tool and parameter names of this dialect; `toolcrib dialects` lists them
    #[arg(long, value_name = "NAME", global = true, default_value_t, value_parser = known::<Dialect>)]
    pub(crate) dialect: Dialect,
    /// Join the session ID: a file must be read in it before it is changed
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// Use this configuration file [default: toolcrib/config.toml in the user's configuration folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Show what would change, without changing anything
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    /// Approve everything that a rule says to ask about
    #[arg(long, global = true)]
    pub(crate) yes: bool,
    /// When to use colour; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", global = true, default_value_t)]
    pub(crate) color: ColorChoice,
}

/// Parses a name; the error lists the known names.
pub(crate) fn known<T: FromStr<Err = ToolError>>(name: &str) -> Result<T, String> {
    name.parse().map_err(|error: ToolError| match error.next_step() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    })
}

/// A name that every agent takes, and that means nothing else in JSON, TOML or YAML.
pub(crate) fn name(name: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(fits) {
        Ok(name.to_owned())
    } else {
        Err("a name starts with a letter and contains only letters, digits, - and _".to_owned())
    }
}

/// A number between these two, which an operation takes.
pub(crate) fn within(least: usize, most: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text| match text.parse::<usize>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(format!("must be between {least} and {most}")),
        Err(_) => Err(NOT_A_NUMBER.to_owned()),
    }
}

/// A number that is not smaller than this.
pub(crate) fn at_least<N: FromStr + PartialOrd + Display + Copy>(
    least: N,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |text| match text.parse::<N>() {
        Ok(number) if number >= least => Ok(number),
        Ok(_) => Err(format!("must be at least {least}")),
        Err(_) => Err(NOT_A_NUMBER.to_owned()),
    }
}

const NOT_A_NUMBER: &str = "must be a whole number";
