//! The programs that Toolcrib is compared with, as their authors publish them: what a distribution packages may be years older.
//!
//! They are installed once, below the target folder.

use std::path::{Path, PathBuf};

use crate::job::Failure;
use crate::packages;
use crate::shell::{cargo, program, run};

/// Package, version, and the program that it brings.
pub(crate) type Peer = (&'static str, &'static str, &'static str);

/// What a search is compared with.
pub(crate) const SEARCHERS: [Peer; 2] = [("ripgrep", "15.2.0", "rg"), ("fd-find", "10.5.0", "fd")];

/// Another server of file tools.
pub(crate) const SERVERS: [Peer; 1] = [("rust-mcp-filesystem", "0.4.5", "rust-mcp-filesystem")];

/// A search index.
const INDEXES: [Peer; 1] = [("moeix", "0.14.1", "ix")];

/// Search indexes.
pub(crate) struct Indexes {
    /// The folders with their programs.
    pub(crate) programs: Vec<PathBuf>,
    /// Those that are modules of Node.js.
    pub(crate) modules: PathBuf,
}

pub(crate) fn indexes(target: &Path) -> Result<Indexes, Failure> {
    let folder = target.join("xtask/indexes");
    let built = peers(target, &INDEXES)?;
    let python = packages::python("tests/bench/indexes/requirements.txt", &folder.join("venv"))?;
    let codesearch = codesearch(&folder.join("codesearch"))?;
    let modules = packages::node_modules("tests/bench/indexes/package.json", &folder.join("node"))?;
    Ok(Indexes { programs: vec![built, python.with_file_name(""), codesearch], modules })
}

/// The folder with the programs; installed if they are not there yet, or of another version.
pub(crate) fn peers(target: &Path, peers: &[Peer]) -> Result<PathBuf, Failure> {
    let folder = target.join("xtask/peers");
    let programs = folder.join("bin");
    if peers.iter().all(|(_, version, name)| is_version(&programs.join(name), version)) {
        return Ok(programs);
    }
    let packages = peers.iter().map(|(package, version, _)| format!("{package}@{version}"));
    run(cargo(["install", "--locked", "--root"]).arg(&folder).args(packages))?;
    Ok(programs)
}

/// Both say `name version` first.
fn is_version(path: &Path, version: &str) -> bool {
    let told = program(path).arg("--version").output();
    told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).split_whitespace().nth(1) == Some(version))
}

/// Google's Code Search, from Debian's package, which is not installed but unpacked.
fn codesearch(folder: &Path) -> Result<PathBuf, Failure> {
    let programs = folder.join("usr/bin");
    if !programs.join("csearch").exists() {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", folder.display())))?;
        run(program("apt-get").args(["download", "codesearch"]).current_dir(folder))?;
        run(program("sh").args(["-c", "dpkg -x ./codesearch_*.deb ."]).current_dir(folder))?;
    }
    Ok(programs)
}
