//! What becomes of proposed changes: shown, asked for, committed, or none of it.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolcrib_access::{
    Access, Action, ApprovalRequest, Approver, Decision, Extent, FileAccess, Origin, PageSize, Policy,
    Proposal, Proposed, Rule, Seen, Unread, in_sandbox,
};
use toolcrib_tool::{
    Answer, Call, Effect, ExecutionContext, Executor, Registry, Tool, ToolError, ToolResult,
};
use toolcrib_workspace::{Version, Workspace};

#[derive(Deserialize, JsonSchema)]
struct PutInput {
    /// Which file
    path: PathBuf,
    /// What it holds afterwards
    content: String,
    /// What it must hold before
    expected_version: Option<String>,
}

/// Writes a file, as a user's own tool would.
struct Put;

impl Tool for Put {
    type Input = PutInput;
    type Output = String;
    const NAME: &'static str = "Put";
    const DESCRIPTION: &'static str = "Writes a file.";
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: PutInput, call: &Call<'_>) -> Result<Answer<String>, ToolError> {
        in_sandbox(call, Unread::Refused, |sandbox| {
            let draft = sandbox.draft(&input.path)?;
            draft.refuse_unseen()?;
            if let Some(version) = &input.expected_version {
                draft.require_version(version.parse().unwrap())?;
            }
            let change = draft.write(input.content.clone().into_bytes());
            let diff = format!("+{}\n", input.content);
            Ok(Proposed::new("put".to_owned(), vec![Proposal { location: draft.location, change, diff }]))
        })
    }
}

#[derive(Deserialize, JsonSchema)]
struct GetInput {
    /// Which file
    path: PathBuf,
}

/// Reads a file, and remembers that the session has seen it.
struct Get;

