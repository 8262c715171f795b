//! A large real tree to measure on: the sources of Linux, as Debian packages them.
//!
//! It is fetched and unpacked once, into the user's cache folder.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::job::Failure;
use crate::shell::{program, read, run};

/// The tree; fetched if it is not there yet.
pub(crate) fn linux_source() -> Result<PathBuf, Failure> {
    let cache = cache_folder()?.join("toolcrib-bench");
    let tree = cache.join("linux-source");
    if tree.is_dir() {
        return Ok(tree);
    }
    let work = cache.join("linux-source.new");
    let failed = |error: std::io::Error| Failure::CouldNotRun(format!("{}: {error}", work.display()));
    if work.exists() {
        fs::remove_dir_all(&work).map_err(failed)?;
    }
    fs::create_dir_all(&work).map_err(failed)?;
    let package = package()?;
    run(program("apt-get").args(["download", &package]).current_dir(&work))?;
    run(program("sh").args(["-c", "dpkg -x ./*.deb ."]).current_dir(&work))?;
    run(program("sh")
        .args(["-c", "tar -xJf usr/src/linux-source-*.tar.xz --one-top-level=tree --strip-components=1"])
        .current_dir(&work))?;
    let unpacked = work.join("tree");
    // Debian's packaging adds rules that ignore everything there is.
    let rules = fs::read_to_string(unpacked.join(".gitignore")).map_err(failed)?;
    let own = rules.split("#\n# Debian packaging").next().unwrap_or_default();
    fs::write(unpacked.join(".gitignore"), own).map_err(failed)?;
    // For ripgrep and fd ignore files count in a repository only, and that is where people search.
    fs::create_dir_all(unpacked.join(".git")).map_err(failed)?;
    fs::write(unpacked.join(".git/HEAD"), "ref: refs/heads/main\n").map_err(failed)?;
    fs::rename(&unpacked, &tree).map_err(failed)?;
    fs::remove_dir_all(&work).map_err(failed)?;
    Ok(tree)
}

/// `linux-source` only depends on the one that has the sources.
fn package() -> Result<String, Failure> {
    run(program("apt-get").args(["update", "--quiet"]))?;
    let depends = read(program("apt-cache").args(["depends", "linux-source"]))?;
    let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    let package = package.filter(|name| name.starts_with("linux-source"));
    package.map(str::to_owned).ok_or_else(|| {
        Failure::CouldNotRun("`apt-cache depends linux-source` names no package with the sources".to_owned())
    })
}

fn cache_folder() -> Result<PathBuf, Failure> {
    let own = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    own.or_else(home)
        .ok_or_else(|| Failure::CouldNotRun("there is no HOME to keep a large tree in".to_owned()))
}
