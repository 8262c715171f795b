//! A tool that reads goes through containment and policy, whatever it is called with.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use toolcrib_access::{
    Access, Action, ApprovalRequest, Approver, Decision, FileAccess, Origin, Policy, Rule, Unread, in_sandbox,
};
use toolcrib_tool::{
    Answer, Call, Effect, ExecutionContext, Executor, Registry, Tool, ToolError, ToolResult,
};
use toolcrib_workspace::Workspace;

#[derive(Deserialize, JsonSchema)]
struct ShowInput {
    /// Which file
    path: PathBuf,
}

struct Show;

impl Tool for Show {
    type Input = ShowInput;
    type Output = String;
    const NAME: &'static str = "Show";
    const DESCRIPTION: &'static str = "Shows a file.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ShowInput, call: &Call<'_>) -> Result<Answer<String>, ToolError> {
        in_sandbox(call, Unread::Refused, |sandbox| {
            let opened = sandbox.open_file(&input.path)?;
            let mut text = String::new();
            opened.file.into_file().read_to_string(&mut text).unwrap();
            Ok(text.into())
        })
    }
}

struct Fixture {
    dir: TempDir,
    executor: Executor,
}

impl Fixture {
    fn new(rules: Vec<Rule>, approver: Option<Arc<dyn Approver>>) -> Self {
        Self::on(tempfile::tempdir().unwrap(), rules, approver)
    }

    fn on(dir: TempDir, rules: Vec<Rule>, approver: Option<Arc<dyn Approver>>) -> Self {
        for (name, text) in [
            ("ws/a.txt", "inside"),
            ("ws/.env", "SECRET"),
            ("ws/Café.txt", "accent"),
            ("out/x.txt", "outside"),
        ] {
            fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            fs::write(dir.path().join(name), text).unwrap();
        }
        let registry = Registry::new();
        registry.register(Show).unwrap();
        let workspace = Workspace::open(dir.path().join("ws")).unwrap();
        let files = FileAccess::builder(workspace).policy(Policy::new(rules));
        let files = approver.into_iter().fold(files, |files, approver| files.approver(approver)).build();
        let executor = Executor::builder(Arc::new(registry)).environment(Arc::new(files)).build();
        Self { dir, executor }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn context(&self) -> ExecutionContext {
        ExecutionContext::new(self.path("ws")).session("s1")
    }

    fn show(&self, path: impl AsRef<Path>) -> ToolResult {
        self.executor.execute_blocking("Show", json!({"path": path.as_ref()}), &self.context())
    }
}

fn rule(kind: Access, pattern: &str, action: Action) -> Rule {
    Rule::new(kind, pattern, action, Origin::User).unwrap()
}

/// Answers every question in the same way, and remembers them.
struct Answers(Decision, Mutex<Vec<ApprovalRequest>>);

impl Answers {
    fn new(decision: Decision) -> Arc<Self> {
        Arc::new(Self(decision, Mutex::default()))
    }

    fn asked(&self) -> Vec<ApprovalRequest> {
        self.1.lock().unwrap().clone()
    }
}

impl Approver for Answers {
    fn ask(&self, request: &ApprovalRequest, _: &tokio_util::sync::CancellationToken) -> Decision {
        self.1.lock().unwrap().push(request.clone());
        self.0.clone()
    }
}

#[test]
fn a_denied_file_is_refused_and_the_rule_is_named() {
    let fixture = Fixture::new(vec![], None);
    assert_eq!(fixture.show("a.txt").output, "inside");
    let result = fixture.show(".env");
    let shown = fixture.path("ws/.env").display().to_string();
    assert_eq!(
        result.error.unwrap(),
        format!("Permission denied: Cannot read {shown} (rule: deny read **/.env)")
    );
    assert_eq!(result.metadata["error_kind"], "permission_denied");
    assert_eq!(result.metadata["rule"]["pattern"], "**/.env");
}

#[test]
fn a_denied_name_is_refused_whether_it_exists_or_not() {
    let fixture = Fixture::new(vec![], None);
    assert_eq!(fixture.show("nowhere/.env").metadata["error_kind"], "permission_denied");
}

#[test]
fn a_link_to_a_denied_file_is_no_way_around() {
    let fixture = Fixture::new(vec![], None);
    std::os::unix::fs::symlink(".env", fixture.path("ws/harmless.txt")).unwrap();
    std::os::unix::fs::symlink(".", fixture.path("ws/here")).unwrap();
    for way in ["harmless.txt", "here/.env", "here/harmless.txt", "./here/../.env"] {
        assert_eq!(fixture.show(way).metadata["error_kind"], "permission_denied", "{way}");
    }
}

#[test]
fn a_name_spelt_otherwise_is_found_and_a_near_one_is_suggested() {
    let fixture = Fixture::new(vec![], None);
    assert_eq!(fixture.show("Cafe\u{301}.txt").output, "accent");
    let result = fixture.show("b.txt");
    assert_eq!(result.metadata["near"], json!(["a.txt"]));
    assert_eq!(result.metadata["hint"], "did you mean a.txt?");
    let near = fixture.show(".enx").metadata;
    assert!(!near.contains_key("near"), "a denied name is not suggested: {near:?}");
}

#[test]
fn with_nobody_to_ask_ask_is_no() {
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], None);
    let error = fixture.show("a.txt").error.unwrap();
    assert!(error.ends_with("(there is no user to ask; rule: ask read a.txt)"), "{error}");
}

