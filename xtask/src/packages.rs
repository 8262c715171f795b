//! What tests need from other ecosystems, installed below the target folder, and again only when the list changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::shell::{program, read, root, run};

/// What the `deepagents` package asks for; our own package runs on 3.10 too.
const OLDEST_PYTHON: (u32, u32) = (3, 11);

/// The interpreter of a virtual environment in `folder`, with the requirements installed.
pub(crate) fn python(requirements: &str, folder: &Path) -> Result<PathBuf, Failure> {
    let version = supported_version(&read(
        program("python3").args(["-c", "import sys; print(*sys.version_info[:2])"]),
    )?)?;
    let python = folder.join("bin/python");
    let list = format!("# python {}.{}\n{}", version.0, version.1, text(&root().join(requirements))?);
    once(folder, &list, || {
        run(program("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        run(program(&python).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            requirements,
        ]))
    })?;
    Ok(python)
}

/// The interpreter of a new virtual environment in `folder` with nothing but this wheel in it.
pub(crate) fn fresh_python(tools: &Path, wheel: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    run(program(tools).args(["-m", "venv", "--clear", "--without-pip"]).arg(folder))?;
    let python = folder.join("bin/python");
    let install = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"];
    run(program(tools).args(["-m", "pip", "--python"]).arg(&python).args(install).arg(wheel))?;
    Ok(python)
}

/// Lets a virtual environment use what another one has installed.
pub(crate) fn lend(tools: &Path, folder: &Path) -> Outcome {
    let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let lent = read(program(tools).args(["-c", place]))?;
    let own = read(program(folder.join("bin/python")).args(["-c", place]))?;
    write(&Path::new(own.trim()).join("lent.pth"), &lent)
}

/// The `node_modules` in `folder`, with the packages of the list installed.
pub(crate) fn node_modules(list: &str, folder: &Path) -> Result<PathBuf, Failure> {
    let packages = text(&root().join(list))?;
    once(folder, &packages, || {
        write(&folder.join("package.json"), &packages)?;
        // Every version is pinned in the list. Left to look for peers that fit, npm computes for
        // ten minutes over the frameworks.
        let install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps"];
        run(program("npm").args(install).current_dir(folder))
    })?;
    Ok(folder.join("node_modules"))
}

/// The `node_modules` of a folder with a lock file, exactly as that says.
pub(crate) fn locked_node_modules(folder: &Path) -> Outcome {
    let lock = text(&folder.join("package-lock.json"))?;
    once(&folder.join("node_modules"), &lock, || {
        let install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
        run(program("npm").args(install).current_dir(folder))
    })
}

/// Installs, unless that was done for this very list before.
fn once(folder: &Path, list: &str, install: impl FnOnce() -> Outcome) -> Outcome {
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    fs::create_dir_all(folder)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", folder.display())))?;
    install()?;
    // The stamp is written last, so that an installation that was cut short starts from nothing.
    write(&stamp, list)
}

fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::CouldNotRun(format!("{}: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| Failure::CouldNotRun(format!("{}: {error}", path.display())))
}

/// Reads `3 11` and refuses what is too old.
fn supported_version(printed: &str) -> Result<(u32, u32), Failure> {
    let mut numbers = printed.split_whitespace().map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST_PYTHON => Ok((major, minor)),
        _ => Err(Failure::CouldNotRun(format!(
            "python {}.{} or newer is needed, and `python3` is {}",
            OLDEST_PYTHON.0,
            OLDEST_PYTHON.1,
            printed.trim().replace(' ', ".")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_python_is_refused_with_a_sentence() {
        assert_eq!(supported_version("3 11\n").unwrap(), (3, 11));
        assert_eq!(supported_version("4 0\n").unwrap(), (4, 0));
        assert_eq!(
            supported_version("3 10\n").unwrap_err().to_string(),
            "could not run: python 3.11 or newer is needed, and `python3` is 3.10"
        );
        assert!(supported_version("").is_err());
    }
}
