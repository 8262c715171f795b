//! Holds docs/specification.md and docs/security.md against the repository: what they name is there, and no scenario of
//! features/ is left out.
//!
//! Looks at names only. Whether a test passes is another stage's affair.

use std::fs;
use std::path::Path;

use crate::job::{Failure, Outcome, none_of};
use crate::shell::root;

const PAGE: &str = "docs/specification.md";
const SECURITY: &str = "docs/security.md";
const FEATURES: &str = "features";
/// What a row says that has nothing to name.
const NOT_YET: &str = "**not yet**";

pub(crate) fn check() -> Outcome {
    let page = read(&root().join(PAGE))?;
    let mut faults = page_faults(PAGE, &page, root());
    let security = read(&root().join(SECURITY))?;
    faults.extend(page_faults(SECURITY, &security, root()));
    for (file, scenario) in scenarios(&root().join(FEATURES))? {
        if !page.contains(&format!("`{FEATURES}/{file}: {scenario}`")) {
            faults.push(format!("{PAGE} does not name `{FEATURES}/{file}: {scenario}`"));
        }
    }
    let rows = rows(&page).count();
    println!(
        "{rows} rows, {} of them with something that is not there yet",
        page.matches(NOT_YET).count() - 1
    );
    println!(
        "{} promises of security, {} of them not yet held",
        self::rows(&security).count(),
        security.matches(NOT_YET).count()
    );
    none_of(faults)
}

/// What is wrong with the rows of the page's tables.
fn page_faults(name: &str, page: &str, root: &Path) -> Vec<String> {
    rows(page)
        .flat_map(|row| {
            let missing = row.named().filter_map(|named| missing(named, root));
            let mut faults: Vec<String> = missing.map(|fault| format!("{name} names {fault}")).collect();
            if row.named().next().is_none() && !row.held_by.contains(NOT_YET) {
                faults.push(format!("nothing holds '{}', and it does not say {NOT_YET}", row.what));
            }
            faults
        })
        .collect()
}

struct Row<'a> {
    what: &'a str,
    place: &'a str,
    held_by: &'a str,
}

impl<'a> Row<'a> {
    /// The names in backticks, of places and of what holds it.
    fn named(&self) -> impl Iterator<Item = &'a str> {
        [self.place, self.held_by].into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2))
    }
}

/// The rows of those tables that say what holds something.
fn rows(page: &str) -> impl Iterator<Item = Row<'_>> {
    // Of the table that is being read: whether its head says so.
    let mut holds = None;
    page.lines().filter_map(move |line| {
        let Some(line) = line.strip_prefix("| ") else {
            holds = None;
            return None;
        };
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        let row =
            Row { what: cells.next()?, place: cells.next()?, held_by: cells.next().unwrap_or_default() };
        match holds {
            None => {
                holds = Some(row.held_by == "held by");
                None
            }
            Some(holds) => (holds && !row.what.starts_with("---")).then_some(row),
        }
    })
}

/// A sentence if what is named is not there: a file, `file: scenario` of a feature, or `file: test`.
fn missing(name: &str, root: &Path) -> Option<String> {
    let (file, inside) = name.split_once(": ").map_or((name, None), |(file, inside)| (file, Some(inside)));
    let path = root.join(file);
    if !path.exists() {
        return Some(format!("{file}, which does not exist"));
    }
    let inside = inside?;
    let text = fs::read_to_string(&path).unwrap_or_default();
    let found = if file.ends_with(".feature") {
        scenario_names(&text).any(|scenario| scenario == inside)
    } else {
        text.contains(&format!("fn {inside}(")) || text.contains(&format!("def {inside}("))
    };
    (!found).then(|| format!("`{inside}`, which is not in {file}"))
}

/// Every scenario of the features, with the name of its file.
fn scenarios(folder: &Path) -> Result<Vec<(String, String)>, Failure> {
    let unreadable = |error: std::io::Error| Failure::CouldNotRun(format!("{}: {error}", folder.display()));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "feature") {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&path)?;
            all.extend(scenario_names(&text).map(|scenario| (file.clone(), scenario.to_owned())));
        }
    }
    all.sort();
    Ok(all)
}

fn scenario_names(feature: &str) -> impl Iterator<Item = &str> {
    feature.lines().map(str::trim).filter_map(|line| {
        line.strip_prefix("Scenario:").or_else(|| line.strip_prefix("Scenario Outline:")).map(str::trim)
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::CouldNotRun(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(row: &str, expected: &[&str]) {
        let page = format!("| what | where | held by |\n| --- | --- | --- |\n{row}\n");
        assert_eq!(page_faults(PAGE, &page, root()), expected);
    }

    #[test]
    fn what_is_there_is_found() {
        check("| a | `xtask/src` | `xtask/src/stages/specification.rs: what_is_there_is_found` |", &[]);
        check("| a | `xtask` | `features/write.feature: Write new file` |", &[]);
        check("| a | `xtask` | `scenarios/read/002_range`, `scenarios/read/003_range_to_the_end` |", &[]);
        check("| a | nowhere | **not yet** |", &[]);
    }

    #[test]
    fn other_tables_are_left_alone() {
        let page = "| path | decision | reason |\n| --- | --- | --- |\n| `nowhere` | deny | because |\n\n\
                    | what | where | held by |\n| --- | --- | --- |\n| a | `xtask/nothing` | x |\n";
        assert_eq!(page_faults(PAGE, page, root()).len(), 1);
    }

    #[test]
    fn what_is_not_there_is_named() {
        check(
            "| a | `xtask/nothing` | x |",
            &["docs/specification.md names xtask/nothing, which does not exist"],
        );
        check(
            "| a | `xtask` | `xtask/src/main.rs: no_such_test` |",
            &["docs/specification.md names `no_such_test`, which is not in xtask/src/main.rs"],
        );
        check(
            "| a | `xtask` | `features/write.feature: Write` |",
            &["docs/specification.md names `Write`, which is not in features/write.feature"],
        );
        check("| a | b | c |", &["nothing holds 'a', and it does not say **not yet**"]);
    }
}