impl Tool for Get {
    type Input = GetInput;
    type Output = String;
    const NAME: &'static str = "Get";
    const DESCRIPTION: &'static str = "Reads a file.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: GetInput, call: &Call<'_>) -> Result<Answer<String>, ToolError> {
        in_sandbox(call, Unread::Refused, |sandbox| {
            let opened = sandbox.open_file(&input.path)?;
            let mut text = String::new();
            opened.file.file().read_to_string(&mut text).unwrap();
            let seen = Seen::Version(Version::of(text.as_bytes()));
            sandbox.saw(&opened.location, opened.file.reached(), seen, Extent::Whole);
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
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.txt"), "before").unwrap();
        let registry = Registry::new();
        registry.register(Put).unwrap();
        registry.register(Get).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let files = FileAccess::builder(workspace).policy(Policy::new(rules));
        let files = approver.into_iter().fold(files, |files, approver| files.approver(approver)).build();
        let executor = Executor::builder(Arc::new(registry)).environment(Arc::new(files)).build();
        Self { dir, executor }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn holds(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn one_shot(&self) -> ExecutionContext {
        ExecutionContext::new(self.dir.path())
    }

    fn put(&self, name: &str, content: &str, context: &ExecutionContext) -> ToolResult {
        self.executor.execute_blocking("Put", json!({"path": name, "content": content}), context)
    }

    fn get(&self, name: &str, context: &ExecutionContext) -> ToolResult {
        self.executor.execute_blocking("Get", json!({"path": name}), context)
    }
}

fn kind(result: &ToolResult) -> &str {
    result.metadata.get("error_kind").and_then(|kind| kind.as_str()).unwrap_or("none")
}

fn ask_for(pattern: &str) -> Vec<Rule> {
    vec![Rule::new(Access::Edit, pattern, Action::Ask, Origin::User).unwrap()]
}

#[test]
fn a_proposal_is_committed_and_its_version_is_told() {
    let fixture = Fixture::new(vec![], None);
    let result = fixture.put("new/b.txt", "hello", &fixture.one_shot());
    assert_eq!((result.success, result.output.as_str()), (true, Some("put")), "{:?}", result.error);
    assert_eq!(fixture.holds("new/b.txt").as_deref(), Some("hello"));
    assert_eq!(result.metadata["version"], Version::of(b"hello").to_string());
    assert_eq!(result.metadata["diff"], "+hello\n");
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let fixture = Fixture::new(vec![], None);
    let result = fixture.put("a.txt", "after", &fixture.one_shot().dry_run(true));
    let shown = fixture.path("a.txt").display().to_string();
    assert_eq!(result.output, format!("[Dry Run] Would update {shown} (5 bytes)\n+after"));
    assert_eq!((&result.metadata["dry_run"], &result.metadata["diff"]), (&json!(true), &json!("+after\n")));
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("before"));
    let result = fixture.put("b.txt", "new", &fixture.one_shot().dry_run(true));
    assert!(result.output.as_str().unwrap().starts_with("[Dry Run] Would create "));
    assert_eq!(fixture.holds("b.txt"), None);
}

#[test]
fn a_session_changes_only_what_it_has_read() {
    let fixture = Fixture::new(vec![], None);
    let session = fixture.one_shot().session("s");
    let refused = fixture.put("a.txt", "after", &session);
    assert_eq!(kind(&refused), "not_read");
    assert!(refused.error.unwrap().starts_with("File has not been read in this session: "));
    assert_eq!(fixture.get("a.txt", &session).output, "before");
    assert!(fixture.put("a.txt", "after", &session).success);
    assert!(fixture.put("a.txt", "again", &session).success, "its own write counts as having read");
    assert!(fixture.put("new.txt", "x", &session).success, "what does not exist need not be read");
    assert_eq!(kind(&fixture.put("a.txt", "x", &fixture.one_shot().session("other"))), "not_read");
}

#[test]
fn without_a_session_there_is_no_history_to_require() {
    let fixture = Fixture::new(vec![], None);
    assert!(fixture.put("a.txt", "after", &fixture.one_shot()).success);
}

#[test]
fn a_file_is_known_by_what_was_reached() {
    let fixture = Fixture::new(vec![], None);
    std::os::unix::fs::symlink("a.txt", fixture.path("link.txt")).unwrap();
    let session = fixture.one_shot().session("s");
    fixture.get("link.txt", &session);
    assert!(fixture.put("a.txt", "after", &session).success);
    assert!(fixture.put("link.txt", "through the link", &session).success);
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("through the link"));
    assert!(fixture.path("link.txt").is_symlink(), "the link stays");
}

#[test]
fn touched_is_not_changed_and_changed_is_not_replaced() {
    let fixture = Fixture::new(vec![], None);
    let session = fixture.one_shot().session("s");
    fixture.get("a.txt", &session);
    fs::write(fixture.path("a.txt"), "before").unwrap();
    assert!(
        fixture.put("a.txt", "after", &session).success,
        "the same content with a new time is the same content"
    );
    fs::write(fixture.path("a.txt"), "somebody else's").unwrap();
    let refused = fixture.put("a.txt", "x", &session);
    assert_eq!(kind(&refused), "conflict");
    assert!(refused.error.unwrap().starts_with("File has changed since it was read: "));
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("somebody else's"));
}

#[test]
fn the_expected_version_is_required() {
    let fixture = Fixture::new(vec![], None);
    let put = |version: &str| {
        let call = json!({"path": "a.txt", "content": "x", "expected_version": version});
        fixture.executor.execute_blocking("Put", call, &fixture.one_shot())
    };
    assert_eq!(kind(&put(&Version::of(b"other").to_string())), "conflict");
    assert!(put(&Version::of(b"before").to_string()).success);
}

#[test]
fn what_is_denied_is_not_changed_by_any_name() {
    let fixture = Fixture::new(vec![], None);
    fs::create_dir_all(fixture.path(".git/hooks")).unwrap();
    fs::write(fixture.path(".git/config"), "[core]").unwrap();
    std::os::unix::fs::symlink(".git", fixture.path("harmless")).unwrap();
    std::os::unix::fs::symlink(".git/config", fixture.path("config.txt")).unwrap();
    for name in [
        ".git/config",
        ".git/hooks/pre-commit",
        "harmless/config",
        "harmless/hooks/x",
        "config.txt",
        ".env",
        ".GIT/x",
    ] {
        let result = fixture.put(name, "evil", &fixture.one_shot());
        assert_eq!(kind(&result), "permission_denied", "{name}");
        assert!(result.error.unwrap().starts_with("Permission denied: Cannot edit "));
        let dry = fixture.put(name, "evil", &fixture.one_shot().dry_run(true));
        assert_eq!(kind(&dry), "permission_denied", "{name}: a dry run obeys the rules");
    }
    assert_eq!(fixture.holds(".git/config").as_deref(), Some("[core]"));
}