#[test]
fn a_person_is_asked_and_answers_for_once() {
    let person = Answers::new(Decision::Once);
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(person.clone()));
    assert_eq!(fixture.show("a.txt").output, "inside");
    assert_eq!(fixture.show("a.txt").output, "inside");
    let asked = person.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!((asked[0].tool.as_str(), asked[0].access), ("Show", Access::Read));
    assert_eq!(asked[0].session_id.as_deref(), Some("s1"));
    assert_eq!(asked[0].rule.as_deref(), Some("ask read a.txt"));
    assert_eq!(asked[0].paths, [fixture.path("ws/a.txt").display().to_string()]);
    assert_ne!(asked[0].id, asked[1].id);
}

#[test]
fn always_holds_for_the_session_and_the_pattern() {
    let person = Answers::new(Decision::Always);
    let fixture = Fixture::new(vec![rule(Access::Read, "*.txt", Action::Ask)], Some(person.clone()));
    for _ in 0..3 {
        assert_eq!(fixture.show("a.txt").output, "inside");
    }
    assert_eq!(person.asked().len(), 1);
    assert_eq!(fixture.show("Café.txt").output, "accent");
    assert_eq!(person.asked().len(), 2, "another file is another question");
    let other = ExecutionContext::new(fixture.path("ws")).session("s2");
    fixture.executor.execute_blocking("Show", json!({"path": "a.txt"}), &other);
    assert_eq!(person.asked().len(), 3, "another session is another question");
}

#[test]
fn no_tells_the_agent_why() {
    let person = Answers::new(Decision::No(Some("not before the release".into())));
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(person));
    let error = fixture.show("a.txt").error.unwrap();
    assert!(error.ends_with("(the user said no: not before the release)"), "{error}");
}

#[test]
fn who_closed_the_question_said_neither_yes_nor_no() {
    let person = Answers::new(Decision::Dismissed);
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(person));
    let result = fixture.show("a.txt");
    let error = result.error.unwrap();
    assert!(
        error.ends_with("(the user closed the question without an answer; rule: ask read a.txt)"),
        "{error}"
    );
    assert_eq!(result.metadata["refused_by"], "dismissed");
}

/// How often a person is asked if sixteen calls need the same at once, and they answer with this.
fn asked_by_sixteen(answer: Decision) -> (usize, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let person = {
        let asked = Arc::clone(&asked);
        move |_: &ApprovalRequest| {
            asked.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            answer.clone()
        }
    };
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(Arc::new(person)));
    let shown = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| shown.fetch_add(usize::from(fixture.show("a.txt").success), Ordering::SeqCst));
        }
    });
    (asked.load(Ordering::SeqCst), shown.load(Ordering::SeqCst))
}

#[test]
fn yes_is_for_one_call_and_always_for_all_that_wait() {
    assert_eq!(asked_by_sixteen(Decision::Once), (16, 16));
    assert_eq!(asked_by_sixteen(Decision::Always), (1, 16));
    let (asked, shown) = asked_by_sixteen(Decision::No(None));
    assert!(asked <= 16 && shown == 0);
}

#[test]
fn waiting_for_a_person_does_not_use_up_the_time() {
    // Far more than the call itself takes on a busy machine.
    const TIMEOUT: Duration = Duration::from_secs(2);
    let slow = |_: &ApprovalRequest| {
        std::thread::sleep(TIMEOUT + Duration::from_millis(100));
        Decision::Once
    };
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(Arc::new(slow)));
    let context = fixture.context().timeout(TIMEOUT);
    assert_eq!(
        fixture.executor.execute_blocking("Show", json!({"path": "a.txt"}), &context).output,
        "inside"
    );
}

#[test]
fn an_approver_that_panics_is_a_no_for_all_who_wait() {
    let clumsy = |_: &ApprovalRequest| -> Decision {
        std::thread::sleep(Duration::from_millis(100));
        panic!("no idea")
    };
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(Arc::new(clumsy)));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(!fixture.show("a.txt").success));
        }
    });
}

#[test]
fn a_dry_run_shows_no_more_than_any_other() {
    let person = Answers::new(Decision::No(None));
    let fixture = Fixture::new(vec![rule(Access::Read, "a.txt", Action::Ask)], Some(person.clone()));
    let context = fixture.context().dry_run(true);
    assert!(!fixture.executor.execute_blocking("Show", json!({"path": "a.txt"}), &context).success);
    assert_eq!(person.asked().len(), 1);
}

