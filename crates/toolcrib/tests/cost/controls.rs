//! The same harness sees what it must see: a call that does not end, one that takes all memory, a result without a limit.

use serde_json::json;

use crate::child::Order;
use crate::parent::{Answer, Crib, OVER};
use crate::tree::Place;

fn order(tool: &str, arguments: serde_json::Value) -> Order {
    Order { tool: tool.to_owned(), arguments, timeout_ms: 300, cancel_ms: None, dry_run: false }
}

pub(crate) fn a_call_that_burns_is_seen() {
    let place = Place::new();
    let mut crib = Crib::new(&place.root(), place.state());
    let burns = crib.call(&order("Burn", json!({"amount": 300 + OVER + 600})));
    let Answer::Reported(report) = &burns else { panic!("{burns}") };
    assert!(report.over > OVER && burns.fault().is_some(), "{burns}");
    let cancelled = Order { cancel_ms: Some(10), ..order("Burn", json!({"amount": OVER + 700})) };
    let burns = crib.call(&cancelled);
    assert!(burns.fault().is_some(), "{burns}");
    // What ends in time is no fault.
    let answer = crib.call(&order("Burn", json!({"amount": 50})));
    assert!(answer.fault().is_none(), "{answer}");
}

pub(crate) fn a_call_that_hoards_is_seen() {
    let place = Place::new();
    let mut crib = Crib::new(&place.root(), place.state());
    let hoards = crib.call(&order("Hoard", json!({"amount": 400})));
    assert_eq!(hoards.fault().as_deref(), Some("signal 6"), "{hoards}");
    // The next child is a new one.
    let answer = crib.call(&order("Hoard", json!({"amount": 10})));
    assert!(answer.fault().is_none(), "{answer}");
}

pub(crate) fn a_call_that_asks_ends_before_the_memory_does() {
    let place = Place::new();
    let mut crib = Crib::new(&place.root(), place.state());
    let gathers = |amount: u64| Order { timeout_ms: 60_000, ..order("Gather", json!({"amount": amount})) };
    let outcome = |answer: &Answer| match answer {
        Answer::Reported(report) => report.outcome.clone(),
        Answer::Died(how) => how.clone(),
    };
    assert_eq!(outcome(&crib.call(&gathers(50))), "ok");
    assert_eq!(outcome(&crib.call(&gathers(400))), "too_large");
    assert_eq!(outcome(&crib.call(&gathers(50))), "ok");
}

pub(crate) fn a_call_has_its_stack_before_the_memory_ends() {
    let place = Place::new();
    let mut crib = Crib::new(&place.root(), place.state());
    let answer = crib.call(&order("Sink", json!({"amount": 300})));
    assert!(answer.fault().is_none(), "{answer}");
    // What was not reserved cannot be had.
    let answer = crib.call(&order("Sink", json!({"amount": 3000})));
    assert_eq!(answer.fault().as_deref(), Some("signal 11"), "{answer}");
}

pub(crate) fn without_its_limit_growth_is_seen() {
    let place = Place::new();
    std::fs::write(place.root().join("letters.txt"), "a".repeat(40_000)).unwrap();
    let path = place.root().join("letters.txt");
    let edit =
        json!({"file_path": path, "old_string": "a", "new_string": "b".repeat(1000), "replace_all": true});
    let call = Order { timeout_ms: 20_000, ..order("Edit", edit) };
    let limited = Crib::new(&place.root(), place.state()).call(&call);
    let Answer::Reported(report) = &limited else { panic!("{limited}") };
    assert_eq!((report.outcome.as_str(), limited.fault()), ("too_large", None), "{limited}");
    // With more memory, so that only the growth is at fault.
    let mut free = Crib::new(&place.root(), place.state()).max_growth(usize::MAX).megabytes(2048);
    let grown = free.call(&call);
    assert!(grown.fault().is_some_and(|fault| fault.starts_with("files grew by 39960000 bytes")), "{grown}");
}
