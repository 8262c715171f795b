//! `cargo xtask release`: builds and checks what a release consists of. It publishes nothing; .github/workflows/release.yml does.
//!
//! Every job puts what it makes into `target/release-artifacts` and uses what the jobs before it put there.

mod artefacts;
mod binary;
mod clone;
mod crates;
mod deb;
mod machine;
mod npm;
mod recipes;
mod site;
mod wheel;

use crate::job::Job;

pub(crate) const JOBS: &[Job] = &[
    Job::new("binary", "the static program, in an archive with manual pages and completions", binary::build),
    Job::new("deb", "a package for Debian and Ubuntu", deb::build),
    Job::new("npm", "the packages for npm, with the native module for this platform", npm::build),
    Job::new("wheel", "the Python package, as a wheel for old systems and as source", wheel::build),
    Job::new(
        "crates",
        "every crate, packed, built from the package, and offered to the registry",
        crates::build,
    ),
    Job::new(
        "recipes",
        "the Homebrew formula, the Nix flake and the container file: written and parsed",
        recipes::build,
    ),
    Job::new("site", "the documentation as a site, without broken links; only if named", site::build)
        .by_name(),
    Job::new("clone", "the commands of the README for a clone, as they stand", clone::check),
    Job::new("checksums", "SHA256SUMS of everything above", artefacts::checksums),
    Job::new("machine", "each package, installed and used on an empty system without Rust", machine::check),
];
