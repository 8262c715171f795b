//! What a model is told, word for word: errors, what to try next, and where hunks went.

use toolcrib_edit::Level;
use toolcrib_patch::{Error, ErrorKind, HunkReport};

#[test]
fn every_error_says_what_is_wrong_and_what_helps() {
    let path = || "a.txt".to_owned();
    let grammars = Some(
        "write a unified diff (--- a/path, +++ b/path, @@), or *** Begin Patch with *** Update File: path",
    );
    let errors = [
        (ErrorKind::NoPatch, "not a patch", grammars),
        (
            ErrorKind::NoFile,
            "a hunk without a file header",
            Some("name the file before its hunks: --- a/path and +++ b/path"),
        ),
        (ErrorKind::NothingToDo { path: path() }, "a.txt is named, but nothing is changed in it", None),
        (ErrorKind::EmptyHunk, "a hunk that neither adds nor removes a line", None),
        (
            ErrorKind::MissingPrefix,
            "a line of a hunk starts with neither space, + nor -",
            Some("every line of a hunk starts with a space, + or -"),
        ),
        (ErrorKind::Unexpected { expected: "a hunk" }, "expected a hunk", None),
        (ErrorKind::Unfinished, "the patch has no end", Some("end the patch with *** End Patch")),
        (ErrorKind::Grammar { name: "a context diff" }, "a context diff is not understood", grammars),
        (ErrorKind::Binary { path: path() }, "a.txt is binary: only text can be patched", None),
        (ErrorKind::Mode { mode: "120000".to_owned() }, "mode 120000 is not the mode of a text file", None),
        (
            ErrorKind::Path { path: "/etc".to_owned(), problem: "is absolute" },
            "\"/etc\" is absolute",
            Some("give the path relative to the root of the workspace"),
        ),
        (
            ErrorKind::Contradiction { path: path(), other: 9 },
            "a.txt is changed here and at line 9 in ways that contradict each other",
            Some("change each file only once"),
        ),
        (ErrorKind::Nul, "a NUL character, which no text has", None),
    ];
    for (kind, says, hint) in errors {
        let error = Error { line: 7, kind };
        assert_eq!((error.to_string(), error.hint()), (format!("line 7 of the patch: {says}"), hint));
    }
}

#[test]
fn a_hunk_that_went_elsewhere_says_where() {
    let report = |offset, level, fuzz| HunkReport { hunk: 1, line: 12, offset, level, fuzz };
    let reports = [
        (report(0, Level::Exact, 0), true, "at line 12"),
        (report(3, Level::Exact, 0), false, "at line 12, 3 below where the patch has it"),
        (report(-2, Level::Exact, 0), false, "at line 12, 2 above where the patch has it"),
        (report(0, Level::Indentation, 0), false, "at line 12, not an exact match: indentation"),
        (report(0, Level::Exact, 1), false, "at line 12, without 1 of its lines of context at an end"),
        (
            report(1, Level::Typography, 2),
            false,
            "at line 12, 1 below where the patch has it, not an exact match: typography, without 2 of its lines of \
             context at an end",
        ),
    ];
    for (report, is_exact, says) in reports {
        assert_eq!((report.is_exact(), report.to_string().as_str()), (is_exact, says));
    }
}
