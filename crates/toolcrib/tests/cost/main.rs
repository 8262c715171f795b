//! What a call may cost, whatever its arguments are: every tool of both dialects in a process with 256 MB of address space.
//!
//! A call gets an answer or an error. It never ends the process, since an allocation that fails would; and once its time is
//! up, or once it is cancelled, processors work for it for less than half a second more. Time is what processors worked,
//! never what a clock shows, so that a busy machine changes nothing.
//!
//! It brings its own harness, since the program is its own child: [`child`] makes the calls, [`parent`] sends them, restarts
//! it when it dies, and judges. `TOOLCRIB_SOAK=1` makes 100,000 calls. A failure prints its number;
//! `TOOLCRIB_COST=SEED:NUMBER` makes the calls of its batch up to it once more, and shows it. `TOOLCRIB_COST_SEED=2` makes
//! other calls, and `TOOLCRIB_COST_CALLS=20000..40000` only a part of them, so that processes can share a long run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

mod calls;
mod child;
mod controls;
mod fixed;
mod fuzz;
mod parent;
mod patterns;
mod texts;
mod tree;

use std::process::ExitCode;

/// The tests by name.
const TESTS: &[(&str, fn())] = &[
    ("fixed::every_tool_takes_hostile_arguments", fixed::every_tool_takes_hostile_arguments),
    ("fixed::every_hostile_file_is_read", fixed::every_hostile_file_is_read),
    ("fixed::small_requests_do_not_make_large_results", fixed::small_requests_do_not_make_large_results),
    ("fixed::a_patch_of_many_hunks_is_applied", fixed::a_patch_of_many_hunks_is_applied),
    ("controls::a_call_that_burns_is_seen", controls::a_call_that_burns_is_seen),
    ("controls::a_call_that_hoards_is_seen", controls::a_call_that_hoards_is_seen),
    (
        "controls::a_call_that_asks_ends_before_the_memory_does",
        controls::a_call_that_asks_ends_before_the_memory_does,
    ),
    (
        "controls::a_call_has_its_stack_before_the_memory_ends",
        controls::a_call_has_its_stack_before_the_memory_ends,
    ),
    ("controls::without_its_limit_growth_is_seen", controls::without_its_limit_growth_is_seen),
    ("fuzz::any_arguments", fuzz::any_arguments),
];

fn main() -> ExitCode {
    if std::env::var_os(child::CHILD).is_some() {
        child::run();
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        if !has("--ignored") {
            TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        }
        return ExitCode::SUCCESS;
    }
    let chosen = arguments.iter().find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| {
        chosen
            .is_none_or(|chosen| if has("--exact") { name == chosen } else { name.contains(chosen.as_str()) })
    };
    let mut failed = false;
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        let passed = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed |= !passed;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
