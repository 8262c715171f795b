//! Diffs of the Responses API: one file, which is named beside the diff.

use toolcrib_patch::{NamedFile, Options, Patch, Planned, Refused, parse_diff_within};

#[track_caller]
fn read(file: &NamedFile, diff: &str) -> Patch {
    parse_diff_within(file, diff, &|| false).unwrap_or_else(|error| panic!("{error}\n{diff}"))
}

#[track_caller]
fn unread(file: &NamedFile, diff: &str) -> String {
    parse_diff_within(file, diff, &|| false).unwrap_err().to_string()
}

fn new_file() -> NamedFile {
    NamedFile::Created { path: "f".to_owned() }
}

fn file() -> NamedFile {
    NamedFile::Updated { path: "f".to_owned(), move_to: None }
}

fn plan(diff: &str, text: &str) -> Result<Planned, Refused> {
    let planned = read(&file(), diff).plan(Options::default(), |path| (path == "f").then_some(text));
    planned.map(|mut planned| planned.remove(0))
}

#[track_caller]
fn updated(diff: &str, text: &str) -> String {
    plan(diff, text).unwrap_or_else(|refused| panic!("{refused}\n{diff}")).text.unwrap()
}

#[track_caller]
fn refused(diff: &str, text: &str) -> String {
    plan(diff, text).unwrap_err().to_string()
}

/// What `apply_diff("", diff, mode="create")` of openai-agents 0.24 makes of each.
#[test]
fn the_lines_of_a_new_file_are_joined() {
    for (diff, expected) in [
        ("+one\n+two\n", "one\ntwo"),
        ("+one\n+two", "one\ntwo"),
        ("+one\n+two\n+", "one\ntwo\n"),
        ("+one\n+two\n+\n", "one\ntwo\n"),
        ("+one\n+\n+\n", "one\n\n"),
        ("+", ""),
        ("", ""),
        ("++ sign\n+ space", "+ sign\n space"),
        ("+one\r\n+two\r\n+", "one\r\ntwo\r\n"),
        ("+one\r\n+two\n+three", "one\r\ntwo\r\nthree"),
        ("+one\r", "one"),
        ("+one\n*** End Patch\n", "one"),
        ("+*** End Patch\n+*** Add File: g", "*** End Patch\n*** Add File: g"),
    ] {
        let plan = read(&new_file(), diff).plan(Options::default(), |_| None).unwrap();
        assert_eq!(plan[0].text.as_deref(), Some(expected), "{diff:?}");
    }
}

#[test]
fn a_line_of_a_new_file_has_a_plus() {
    for (diff, line) in
        [("one\n", 1), ("+one\n\n+two", 2), ("+one\n@@\n", 2), ("+one\n*** Add File: g\n+two", 2)]
    {
        let expected = format!("line {line} of the patch: expected + before each line of a new file");
        assert_eq!(unread(&new_file(), diff), expected, "{diff:?}");
    }
}

#[test]
fn a_new_file_takes_no_place() {
    let taken = read(&new_file(), "+one").plan(Options::default(), |_| Some("two")).unwrap_err();
    assert_eq!(taken.to_string(), "f: the file already exists");
}

#[test]
fn chunks_are_those_of_an_envelope() {
    assert_eq!(updated("@@ a\n-b\n+c", "b\na\nb\n"), "b\na\nc\n");
    assert_eq!(updated(" a\n-b\n+c\n*** End Patch\n", "a\nb"), "a\nc");
    assert_eq!(
        updated("@@\r\n-b\r\n+c\r\n", "a\nb\n"),
        "a\nc\n",
        "its own line endings are those of the way it took"
    );
    assert_eq!(updated("-b\n+c\n", "a\r\nb\r\n"), "a\r\nc\r\n");
    assert_eq!(updated("@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@\n-d\n+e", "a\nb\nd\n"), "a\nc\ne\n");
    assert!(refused("@@\n-b\n+c", "b\nb\n").contains("lines: [1, 2]"));
}

#[test]
fn lines_without_a_place_are_refused() {
    assert_eq!(updated("+a\n", ""), "a\n");
    assert_eq!(updated("@@ a\n+b\n", "a\nc\n"), "a\nb\nc\n");
    assert_eq!(updated("+b\n*** End of File", "a\n"), "a\nb\n");
    for diff in ["+b\n", "@@\n+b\n"] {
        assert!(refused(diff, "a\n").contains("it only adds lines and says nothing about where"), "{diff:?}");
    }
}

#[test]
fn it_speaks_of_no_other_file() {
    for diff in [
        "-a\n+b\n*** Add File: g\n+x\n",
        "-a\n+b\n*** Delete File: g\n",
        "-a\n+b\n*** End Patch\n*** Delete File: g\n",
        "*** Begin Patch\n*** Update File: g\n-a\n+b\n*** End Patch\n",
        "*** Move to: g\n-a\n+b\n",
        "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n*** Update File: g\n",
    ] {
        let error = parse_diff_within(&file(), diff, &|| false);
        assert!(error.is_err(), "{diff:?}: {error:?}");
    }
    let error = unread(&new_file(), "+one\n*** End Patch\n\n*** Delete File: g\n");
    assert_eq!(error, "line 4 of the patch: expected nothing after *** End Patch");
}

#[test]
fn a_file_is_moved_or_deleted() {
    let moved = NamedFile::Updated { path: "f".to_owned(), move_to: Some("g/h".to_owned()) };
    for (diff, expected) in [("-a\n+b\n", "b\n"), ("", "a\n")] {
        let plan =
            read(&moved, diff).plan(Options::default(), |path| (path == "f").then_some("a\n")).unwrap();
        assert_eq!((plan[0].from.as_deref(), &*plan[0].path), (Some("f"), "g/h"));
        assert_eq!(plan[0].text.as_deref(), Some(expected));
    }
    assert_eq!(unread(&file(), ""), "line 1 of the patch: f is named, but nothing is changed in it");
    let gone = NamedFile::Deleted { path: "f".to_owned() };
    let plan = read(&gone, "").plan(Options::default(), |path| (path == "f").then_some("a\n")).unwrap();
    assert_eq!(plan[0].text, None);
}

#[test]
fn its_path_stays_below() {
    for path in ["../f", "", "a/", "/"] {
        let path = path.to_owned();
        assert!(
            unread(&NamedFile::Created { path: path.clone() }, "+a").contains("of the patch: "),
            "{path}"
        );
        assert!(!unread(&NamedFile::Updated { path: "f".to_owned(), move_to: Some(path) }, "-a").is_empty());
    }
    assert_eq!(read(&NamedFile::Created { path: " a\nb ".to_owned() }, "+a").files[0].path, " a\nb ");
}

#[test]
fn it_is_given_up_when_it_is_not_wanted() {
    let diff = "-a\n".repeat(100_000);
    let stopped = parse_diff_within(&file(), &diff, &|| true).unwrap_err();
    assert_eq!(stopped.to_string(), "line 1 of the patch: stopped before the end");
}
