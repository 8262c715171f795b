//! `cargo xtask soak mutants`: whether the tests notice when the code is wrong.
//!
//! cargo-mutants, which is installed if it is missing, breaks one place after the other and runs the tests of that crate. A
//! break that no test notices is printed with its place; too many of them are a fault. All of them take hours. A part that
//! is chosen evenly takes minutes: `cargo xtask soak mutants -- --shard 0/8 --sharding round-robin`.

use serde_json::Value;

use crate::job::{Failure, Outcome, none_of};
use crate::metadata::Metadata;
use crate::shell::{self, cargo, need_cargo};

/// Where a fault costs most: what decides which bytes change, and who may touch what.
const FILES: &[&str] = &["crates/edit/**", "crates/patch/**", "crates/access/src/policy/**"];
const PACKAGES: &[&str] = &["toolcrib-edit", "toolcrib-patch", "toolcrib-access"];

/// The share of breaks that must be noticed. Some of the others change nothing that could be noticed.
const NOTICED: f64 = 90.0;

pub(crate) fn run(extra: &[String]) -> Outcome {
    need_cargo("mutants", "cargo-mutants")?;
    need_cargo("nextest", "cargo-nextest")?;
    let target = Metadata::load()?.target;
    let mut command =
        cargo(["mutants", "--test-tool", "nextest", "--no-times", "--timeout", "90", "--output"]);
    command.arg(&target);
    FILES.iter().for_each(|file| _ = command.args(["--file", file]));
    PACKAGES.iter().for_each(|package| _ = command.args(["--package", package]));
    // What runs for a time and not for a number of cases takes that time for every break.
    command.args(extra).args(["--", "-E", "not test(/^fuzz/)"]);
    // What it says by its end: all were noticed, some were not, or some made the tests hang. How many, its report tells.
    let ended = shell::code(&mut command)?;
    if !matches!(ended, Some(0 | 2 | 3)) {
        return Err(Failure::CouldNotRun(format!("cargo-mutants ended with {ended:?}")));
    }
    let report = target.join("mutants.out/outcomes.json");
    let report = std::fs::read_to_string(&report)
        .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", report.display())))?;
    let tally = Tally::read(&report)?;
    println!("{tally}");
    none_of(tally.fault().into_iter().collect())
}

#[derive(Debug, PartialEq, Eq)]
struct Tally {
    noticed: u64,
    missed: u64,
    not_built: u64,
}

impl Tally {
    fn read(report: &str) -> Result<Self, Failure> {
        let broken =
            |what: String| Failure::CouldNotRun(format!("the report of cargo-mutants is broken: {what}"));
        let report: Value = serde_json::from_str(report).map_err(|error| broken(error.to_string()))?;
        let number = |key: &str| report[key].as_u64().ok_or_else(|| broken(format!("no {key}")));
        // A break that makes the tests hang is noticed too.
        let noticed = number("caught")? + number("timeout")?;
        Ok(Self { noticed, missed: number("missed")?, not_built: number("unviable")? })
    }

    #[allow(clippy::cast_precision_loss, reason = "there are thousands")]
    fn share(&self) -> f64 {
        100.0 * self.noticed as f64 / (self.noticed + self.missed).max(1) as f64
    }

    fn fault(&self) -> Option<String> {
        (self.share() < NOTICED)
            .then(|| format!("{:.1} % of the breaks were noticed, {NOTICED} are wanted", self.share()))
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { noticed, missed, not_built } = self;
        let share = self.share();
        write!(f, "{noticed} of {} breaks noticed, {share:.1} %; {not_built} did not build", noticed + missed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let report =
            r#"{"total_mutants": 12, "missed": 1, "caught": 7, "timeout": 2, "unviable": 2, "outcomes": []}"#;
        let tally = Tally::read(report).unwrap();
        assert_eq!(tally, Tally { noticed: 9, missed: 1, not_built: 2 });
        assert_eq!(tally.to_string(), "9 of 10 breaks noticed, 90.0 %; 2 did not build");
        assert_eq!(tally.fault(), None);
        assert!(Tally { missed: 2, ..tally }.fault().is_some());
        assert!(Tally::read("{}").is_err() && Tally::read("").is_err());
    }
}
