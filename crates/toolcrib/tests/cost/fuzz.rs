//! Any arguments, made from numbers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::calls::call;
use crate::parent::{Answer, Crib};
use crate::tree::Place;

/// How many calls one child makes in one tree. What they change stays for those after them.
const BATCH: u64 = 100;

/// How many calls there are in a long run.
const LONG: u64 = 100_000;

/// How long an ordinary run goes on, and how many calls it makes however long they take.
const ORDINARY: Duration = Duration::from_secs(20);
const LEAST: u64 = 100;

pub(crate) fn any_arguments() {
    if let Ok(again) = std::env::var("TOOLCRIB_COST") {
        return once_more(&again);
    }
    let seed = std::env::var("TOOLCRIB_COST_SEED").map_or(1, |seed| seed.parse().unwrap());
    let soak = std::env::var_os("TOOLCRIB_SOAK").is_some();
    let (first, most) = match std::env::var("TOOLCRIB_COST_CALLS") {
        Ok(calls) => {
            let (first, most) = calls.split_once("..").unwrap();
            (first.parse::<u64>().unwrap() / BATCH * BATCH, most.parse().unwrap())
        }
        Err(_) => (0, if soak { LONG } else { u64::MAX }),
    };
    let began = Instant::now();
    let over = |number: u64| number >= most || !soak && number >= first + LEAST && began.elapsed() > ORDINARY;
    let full = Place::full();
    let mut tally = Tally::default();
    let mut number = first;
    while !over(number) {
        let place = Place::like(&full);
        let mut crib = crib(&place, number);
        for _ in 0..BATCH {
            if over(number) {
                break;
            }
            let order = call(&place.root(), seed, number);
            let answer = crib.call(&order);
            tally.add(&order.tool, &answer);
            if std::env::var_os("TOOLCRIB_COST_ALL").is_some() {
                let shown: String =
                    serde_json::to_string(&order.arguments).unwrap().chars().take(150).collect();
                println!("{number} {} {shown}\n   {answer}", order.tool);
            }
            if let Some(fault) = answer.fault() {
                let shown: String = serde_json::to_string(&order).unwrap().chars().take(600).collect();
                println!("call {seed}:{number}: {fault}\n  {shown}\n  {answer}");
                tally.faults += 1;
            }
            number += 1;
        }
        if soak && number % 5000 < BATCH {
            println!("{number} calls, {} faults, {:.0?}", tally.faults, began.elapsed());
        }
    }
    let calls = number - first;
    println!("seed {seed}: {calls} calls in {:.0?}\n{tally}", began.elapsed());
    assert_eq!(tally.faults, 0, "calls that were not within bounds");
}

/// The child for the batch of this call. Every other one gives memory back as soon as it can, so that later calls get further.
fn crib(place: &Place, number: u64) -> Crib {
    let crib = Crib::new(&place.root(), place.state());
    if number / BATCH % 2 == 1 { crib.frugal() } else { crib }
}

/// Makes the calls of a batch up to one, and shows it.
fn once_more(again: &str) {
    let (seed, last) = again.split_once(':').unwrap();
    let (seed, last): (u64, u64) = (seed.parse().unwrap(), last.parse().unwrap());
    let place = Place::full();
    let mut crib = crib(&place, last);
    for number in last - last % BATCH..=last {
        let order = call(&place.root(), seed, number);
        let answer = crib.call(&order);
        if number == last {
            println!("{}\n{answer}", serde_json::to_string(&order).unwrap());
            assert_eq!(answer.fault(), None);
        }
    }
}

/// How often each came of a tool, and the most that it cost.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<(String, String), u64>,
    worked: u64,
    over: u64,
    size: usize,
    faults: u64,
}

impl Tally {
    fn add(&mut self, tool: &str, answer: &Answer) {
        let outcome = match answer {
            Answer::Died(_) => "died",
            Answer::Reported(report) => {
                self.worked = self.worked.max(report.worked);
                self.over = self.over.max(report.over);
                self.size = self.size.max(report.size);
                &report.outcome
            }
        };
        *self.outcomes.entry((tool.to_lowercase().replace('_', ""), outcome.to_owned())).or_default() += 1;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((tool, outcome), count) in &self.outcomes {
            writeln!(f, "  {tool:12} {outcome:18} {count:6}")?;
        }
        write!(
            f,
            "at the most {} ms of work, {} ms of it after the end, an answer of {} bytes; {} faults",
            self.worked, self.over, self.size, self.faults
        )
    }
}
