//! The crates: packed, built from what was packed, and offered to the registry without being published.

use std::fs;

use super::artefacts::{copy, folder, remove, unusable, version};
use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::shell::{cargo, run};

/// Packs the crates, builds each from its package, and goes through all of publishing but the upload.
pub(super) fn build() -> Outcome {
    // What is not published (the Python package, the test kit, this program) cargo leaves out by itself.
    run(&mut cargo(["publish", "--workspace", "--locked", "--dry-run"]))?;
    let packed = Metadata::load()?.target.join("package");
    let ending = format!("-{}.crate", version()?);
    remove(".crate")?;
    let folder = folder()?;
    for entry in fs::read_dir(&packed).map_err(|error| unusable(&packed, &error))?.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(&ending) {
            copy(&entry.path(), &folder.join(name))?;
        }
    }
    Ok(())
}