#[test]
fn a_person_sees_the_diff_and_says_no() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let person = {
        let asked = Arc::clone(&asked);
        move |request: &ApprovalRequest| {
            asked.lock().unwrap().push(request.clone());
            Decision::No(Some("keep it".into()))
        }
    };
    let fixture = Fixture::new(ask_for("*.txt"), Some(Arc::new(person)));
    let result = fixture.put("a.txt", "after", &fixture.one_shot());
    assert!(result.error.unwrap().ends_with("(the user said no: keep it)"));
    assert_eq!(result.metadata["refused_by"], "user");
    assert!(result.metadata["hint"].as_str().unwrap().starts_with("do not try it another way"));
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("before"));
    let asked = asked.lock().unwrap();
    let path = fixture.path("a.txt").display().to_string();
    let shown = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-before\n\\ No newline at end of file\n+after\n\\ No newline at end of file\n";
    assert_eq!((asked[0].access, asked[0].diff().as_deref()), (Access::Edit, Some(shown)));
    let page = asked[0].page(1, PageSize::default());
    assert_eq!((page.text, page.number, page.of), (format!("Change {path}:\n{shown}"), 1, 1));
}

#[test]
fn an_approval_is_for_exactly_what_was_shown() {
    let dir = Arc::new(Mutex::new(PathBuf::new()));
    let person = {
        let dir = Arc::clone(&dir);
        // While the person looks at the diff, another program saves the file.
        move |_: &ApprovalRequest| {
            fs::write(dir.lock().unwrap().join("a.txt"), "saved meanwhile").unwrap();
            Decision::Once
        }
    };
    let fixture = Fixture::new(ask_for("a.txt"), Some(Arc::new(person)));
    fixture.dir.path().clone_into(&mut dir.lock().unwrap());
    let result = fixture.put("a.txt", "after", &fixture.one_shot());
    assert_eq!(kind(&result), "conflict", "{:?}", result.error);
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("saved meanwhile"));
}

#[test]
fn a_call_that_was_cancelled_while_a_person_was_asked_changes_nothing() {
    let token = CancellationToken::new();
    let person = {
        let token = token.clone();
        move |_: &ApprovalRequest| {
            token.cancel();
            Decision::Once
        }
    };
    let fixture = Fixture::new(ask_for("a.txt"), Some(Arc::new(person)));
    let result = fixture.put("a.txt", "after", &fixture.one_shot().cancelled_by(token));
    assert_eq!(kind(&result), "cancelled");
    assert_eq!(fixture.holds("a.txt").as_deref(), Some("before"));
}

#[test]
fn always_covers_the_next_change_of_the_file() {
    let count = Arc::new(Mutex::new(0));
    let person = {
        let count = Arc::clone(&count);
        move |_: &ApprovalRequest| {
            *count.lock().unwrap() += 1;
            Decision::Always
        }
    };
    let fixture = Fixture::new(ask_for("*.txt"), Some(Arc::new(person)));
    let session = fixture.one_shot().session("s");
    fixture.get("a.txt", &session);
    assert!(fixture.put("a.txt", "1", &session).success && fixture.put("a.txt", "2", &session).success);
    assert_eq!(*count.lock().unwrap(), 1);
    fixture.put("b.txt", "1", &session);
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn outside_is_not_written() {
    let fixture = Fixture::new(vec![], None);
    let outside = tempfile::tempdir().unwrap();
    let put = |path: &Path| fixture.put(path.to_str().unwrap(), "x", &fixture.one_shot());
    assert_eq!(kind(&put(&outside.path().join("x"))), "outside_workspace");
    std::os::unix::fs::symlink(outside.path(), fixture.path("out")).unwrap();
    assert_eq!(kind(&put(Path::new("out/x"))), "outside_workspace");
    std::os::unix::fs::symlink(outside.path().join("dangling"), fixture.path("dangling")).unwrap();
    assert!(!put(Path::new("dangling")).success);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
