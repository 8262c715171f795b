//! A workspace to read in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolcrib_access::{FileAccess, Sandbox};
use toolcrib_files::{Content, LineNumber, Part, ReadRequest, Refused, Text};
use toolcrib_tool::{ExecutionContext, Executor, ToolError};
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
    pub(crate) fn call<T>(
        &self,
        run: impl FnOnce(&Sandbox<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.call_with(ExecutionContext::DEFAULT_MAX_OUTPUT_SIZE, run)
    }

    /// The same with so much room for an answer.
    pub(crate) fn call_with<T>(
        &self,
        room: usize,
        run: impl FnOnce(&Sandbox<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let files = FileAccess::new(Workspace::open(self.root.path()).unwrap());
        let executor = Executor::builder(Arc::default()).environment(Arc::new(files)).build();
        let context = ExecutionContext::new(self.root.path()).max_output_size(room);
        executor.look(&context, |call| run(&Sandbox::new(call)?))
    }

    pub(crate) fn read(&self, request: ReadRequest) -> Result<Text, ToolError> {
        self.call(move |call| match toolcrib_files::read(call, &request) {
            Ok(Content::Text(text)) => Ok(text),
            Err(Refused::Failed(error)) => Err(error),
            other => panic!("neither a text nor a failure: {other:?}"),
        })
    }

    pub(crate) fn range(&self, name: &str, first: u64, limit: usize) -> Result<Text, ToolError> {
        self.read(ReadRequest { part: Part::From { first, limit }, ..ReadRequest::new(name) })
    }

    pub(crate) fn last(&self, name: &str, lines: usize) -> Result<Text, ToolError> {
        self.read(ReadRequest { part: Part::Last(lines), ..ReadRequest::new(name) })
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
