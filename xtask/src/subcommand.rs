//! What can be typed after `cargo xtask`: the subcommands, and how their arguments are read.
//!
//! Decides what to run and runs nothing, so that every wrong usage can be tested.

use std::fmt::Write as _;

use crate::job::{Job, Run};
use crate::{benches, coverage, picture, release, soak, stages};

struct Subcommand {
    name: &'static str,
    about: &'static str,
    jobs: &'static [Job],
    without_names: WithoutNames,
}

enum WithoutNames {
    RunAll,
    List,
}

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "test",
        about: "Everything that must hold before a change lands. All stages, or only those named.",
        jobs: stages::STAGES,
        without_names: WithoutNames::RunAll,
    },
    Subcommand {
        name: "soak",
        about: "The long runs that look for races and lost data. All of them, or only those named.",
        jobs: soak::RUNS,
        without_names: WithoutNames::RunAll,
    },
    Subcommand {
        name: "coverage",
        about: "How many of the lines the tests run. What follows `--` are packages.",
        jobs: coverage::RUNS,
        without_names: WithoutNames::RunAll,
    },
    Subcommand {
        name: "bench",
        about: "The benchmarks named; without a name, the list. What follows `--` goes to the benchmark.",
        jobs: benches::BENCHES,
        without_names: WithoutNames::List,
    },
    Subcommand {
        name: "picture",
        about: "The pictures of the documentation, drawn again from what the program prints. All of them, or only those named.",
        jobs: picture::PICTURES,
        without_names: WithoutNames::RunAll,
    },
    Subcommand {
        name: "release",
        about: "What a release consists of, built and checked in target/release-artifacts; nothing is published. All jobs, or only those named. `--dry-run` may be added to say so.",
        jobs: release::JOBS,
        without_names: WithoutNames::RunAll,
    },
];

/// The one option of `release`: it never does more than that.
const DRY_RUN: &str = "--dry-run";

/// What the arguments ask for.
pub(crate) enum Request {
    Show(String),
    Run { jobs: Vec<&'static Job>, extra: Vec<String> },
}

/// Reads the arguments after `cargo xtask`. The error is what to tell someone who mistyped.
pub(crate) fn parse(arguments: &[String]) -> Result<Request, String> {
    let (words, extra) = match arguments.iter().position(|word| word == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    if words.iter().any(|word| word == "-h" || word == "--help") {
        return Ok(Request::Show(help()));
    }
    let Some((name, job_names)) = words.split_first() else {
        return Ok(Request::Show(help()));
    };
    let subcommand = SUBCOMMANDS
        .iter()
        .find(|subcommand| subcommand.name == name)
        .ok_or_else(|| format!("there is no subcommand `{name}`\n\n{}", help()))?;
    if job_names.is_empty() && matches!(subcommand.without_names, WithoutNames::List) {
        return Ok(Request::Show(subcommand.describe()));
    }
    let job_names: Vec<String> =
        job_names.iter().filter(|word| name != "release" || *word != DRY_RUN).cloned().collect();
    let jobs = subcommand.select(&job_names)?;
    if let Some(job) = jobs.iter().find(|job| !extra.is_empty() && matches!(job.run, Run::Alone(_))) {
        return Err(format!("`{name} {}` takes nothing after `--`", job.name));
    }
    Ok(Request::Run { jobs, extra: extra.to_vec() })
}

impl Subcommand {
    /// The jobs with these names in the order of the list; when none is named, all but those that want to be.
    fn select(&self, names: &[String]) -> Result<Vec<&'static Job>, String> {
        if let Some(unknown) = names.iter().find(|name| !self.jobs.iter().any(|job| job.name == *name)) {
            return Err(format!("`{}` has no `{unknown}`\n\n{}", self.name, self.describe()));
        }
        Ok(self
            .jobs
            .iter()
            .filter(|job| (names.is_empty() && !job.by_name) || names.iter().any(|name| name == job.name))
            .collect())
    }

    fn describe(&self) -> String {
        let mut text = format!("cargo xtask {} [NAME...]\n  {}\n", self.name, self.about);
        for job in self.jobs {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    {:<12}{}", job.name, job.about);
        }
        text
    }
}

fn help() -> String {
    SUBCOMMANDS.iter().map(Subcommand::describe).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Request, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    /// The names of the jobs that run, what is shown, or what is wrong.
    fn check(line: &str) -> String {
        match parse_line(line) {
            Ok(Request::Show(text)) => text,
            Ok(Request::Run { jobs, extra }) => {
                let names: Vec<_> = jobs.iter().map(|job| job.name).collect();
                format!("runs {} with {extra:?}", names.join(" "))
            }
            Err(sentence) => format!("wrong: {sentence}"),
        }
    }

    #[test]
    fn no_argument_and_help_list_every_subcommand_and_job() {
        for line in ["", "--help", "-h", "test --help"] {
            let shown = check(line);
            for subcommand in SUBCOMMANDS {
                assert!(shown.contains(&format!("cargo xtask {}", subcommand.name)), "{line:?}: {shown}");
                for job in subcommand.jobs {
                    assert!(shown.contains(job.about), "{line:?} misses {}: {shown}", job.name);
                }
            }
        }
    }

    #[test]
    fn test_runs_all_stages_or_the_named_ones_in_the_order_of_the_list() {
        let of_a_plain_run = stages::STAGES.iter().filter(|job| !job.by_name).count();
        assert_eq!(check("test").matches(' ').count(), of_a_plain_run + 2);
        assert_eq!(check("test clippy fmt fmt"), "runs fmt clippy with []");
    }

    #[test]
    fn bench_lists_without_a_name_and_passes_arguments_on_with_one() {
        assert!(check("bench").starts_with("cargo xtask bench"));
        assert_eq!(check("bench frame -- --quick x"), r#"runs frame with ["--quick", "x"]"#);
    }

    #[test]
    fn what_does_not_exist_is_named_with_what_does() {
        let unknown_subcommand = check("tset");
        assert!(
            unknown_subcommand.starts_with("wrong: there is no subcommand `tset`"),
            "{unknown_subcommand}"
        );
        assert!(unknown_subcommand.contains("cargo xtask soak"), "{unknown_subcommand}");
        let unknown_stage = check("test fmt layer");
        assert!(unknown_stage.starts_with("wrong: `test` has no `layer`"), "{unknown_stage}");
        assert!(unknown_stage.contains("layers"), "{unknown_stage}");
    }

    #[test]
    fn a_release_is_always_a_dry_run() {
        assert_eq!(check("release --dry-run"), check("release"));
        assert_eq!(check("release --dry-run deb"), "runs deb with []");
        assert!(check("test --dry-run").starts_with("wrong: `test` has no `--dry-run`"));
    }

    #[test]
    fn arguments_are_not_dropped_silently() {
        assert_eq!(check("test fmt -- --nocapture"), "wrong: `test fmt` takes nothing after `--`");
    }

    #[test]
    fn names_are_unique() {
        for subcommand in SUBCOMMANDS {
            let mut names: Vec<_> = subcommand.jobs.iter().map(|job| job.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), subcommand.jobs.len(), "`{}` names a job twice", subcommand.name);
        }
    }
}
