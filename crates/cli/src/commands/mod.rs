//! One file a command.

mod call;
mod mcp;
mod rules;
mod schemas;

use std::process::ExitCode;

use toolcrib::{Config, Toolbox};

use crate::args::{Args, Command, Common};
use crate::failure::Failure;

pub(crate) fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.command {
        Command::Call(call) => call::run(&args.common, &call),
        Command::Schemas(schemas) => schemas::run(&args.common, &schemas),
        Command::Rules(rules) => rules::run(&args.common, &rules),
        Command::Mcp => mcp::run(&args.common),
    }
}

/// The toolbox on the roots that were given, or on the current directory.
fn open(common: &Common) -> Result<Toolbox, Failure> {
    #[expect(clippy::disallowed_methods, reason = "a door is where the process's directory becomes a root")]
    let here = std::env::current_dir()?;
    let config = match &common.config {
        Some(file) => Config::load(&here.join(file))?,
        None => Config::load_default()?,
    };
    let builder = Toolbox::builder().dialect(common.dialect).config(config);
    let builder = if common.roots.is_empty() {
        builder.root(&here)
    } else {
        common.roots.iter().fold(builder, |builder, root| builder.root(here.join(root)))
    };
    Ok(builder.open()?)
}
