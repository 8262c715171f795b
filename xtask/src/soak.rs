//! The long runs: too slow for every change, worth a night now and then.
//!
//! A long run is an ordinary test that reads `TOOLCRIB_SOAK` and then goes on for much longer.

use crate::busy;
use crate::job::{Job, Outcome, all_of};
use crate::metadata::Metadata;
use crate::mutants;
use crate::shell::{cargo, run, toolcrib_optimised};
use crate::stages::{agents, python};

pub(crate) const RUNS: &[Job] = &[
    Job::new(
        "race",
        "files and links are swapped while the workspace opens them: no open may leave the roots",
        || soak(["-p", "toolcrib-workspace", "--test", "it", "race"]),
    ),
    Job::new(
        "journal",
        "changes killed at every system call, every one failed, many writers, people who save, every byte of the journal damaged: nothing torn or lost",
        || soak(["-p", "toolcrib-journal", "--test", "it"]),
    ),
    Job::new(
        "record",
        "10,000 histories of which random parts are undone, any tree recorded as the successor of any other, a checkout of 5,000 files, kills: undone to the byte",
        record,
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
        "answers",
        "answers that are cut to what clients take: each can be continued, and the parts are the whole",
        || soak(["-p", "toolcrib", "--test", "it", "continued"]),
    ),
    Job::new(
        "cost",
        "100,000 calls with hostile arguments in 256 MB: an answer or an error, never a signal, never late",
        || soak(["-p", "toolcrib", "--test", "cost"]),
    ),
    Job::new(
        "search",
        "a million files, a hundred thousand in one directory, a line of 100 MB, a file of 10 GB: counted, within bounds",
        || soak(["-p", "toolcrib", "--test", "it", "scale"]),
    ),
    Job::new(
        "index",
        "10,000 changes by another program, 20,000 random calls, 1,000 kills: an index answers as a search does",
        index,
    ),
    Job::new("agents", "real agents from npm, driven to the end by a scripted model", agents::check),
    Job::new(
        "mcp",
        "200,000 calls with 5,000 in flight, malformed frames, clients that are slow, silent or never read",
        mcp,
    ),
    Job::with_extra(
        "mutants",
        "edit, patch and policy broken in one place after the other: the tests must notice; after `--`, options of cargo-mutants",
        mutants::run,
    ),
    Job::with_extra(
        "busy",
        "the whole test run, three times, beside four busy loops and a process with 80 % of the memory; after `--`, stages",
        busy::run_tests,
    )
    .by_name(),
];

/// The tests of the search index, for much longer.
fn index() -> Outcome {
    let tests = |selection: &[&str]| {
        run(cargo(["test", "--release"]).args(selection).args(["--", "--nocapture"]).envs([
            ("TOOLCRIB_TURNS", "10000"),
            ("TOOLCRIB_KILLS", "1000"),
            ("TOOLCRIB_QUERIES", "20000"),
        ]))
    };
    all_of([
        tests(&["-p", "toolcrib-search", "--test", "it", "fresh"]),
        tests(&["-p", "toolcrib-search", "--test", "it", "kept"]),
        tests(&["-p", "toolcrib", "--test", "it", "same_answers"]),
    ])
}

/// What is undone in parts, and what others have changed.
fn record() -> Outcome {
    all_of([
        soak(["-p", "toolcrib-journal", "--test", "it", "slots"]),
        soak(["-p", "toolcrib-journal", "--test", "it", "sequences"]),
        soak(["-p", "toolcrib-journal", "--test", "it", "foreign"]),
        soak(["-p", "toolcrib-cli", "--test", "it", "record"]),
    ])
}

/// The tests of the server under load, and those that wait for a limit of time, which the ordinary run leaves out.
fn mcp() -> Outcome {
    let target = Metadata::load()?.target;
    let mut pytest = python::pytest(&target, &toolcrib_optimised(&target)?)?;
    pytest.args([
        "-s",
        "-v",
        "tests/python/test_mcp_load.py",
        "tests/python/test_mcp_http.py",
        "-k",
        "load or dropped",
    ]);
    run(pytest.env("TOOLCRIB_SOAK", "1"))
}

/// Optimised, since a race is lost or won in the time between two system calls.
fn soak<const N: usize>(selection: [&str; N]) -> Outcome {
    run(cargo(["test", "--release"]).args(selection).args(["--", "--nocapture"]).env("TOOLCRIB_SOAK", "1"))
}
