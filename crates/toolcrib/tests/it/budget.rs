//! What a model has to read: tool lists and answers stay as short as they are. `cargo xtask bench tokens` counts real tokens.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Dialect, Format, Toolbox};

/// Close to what a tokenizer counts: each word, each three digits and each other character but a blank.
fn pieces(text: &str) -> usize {
    let mut run = 0;
    let mut count = 0;
    for c in text.chars() {
        run = if c.is_ascii_alphanumeric() { run + 1 } else { 0 };
        let within = run > 1 && !(c.is_ascii_digit() && run % 3 == 1);
        count += usize::from(!c.is_whitespace() && !within);
    }
    count
}

/// What the protocol's clients give their model of a tool.
fn listed(dialect: Dialect) -> usize {
    let toolbox = Toolbox::builder().root(env!("CARGO_MANIFEST_DIR")).dialect(dialect).open().unwrap();
    let given = |tool: Value| json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string();
    toolbox.schemas(Format::Mcp).into_iter().map(|tool| pieces(&given(tool))).sum()
}

#[test]
fn the_tool_lists_keep_their_budgets() {
    let budgets = [
        (Dialect::Standard, 2840),
        (Dialect::Ekacode, 2540),
        (Dialect::Filesystem, 1930),
        (Dialect::ApplyPatch, 190),
        (Dialect::ApplyPatchV4a, 425),
        (Dialect::TextEditor, 440),
        (Dialect::TextEditor20250124, 420),
        (Dialect::Memory, 510),
        (Dialect::ClaudeCode, 1590),
        (Dialect::Opencode, 980),
        (Dialect::Gemini, 1775),
    ];
    assert_eq!(budgets.map(|(dialect, _)| dialect), Dialect::ALL);
    let over: Vec<String> = budgets
        .into_iter()
        .map(|(dialect, most)| (dialect, listed(dialect), most))
        .filter(|(_, now, most)| now > most)
        .map(|(dialect, now, most)| format!("{dialect}: {now}, at most {most}"))
        .collect();
    assert!(over.is_empty(), "longer than they may be: {over:#?}");
}

/// 500 matches in 50 files, three directories down.
fn tree() -> (TempDir, Toolbox) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("src/some/package");
    fs::create_dir_all(&folder).unwrap();
    for file in 0..50 {
        fs::write(folder.join(format!("module_{file}.py")), "found = 1\n\n".repeat(10)).unwrap();
    }
    let toolbox = Toolbox::open(dir.path()).unwrap();
    (dir, toolbox)
}

fn answer(toolbox: &Toolbox, tool: &str, arguments: Value) -> String {
    let context = toolbox.context().max_output_size(1_000_000);
    let result = toolbox.call_blocking(tool, arguments, &context);
    assert_eq!(result.error, None);
    result.to_display()
}

#[test]
fn a_search_names_a_file_once() {
    let (dir, toolbox) = tree();
    let root = dir.path().display().to_string();
    let grep = |more: Value| {
        let mut arguments = json!({"pattern": "found", "output_mode": "content", "head_limit": 1000});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        answer(&toolbox, "Grep", arguments)
    };
    for more in [json!({}), json!({"-C": 1})] {
        let text = grep(more);
        assert_eq!(text.matches("found = 1").count(), 500);
        assert_eq!(text.matches(&root).count(), 50);
    }
    // A number, a colon and the three words of the line; and 50 paths.
    let without_paths = grep(json!({})).replace(&root, "");
    assert!(pieces(&without_paths) <= 500 * 5 + 50 * 12, "{}", pieces(&without_paths));
}

#[test]
fn an_edit_is_not_told_what_it_said() {
    let (dir, toolbox) = tree();
    let file = dir.path().join("src/some/package/module_1.py");
    fs::write(&file, "one\ntwo\nthree\nfour\n").unwrap();
    let text = answer(&toolbox, "Edit", json!({"file_path": file, "old_string": "two", "new_string": "2"}));
    assert_eq!(text, format!("Replaced 1 occurrence(s) in {}\n@@ -2 +2 @@\n-two\n+2", file.display()));
    let patch = "--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n-three\n+3\n four\n"
        .replace("a/f", "a/src/some/package/module_1.py")
        .replace("b/f", "b/src/some/package/module_1.py");
    let text = answer(&toolbox, "ApplyPatch", json!({"patch_text": patch}));
    assert_eq!(text, format!("Patched 1 file\n  update {}", file.display()));
}
