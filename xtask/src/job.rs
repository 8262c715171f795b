//! A job: one named thing that passes or fails, and the runner that shows them all in a table.
//!
//! A failed job does not stop the ones after it, so that one run shows all faults.
//! What could not be run counts as failed: a check that is skipped in silence is no check.

use std::fmt;
use std::time::{Duration, Instant};

/// One stage, soak run or benchmark.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: Run,
    /// Whether it runs only if it is named, because it takes too long or needs too much for every change.
    pub(crate) by_name: bool,
}

pub(crate) enum Run {
    Alone(fn() -> Outcome),
    /// Takes what was typed after `--`.
    WithExtra(fn(&[String]) -> Outcome),
}

pub(crate) type Outcome = Result<(), Failure>;

#[derive(Debug)]
pub(crate) enum Failure {
    /// It ran and found something wrong.
    Faults(String),
    /// Something it needs is missing.
    CouldNotRun(String),
}

/// Passes when there is no fault; otherwise fails with all of them.
pub(crate) fn none_of(faults: Vec<String>) -> Outcome {
    if faults.is_empty() { Ok(()) } else { Err(Failure::Faults(faults.join("\n"))) }
}

/// Passes when all did; otherwise fails with every failure, not only the first.
pub(crate) fn all_of(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    none_of(outcomes.into_iter().filter_map(Outcome::err).map(|failure| failure.to_string()).collect())
}

/// Runs the jobs one after the other, prints the table, and says whether all passed.
pub(crate) fn run_all(jobs: &[&Job], extra: &[String]) -> bool {
    let finished: Vec<Finished> = jobs.iter().map(|job| job.finish(extra)).collect();
    print!("\n{}", table(&finished));
    finished.iter().all(|job| job.outcome.is_ok())
}

struct Finished {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

impl Job {
    pub(crate) const fn new(name: &'static str, about: &'static str, run: fn() -> Outcome) -> Self {
        Self { name, about, run: Run::Alone(run), by_name: false }
    }

    /// Runs only if it is named.
    pub(crate) const fn by_name(self) -> Self {
        Self { by_name: true, ..self }
    }

    pub(crate) const fn with_extra(
        name: &'static str,
        about: &'static str,
        run: fn(&[String]) -> Outcome,
    ) -> Self {
        Self { name, about, run: Run::WithExtra(run), by_name: false }
    }

    fn finish(&self, extra: &[String]) -> Finished {
        println!("\n== {}: {}", self.name, self.about);
        let started = Instant::now();
        let outcome = match self.run {
            Run::Alone(run) => run(),
            Run::WithExtra(run) => run(extra),
        };
        if let Err(failure) = &outcome {
            println!("{failure}");
        }
        Finished { name: self.name, took: started.elapsed(), outcome }
    }
}

fn table(finished: &[Finished]) -> String {
    let mut lines = vec![format!("{:<10}{:>9}  outcome", "", "seconds")];
    lines.extend(finished.iter().map(|job| {
        let outcome = job.outcome.as_ref().map_or_else(Failure::in_one_line, |()| "passed".to_owned());
        format!("{:<10}{:>9.1}  {outcome}", job.name, job.took.as_secs_f64())
    }));
    let passed = finished.iter().filter(|job| job.outcome.is_ok()).count();
    lines.push(format!("{passed} passed, {} failed\n", finished.len() - passed));
    lines.join("\n")
}

impl Failure {
    /// The first line of the reason, and how many more lines stand above the table.
    fn in_one_line(&self) -> String {
        let text = self.to_string();
        match text.split_once('\n') {
            Some((first, rest)) => format!("FAILED: {first} (and {} more, see above)", rest.lines().count()),
            None => format!("FAILED: {text}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Faults(faults) => write!(f, "{faults}"),
            Self::CouldNotRun(reason) => write!(f, "could not run: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_every_outcome_and_ends_with_the_count() {
        let finished = |name, outcome| Finished { name, took: Duration::from_millis(1234), outcome };
        let shown = table(&[
            finished("fmt", Ok(())),
            finished("layers", none_of(vec!["a uses b".into(), "c uses d".into()])),
            finished("python", Err(Failure::CouldNotRun("no python3".into()))),
        ]);
        let expected = "            seconds  outcome
fmt             1.2  passed
layers          1.2  FAILED: a uses b (and 1 more, see above)
python          1.2  FAILED: could not run: no python3
1 passed, 2 failed
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_failed_job_does_not_stop_the_next_and_fails_the_run() {
        let failing = Job::new("failing", "", || Err(Failure::Faults("broken".into())));
        let echoing = Job::with_extra("echoing", "", |extra| none_of(extra.to_vec()));
        assert!(!run_all(&[&failing, &echoing], &[]));
        assert!(run_all(&[&echoing], &[]));
        assert!(!run_all(&[&echoing], &["a fault".to_owned()]));
    }

    #[test]
    fn all_of_keeps_every_failure() {
        let outcome = all_of([none_of(vec!["one".into()]), Ok(()), none_of(vec!["two".into()])]);
        assert_eq!(outcome.unwrap_err().to_string(), "one\ntwo");
    }
}
