//! Searches beside ripgrep and fd: the same files and the same lines, over trees and calls made at random.
//!
//! Where an answer is meant to be another than theirs, [`Tree`] and the tests say why, and nothing else may differ.

mod glob;
mod grep;
mod tree;

use std::path::Path;
use std::process::Command;

use tree::Tree;

/// How many calls each tool is asked.
const CALLS: usize = 2_100;
const TREES: usize = 10;

/// Set in a process whose global excludes are those of the test.
const EXCLUDES: &str = "TOOLCRIB_ORACLE_EXCLUDES";

/// Runs a test once more in a process that finds these global excludes where git does. The environment of a process that
/// runs cannot be changed.
fn with_global_excludes(test: &str, run: impl FnOnce()) {
    if std::env::var_os(EXCLUDES).is_some() {
        return run();
    }
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir(config.path().join("git")).unwrap();
    // None begins with a slash: to ripgrep that is the directory it was started in, to us and to git the top.
    std::fs::write(config.path().join("git/ignore"), "*.orig\ntopmost.txt\nscratch/\n").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(EXCLUDES, "1")
        .env("XDG_CONFIG_HOME", config.path())
        .env("HOME", config.path())
        .env_remove("RIPGREP_CONFIG_PATH")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}\n{complaints}");
}

/// What another program prints, run in a directory. Status 1 is `nothing found`.
fn ask(program: &str, arguments: &[String], directory: &Path) -> Vec<u8> {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    let output = output
        .unwrap_or_else(|error| panic!("{program} is needed, `cargo xtask test test` installs it: {error}"));
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code < 2) && complaints.is_empty(),
        "{arguments:?}: {complaints}"
    );
    output.stdout
}

/// Whether a name on the way to a path is hidden. Where a rule re-includes something (`!*.rs`), the others show it although it is
/// hidden; to us these are two questions.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
}

/// Directories that are left out unless what is ignored is wanted too.
const EXCLUDED: [&str; 3] = [".git", "node_modules", "__pycache__"];
