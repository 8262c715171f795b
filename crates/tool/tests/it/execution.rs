//! A call from beginning to end: the states it goes through, the answer, the record.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolcrib_tool::{ErrorKind, ExecutionContext, Executor, Registry, State};

use crate::tools::{Clumsy, Echo, Endless, Launch, executor};

fn echo() -> Executor {
    executor(|registry| registry.register(Echo).unwrap())
}

fn context() -> ExecutionContext {
    ExecutionContext::new("/")
}

#[track_caller]
fn states(executor: &Executor) -> Vec<State> {
    executor.get_executions().last().unwrap().states.clone()
}

#[test]
fn a_call_that_goes_well() {
    let executor = echo();
    let result = executor.execute_blocking("Echo", json!({"word": "hi", "times": 2}), &context());
    assert_eq!((result.success, &result.output), (true, &json!("hi hi")));
    assert_eq!(Value::Object(result.metadata), json!({"words": 2, "noted": true}));
    assert!(result.duration_ms.unwrap() > 0.0);
    assert_eq!(
        states(&executor),
        [State::Received, State::Validating, State::Validated, State::Executing, State::Completed]
    );
}

#[test]
fn every_call_leaves_one_record() {
    let executor = echo();
    let given = json!({"word": "hi", "times": "2"});
    let result = executor.execute_blocking("Echo", given.clone(), &context().session("s").agent("a"));
    executor.execute_blocking("Nope", json!({}), &context());
    let executions = executor.get_executions();
    assert_eq!(executions.len(), 2);
    let record = &executions[0];
    assert_eq!((record.tool_name.as_str(), &record.parameters), ("Echo", &given));
    assert_eq!(record.context.session_id.as_deref(), Some("s"));
    assert_eq!(record.result, result);
    assert!(record.completed_at >= record.started_at && record.duration_ms > 0.0);
    assert_eq!(executions[1].tool_name, "Nope");
    assert_eq!(serde_json::to_value(record.as_ref()).unwrap()["context"]["agent_id"], "a");
    executor.clear_executions();
    assert!(executor.get_executions().is_empty());
}

#[test]
fn what_is_attached_is_found_during_the_call_and_not_kept() {
    let attached = Arc::new("from here".to_owned());
    let context = context().attach(attached.clone()).attach(7_u32);
    assert_eq!(context.attachment::<Arc<String>>(), Some(&attached));
    assert_eq!((context.attachment::<u32>(), context.attachment::<u64>()), (Some(&7), None));
    let executor = echo();
    executor.execute_blocking("Echo", json!({"word": "hi"}), &context);
    drop(context);
    assert_eq!(Arc::strong_count(&attached), 1);
    assert_eq!(executor.get_executions()[0].context.attachment::<Arc<String>>(), None);
}

#[test]
fn a_caller_can_cancel_at_a_checkpoint() {
    let looks = Arc::new(AtomicUsize::new(0));
    let (context, seen) = (context(), Arc::clone(&looks));
    let cancel = context.cancel.clone();
    let context = context.on_checkpoint(Arc::new(move || {
        if seen.fetch_add(1, Ordering::SeqCst) == 2 {
            cancel.cancel();
        }
    }));
    let executor = executor(|registry| registry.register(Endless(Arc::default())).unwrap());
    let result = executor.execute_blocking("Endless", json!({}), &context);
    assert_eq!(result.metadata["error_kind"], "cancelled");
    assert_eq!(looks.load(Ordering::SeqCst), 3);
}

#[test]
fn the_records_are_bounded() {
    let registry = Registry::new();
    registry.register(Echo).unwrap();
    let executor = Executor::builder(Arc::new(registry)).log_limit(3).build();
    for times in 1..=5 {
        executor.execute_blocking("Echo", json!({"word": "x", "times": times}), &context());
    }
    let kept: Vec<_> =
        executor.get_executions().iter().map(|record| record.parameters["times"].clone()).collect();
    assert_eq!(kept, [3, 4, 5]);
}

#[test]
fn an_unknown_tool_fails_while_it_is_looked_up() {
    let executor = echo();
    let result = executor.execute_blocking("Ecko", json!({}), &context());
    assert_eq!(result.error.as_deref(), Some("Unknown tool 'Ecko', did you mean 'Echo'?"));
    assert_eq!(result.metadata["error_kind"], ErrorKind::UnknownTool.as_str());
    assert_eq!(states(&executor), [State::Received, State::Validating, State::Failed]);
}

#[test]
fn wrong_parameters_fail_before_the_tool_runs() {
    let executor = echo();
    let result = executor.execute_blocking("Echo", json!({"word": "x", "times": 10}), &context());
    assert_eq!(result.error.as_deref(), Some("Parameter 'times' is out of range: got 10, wants 1 to 9"));
    assert_eq!(states(&executor), [State::Received, State::Validating, State::Failed]);
    let nested = json!({"word": "x", "marks": [{"sign": "!"}, {"sing": "?"}]});
    let result = executor.execute_blocking("Echo", nested, &context());
    assert_eq!(result.error.as_deref(), Some("Missing required parameter 'marks[1].sign' (string)"));
}

