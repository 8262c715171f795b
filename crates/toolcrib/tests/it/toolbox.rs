//! The handle itself.

use std::fs;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolcrib::{Answer, Call, Dialect, Effect, ErrorKind, Tool, ToolError, Toolbox};

#[tokio::test]
async fn a_call_is_awaited() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "hello\n").unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let result =
        toolbox.call("Read", json!({"file_path": dir.path().join("a.txt")}), &toolbox.context()).await;
    assert_eq!(result.output, "     1\thello");
    assert_eq!(toolbox.executions().len(), 1);
}

#[test]
fn several_roots_are_reached_and_nothing_else() {
    let (one, two, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for dir in [&one, &two, &other] {
        fs::write(dir.path().join("a.txt"), "x\n").unwrap();
    }
    let toolbox = Toolbox::builder().root(one.path()).root(two.path()).open().unwrap();
    let read = |dir: &tempfile::TempDir| {
        let path = json!({"file_path": dir.path().join("a.txt")});
        toolbox.call_blocking("Read", path, &toolbox.context())
    };
    assert!(read(&one).success && read(&two).success);
    assert_eq!(read(&other).metadata["error_kind"], "outside_workspace");
}

#[test]
fn what_cannot_be_a_root_says_why() {
    let refused = |builder: toolcrib::Builder| builder.open().err().unwrap();
    assert_eq!(refused(Toolbox::builder()).kind(), ErrorKind::InvalidParameter);
    let missing = refused(Toolbox::builder().root("/no/such/directory"));
    assert_eq!(missing.message(), "Directory not found: /no/such/directory");
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn the_dialect_decides_the_names() {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::builder().root(dir.path()).dialect(Dialect::Ekacode).open().unwrap();
    assert!(toolbox.executor().registry().exists("read"));
    assert!(!toolbox.executor().registry().exists("Read"));
    assert_eq!(
        "standart".parse::<Dialect>().unwrap_err().message(),
        "Unknown dialect 'standart', did you mean 'standard'?"
    );
}

#[test]
fn a_tool_of_ones_own_is_like_the_others() {
    #[derive(Deserialize, JsonSchema)]
    struct Twice {
        /// The number
        number: i64,
    }
    struct Double;
    impl Tool for Double {
        type Input = Twice;
        type Output = i64;
        const NAME: &'static str = "Double";
        const DESCRIPTION: &'static str = "Doubles a number.";
        const EFFECT: Effect = Effect::Reads;
        fn run(&self, input: Twice, _: &Call<'_>) -> Result<Answer<i64>, ToolError> {
            Ok((input.number * 2).into())
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    toolbox.register(Double).unwrap();
    assert_eq!(toolbox.call_blocking("Double", json!({"number": "21"}), &toolbox.context()).output, 42);
}
