//! Directories under the policy: what is listed through a visibility, and what is withheld.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use toolcrib_access::{Access, Action, FileAccess, Origin, Policy, Rule, Sandbox};
use toolcrib_search::Visibility as _;
use toolcrib_tool::{
    Answer, Call, Effect, ExecutionContext, Executor, Registry, Tool, ToolError, ToolResult,
};
use toolcrib_workspace::Workspace;

#[derive(Deserialize, JsonSchema)]
struct ListInput {
    /// Which directory
    path: PathBuf,
}

/// Lists a directory, and checks that the quick questions are never less strict than the long one.
struct List;

impl Tool for List {
    type Input = ListInput;
    type Output = Vec<String>;
    const NAME: &'static str = "List";
    const DESCRIPTION: &'static str = "Lists a directory.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ListInput, call: &Call<'_>) -> Result<Answer<Vec<String>>, ToolError> {
        let sandbox = Sandbox::new(call)?;
        let opened = sandbox.open_dir(&input.path)?;
        let visibility = sandbox.visibility(&opened);
        let mut shown = Vec::new();
        for entry in opened.dir.entries().unwrap() {
            let name = entry.unwrap().name;
            let directory = opened.dir.reached().relative();
            if visibility.shows(&directory.join(&name)) {
                shown.push(name.to_string_lossy().into_owned());
            } else {
                assert!(visibility.may_hide_in(directory) || visibility.may_hide(&name), "{name:?}");
            }
        }
        shown.sort();
        Ok(shown.into())
    }
}

struct Fixture {
    dir: TempDir,
    executor: Executor,
}

impl Fixture {
    fn new(rules: impl FnOnce(&str) -> Vec<Rule>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "ws/a",
            "ws/.env",
            "ws/.ssh/id",
            "ws/.ssh/id.pub",
            "ws/src/key.pem",
            "out/x",
            "out/.env",
            "out/no/y",
        ] {
            fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            fs::write(dir.path().join(name), "").unwrap();
        }
        symlink(".ssh", dir.path().join("ws/innocent")).unwrap();
        let registry = Registry::new();
        registry.register(List).unwrap();
        let workspace = Workspace::open(dir.path().join("ws")).unwrap();
        let policy = Policy::new(rules(dir.path().to_str().unwrap()));
        let files = FileAccess::builder(workspace).policy(policy).build();
        let executor = Executor::builder(Arc::new(registry)).environment(Arc::new(files)).build();
        Self { dir, executor }
    }

    fn call(&self, path: impl AsRef<Path>) -> ToolResult {
        let context = ExecutionContext::new(self.dir.path().join("ws"));
        self.executor.execute_blocking("List", json!({"path": path.as_ref()}), &context)
    }

    #[track_caller]
    fn check(&self, path: impl AsRef<Path>, shown: &[&str]) {
        let result = self.call(path);
        assert_eq!(result.error, None);
        assert_eq!(result.output, json!(shown));
    }
}

fn rule(kind: Access, pattern: &str, action: Action) -> Rule {
    Rule::new(kind, pattern, action, Origin::User).unwrap()
}

#[test]
fn what_may_not_be_read_is_not_listed() {
    let fixture = Fixture::new(|_| Vec::new());
    fixture.check(".", &[".ssh", "a", "innocent", "src"]);
    fixture.check("src", &[]);
    fixture.check(".ssh", &["id.pub"]);
}

#[test]
fn another_name_for_a_directory_shows_no_more() {
    let fixture = Fixture::new(|_| vec![rule(Access::Read, "innocent/*.pub", Action::Deny)]);
    fixture.check("innocent", &[]);
    fixture.check(".ssh", &["id.pub"]);
}

#[test]
fn what_would_have_to_be_asked_for_is_not_listed() {
    let fixture = Fixture::new(|top| vec![rule(Access::Read, &format!("{top}/ws/a"), Action::Ask)]);
    fixture.check(".", &[".ssh", "innocent", "src"]);
}

