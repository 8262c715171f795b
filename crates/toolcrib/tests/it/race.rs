//! Every tool while its path is swapped for a link that leads outside.

use std::time::Instant;

use toolcrib::Toolbox;
use toolcrib_testkit::{Arena, Attack, CANARY, is_ordinary_user};

use crate::probes::{Probe, every_tool};

/// How many calls each tool makes under each attack; in a long run.
const ROUNDS: usize = 450;
const LONG: usize = 20_000;
/// How many tries an attack has to win against a plain open.
const CONTROL_TRIES: usize = 200_000;

#[test]
fn no_swap_leads_a_tool_outside() {
    let began = Instant::now();
    let soak = std::env::var_os("TOOLCRIB_SOAK").is_some();
    let rounds = match (soak, is_ordinary_user()) {
        (true, _) => LONG,
        (false, false) => ROUNDS,
        // The second of two runs: what is different for an ordinary user shows at once.
        (false, true) => ROUNDS / 10,
    };
    let (mut calls, mut answered) = (0, 0);
    let tools = every_tool();
    for probe in &tools {
        let Probe { dialect, tool, .. } = probe;
        for attack in probe.in_turns(Attack::all()) {
            let arena = Arena::default();
            let before = arena.outside();
            let toolbox =
                Toolbox::builder().root(arena.root()).dialect(*dialect).more_tools(true).open().unwrap();
            // What is taken away cannot be swapped again.
            let context = toolbox.context().dry_run(probe.takes_away());
            let call = probe.aim(&arena.root(), &attack.file(&arena));
            attack.run(&arena, || {
                for _ in 0..rounds {
                    let result = toolbox.call_blocking(tool, call.clone(), &context);
                    let told = serde_json::to_string(&result).unwrap();
                    // The error for a link that leaves names where it leads, which the asker may know.
                    let leaked = result.success && told.contains(CANARY);
                    assert!(!leaked, "{dialect} {tool} told what is outside under {attack:?}: {told}");
                    answered += usize::from(result.success);
                }
                calls += rounds;
            });
            assert_eq!(arena.outside(), before, "{dialect} {tool} changed what is outside under {attack:?}");
        }
    }
    assert!(
        answered * 20 > calls,
        "the swaps left hardly any call something to answer: {answered} of {calls}"
    );
    println!(
        "{} tools, some of {} attacks each, x {rounds} rounds: {calls} calls, {answered} answered, 0 escapes ({:.1} s)",
        tools.len(),
        Attack::all().len(),
        began.elapsed().as_secs_f64()
    );
}

/// The control: each of the attacks leads a plain open outside.
#[test]
fn every_swap_leads_a_plain_open_outside() {
    for attack in Attack::all() {
        let arena = Arena::default();
        let won = (0..CONTROL_TRIES / 1000).any(|_| attack.wins_against_a_plain_open(&arena, 1000) > 0);
        assert!(won, "{attack:?} did not win in {CONTROL_TRIES} tries, so it attacks nothing");
    }
    println!("all {} attacks win against a plain open", Attack::all().len());
}
