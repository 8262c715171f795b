//! The page of `toolcrib ui` (crates/ui/web): types, unit tests, a build that must give the committed bytes, and the page in a browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome, all_of, none_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{need_program, program, root, run, toolcrib};

const WEB: &str = "crates/ui/web";
const ASSETS: &str = "crates/ui/assets";

pub(crate) fn check() -> Outcome {
    need_program("chromium", "chromium")?;
    let target = Metadata::load()?.target;
    packages::locked_node_modules(&root().join(WEB))?;
    let binary = toolcrib(&target)?;
    all_of([
        script("typecheck", &[], &binary),
        script("unit", &[], &binary),
        build_gives_what_is_committed(&target.join("xtask/page"), &binary),
        script("page", &[], &binary),
    ])
}

fn script(name: &str, extra: &[&str], binary: &Path) -> Outcome {
    let mut npm = program("npm");
    npm.args(["run", "--silent", name, "--"]).args(extra);
    run(npm.current_dir(root().join(WEB)).env("TOOLCRIB_BIN", binary))
}

fn build_gives_what_is_committed(built: &Path, binary: &Path) -> Outcome {
    let folder = built.to_string_lossy();
    script("build", &["--logLevel", "warn", "--outDir", &folder], binary)?;
    let (built, committed) = (files(built)?, files(&root().join(ASSETS))?);
    let names = built.keys().chain(committed.keys().filter(|name| !built.contains_key(*name)));
    none_of(
        names
            .filter(|name| built.get(*name) != committed.get(*name))
            .map(|name| {
                format!(
                    "{ASSETS}/{} is not what {WEB} builds: `npm ci && npm run build` there, and commit",
                    name.display()
                )
            })
            .collect(),
    )
}

/// Everything below a folder, by its path in it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let failed = |error| Failure::CouldNotRun(format!("{}: {error}", next.display()));
        for entry in fs::read_dir(&next).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let content = fs::read(&path).map_err(failed)?;
                found.insert(path.strip_prefix(folder).unwrap_or(&path).to_path_buf(), content);
            }
        }
    }
    Ok(found)
}
