//! `cargo xtask coverage`: how many of the lines the tests run, crate by crate.
//!
//! cargo-llvm-cov does the work, with cargo-nextest. They are installed if they are missing, and so is the part of the
//! toolchain that they need.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::job::{Failure, Job, Outcome, none_of};
use crate::metadata::Metadata;
use crate::shell::{cargo, need_cargo, program, read, root, run};

pub(crate) const RUNS: &[Job] = &[Job::with_extra(
    "coverage",
    "the lines that the tests run, by crate; after `--`, the packages to test (default: all)",
    measure,
)];

/// The share of lines that the specification asks for, over all crates that are tested as a whole.
const ALL: f64 = 90.0;
/// Crates in which a fault costs most, and what they must not fall below: at least 95 for each.
const CAREFUL: &[(&str, f64)] = &[("edit", 99.0), ("patch", 97.0), ("workspace", 95.0), ("journal", 95.0)];

fn measure(packages: &[String]) -> Outcome {
    need_llvm_cov()?;
    let report = Metadata::load()?.target.join("coverage.json");
    // Whether tests pass is for `cargo xtask test` to say. Here some do not: a server that has locked itself in complains that
    // it cannot write its counts, and instrumented code is slow.
    let mut command = cargo(["llvm-cov", "nextest", "--ignore-run-fail", "--json", "--summary-only"]);
    command.arg("--output-path").arg(&report);
    for package in packages {
        command.args(["--package", package]);
    }
    if packages.is_empty() {
        command.arg("--workspace");
    }
    run(&mut command)?;
    let report = std::fs::read_to_string(&report)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", report.display())))?;
    let crates = lines_by_crate(&report, root())?;
    print!("{}", table(&crates));
    none_of(if packages.is_empty() { faults(&crates) } else { Vec::new() })
}

fn need_llvm_cov() -> Outcome {
    need_cargo("llvm-cov", "cargo-llvm-cov")?;
    need_cargo("nextest", "cargo-nextest")?;
    let components = read(program("rustup").args(["component", "list", "--installed"]))?;
    if components.contains("llvm-tools") {
        return Ok(());
    }
    run(program("rustup").args(["component", "add", "llvm-tools"]))
}

/// Lines that could be run, and lines that were.
#[derive(Clone, Copy, Default)]
struct Lines {
    all: u64,
    run: u64,
}

impl Lines {
    #[allow(clippy::cast_precision_loss, reason = "no crate has so many lines")]
    fn share(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * self.run as f64 / self.all as f64 }
    }
}

/// Adds up the files of each crate. What helps tests only, and this program, are left out.
fn lines_by_crate(report: &str, root: &Path) -> Result<BTreeMap<String, Lines>, Failure> {
    let broken = |what: &str| Failure::CouldNotRun(format!("the report of cargo-llvm-cov has no {what}"));
    let report: Value = serde_json::from_str(report).map_err(|error| broken(&error.to_string()))?;
    let files = report.pointer("/data/0/files").and_then(Value::as_array).ok_or_else(|| broken("files"))?;
    let crates = root.join("crates");
    let mut sums = BTreeMap::<String, Lines>::new();
    for file in files {
        let name = file["filename"].as_str().ok_or_else(|| broken("name of a file"))?;
        let Ok(inside) = Path::new(name).strip_prefix(&crates) else { continue };
        let mut parts = inside.iter().map(|part| part.to_string_lossy().into_owned());
        let (Some(package), Some(folder)) = (parts.next(), parts.next()) else { continue };
        if package == "testkit" || folder != "src" {
            continue;
        }
        let number = |key: &str| file["summary"]["lines"][key].as_u64().ok_or_else(|| broken(key));
        let sum = sums.entry(package).or_default();
        sum.all += number("count")?;
        sum.run += number("covered")?;
    }
    Ok(sums)
}

fn total(crates: &BTreeMap<String, Lines>) -> Lines {
    crates
        .values()
        .fold(Lines::default(), |sum, lines| Lines { all: sum.all + lines.all, run: sum.run + lines.run })
}

fn table(crates: &BTreeMap<String, Lines>) -> String {
    let row = |name: &str, lines: Lines| {
        format!("{name:<12}{:>8} of {:>6} lines{:>8.1} %\n", lines.run, lines.all, lines.share())
    };
    let rows: String = crates.iter().map(|(name, lines)| row(name, *lines)).collect();
    rows + &row("all", total(crates))
}

/// What falls below the figures that are aimed at.
fn faults(crates: &BTreeMap<String, Lines>) -> Vec<String> {
    let below = |name: &str, lines: Lines, wanted: f64| {
        (lines.share() < wanted)
            .then(|| format!("{name}: {:.1} % of the lines, {wanted} are wanted", lines.share()))
    };
    let careful =
        CAREFUL.iter().map(|(name, wanted)| (*name, crates.get(*name).copied().unwrap_or_default(), *wanted));
    careful
        .chain([("all", total(crates), ALL)])
        .filter_map(|(name, lines, wanted)| below(name, lines, wanted))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> String {
        let file = |name: &str, count: u64, covered: u64| serde_json::json!({"filename": name, "summary": {"lines": {"count": count, "covered": covered}}});
        serde_json::json!({"data": [{"files": [
            file("/top/crates/edit/src/lib.rs", 100, 96),
            file("/top/crates/edit/src/find/mod.rs", 100, 90),
            file("/top/crates/edit/tests/it/main.rs", 100, 0),
            file("/top/crates/testkit/src/lib.rs", 100, 0),
            file("/top/xtask/src/main.rs", 100, 0),
            file("/top/crates/tool/src/lib.rs", 100, 80),
        ]}]})
        .to_string()
    }

    #[test]
    fn the_sources_of_each_crate_are_added_up() {
        let crates = lines_by_crate(&report(), Path::new("/top")).unwrap();
        assert_eq!(
            table(&crates),
            "edit             186 of    200 lines    93.0 %\n\
             tool              80 of    100 lines    80.0 %\n\
             all              266 of    300 lines    88.7 %\n"
        );
    }

    #[test]
    fn what_is_below_the_aim_is_named() {
        let crates = lines_by_crate(&report(), Path::new("/top")).unwrap();
        assert_eq!(
            faults(&crates),
            ["edit: 93.0 % of the lines, 99 are wanted", "all: 88.7 % of the lines, 90 are wanted"]
        );
    }

    #[test]
    fn a_report_that_is_none_could_not_run() {
        for report in ["", "{}", r#"{"data": [{"files": [{}]}]}"#] {
            assert!(
                matches!(lines_by_crate(report, Path::new("/top")), Err(Failure::CouldNotRun(_))),
                "{report}"
            );
        }
    }
}
