//! A workspace to read in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolcrib_files::{Content, LineNumber, Part, ReadRequest, Text};
use toolcrib_tool::{Call, Effect, ExecutionContext, Executor, Registry, Tool, ToolError};
use toolcrib_workspace::Workspace;

/// A directory with files, and a way to call operations in it.
pub(crate) struct Home {
    pub(crate) root: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    /// A workspace with one file.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let home = Self::new();
        home.write(name, content);
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Runs something inside a call.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Call<'_>) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let answer = Arc::new(Mutex::new(None));
        let registry = Registry::new();
        let (run, to) = (Mutex::new(Some(run)), answer.clone());
        registry
            .register(Probe(Box::new(move |call| {
                let run = run.lock().unwrap().take().unwrap();
                *to.lock().unwrap() = Some(run(call));
            })))
            .unwrap();
        let workspace = Workspace::open(self.root.path()).unwrap();
        let executor = Executor::builder(Arc::new(registry)).workspace(workspace).build();
        executor.execute_blocking("Probe", json!({}), &ExecutionContext::new(self.root.path()));
        answer.lock().unwrap().take().unwrap()
    }

    pub(crate) fn read(&self, request: ReadRequest) -> Result<Text, ToolError> {
        self.call(move |call| match toolcrib_files::read(call, &request)? {
            Content::Text(text) => Ok(text),
            other => panic!("not a text: {other:?}"),
        })
    }

    pub(crate) fn range(&self, name: &str, first: u64, limit: usize) -> Result<Text, ToolError> {
        self.read(ReadRequest { part: Part::From { first, limit }, ..ReadRequest::new(name) })
    }

    pub(crate) fn last(&self, name: &str, lines: usize) -> Result<Text, ToolError> {
        self.read(ReadRequest { part: Part::Last(lines), ..ReadRequest::new(name) })
    }
}

struct Probe(Box<dyn Fn(&Call<'_>) + Send + Sync>);

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool for Probe {
    type Input = Nothing;
    type Output = ();
    const NAME: &'static str = "Probe";
    const DESCRIPTION: &'static str = "Runs a test.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _input: Nothing, call: &mut Call<'_>) -> Result<(), ToolError> {
        (self.0)(call);
        Ok(())
    }
}

pub(crate) fn texts(text: &Text) -> Vec<&str> {
    text.lines.iter().map(|line| line.text.as_str()).collect()
}

/// Lines `line 1`, `line 2` and so on, each of some 40 bytes.
pub(crate) fn numbered(lines: u64) -> String {
    (1..=lines).map(|number| format!("line {number:<8} of a file that is long\n")).collect()
}

pub(crate) fn line(number: u64) -> String {
    format!("line {number:<8} of a file that is long")
}

#[track_caller]
pub(crate) fn check_numbered(text: &Text, first: u64, count: u64) {
    assert_eq!(text.first, LineNumber::FromStart(first));
    let expected: Vec<String> = (first..first + count).map(line).collect();
    assert_eq!(texts(text), expected);
}

/// Lets a file grow so old that its fingerprint proves something.
pub(crate) fn age(path: &Path) {
    assert!(path.is_file());
    std::thread::sleep(std::time::Duration::from_millis(2100));
}
