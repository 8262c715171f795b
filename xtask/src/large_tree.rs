//! Real trees to measure on: the sources of Linux, as Debian packages them, and those of Django.
//!
//! Each is fetched and unpacked once, into the user's cache folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::shell::{program, read, run};

/// Django's version, one that all supported Pythons may have.
const DJANGO: &str = "Django==5.2.19";

/// The sources of Linux; fetched if they are not there yet.
pub(crate) fn linux_source() -> Result<PathBuf, Failure> {
    fetched("linux-source", |work| {
        let package = package()?;
        run(program("apt-get").args(["download", &package]).current_dir(work))?;
        run(program("sh").args(["-c", "dpkg -x ./*.deb ."]).current_dir(work))?;
        run(program("sh").args(["-c", &unpack("usr/src/linux-source-*.tar.xz")]).current_dir(work))?;
        // Debian's packaging adds rules that ignore everything there is.
        let rules = work.join("tree/.gitignore");
        let text = fs::read_to_string(&rules).map_err(failed(&rules))?;
        let own = text.split("#\n# Debian packaging").next().unwrap_or_default();
        fs::write(&rules, own).map_err(failed(&rules))
    })
}

/// The sources of Django; fetched if they are not there yet.
pub(crate) fn django_source() -> Result<PathBuf, Failure> {
    fetched("django-source", |work| {
        let download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
        run(program("python3").args(download).args(["--no-binary", ":all:", DJANGO]).current_dir(work))?;
        run(program("sh").args(["-c", &unpack("*.tar.gz")]).current_dir(work))
    })
}

fn unpack(archive: &str) -> String {
    format!("tar -xf {archive} --one-top-level=tree --strip-components=1")
}

/// A tree of this name; `fetch` brings it into the folder `tree` of the folder that it is given.
fn fetched(name: &str, fetch: impl FnOnce(&Path) -> Outcome) -> Result<PathBuf, Failure> {
    let cache = cache_folder()?.join("toolcrib-bench");
    let tree = cache.join(name);
    if tree.is_dir() {
        return Ok(tree);
    }
    let work = cache.join(format!("{name}.new"));
    if work.exists() {
        fs::remove_dir_all(&work).map_err(failed(&work))?;
    }
    fs::create_dir_all(&work).map_err(failed(&work))?;
    fetch(&work)?;
    let unpacked = work.join("tree");
    // For ripgrep and fd ignore files count in a repository only, and that is where people search.
    fs::create_dir_all(unpacked.join(".git")).map_err(failed(&unpacked))?;
    fs::write(unpacked.join(".git/HEAD"), "ref: refs/heads/main\n").map_err(failed(&unpacked))?;
    fs::rename(&unpacked, &tree).map_err(failed(&tree))?;
    fs::remove_dir_all(&work).map_err(failed(&work))?;
    Ok(tree)
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::CouldNotRun(format!("{}: {error}", path.display()))
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
