//! The packages for npm: the one that everybody installs, and the one with the native module and the program for this platform.

use std::fs;
use std::os::unix::fs::symlink;

use super::artefacts::{copy, folder, only, remove, scratch, unusable};
use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{cargo, program, run};

const BUILD: &str = "bindings/node/npm/scripts/build.mjs";
/// The frameworks whose types the package is compiled with.
const FRAMEWORKS: &str = "bindings/node/tests/package.json";

/// What npm calls this platform.
pub(super) fn platform() -> &'static str {
    if cfg!(target_arch = "aarch64") { "linux-arm64-gnu" } else { "linux-x64-gnu" }
}

/// Builds both.
pub(super) fn build() -> Outcome {
    let target = Metadata::load()?.target;
    let modules = packages::node_modules(FRAMEWORKS, &target.join("xtask/npm"))?;
    run(&mut cargo(["build", "--release", "--locked", "-p", "toolcrib-node"]))?;
    let out = scratch("npm")?;
    symlink(&modules, out.join("node_modules")).map_err(|error| unusable(&out, &error))?;
    // The program is the static one of the archive.
    run(program("tar").arg("-xf").arg(only(".tar.gz")?).arg("-C").arg(&out).args([
        "--strip-components=2",
        "--wildcards",
        "*/bin/toolcrib",
    ]))?;
    run(program("node").args([BUILD, "main"]).arg(&out))?;
    run(program("node")
        .args([BUILD, "platform"])
        .arg(&out)
        .arg(platform())
        .arg(target.join("release/libtoolcrib_node.so"))
        .arg(out.join("toolcrib")))?;
    remove(".tgz")?;
    let folder = folder()?;
    let mut packed = 0;
    for path in fs::read_dir(&out)
        .map_err(|error| unusable(&out, &error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
    {
        if path.extension().is_some_and(|extension| extension == "tgz") {
            copy(&path, &folder.join(path.file_name().unwrap_or_default()))?;
            packed += 1;
        }
    }
    if packed == 2 { Ok(()) } else { Err(Failure::Faults(format!("{packed} packages were made, not 2"))) }
}
