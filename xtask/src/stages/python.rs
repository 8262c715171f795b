//! The tests in tests/python: the built program under real clients, as agents use it.
//!
//! Makes its own virtual environment below the target folder and installs tests/python/requirements.txt into it,
//! again only when that file or the interpreter changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::shell::{cargo, program, read, root, run};

const TESTS: &str = "tests/python";
const REQUIREMENTS: &str = "tests/python/requirements.txt";
/// What the `mcp` package asks for.
const OLDEST: (u32, u32) = (3, 10);

pub(crate) fn check() -> Outcome {
    if !root().join(TESTS).is_dir() {
        return Err(Failure::CouldNotRun(format!("the folder {TESTS} does not exist")));
    }
    let target = Metadata::load()?.target;
    let python = environment(&target.join("xtask/venv"))?;
    run(&mut cargo(["build", "-p", "toolcrib-cli"]))?;
    let binary = target.join("debug").join(format!("toolcrib{}", std::env::consts::EXE_SUFFIX));
    run(program(python).args(["-m", "pytest", TESTS, "-q"]).env("TOOLCRIB_BIN", binary))
}

/// The interpreter of the virtual environment in `folder`, with the requirements installed.
fn environment(folder: &Path) -> Result<PathBuf, Failure> {
    let version = supported_version(&read(
        program("python3").args(["-c", "import sys; print(*sys.version_info[:2])"]),
    )?)?;
    let requirements = fs::read_to_string(root().join(REQUIREMENTS))
        .map_err(|error| Failure::CouldNotRun(format!("{REQUIREMENTS}: {error}")))?;
    let python = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    let wanted = format!("# python {}.{}\n{requirements}", version.0, version.1);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    // The stamp is written last, so that an installation that was cut short starts from nothing.
    run(program("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    run(program(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        REQUIREMENTS,
    ]))?;
    fs::write(&stamp, wanted)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", stamp.display())))?;
    Ok(python)
}

/// Reads `3 11` and refuses what is too old.
fn supported_version(printed: &str) -> Result<(u32, u32), Failure> {
    let mut numbers = printed.split_whitespace().map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => Ok((major, minor)),
        _ => Err(Failure::CouldNotRun(format!(
            "python {}.{} or newer is needed, and `python3` is {}",
            OLDEST.0,
            OLDEST.1,
            printed.trim().replace(' ', ".")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_python_is_refused_with_a_sentence() {
        assert_eq!(supported_version("3 10\n").unwrap(), (3, 10));
        assert_eq!(supported_version("4 0\n").unwrap(), (4, 0));
        assert_eq!(
            supported_version("3 9\n").unwrap_err().to_string(),
            "could not run: python 3.10 or newer is needed, and `python3` is 3.9"
        );
        assert!(supported_version("").is_err());
    }
}