#[test]
fn a_directory_outside_is_listed_if_a_rule_lets_it_in() {
    let fixture = Fixture::new(|top| {
        vec![
            rule(Access::ExternalDirectory, &format!("{top}/out/**"), Action::Allow),
            rule(Access::ExternalDirectory, &format!("{top}/out/no"), Action::Deny),
        ]
    });
    fixture.check(fixture.dir.path().join("out"), &["x"]);
    fixture.check(fixture.dir.path().join("out/no"), &["y"]);
}

#[test]
fn a_directory_outside_is_refused_otherwise() {
    let fixture = Fixture::new(|_| Vec::new());
    let result = fixture.call("../out");
    let expected = format!("Path outside workspace: {}", fixture.dir.path().join("ws/../out").display());
    assert_eq!(result.error, Some(expected));
}

#[test]
fn a_directory_that_is_missing_or_none_says_so() {
    let fixture = Fixture::new(|_| Vec::new());
    let missing = fixture.call("scr");
    let expected = format!("Directory not found: {}", fixture.dir.path().join("ws/scr").display());
    assert_eq!(missing.error, Some(expected));
    assert_eq!(missing.metadata["near"], json!(["src"]));
    assert_eq!(fixture.call("a").metadata["error_kind"], "not_directory");
}

/// Random rules over a tree: where the long question says no, one of the quick ones says that it may. `List` checks it.
#[test]
fn the_quick_questions_never_miss_what_is_withheld() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().to_str().unwrap().to_owned();
    let names = ["a", "b", "key", "KEY", "x.pem", "a.txt~", "b.old", "private", "#key#", "ß", "ss", "q.x."];
    let directories = ["", "a", "a/b", "private", "private.bak", "a/b/key", "ß"];
    for directory in directories {
        fs::create_dir_all(dir.path().join("ws").join(directory)).unwrap();
        for name in names.iter().filter(|name| !matches!(**name, "a" | "b" | "key" | "private" | "ß")) {
            fs::write(dir.path().join("ws").join(directory).join(name), "").unwrap();
        }
    }
    let patterns = [
        "*.pem".to_owned(),
        "key".to_owned(),
        "a.txt".to_owned(),
        "private/**".to_owned(),
        "**/private/**".to_owned(),
        "**/b/**".to_owned(),
        "a/**".to_owned(),
        "a/*/*".to_owned(),
        "**/ws/**".to_owned(),
        "**/ws/a/**".to_owned(),
        "ss".to_owned(),
        "**/ß/**".to_owned(),
        "[k-x]*".to_owned(),
        "*.x.".to_owned(),
        "b/*".to_owned(),
        format!("{top}/ws/a/**"),
        format!("{top}/ws/**/x.pem"),
        format!("{top}/**"),
        format!("{top}/ws/a/b/*"),
        "/*/**".to_owned(),
    ];
    let mut random = toolcrib_testkit::Random(5);
    let mut withheld = 0;
    for round in 0..200 {
        let registry = Registry::new();
        registry.register(List).unwrap();
        let rules = (0..=random.below(3)).map(|_| rule(Access::Read, &random.pick(&patterns), Action::Deny));
        let policy = Policy::new(rules.collect::<Vec<_>>());
        let mut workspace = Workspace::builder().root(dir.path().join("ws"));
        if round % 3 == 0 {
            workspace = workspace.root(dir.path().join("ws/a"));
        }
        let workspace = workspace.open().unwrap();
        let files = FileAccess::builder(workspace).policy(policy).build();
        let executor = Executor::builder(Arc::new(registry)).environment(Arc::new(files)).build();
        for directory in directories {
            let path = dir.path().join("ws").join(directory);
            let context = ExecutionContext::new(dir.path().join("ws"));
            let result = executor.execute_blocking("List", json!({"path": path}), &context);
            assert_eq!(result.error, None, "round {round}, {directory}");
            let there = fs::read_dir(&path).unwrap().count();
            withheld += there - result.output.as_array().unwrap().len();
        }
    }
    assert!(withheld > 1_000, "{withheld}");
}
