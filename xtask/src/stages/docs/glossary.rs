//! The last column of docs/glossary.md names types, traits, functions and modules that the crates define.

use std::collections::BTreeSet;

use super::markdown::{code_spans, files};
use crate::job::{Outcome, none_of};
use crate::shell::root;

const PAGE: &str = "docs/glossary.md";
const KEYWORDS: &[&str] = &["struct", "enum", "trait", "type", "fn", "mod"];
const MODIFIERS: &[&str] = &["const", "async", "unsafe"];

pub(crate) fn check() -> Outcome {
    let mut defined = BTreeSet::new();
    let sources = files(&root().join("crates"), "rs")?;
    for source in sources.iter().filter(|source| source.path.iter().nth(2).is_some_and(|part| part == "src"))
    {
        defined.extend(source.text.lines().filter_map(definition));
    }
    let pages = files(&root().join("docs"), "md")?;
    let Some(page) = pages.iter().find(|page| page.path.ends_with(PAGE)) else {
        return none_of(vec![format!("{PAGE} does not exist")]);
    };
    println!("{} terms in {PAGE}", rows(&page.text).count());
    none_of(faults(&page.text, &defined))
}

/// One sentence for each term that names nothing, and for each name that no crate defines.
fn faults(page: &str, defined: &BTreeSet<&str>) -> Vec<String> {
    let mut faults = Vec::new();
    for (term, code) in rows(page) {
        if code_spans(code).next().is_none() {
            faults.push(format!("{PAGE}: '{term}' names nothing of the code"));
        }
        // Paths are checked with those of every other page.
        let names = code_spans(code).filter(|span| !span.contains(['/', '.']));
        let unknown = names.filter(|name| !name.split("::").all(|part| defined.contains(part)));
        faults.extend(unknown.map(|name| format!("{PAGE}: '{term}' names `{name}`, which no crate defines")));
    }
    faults
}

/// The rows of the tables: the term, and what it is in the code.
fn rows(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.trim_end_matches('|').split(" | ").collect();
        let [term, _, code] = cells[..] else { return None };
        let is_row = term != "term" && !term.starts_with("---");
        is_row.then_some((term.trim(), code.trim()))
    })
}

/// The name that a line defines, if it does.
fn definition(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let keyword = words.find(|word| !word.starts_with("pub") && !MODIFIERS.contains(word))?;
    if !KEYWORDS.contains(&keyword) {
        return None;
    }
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found() {
        assert_eq!(definition("pub struct Call<'a> {"), Some("Call"));
        assert_eq!(definition("    pub(crate) async fn run(&self) {"), Some("run"));
        assert_eq!(definition("mod policy;"), Some("policy"));
        assert_eq!(definition("pub const fn new() -> Self {"), Some("new"));
        for line in ["// struct Call", "/// A type alias", "const LIMIT: usize = 1;", "let fold = 1;", ""] {
            assert_eq!(definition(line), None, "{line}");
        }
    }

    #[test]
    fn every_term_names_something_that_exists() {
        let defined = BTreeSet::from(["Call", "checkpoint", "policy"]);
        let check = |code: &str, expected: &[&str]| {
            let page = format!(
                "| term | meaning | code |\n| --- | --- | --- |\n| **x** | What `y` is. | {code} |\n"
            );
            assert_eq!(faults(&page, &defined), expected, "{code}");
        };
        check("`Call::checkpoint`, `policy`, `crates/tool`", &[]);
        check("`Cal`", &["docs/glossary.md: '**x**' names `Cal`, which no crate defines"]);
        check(
            "`Call::nothing`",
            &["docs/glossary.md: '**x**' names `Call::nothing`, which no crate defines"],
        );
        check("nothing", &["docs/glossary.md: '**x**' names nothing of the code"]);
    }
}
