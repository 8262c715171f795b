//! The registry: what is in it, in which order, and what is not.

use std::sync::Arc;

use toolcrib_tool::{Category, ErrorKind, Registry, erase};

use crate::tools::{Clumsy, Echo, Launch};

fn filled() -> Registry {
    let registry = Registry::new();
    registry.register_many([erase(Launch(Arc::default())), erase(Echo), erase(Clumsy)]).unwrap();
    registry
}

#[test]
fn tools_are_listed_in_the_order_of_their_registration() {
    let registry = filled();
    assert_eq!(registry.list_names(), ["Launch", "Echo", "Clumsy"]);
    assert_eq!(registry.list_all().len(), 3);
    assert_eq!(registry.count(), 3);
    assert!(registry.deregister("Launch"));
    assert!(!registry.deregister("Launch"), "it is gone already");
    assert_eq!(registry.list_names(), ["Echo", "Clumsy"]);
    registry.clear();
    assert_eq!(registry.count(), 0);
}

#[test]
fn a_tool_is_found_by_its_name() {
    let registry = filled();
    assert!(registry.exists("Echo"));
    assert!(!registry.exists("echo"));
    assert_eq!(registry.get("Echo").unwrap().descriptor().title, "Say it");
    assert!(registry.get("Nope").is_none());
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let error = filled().get_or_raise("ehco").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownTool);
    assert_eq!(error.message(), "Unknown tool 'ehco', did you mean 'Echo'?");
    assert_eq!(error.next_step(), Some("known tools: Launch, Echo, Clumsy"));
    let error = Registry::new().get_or_raise("Echo").err().unwrap();
    assert_eq!(error.next_step(), Some("no tool is registered"));
}

#[test]
fn a_name_is_registered_once() {
    let registry = filled();
    let error = registry.register(Echo).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(error.message(), "A tool named 'Echo' is registered already");
}

#[test]
fn several_are_registered_all_or_none() {
    let registry = Registry::new();
    assert!(registry.register_many([erase(Echo), erase(Clumsy), erase(Echo)]).is_err());
    assert_eq!(registry.count(), 0);
}

#[test]
fn tools_are_listed_by_category() {
    let names: Vec<_> =
        filled().list_by_category(Category::Task).iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["Echo"]);
    assert_eq!(serde_json::to_value(Category::File).unwrap(), "FILE");
}

#[test]
fn the_process_has_one_of_its_own_that_can_be_reset() {
    Registry::global().register(Echo).unwrap();
    assert!(Registry::global().exists("Echo"));
    Registry::reset();
    assert_eq!(Registry::global().count(), 0);
}

#[test]
fn many_threads_may_use_it() {
    let registry = Registry::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    _ = registry.register(Echo);
                    _ = registry.list_names();
                    _ = registry.deregister("Echo");
                }
            });
        }
    });
    assert!(registry.count() <= 1);
}
