//! Starts other programs: each is echoed before it runs, and its output is streamed, never swallowed.
//!
//! Everything runs in the top folder of the repository, wherever `cargo xtask` was typed.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::job::{Failure, Outcome};

/// The top folder of the repository.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// A program to start in the top folder. It reads nothing: a prompt would wait for ever in CI.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The cargo that started us, so that all of a run uses one toolchain.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs a command with its output visible; fails unless it ends with status 0.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let line = echo(command);
    let status = command.status().map_err(|error| not_started(&line, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::Faults(format!("`{line}` ended with {status}"))) }
}

/// Runs a command with its output visible, for the number that it ends with; none if it was killed.
pub(crate) fn code(command: &mut Command) -> Result<Option<i32>, Failure> {
    let line = echo(command);
    Ok(command.status().map_err(|error| not_started(&line, &error))?.code())
}

/// Runs a command for what it prints; its complaints stay visible.
pub(crate) fn read(command: &mut Command) -> Result<String, Failure> {
    let line = echo(command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| not_started(&line, &error))?;
    if !output.status.success() {
        return Err(Failure::CouldNotRun(format!("`{line}` ended with {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a command can be started and ends with status 0. For asking whether a tool is there, in silence.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Makes sure that `cargo SUBCOMMAND` exists, and installs the toolchain component that brings it if not.
pub(crate) fn need_component(subcommand: &str, component: &str) -> Outcome {
    let present = || succeeds(&mut cargo([subcommand, "--version"]));
    if present() {
        return Ok(());
    }
    // Whether this worked is seen by asking again.
    let installed = run(program("rustup").args(["component", "add", component]));
    if installed.is_ok() && present() {
        return Ok(());
    }
    Err(Failure::CouldNotRun(format!(
        "`cargo {subcommand}` is missing and `rustup component add {component}` did not bring it"
    )))
}

/// Makes sure that `cargo SUBCOMMAND` exists, and installs the package that brings it if not.
pub(crate) fn need_cargo(subcommand: &str, package: &str) -> Outcome {
    if succeeds(&mut cargo([subcommand, "--version"])) {
        return Ok(());
    }
    run(&mut cargo(["install", package, "--locked"]))
}

/// Makes sure that a program exists, and installs the package of crates.io that brings it if not.
pub(crate) fn need_program_from_cargo(name: &str, package: &str) -> Outcome {
    if succeeds(program(name).arg("--version")) {
        return Ok(());
    }
    run(&mut cargo(["install", package, "--locked"]))
}

/// The built program, with the features that the tests were built with: named alone, it would choose others and build half
/// of the tree again.
pub(crate) fn toolcrib(target: &Path) -> Result<PathBuf, Failure> {
    run(&mut cargo(["build", "--workspace", "--exclude", "xtask", "--bins", "--examples"]))?;
    Ok(target.join("debug").join(format!("toolcrib{}", std::env::consts::EXE_SUFFIX)))
}

/// The built program as it is shipped, for what takes long or is measured.
pub(crate) fn toolcrib_optimised(target: &Path) -> Result<PathBuf, Failure> {
    run(&mut cargo(["build", "--release", "-p", "toolcrib-cli"]))?;
    Ok(target.join("release").join(format!("toolcrib{}", std::env::consts::EXE_SUFFIX)))
}

/// Makes sure that a program exists, and installs the Debian package that brings it if not.
pub(crate) fn need_program(name: &str, package: &str) -> Outcome {
    // Most programs know the first, and those of poppler only the second.
    let present = || succeeds(program(name).arg("--version")) || succeeds(program(name).arg("-v"));
    if present() {
        return Ok(());
    }
    let installed = run(program("apt-get").args(["update", "--quiet"]))
        .and_then(|()| run(program("apt-get").args(["install", "--yes", "--quiet", package])));
    if installed.is_ok() && present() {
        return Ok(());
    }
    Err(Failure::CouldNotRun(format!(
        "`{name}` is missing and `apt-get install {package}` did not bring it; install it by hand"
    )))
}

fn not_started(line: &str, error: &std::io::Error) -> Failure {
    Failure::CouldNotRun(format!("`{line}` did not start: {error}"))
}

fn echo(command: &Command) -> String {
    let line = line_of(command);
    println!("$ {line}");
    line
}

/// The command as one would type it.
fn line_of(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(value?))));
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains(char::is_whitespace) {
        format!("'{word}'")
    } else {
        word.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = program("/somewhere/bin/cargo");
        command.env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--no-deps"]);
        assert_eq!(line_of(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_failed_command_fails_and_a_missing_one_could_not_run() {
        assert!(run(&mut cargo(["--version"])).is_ok());
        assert!(matches!(run(&mut cargo(["no-such-subcommand"])), Err(Failure::Faults(_))));
        assert!(matches!(run(&mut program("no-such-program")), Err(Failure::CouldNotRun(_))));
    }
}
