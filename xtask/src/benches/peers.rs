//! The programs that Toolcrib is compared with, as their authors publish them: what a distribution packages may be years older.
//!
//! They are built once, below the target folder.

use std::path::{Path, PathBuf};

use crate::job::Failure;
use crate::shell::{cargo, program, run};

/// Package, version, and the program that it brings.
pub(crate) type Peer = (&'static str, &'static str, &'static str);

/// What a search is compared with.
pub(crate) const SEARCHERS: [Peer; 2] = [("ripgrep", "15.2.0", "rg"), ("fd-find", "10.5.0", "fd")];

/// Another server of file tools.
pub(crate) const SERVERS: [Peer; 1] = [("rust-mcp-filesystem", "0.4.5", "rust-mcp-filesystem")];

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
