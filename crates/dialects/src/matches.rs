//! What the searching tools of the dialects share: parameters, and how what was found is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{Case, Grepped, Matches, Skipped, Sort};

use crate::facts::counted;

/// What stands between lines that do not follow one another.
const GAP: &str = "--";

/// What comes first.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    #[default]
    Relevance,
    Path,
    Modified,
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        match order {
            Order::Relevance => Self::Relevance,
            Order::Path => Self::Path,
            Order::Modified => Self::Modified,
        }
    }
}

/// Ignoring the case is stronger than being smart about it.
pub(crate) fn case(ignore: bool, smart: bool) -> Case {
    match (ignore, smart) {
        (true, _) => Case::Insensitive,
        (false, true) => Case::Smart,
        (false, false) => Case::Sensitive,
    }
}

/// Files that were not searched, by reason.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct SkippedFiles {
    /// Files that are no text
    binary: u64,
    /// Files that are too large
    too_large: u64,
    /// Files and directories that cannot be read
    unreadable: u64,
    /// Files that the rules withhold
    denied: u64,
    /// Files on which the pattern takes too long
    #[serde(skip_serializing_if = "Option::is_none")]
    too_complex: Option<u64>,
}

impl From<Skipped> for SkippedFiles {
    fn from(skipped: Skipped) -> Self {
        Self {
            binary: skipped.binary,
            too_large: skipped.too_large,
            unreadable: skipped.unreadable,
            denied: skipped.denied,
            too_complex: (skipped.too_complex > 0).then_some(skipped.too_complex),
        }
    }
}

/// The lines: `> path:line: text` where it matches, and a space in the place of `>` beside.
pub(crate) fn content(grepped: &Grepped, numbers: bool) -> Vec<String> {
    let in_groups = grepped.context != (0, 0);
    let mut shown = Vec::new();
    for file in &grepped.files {
        let path = &file.path.absolute;
        let mut expected = None;
        for line in &file.lines {
            if in_groups && !shown.is_empty() && expected != Some(line.number) {
                shown.push(GAP.to_owned());
            }
            expected = Some(line.number + 1);
            let mark = if line.matches { '>' } else { ' ' };
            shown.push(match numbers {
                true => format!("{mark} {path}:{}: {}", line.number, line.text),
                false => format!("{mark} {path}: {}", line.text),
            });
        }
    }
    shown
}

/// One path a line.
pub(crate) fn paths(grepped: &Grepped) -> Vec<String> {
    grepped.files.iter().map(|file| file.path.absolute.clone()).collect()
}

/// `path: N`, one a line.
pub(crate) fn counts(grepped: &Grepped) -> Vec<String> {
    grepped.files.iter().map(|file| format!("{}: {}", file.path.absolute, file.count)).collect()
}

/// What is not shown, and the way to it. `results` are matches or files.
pub(crate) fn missing(grepped: &Grepped, results: &str) -> Vec<String> {
    let total = if results == "files" { grepped.total_files } else { grepped.total_matches };
    let mut notes = Vec::new();
    if total == Some(0) {
        notes.push("No matches found".to_owned());
    } else if let Some(total) = total
        && grepped.files.is_empty()
    {
        notes.push(format!("(no more {results}: there are {total})"));
    }
    if let Some(next) = grepped.next {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        notes.push(format!("({}{of} {results} shown: go on with offset {next})", grepped.returned));
    }
    if grepped.partial {
        notes.push("(the time was up before everything was searched)".to_owned());
    }
    notes.extend(not_searched(grepped));
    notes.extend(grepped.all_ignored.then(|| format!("({})", all_ignored("no_ignore"))));
    notes
}

/// Why no file was found, where ignore rules may be the reason, and the parameter that changes it.
pub(crate) fn why_none(matches: &Matches, parameter: &str) -> Option<String> {
    if matches.further_down > 0 {
        let further_down = usize::try_from(matches.further_down).unwrap_or(usize::MAX);
        let files = counted(further_down, "file matches", "files match");
        return Some(format!("{files} further down: put **/ in front of the pattern"));
    }
    if let Some(directory) = &matches.left_out {
        return Some(format!("'{directory}' is left out by ignore rules: set {parameter} to look there"));
    }
    let left_out = usize::try_from(matches.ignored).unwrap_or(usize::MAX);
    let left_out = (left_out > 0).then(|| counted(left_out, "file or directory", "files and directories"))?;
    Some(format!("{left_out} left out by ignore rules: set {parameter} to look there too"))
}

/// Why nothing was searched, and the parameter that changes it.
pub(crate) fn all_ignored(parameter: &str) -> String {
    format!("ignore rules leave out all that could be searched: set {parameter} to search it")
}

/// Files that were not searched although they were meant. That other data is not is no news, unless it was all there is.
fn not_searched(grepped: &Grepped) -> Option<String> {
    let skipped = grepped.skipped;
    let reasons = [
        (if grepped.searched == 0 { skipped.binary } else { 0 }, "binary"),
        (skipped.too_large, "too large"),
        (skipped.unreadable, "unreadable"),
        (skipped.denied, "withheld by rules"),
        (skipped.too_complex, "too complex for this pattern"),
    ];
    let reasons = reasons.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
    (!reasons.is_empty()).then(|| format!("(not searched: {})", reasons.join(", ")))
}
