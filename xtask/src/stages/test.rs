//! The Rust tests, with cargo-nextest where it is installed (it is faster), else with cargo alone.

use crate::job::{Outcome, all_of};
use crate::shell::{cargo, need_program, run, succeeds};

/// Programs that tests start, and the packages that bring them.
const PROGRAMS: [(&str, &str); 8] = [
    ("git", "git"),
    ("strace", "strace"),
    ("setpriv", "util-linux"),
    ("unshare", "util-linux"),
    ("mkfifo", "coreutils"),
    ("script", "bsdutils"),
    ("rg", "ripgrep"),
    ("fdfind", "fd-find"),
];

pub(crate) fn check() -> Outcome {
    all_of(PROGRAMS.map(|(name, package)| need_program(name, package)))?;
    // nextest does not run documentation tests, so cargo runs these in both cases.
    let documentation = || run(&mut cargo(["test", "--workspace", "--doc", "--no-fail-fast"]));
    all_of([run_tests(), documentation(), run_without_formats()])
}

/// What Read says in a build without the decoders of images and PDF.
fn run_without_formats() -> Outcome {
    run(cargo(["test", "--package", "toolcrib-files", "--no-default-features", "--test", "it"])
        .arg("without_formats"))
}

fn run_tests() -> Outcome {
    if succeeds(&mut cargo(["nextest", "--version"])) {
        println!("cargo-nextest is installed and runs the tests");
        // The scenarios of features/ have a stage of their own, which shows their figures.
        return run(cargo(["nextest", "run", "--workspace", "--no-fail-fast"])
            .args(["--filterset", "not binary(features)"]));
    }
    println!("cargo-nextest is not installed: `cargo test` runs the tests");
    run(cargo(["test", "--workspace", "--no-fail-fast"]).args(["--lib", "--bins", "--tests", "--examples"]))
}
