//! What the caller did not mean to change keeps the text's own spelling, inside the matched region too.

use toolcrib_edit::Level::{Exact, Indentation, LineEndings, TrailingWhitespace, Typography};

use super::{apply, check};

#[test]
fn inserted_lines_take_the_ending_of_their_neighbours() {
    check(Exact, "a\r\nb\r\n", "a", "a\nx", "a\r\nx\r\nb\r\n");
    check(Exact, "a\nb\n", "a", "a\r\nx", "a\nx\nb\n");
    check(Exact, "a\r\nb\n", "b\n", "x\ny\nb\n", "a\r\nx\ny\nb\n");
    check(Exact, "a\r\nb\n", "a", "a\nx\ny", "a\r\nx\r\ny\r\nb\n");
    check(Exact, "a\nb", "b", "b\nc", "a\nb\nc");
    check(Exact, "a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
    check(Exact, "a", "a", "a\r\nb\r\n", "a\r\nb\r\n");
    check(LineEndings, "a\r\nb\r\n", "a\nb\n", "a\nx\ny\nb\n", "a\r\nx\r\ny\r\nb\r\n");
}

#[test]
fn mixed_endings_stay_mixed() {
    check(LineEndings, "a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nB\nC\nd\n", "a\r\nB\nC\r\nd\n");
    check(LineEndings, "a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nd\n", "a\r\nd\n");
}

#[test]
fn an_ending_is_changed_by_one_who_knows_it() {
    check(Exact, "a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n");
    check(Exact, "a\nb\n", "a\n", "a\r\n", "a\r\nb\n");
    check(TrailingWhitespace, "a \r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a \nb\n");
    check(LineEndings, "a\r\nb\n", "a\nb\n", "x\r\nb\r\n", "x\r\nb\r\n");
}

#[test]
fn an_ending_written_out_of_habit_changes_none() {
    check(Exact, "x\r\na\r\nb\r\n", "a\r\nb", "a\nc", "x\r\na\r\nc\r\n");
    check(Exact, "a\r\nb\r\n", "a\r\nb\r\n", "a\nnew\nb\nc\n", "a\r\nnew\r\nb\r\nc\r\n");
    check(Exact, "a\nb\nc\n", "a\nb\n", "a\r\nx\r\n", "a\nx\nc\n");
    // One who writes both means both.
    check(Exact, "a\r\nb\r\nc\r\n", "a\r\nb\r\nc", "a\nb\r\nx", "a\nb\r\nx\r\n");
}

#[test]
fn trailing_white_space_stays_where_it_was() {
    check(
        TrailingWhitespace,
        "a  \nb\t\nc = 1 \n",
        "a\nb\nc = 1\n",
        "a\nx\nb\nc = 2\n",
        "a  \nx\nb\t\nc = 2 \n",
    );
    // A line that became another one starts anew.
    check(TrailingWhitespace, "a  \nb\nc\n", "a\nb\n", "f(x)\nb\n", "f(x)\nb\nc\n");
    // The caller's trailing blanks are noise in the region, so they are noise in the new line too.
    check(TrailingWhitespace, "a\nb\n", "a  \nb  \n", "a  \nx  \nb  \n", "a\nx\nb\n");
    // Here they are not.
    check(TrailingWhitespace, "a  \nb\n", "a  \nb  \n", "a  \nx  \nb  \n", "a  \nx  \nb\n");
    // Removing them on purpose works, where the text has them.
    check(Exact, "a  \nb\n", "a  \n", "a\n", "a\nb\n");
    check(LineEndings, "a  \r\nb\r\n", "a  \nb\n", "a\nb\n", "a\r\nb\r\n");
    // A line that is replaced by a blank one leaves none behind.
    check(TrailingWhitespace, "a  \nb\nc\n", "a\nb\n", "\nb\n", "\nb\nc\n");
}

#[test]
fn new_lines_are_shifted_as_the_old_ones_are() {
    check(
        Indentation,
        "\t\tfoo({\n\t\t\ta: 1,\n\t\t});\n",
        "foo({\n  a: 1,\n});",
        "foo({\n  a: 1,\n  b: {\n    c: 2,\n  },\n});",
        "\t\tfoo({\n\t\t\ta: 1,\n\t\t\tb: {\n\t\t\t\tc: 2,\n\t\t\t},\n\t\t});\n",
    );
    // A change of the indentation itself is shifted too.
    check(Indentation, "    a\n    b\n    c\n", "a\nb\nc\n", "a\n  b\nc\n", "    a\n      b\n    c\n");
    check(Indentation, "    a\n    b\n", "a\nb\n", "a\n\nb\n", "    a\n\n    b\n");
}

#[test]
fn only_what_the_edit_means_is_changed() {
    check(
        Typography,
        "He said: “it’s – fine”. She said: “no”.\n",
        "He said: \"it's - fine\". She said: \"no\".",
        "He said: \"it's - good\". She said: \"no!\".",
        "He said: “it’s – good”. She said: “no!”.\n",
    );
    // A caller whose quotes are not those of the text is not believed in the new line either.
    check(Typography, "a(\"x\");\n", "a(“x”);\n", "a(“x”);\nb(“y”);\n", "a(\"x\");\nb(\"y\");\n");
    // Plain quotes are taken as they are: which typographic one they should be is anyone's guess.
    check(Typography, "// “x”\na()\n", "// \"x\"\n", "// \"x\"\nb(\"y\")\n", "// “x”\nb(\"y\")\na()\n");
    // Also where hardly a word stays.
    check(Typography, "a(“x”)\n", "a(\"x\")", "b(\"y\")", "b(“y”)\n");
    // A pair of quotes is not torn.
    check(Typography, "b(“x”);\n", "b(\"x\");", "call(x, \"y\");", "call(x, “y”);\n");
    check(Typography, "say “a”\n", "say \"a\"", "say \"a\" or \"b\"", "say “a” or \"b\"\n");
    // A quote that is meant stays what it is.
    check(Typography, "“x” – \"y\"\n", "“x” - \"y\"", "“x” - “y”", "“x” – “y”\n");
}

#[test]
fn the_reported_spans_are_tight() {
    let applied =
        apply("a\nlet x = f(1, 2);  \r\nb\n", "a\nlet x = f(1, 2);\nb", "a\nlet x = f(1, 3);\nb").unwrap();
    let spans: Vec<_> =
        applied.changes.iter().map(|change| (change.old.clone(), change.new.clone())).collect();
    assert_eq!(spans, [(15..16, 15..16)]);
    assert_eq!((applied.changes[0].lines.first, applied.changes[0].lines.last), (2, 2));
}

/// A line that goes elsewhere takes its spelling along, unless it is spelled in two ways or only a part of it is meant.
#[test]
fn moved_lines_keep_their_spelling() {
    check(TrailingWhitespace, "a  \nb \nc\n", "a\nb\n", "b\na\n", "b \na  \nc\n");
    check(
        Typography,
        "say(“a”);\nsay(“b”);\nend\n",
        "say(\"a\");\nsay(\"b\");\n",
        "say(\"b\");\nsay(\"a\");\n",
        "say(“b”);\nsay(“a”);\nend\n",
    );
}
