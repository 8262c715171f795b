//! The program; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolcrib_cli::run(std::env::args_os(), None)
}
