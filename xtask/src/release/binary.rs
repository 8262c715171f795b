//! The program, linked with everything it needs, and the archive around it.
//!
//! The archive has the layout of a prefix: unpacked into `~/.local` or `/usr/local`, everything is where it is looked for.

use std::path::{Path, PathBuf};

use super::artefacts::{copy, folder, make, pack, remove, scratch, version, write};
use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::shell::{cargo, need_program, program, read, root, run, succeeds};
use crate::stages::reference::manual_pages;

/// Built against musl, a program needs nothing of the system. Where that target is not installed, the C library of this
/// machine is linked in instead: the program needs nothing either, except to look up the names of other machines.
const MUSL: &str = "x86_64-unknown-linux-musl";
const GLIBC: &str = "x86_64-unknown-linux-gnu";
const MUSL_ARM: &str = "aarch64-unknown-linux-musl";
const GLIBC_ARM: &str = "aarch64-unknown-linux-gnu";

/// Builds the program, and the archive.
pub(super) fn build() -> Outcome {
    let target = target()?;
    let built = compile(&target)?;
    is_static(&built)?;
    let name = format!("toolcrib-{}-{target}", version()?);
    let staging = scratch("binary")?;
    let prefix = staging.join(&name);
    stage(&built, &prefix)?;
    remove(".tar.gz")?;
    // Without the version, so that there is an address of the latest one.
    pack(&staging, &name, &folder()?.join(format!("toolcrib-{target}.tar.gz")))
}

/// What to build for: what cargo is told by its own variable, or else musl if it is installed.
fn target() -> Result<String, Failure> {
    if let Ok(target) = std::env::var("CARGO_BUILD_TARGET") {
        return Ok(target);
    }
    let (musl, glibc) = if cfg!(target_arch = "aarch64") { (MUSL_ARM, GLIBC_ARM) } else { (MUSL, GLIBC) };
    let libraries = read(program("rustc").args(["--print", "target-libdir", "--target", musl]))?;
    if Path::new(libraries.trim()).exists() {
        return Ok(musl.to_owned());
    }
    println!(
        "the standard library for {musl} is not installed (`rustup target add {musl}`): linking the C library of this machine"
    );
    Ok(glibc.to_owned())
}

/// Compiles the program for the target.
fn compile(target: &str) -> Result<PathBuf, Failure> {
    if target.ends_with("-musl") {
        // Some crates have a little C or assembly.
        need_program("musl-gcc", "musl-tools")?;
    }
    run(cargo(["build", "--release", "--locked", "-p", "toolcrib-cli", "--target", target])
        .env("RUSTFLAGS", "-C target-feature=+crt-static"))?;
    Ok(Metadata::load()?.target.join(target).join("release/toolcrib"))
}

/// The dynamic linker has nothing to do.
fn is_static(built: &Path) -> Outcome {
    let headers = read(program("readelf").args(["--program-headers", "--dynamic", "--wide"]).arg(built))?;
    let needs: Vec<&str> =
        headers.lines().filter(|line| line.contains("(NEEDED)") || line.contains("INTERP")).collect();
    if needs.is_empty() {
        return Ok(());
    }
    Err(Failure::Faults(format!("{} is not static:\n{}", built.display(), needs.join("\n"))))
}

/// Puts the program, its manual pages and its completions below a prefix such as `/usr`.
pub(super) fn stage(built: &Path, prefix: &Path) -> Outcome {
    let installed = prefix.join("bin/toolcrib");
    copy(built, &installed)?;
    if !succeeds(program(&installed).arg("--version")) {
        return Err(Failure::Faults(format!("{} does not run", installed.display())));
    }
    manual(&installed, &prefix.join("share/man/man1"))?;
    for (shell, file) in [
        ("bash", "bash-completion/completions/toolcrib"),
        ("zsh", "zsh/site-functions/_toolcrib"),
        ("fish", "fish/vendor_completions.d/toolcrib.fish"),
    ] {
        let script = read(program(&installed).args(["completions", shell]))?;
        write(&prefix.join("share").join(file), &script)?;
    }
    for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root().join(document), &prefix.join("share/doc/toolcrib").join(document))?;
    }
    Ok(())
}

/// The manual page of the program, and of every command that it refers to.
fn manual(installed: &Path, folder: &Path) -> Outcome {
    make(folder)?;
    let page = read(program(installed).arg("man"))?;
    let commands = manual_pages(&page);
    if commands.len() < 10 {
        return Err(Failure::Faults(format!("the manual page refers to {commands:?} alone")));
    }
    write(&folder.join("toolcrib.1"), &page)?;
    for command in commands {
        let page = read(program(installed).args(["man", &command]))?;
        write(&folder.join(format!("toolcrib-{command}.1")), &page)?;
    }
    Ok(())
}
