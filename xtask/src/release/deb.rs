//! The package for Debian and Ubuntu: the files of the archive under `/usr`. The program is static, so it depends on nothing.

use super::artefacts::{copy, date, folder, make, only, remove, scratch, text, version, write};
use crate::job::{Failure, Outcome};
use crate::shell::{program, read, root, run};

/// Builds the package, and reads it back.
pub(super) fn build() -> Outcome {
    let archive = only(".tar.gz")?;
    let version = version()?;
    let architecture = read(program("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let tree = scratch("deb")?;
    let usr = tree.join("usr");
    make(&usr)?;
    run(program("tar").arg("-xf").arg(&archive).arg("-C").arg(&usr).arg("--strip-components=1"))?;
    // Debian's zsh looks elsewhere than one that was installed by hand.
    let completion = "share/zsh/site-functions/_toolcrib";
    copy(&usr.join(completion), &usr.join("share/zsh/vendor-completions/_toolcrib"))?;
    std::fs::remove_dir_all(usr.join("share/zsh/site-functions"))
        .map_err(|error| super::artefacts::unusable(&usr, &error))?;
    run(program("sh")
        .args(["-c", "gzip -n -9 share/man/man1/*.1 share/doc/toolcrib/CHANGELOG.md"])
        .current_dir(&usr))?;
    write(&usr.join("share/doc/toolcrib/copyright"), &copyright()?)?;
    let size = read(program("du").args(["-sk"]).arg(&usr))?;
    let size = size.split_whitespace().next().unwrap_or("0").to_owned();
    write(&tree.join("DEBIAN/control"), &control(&version, &architecture, &size))?;
    run(program("chmod").args(["-R", "u+rwX,go=rX"]).arg(&tree))?;
    remove(".deb")?;
    let package = folder()?.join(format!("toolcrib_{version}_{architecture}.deb"));
    run(program("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .arg(&tree)
        .arg(&package)
        .env("SOURCE_DATE_EPOCH", date()?))?;
    let listed = read(program("dpkg-deb").arg("--contents").arg(&package))?;
    let missing: Vec<&str> = [
        "./usr/bin/toolcrib",
        "./usr/share/man/man1/toolcrib.1.gz",
        "./usr/share/man/man1/toolcrib-undo.1.gz",
        "./usr/share/bash-completion/completions/toolcrib",
        "./usr/share/zsh/vendor-completions/_toolcrib",
        "./usr/share/doc/toolcrib/copyright",
    ]
    .into_iter()
    .filter(|file| !listed.lines().any(|line| line.ends_with(file)))
    .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Failure::Faults(format!("the package lacks {}", missing.join(", ")))),
    }
}

fn control(version: &str, architecture: &str, size: &str) -> String {
    format!(
        "Package: toolcrib
Version: {version}
Architecture: {architecture}
Maintainer: The Toolcrib developers <toolcrib@users.noreply.github.com>
Installed-Size: {size}
Section: devel
Priority: optional
Homepage: https://github.com/toolcrib/toolcrib
Description: file tools for AI agents
 Tools with which AI agents read, search, edit and patch files: an MCP server
 and a command line. They never lose a byte, never leave the workspace, and
 every change can be undone.
"
    )
}

/// What Debian asks for: the terms in one file.
fn copyright() -> Result<String, Failure> {
    let mit = text(&root().join("LICENSE-MIT"))?;
    let indented = |text: &str| {
        let line = |line: &str| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
        text.trim_end().lines().map(line).collect::<String>()
    };
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Toolcrib
Source: https://github.com/toolcrib/toolcrib

Files: *
Copyright: The Toolcrib developers
License: Expat or Apache-2.0

License: Expat
{}
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
",
        indented(&mit)
    ))
}
