//! Where a release is put together, and what all of its parts need: its version, its date, its checksums.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::shell::{program, read, root, run};

/// The list of checksums, as `sha256sum --check` reads it.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// The folder of the artefacts, which is made if it is not there.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let folder = Metadata::load()?.target.join("release-artifacts");
    make(&folder)?;
    Ok(folder)
}

/// An empty folder for what is not an artefact itself.
pub(crate) fn scratch(name: &str) -> Result<PathBuf, Failure> {
    let folder = Metadata::load()?.target.join("xtask/release").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| unusable(&folder, &error))?;
    }
    make(&folder)?;
    Ok(folder)
}

pub(crate) fn make(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))
}

pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    path.parent().map_or(Ok(()), make)?;
    fs::write(path, text).map_err(|error| unusable(path, &error))
}

pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| unusable(path, &error))
}

/// Copies a file and its mode.
pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    to.parent().map_or(Ok(()), make)?;
    fs::copy(from, to).map(drop).map_err(|error| unusable(from, &error))
}

pub(crate) fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::CouldNotRun(format!("{}: {error}", path.display()))
}

/// The version of everything, which Cargo.toml names once.
pub(crate) fn version() -> Result<String, Failure> {
    let manifest = text(&root().join("Cargo.toml"))?;
    let named = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    named.map(str::to_owned).ok_or_else(|| Failure::CouldNotRun("Cargo.toml names no version".to_owned()))
}

/// The date of the commit, in seconds: whoever builds the same commit again gets the same archives.
pub(crate) fn date() -> Result<String, Failure> {
    Ok(read(program("git").args(["log", "-1", "--format=%ct"]))?.trim().to_owned())
}

/// The only artefact whose name ends like this.
pub(crate) fn only(ending: &str) -> Result<PathBuf, Failure> {
    let folder = folder()?;
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|error| unusable(&folder, &error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    match (found.pop(), found.pop()) {
        (Some(path), None) => Ok(path),
        (None, _) => Err(Failure::CouldNotRun(format!("nothing in {} ends with {ending}", folder.display()))),
        (Some(_), Some(_)) => Err(Failure::CouldNotRun(format!(
            "more than one file in {} ends with {ending}",
            folder.display()
        ))),
    }
}

/// Removes what an earlier run made.
pub(crate) fn remove(ending: &str) -> Outcome {
    let folder = folder()?;
    let entries = fs::read_dir(&folder).map_err(|error| unusable(&folder, &error))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.to_string_lossy().ends_with(ending) {
            fs::remove_file(&path).map_err(|error| unusable(&path, &error))?;
        }
    }
    Ok(())
}

/// Packs a folder so that the same files make the same bytes.
pub(crate) fn pack(parent: &Path, name: &str, archive: &Path) -> Outcome {
    let date = format!("--mtime=@{}", date()?);
    let options =
        ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--use-compress-program=gzip -n -9"];
    run(program("tar").args(options).arg(date).arg("-cf").arg(archive).arg("-C").arg(parent).arg(name))
}

/// Writes the checksums of all artefacts, and checks them with the program that users have.
pub(crate) fn checksums() -> Outcome {
    let folder = folder()?;
    remove(SUMS)?;
    let mut names: Vec<String> = fs::read_dir(&folder)
        .map_err(|error| unusable(&folder, &error))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(Failure::CouldNotRun("there is nothing to take a checksum of".to_owned()));
    }
    let sums = read(program("sha256sum").args(&names).current_dir(&folder))?;
    write(&folder.join(SUMS), &sums)?;
    run(program("sha256sum").args(["--check", "--strict", SUMS]).current_dir(&folder))
}
