//! docs/README.md is the table of contents: every page of docs/ is in it, once, and the spelling of all pages is right.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::docs::markdown::files;
use crate::job::{Failure, Outcome, all_of, none_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run};

const CONTENTS: &str = "docs/README.md";
/// The command that the README gives for the tests, and that runs for every change.
pub(crate) const TEST_COMMAND: &str = "cargo xtask test";
const CI: &str = ".ci/run";

pub(crate) fn check() -> Outcome {
    all_of([complete(), commands(), spelling()])
}

/// The README says how to install and to test from a clone, and what it says about the tests is what runs for every change.
/// `cargo xtask release clone` runs the rest.
fn commands() -> Outcome {
    let read = |name: &str| {
        fs::read_to_string(root().join(name))
            .map_err(|error| Failure::CouldNotRun(format!("{name}: {error}")))
    };
    none_of(command_faults(&read("README.md")?, &read(CI)?))
}

fn command_faults(readme: &str, ci: &str) -> Vec<String> {
    let commands = clone_commands(readme);
    let mut faults = Vec::new();
    if !commands.iter().any(|command| command.starts_with("cargo install --path ")) {
        faults.push(format!("README.md does not say how to install from a clone, but {commands:?}"));
    }
    if !commands.iter().any(|command| command == TEST_COMMAND) {
        faults.push(format!("README.md does not give `{TEST_COMMAND}`, but {commands:?}"));
    }
    if ci.lines().last() != Some(&format!("exec {TEST_COMMAND}")) {
        faults.push(format!("{CI} does not run `{TEST_COMMAND}`"));
    }
    faults
}

/// The commands in the first block below the heading "From a clone".
pub(crate) fn clone_commands(readme: &str) -> Vec<String> {
    let below = readme.lines().skip_while(|line| *line != "## From a clone");
    let block = below.skip_while(|line| *line != "```sh").skip(1).take_while(|line| *line != "```");
    block.map(|line| line.split("   #").next().unwrap_or(line).trim().to_owned()).collect()
}

fn complete() -> Outcome {
    let pages = files(&root().join("docs"), "md")?;
    let contents = pages.iter().find(|page| page.path == Path::new(CONTENTS));
    let text = contents.map(|page| page.text.as_str()).unwrap_or_default();
    let paths = pages
        .iter()
        .filter(|page| page.path != Path::new(CONTENTS))
        .map(|page| page.path.display().to_string());
    println!("{} pages", pages.len());
    none_of(faults(text, &paths.collect::<Vec<_>>()))
}

/// The pages that the table of contents does not name, or names twice.
fn faults(contents: &str, pages: &[String]) -> Vec<String> {
    let mut named = BTreeMap::<String, usize>::new();
    for (_, _, link) in entries(contents) {
        *named.entry(format!("docs/{link}")).or_default() += 1;
    }
    let count = |page: &String| named.get(page).copied().unwrap_or_default();
    pages
        .iter()
        .filter(|page| count(page) != 1)
        .map(|page| format!("{CONTENTS} names {page} {} times, not once", count(page)))
        .collect()
}

/// The list that mdBook reads, from the table of contents: a title for each heading, a line for each page.
pub(crate) fn summary(contents: &str) -> String {
    let mut summary = "# Summary\n\n[Documentation](README.md)\n".to_owned();
    for line in contents.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            summary.push_str(&format!("\n# {heading}\n\n"));
        }
        for (indent, title, link) in entries(line) {
            summary.push_str(&format!("{indent}- [{title}]({link})\n"));
        }
    }
    summary
}

/// The entries of a list: indentation, title and link.
fn entries(contents: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    contents.lines().filter_map(|line| {
        let (indent, rest) = line.split_once("- [")?;
        let (title, rest) = rest.split_once("](")?;
        let (link, _) = rest.split_once(')')?;
        indent.trim().is_empty().then_some((indent, title, link))
    })
}

/// What a speller of code finds, in everything that is text. `_typos.toml` has the words that it must not mind.
fn spelling() -> Outcome {
    let folder = Metadata::load()?.target.join("xtask/spelling");
    let python = packages::python("xtask/spelling.txt", &folder)?;
    let typos = python.with_file_name("typos");
    run(program(typos)
        .args(["--config", "_typos.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
        .args([
            "docs",
            "crates",
            "bindings",
            "examples",
            "features",
            "xtask",
            "packaging",
            ".github",
            "tests",
        ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENTS: &str =
        "# D\n\n## Use\n\n- [One](one.md): first\n  - [Two](two/README.md)\n\nSee [x](x.md).\n";

    #[test]
    fn every_page_is_named_once() {
        let pages = ["docs/one.md", "docs/two/README.md"].map(str::to_owned);
        assert!(faults(CONTENTS, &pages).is_empty());
        assert_eq!(faults(CONTENTS, &["docs/three.md".to_owned()]).len(), 1);
        assert_eq!(faults(&format!("{CONTENTS}- [Again](one.md)\n"), &pages).len(), 1);
    }

    #[test]
    fn the_commands_for_a_clone_are_those_that_run() {
        let readme =
            "```sh\nno\n```\n## From a clone\n\n```sh\ncargo install --path a   # x\ncargo xtask test\n```\n";
        assert_eq!(clone_commands(readme), ["cargo install --path a", "cargo xtask test"]);
        assert!(command_faults(readme, "#!/bin/sh\nexec cargo xtask test\n").is_empty());
        assert_eq!(command_faults(readme, "exec cargo test").len(), 1);
        assert_eq!(command_faults("", "exec cargo xtask test").len(), 2);
    }

    #[test]
    fn the_summary_has_the_headings_and_the_pages() {
        let expected =
            "# Summary\n\n[Documentation](README.md)\n\n# Use\n\n- [One](one.md)\n  - [Two](two/README.md)\n";
        assert_eq!(summary(CONTENTS), expected);
    }
}
