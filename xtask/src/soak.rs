//! The long runs: too slow for every change, worth a night now and then.
//!
//! A long run is an ordinary test that reads `TOOLCRIB_SOAK` and then goes on for much longer.

use crate::job::{Job, Outcome};
use crate::shell::{cargo, run};

pub(crate) const RUNS: &[Job] = &[
    Job::new(
        "race",
        "files and links are swapped while the workspace opens them: no open may leave the roots",
        || soak(["-p", "toolcrib-workspace", "--test", "it", "race"]),
    ),
    Job::new(
        "journal",
        "changes killed at every system call, every one failed, many writers, people who save: nothing torn or lost",
        || soak(["-p", "toolcrib-journal", "--test", "it"]),
    ),
    Job::new(
        "fuzz",
        "mutated patches, edits and texts: no crash, no hang, and only what is reported changes",
        || soak(["-p", "toolcrib-patch", "--test", "it", "fuzz"]),
    ),
    Job::new(
        "calls",
        "agents who edit one file at once, and patches that are called off: all there, and whole or nothing",
        || soak(["-p", "toolcrib", "--test", "it", "journal::"]),
    ),
    Job::new(
        "search",
        "a million files, a hundred thousand in one directory, a line of 100 MB, a file of 10 GB: counted, within bounds",
        || soak(["-p", "toolcrib", "--test", "it", "scale"]),
    ),
];

/// Optimised, since a race is lost or won in the time between two system calls.
fn soak<const N: usize>(selection: [&str; N]) -> Outcome {
    run(cargo(["test", "--release"]).args(selection).args(["--", "--nocapture"]).env("TOOLCRIB_SOAK", "1"))
}
