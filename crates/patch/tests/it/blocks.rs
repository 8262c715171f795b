//! SEARCH/REPLACE blocks.

use toolcrib_patch::{Action, ErrorKind, Format, Location, parse};

use super::{parsed, patched, plan, unpatched};

fn block(old: &str, new: &str) -> String {
    format!("f\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

#[test]
fn text_is_replaced_removed_and_added() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    let after = patched(&block("    one();\n", "    1;\n    one();\n"), text);
    assert_eq!(after.text.as_deref(), Some("fn a() {\n    1;\n    one();\n}\n\nfn b() {\n    two();\n}\n"));
    let after = patched(&block("    two();\n", ""), text);
    assert_eq!(after.text.as_deref(), Some("fn a() {\n    one();\n}\n\nfn b() {\n}\n"));
    let patch = parsed("new.txt\n<<<<<<< SEARCH\n=======\none\n>>>>>>> REPLACE\n");
    assert_eq!((patch.format, patch.files[0].action), (Format::Blocks, Action::Add));
    assert_eq!(patch.files[0].hunks[0].new_text(), "one\n");
}

/// As aider, Cline and Roo Code write them.
#[test]
fn forms_of_markers_and_names() {
    let text = "one\r\ntwo\r\n";
    for patch in [
        "f\n```python\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```\n".to_owned(),
        "```\nf\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```\n".to_owned(),
        "Here is the change.\n\n**f**\n<<<<< SEARCH\ntwo\n=====\n2\n>>>>> REPLACE\n".to_owned(),
        "### `f`:\n<<<<<<<<< SEARCH\ntwo\n=========\n2\n>>>>>>>>> REPLACE\nDone.\n".to_owned(),
        "f\n------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE\n".to_owned(),
        "f\n<<<<<<< SEARCH\n:start_line:2\n-------\ntwo\n=======\n2\n>>>>>>> REPLACE\n".to_owned(),
        block("one\ntwo\n", "one\n2\n"),
    ] {
        assert_eq!(patched(&patch, text).text.as_deref(), Some("one\r\n2\r\n"), "{patch}");
    }
}

#[test]
fn blocks_without_a_name_belong_to_the_file_before() {
    let blocks = "\
a.txt
<<<<<<< SEARCH
1
=======
one
>>>>>>> REPLACE

and there too

<<<<<<< SEARCH
3
=======
three
>>>>>>> REPLACE
b.txt
<<<<<<< SEARCH
x
=======
y
>>>>>>> REPLACE
";
    let planned = plan(blocks, &[("a.txt", "1\n2\n3\n"), ("b.txt", "x\n")]).unwrap();
    let texts: Vec<_> = planned.iter().map(|file| file.text.as_deref()).collect();
    assert_eq!(texts, [Some("one\n2\nthree\n"), Some("y\n")]);
    let missing = plan(blocks, &[("a.txt", "1\n2\n3\n"), ("b.txt", "z\n")]);
    assert!(missing.is_err(), "one block that does not fit stops all of them");
}

#[test]
fn a_place_must_be_the_only_one_or_named_by_its_line() {
    let text = "x\na\nx\nb\n";
    let refused = unpatched(&block("x\n", "y\n"), text);
    assert!(refused.contains('1') && refused.contains('3'), "the lines of both places: {refused}");
    let at = "f\n<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\ny\n>>>>>>> REPLACE\n";
    assert_eq!(parsed(at).files[0].hunks[0].location, Location::Line(3));
    assert_eq!(patched(at, text).text.as_deref(), Some("x\na\ny\nb\n"));
}

#[test]
fn what_could_mean_two_things_is_refused() {
    let refused = |patch: &str| parse(patch).unwrap_err().kind;
    assert_eq!(refused("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), ErrorKind::NoFile);
    assert_eq!(refused("f\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n"), ErrorKind::EmptyHunk);
    for patch in [
        "f\n<<<<<<< SEARCH\na\n",
        "f\n<<<<<<< SEARCH\na\n=======\nb\n",
        "f\n<<<<<<< SEARCH\nTitle\n=======\ntext\n=======\nb\n>>>>>>> REPLACE\n",
        "f\n<<<<<<< SEARCH\na\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n",
        "f\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n=======\nc\n>>>>>>> REPLACE\n",
    ] {
        assert!(matches!(refused(patch), ErrorKind::Unexpected { .. }), "{patch}");
    }
    for path in ["../f", ".git/../../f"] {
        let patch = format!("{path}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n");
        assert!(matches!(refused(&patch), ErrorKind::Path { .. }), "{path}");
    }
    // What stands outside of blocks would be passed over without a word.
    let first = block("a\n", "b\n");
    for stray in [
        "<<<<<<< SEARHC\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "  <<<<<<< SEARCH\n  x\n  =======\n  y\n  >>>>>>> REPLACE\n",
        "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
        "*** Begin Patch\n*** Delete File: b\n*** End Patch\n",
        ">>>>>>> REPLACE\n",
        "\n**b.txt**\n\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "```text b.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    ] {
        assert!(matches!(refused(&(first.clone() + stray)), ErrorKind::Unexpected { .. }), "{stray}");
    }
    for prose in ["Here is the new file", "`src/a.py` (new):", "-------", "~/x"] {
        let patch = format!("{prose}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n");
        assert!(matches!(refused(&patch), ErrorKind::Path { .. }), "{prose}");
    }
    // The marker of a conflict is no block, and lines of other grammars are not looked at.
    assert_eq!(refused("f\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"), ErrorKind::NoPatch);
    let diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+<<<<<<< SEARCH\n";
    assert_eq!(parsed(diff).format, Format::Unified);
}

/// A heading is underlined with another number of signs than the block is divided by.
#[test]
fn a_divider_is_as_long_as_its_marker() {
    let text = "Title\n=====\nbody\n";
    let after = patched(&block("Title\n=====\n", "Other\n=====\n"), text);
    assert_eq!(after.text.as_deref(), Some("Other\n=====\nbody\n"));
    let forgotten = "f\n<<<<<<< SEARCH\nTitle\n=====\nbody\n>>>>>>> REPLACE\n";
    assert!(matches!(parse(forgotten).unwrap_err().kind, ErrorKind::Unexpected { .. }));
}

#[test]
fn a_line_number_may_be_any() {
    for line in ["18446744073709551615", "9223372036854775807", "99999999999999999999999"] {
        let patch =
            format!("f\n<<<<<<< SEARCH\n:start_line:{line}\n-------\nq\n=======\ny\n>>>>>>> REPLACE\n");
        assert!(unpatched(&patch, "q\nx\nq\n").contains("more than one place"), "{line}");
    }
}
