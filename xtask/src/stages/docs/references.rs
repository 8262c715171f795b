//! Every path and every link in a Markdown file leads to something.
//!
//! A path is a code span that begins with a folder of the repository (`crates/tool/src/call.rs`), or that ends with `.rs` and
//! is a part of such a path (`policy/fold.rs`). Placeholders (`crates/<name>`, `crates/*/src`) are left alone.

use std::path::Path;

use super::markdown::{File, code_spans, files, prose};
use crate::job::{Outcome, none_of};
use crate::shell::root;

/// The folders of the repository that documents name.
const FOLDERS: &[&str] =
    &["crates", "bindings", "docs", "examples", "features", "fuzz", "scenarios", "tests", "xtask"];

/// Files of other projects that the documents speak of.
const FOREIGN: &[&str] = &["build.rs"];

pub(crate) fn check() -> Outcome {
    let documents = files(root(), "md")?;
    let sources = files(root(), "rs")?;
    println!("{} Markdown files", documents.len());
    none_of(documents.iter().flat_map(|document| faults(document, &sources, root())).collect())
}

/// One sentence for each name in the document that leads nowhere.
fn faults(document: &File, sources: &[File], root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in prose(&document.text) {
        let at = format!("{}:{number}", document.path.display());
        let missing = code_spans(line).filter(|span| is_missing(span, sources, root));
        faults.extend(missing.map(|span| format!("{at}: names `{span}`, which does not exist")));
        let folder = document.path.parent().unwrap_or(Path::new(""));
        let broken = links(line).filter(|link| !leads_somewhere(link, document, &root.join(folder)));
        faults.extend(broken.map(|link| format!("{at}: links to {link}, which does not exist")));
    }
    faults
}

/// Whether a code span is a path of the repository that does not exist.
fn is_missing(span: &str, sources: &[File], root: &Path) -> bool {
    // `file: test`, as in docs/specification.md.
    let path = span.split_once(": ").map_or(span, |(file, _)| file);
    if path.contains(['<', '*', '{', '…', ' ']) || FOREIGN.contains(&path) {
        return false;
    }
    let in_repository = path.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder));
    match in_repository {
        true => !root.join(path).exists(),
        false => path.ends_with(".rs") && !sources.iter().any(|source| source.path.ends_with(path)),
    }
}

/// The targets of the links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Whether the file exists, and the heading in it. Addresses of the web are not looked up.
fn leads_somewhere(link: &str, document: &File, folder: &Path) -> bool {
    if link.contains("://") {
        return true;
    }
    let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
    let target = folder.join(file);
    match heading {
        None => target.exists(),
        Some(heading) if file.is_empty() => has_heading(&document.text, heading),
        Some(heading) => std::fs::read_to_string(target).is_ok_and(|text| has_heading(&text, heading)),
    }
}

fn has_heading(text: &str, anchor: &str) -> bool {
    prose(text).any(|(_, line)| line.starts_with('#') && slug(line.trim_start_matches('#')) == anchor)
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::shell;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let document = File { path: "docs/page.md".into(), text: text.to_owned() };
        let sources = [File { path: "crates/access/src/policy/fold.rs".into(), text: String::new() }];
        assert_eq!(faults(&document, &sources, root()), expected, "{text}");
    }

    /// Also those that lie outside docs/.
    #[test]
    fn every_markdown_file_is_read() {
        let tracked =
            shell::read(Command::new("git").args(["ls-files", "*.md", ":!scenarios"]).current_dir(root()));
        let tracked = tracked.unwrap();
        let documents = files(root(), "md").unwrap();
        let missing: Vec<&str> = tracked
            .lines()
            .filter(|path| !documents.iter().any(|document| document.path == Path::new(path)))
            .collect();
        assert!(tracked.contains("CONTRIBUTING.md") && missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn what_exists_is_no_fault() {
        check(
            "`xtask/src/main.rs`, `crates/tool`, `xtask/src/main.rs: main`, `policy/fold.rs`, `fold.rs`",
            &[],
        );
        check("[map](architecture.md), [top](../README.md#install), [here](#a-b)\n\n## A, b", &[]);
        check(
            "`crates/<name>/x.rs`, `crates/*/nothing`, `toolcrib/config.toml`, [web](https://a.example/x)",
            &[],
        );
        check("```sh\ncat `crates/nothing`\n```", &[]);
    }

    #[test]
    fn what_does_not_exist_is_named_with_its_line() {
        check(
            "a\n\nsee `crates/files/src/nothing.rs` and `policy/nothing.rs`",
            &[
                "docs/page.md:3: names `crates/files/src/nothing.rs`, which does not exist",
                "docs/page.md:3: names `policy/nothing.rs`, which does not exist",
            ],
        );
        // A part of a file's name is not its name.
        check("`old.rs`", &["docs/page.md:1: names `old.rs`, which does not exist"]);
        check("[x](nothing.md)", &["docs/page.md:1: links to nothing.md, which does not exist"]);
        check("[x](#nothing)", &["docs/page.md:1: links to #nothing, which does not exist"]);
        check("[x](../README.md#x)", &["docs/page.md:1: links to ../README.md#x, which does not exist"]);
    }
}
