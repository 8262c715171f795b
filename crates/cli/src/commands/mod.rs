//! One file a command.

mod call;
mod mcp;
mod schemas;

use std::process::ExitCode;

use toolcrib::Toolbox;

use crate::args::{Args, Command, Common};
use crate::failure::Failure;

pub(crate) fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.command {
        Command::Call(call) => call::run(&args.common, &call),
        Command::Schemas(schemas) => schemas::run(&args.common, &schemas),
        Command::Mcp => mcp::run(&args.common),
    }
}

/// The toolbox on the roots that were given, or on the current directory.
fn open(common: &Common) -> Result<Toolbox, Failure> {
    let mut builder = Toolbox::builder().dialect(common.dialect);
    #[expect(clippy::disallowed_methods, reason = "a door is where the process's directory becomes a root")]
    let here = std::env::current_dir()?;
    if common.roots.is_empty() {
        builder = builder.root(&here);
    }
    for root in &common.roots {
        builder = builder.root(here.join(root));
    }
    Ok(builder.open()?)
}