#[test]
fn what_was_taken_as_meant_is_said() {
    let given = json!({"word": "x", "times": "2", "marks": "[{\"sign\": \"!\"}]"});
    let result = echo().execute_blocking("Echo", given, &context());
    assert_eq!(result.output, "x x!");
    assert_eq!(
        result.metadata["coerced"],
        json!([
            {"parameter": "times", "given": "string", "used_as": "integer"},
            {"parameter": "marks", "given": "string", "used_as": "array"},
        ])
    );
}

#[test]
fn a_dry_run_of_a_tool_that_acts_only_says_so() {
    let launched = Arc::new(AtomicUsize::new(0));
    let executor = executor(|registry| registry.register(Launch(Arc::clone(&launched))).unwrap());
    let result = executor.execute_blocking("Launch", json!({}), &context().dry_run(true));
    assert_eq!((result.success, &result.output), (true, &json!("[Dry Run] Would execute Launch")));
    assert_eq!(result.metadata["dry_run"], true);
    assert_eq!(launched.load(Ordering::SeqCst), 0);
    assert_eq!(
        states(&executor),
        [State::Received, State::Validating, State::Validated, State::DryRun, State::Completed]
    );
    executor.execute_blocking("Launch", json!({}), &context());
    assert_eq!(launched.load(Ordering::SeqCst), 1, "without the dry run it is launched");
}

#[test]
fn a_dry_run_of_a_reading_tool_runs_it() {
    let executor = echo();
    let result = executor.execute_blocking("Echo", json!({"word": "hi"}), &context().dry_run(true));
    assert_eq!((result.output.as_str(), &result.metadata["dry_run"]), (Some("hi"), &json!(true)));
    assert!(states(&executor).contains(&State::Executing));
}

#[test]
fn a_dry_run_still_refuses_wrong_parameters() {
    let executor = executor(|registry| registry.register(Launch(Arc::default())).unwrap());
    assert!(!executor.execute_blocking("Launch", json!({"fast": true}), &context().dry_run(true)).success);
}

#[test]
fn a_panic_is_a_failed_result_and_the_executor_goes_on() {
    let executor = executor(|registry| {
        registry.register(Clumsy).unwrap();
        registry.register(Echo).unwrap();
    });
    let result = executor.execute_blocking("Clumsy", json!({}), &context());
    assert_eq!(result.error.as_deref(), Some("Clumsy failed unexpectedly: dropped the plate"));
    assert_eq!(result.metadata["error_kind"], "internal");
    assert_eq!(executor.get_executions()[0].state(), State::Failed);
    assert!(executor.execute_blocking("Echo", json!({"word": "x"}), &context()).success);
}

#[test]
fn the_output_is_bounded_and_says_what_is_missing() {
    let word = "ä".repeat(5000);
    let result = echo().execute_blocking("Echo", json!({"word": word}), &context().max_output_size(1001));
    let output = result.output.as_str().unwrap();
    assert!(output.len() <= 1001, "{}", output.len());
    let left_out = result.metadata["output_bytes_left_out"].as_u64().unwrap();
    assert!(output.ends_with(&format!("[output cut: {left_out} of 10000 bytes left out]")), "{output}");
}

#[test]
fn each_call_is_traced() {
    use std::sync::Mutex;
    use tracing::span;

    struct Names(Mutex<Vec<String>>);
    impl tracing::Subscriber for Names {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            struct Message(String);
            impl tracing::field::Visit for Message {
                fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                    if field.name() == "message" {
                        self.0 = format!("{value:?}");
                    }
                }
            }
            let mut message = Message(String::new());
            event.record(&mut message);
            self.0.lock().unwrap().push(format!("{} {}", event.metadata().level(), message.0));
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    let names = Arc::new(Names(Mutex::default()));
    tracing::subscriber::with_default(Arc::clone(&names), || {
        echo().execute_blocking("Echo", json!({"word": "x"}), &context());
        echo().execute_blocking("Echo", json!({}), &context());
    });
    assert_eq!(
        *names.0.lock().unwrap(),
        ["INFO executing tool", "INFO tool completed", "INFO executing tool", "WARN tool failed"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_holds_up_no_other() {
    use crate::tools::Deaf;
    let deaf = Deaf::default();
    let executor = executor(|registry| {
        registry.register(deaf.clone()).unwrap();
        registry.register(Echo).unwrap();
    });
    let slow = tokio::spawn({
        let executor = executor.clone();
        async move { executor.execute("Deaf", json!({}), &context()).await }
    });
    for _ in 0..100 {
        assert!(executor.execute("Echo", json!({"word": "x"}), &context()).await.success);
    }
    assert!(!slow.is_finished(), "a hundred quick calls are done before the slow one");
    deaf.let_go.store(true, Ordering::SeqCst);
    assert_eq!(slow.await.unwrap().output, "at last");
}