#[test]
fn outside_is_refused_and_the_way_in_is_named() {
    let fixture = Fixture::new(vec![], None);
    let result = fixture.show(fixture.path("out/x.txt"));
    assert_eq!(
        result.error.unwrap(),
        format!("Path outside workspace: {}", fixture.path("out/x.txt").display())
    );
    assert_eq!(result.metadata["error_kind"], "outside_workspace");
    assert!(
        result.metadata["hint"].as_str().unwrap().contains("external_directory"),
        "{:?}",
        result.metadata["hint"]
    );
    assert_eq!(fixture.show("../out/x.txt").metadata["error_kind"], "outside_workspace");
}

#[test]
fn a_rule_lets_a_directory_in_and_nothing_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let pattern = format!("{}/**", dir.path().join("out").display());
    let fixture = Fixture::on(dir, vec![rule(Access::ExternalDirectory, &pattern, Action::Allow)], None);
    assert_eq!(fixture.show(fixture.path("out/x.txt")).output, "outside");
    fs::create_dir(fixture.path("out-evil")).unwrap();
    fs::write(fixture.path("out-evil/x.txt"), "evil").unwrap();
    assert_eq!(fixture.show(fixture.path("out-evil/x.txt")).metadata["error_kind"], "outside_workspace");
    std::os::unix::fs::symlink(fixture.path("out-evil"), fixture.path("out/link")).unwrap();
    assert!(!fixture.show(fixture.path("out/link/x.txt")).success, "a link out of it is not it");
    std::os::unix::fs::symlink(fixture.path("out-evil/x.txt"), fixture.path("out/link.txt")).unwrap();
    assert!(!fixture.show(fixture.path("out/link.txt")).success, "a link out of it is not it");
}

#[test]
fn secrets_outside_stay_denied() {
    let fixture = Fixture::new(vec![rule(Access::ExternalDirectory, "/**", Action::Allow)], None);
    fs::write(fixture.path("out/.env"), "SECRET").unwrap();
    assert_eq!(fixture.show(fixture.path("out/.env")).metadata["error_kind"], "permission_denied");
    assert_eq!(fixture.show(fixture.path("out/x.txt")).output, "outside");
}

#[test]
fn a_person_lets_a_directory_in_for_the_session() {
    let person = Answers::new(Decision::Always);
    let fixture = Fixture::new(vec![], Some(person.clone()));
    fs::write(fixture.path("out/y.txt"), "more").unwrap();
    assert_eq!(fixture.show(fixture.path("out/x.txt")).output, "outside");
    assert_eq!(fixture.show(fixture.path("out/y.txt")).output, "more");
    let asked = person.asked();
    assert_eq!((asked.len(), asked[0].access), (1, Access::ExternalDirectory));
    assert_eq!(asked[0].patterns[0].to_string(), format!("{}/**", fixture.path("out").display()));
}

/// Whether something behind a link that leads into a denied directory exists, and what it is called, is not found out.
#[test]
fn nothing_is_found_out_behind_a_link_to_a_denied_directory() {
    let fixture = Fixture::new(vec![], None);
    let secret = fixture.path("ws/.ssh");
    fs::create_dir_all(secret.join("deep")).unwrap();
    fs::write(secret.join("special_name"), "").unwrap();
    std::os::unix::fs::symlink(".ssh", fixture.path("ws/way")).unwrap();
    for name in ["special_name", "special_nam", "nothing-like-it", "deep/x"] {
        for given in [format!("way/{name}"), format!(".ssh/{name}")] {
            let shown = fixture.show(&given);
            let error = shown.error.clone().unwrap_or_default();
            assert!(error.starts_with("Permission denied: Cannot read "), "{given}: {shown:?}");
            assert!(
                !serde_json::to_string(&shown).unwrap().replace(&given, "").contains("special_name"),
                "{shown:?}"
            );
        }
    }
}

/// A root that was removed, moved or replaced under a running server is not an empty one.
#[test]
fn a_root_that_is_gone_is_told() {
    let fixture = Fixture::new(vec![], None);
    let (root, aside) = (fixture.path("ws"), fixture.path("aside"));
    let gone = format!("Workspace was removed, moved or replaced: {}", root.display());
    fs::rename(&root, &aside).unwrap();
    assert_eq!(fixture.show("a.txt").error.as_deref(), Some(gone.as_str()), "moved");
    fs::create_dir(&root).unwrap();
    assert_eq!(fixture.show("a.txt").error.as_deref(), Some(gone.as_str()), "replaced");
    fs::remove_dir(&root).unwrap();
    fs::rename(&aside, &root).unwrap();
    assert_eq!(fixture.show("a.txt").output, "inside", "put back");
    fs::remove_dir_all(&root).unwrap();
    let result = fixture.show("a.txt");
    assert_eq!(result.error.as_deref(), Some(gone.as_str()), "removed");
    assert!(result.metadata["hint"].as_str().unwrap().contains("start the server again"));
}
