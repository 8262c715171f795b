//! What merely looks similar is refused. Each case is a near miss of one that is accepted.

use toolcrib_edit::{Edit, Error, Level, LineSpan, Matching};

use super::apply;

#[track_caller]
fn not_found(text: &str, old: &str, new: &str) {
    match apply(text, old, new) {
        Err(Error::NotFound(_)) => {}
        other => panic!("{text:?}: {old:?} -> {new:?}: {other:?}"),
    }
}

#[track_caller]
fn not_unique(text: &str, old: &str, expected: (usize, &[usize], Level)) {
    match apply(text, old, "something else") {
        Err(Error::NotUnique { count, lines, level }) => assert_eq!((count, &*lines, level), expected),
        other => panic!("{text:?}: {old:?}: {other:?}"),
    }
}

#[test]
fn an_edit_must_make_sense() {
    assert_eq!(apply("a", "", "b"), Err(Error::EmptyOld));
    assert_eq!(apply("a", "a", "a"), Err(Error::Same));
    assert_eq!(apply("a", "a", "\0"), Err(Error::Nul));
    assert!(apply("a", "x", "x").unwrap_err().to_string().contains("must be different"));
}

#[test]
fn two_places_are_not_guessed() {
    not_unique("a = 1\nb\na = 1\n", "a = 1", (2, &[1, 3], Level::Exact));
    not_unique("aaa", "aa", (2, &[1], Level::Exact));
    not_unique("x\r\ny\r\nx\r\ny\r\n", "x\ny\n", (2, &[1, 3], Level::LineEndings));
    not_unique("  a\n  b\n    a\n    b\n", "a\nb\n", (2, &[1, 3], Level::Indentation));
    not_unique("‘a’ ‘a’\n", "'a'", (2, &[1], Level::Typography));
    not_unique("z\nb\nz\nb\n", "\nb", (2, &[2, 4], Level::Exact));
    let message = apply("a\na\na\n", "a", "b").unwrap_err().to_string();
    assert!(message.contains("found 3 times") && message.contains("lines: [1, 2, 3]"), "{message}");
}

#[test]
fn a_stricter_level_decides_alone() {
    // The second place would fit too, but not to the letter.
    let applied = apply("  a\n  b\na\nb\n", "a\nb\n", "a\nc\n").unwrap();
    assert_eq!((applied.text.as_str(), applied.level), ("  a\n  b\na\nc\n", Level::Exact));
    let applied = apply("x \ny\nx\r\ny\n", "x\ny\n", "x\nz\n").unwrap();
    assert_eq!((applied.text.as_str(), applied.level), ("x \ny\nx\r\nz\n", Level::LineEndings));
}

#[test]
fn every_place_is_changed_when_asked() {
    let all = |text: &str, old: &str, new: &str| {
        Edit::new(old, new).everywhere().apply(text, Matching::Tolerant).unwrap()
    };
    let applied = all("aaa b aa", "aa", "c");
    assert_eq!((applied.text.as_str(), applied.replacements), ("ca b c", 2));
    let applied = all("  a\n  b\n\ta\n\tb\n", "a\nb\n", "a\nc\nb\n");
    assert_eq!((applied.text.as_str(), applied.replacements), ("  a\n  c\n  b\n\ta\n\tc\n\tb\n", 2));
    // Each place keeps its own spelling.
    assert_eq!(all("“a” ”a„ \"b\"", "\"a", "\"x").text, "“x” ”x„ \"b\"");
    // A place that needs more to be overlooked is none.
    assert_eq!(all("“a” \"a\"", "\"a\"", "b").text, "“a” b");
}

#[test]
fn white_space_inside_a_line_counts() {
    not_found("a  = 1\n", "a = 1", "a = 2");
    not_found("f(a,b)\n", "f(a, b)", "f(a, c)");
    not_found("a\n\nb\n", "a\nb\n", "a\nc\n");
    not_found("a\nb\n", "a\n\nb\n", "a\n\nc\n");
}

#[test]
fn letters_count() {
    not_found("Total = 1\n", "total = 1", "total = 2");
    not_found("naïve\n", "naive", "x");
    not_found("a…\n", "a...", "b");
    not_found("a\u{200b}b\n", "ab", "c");
    not_found("ﬁx\n", "fix", "x");
    not_found("‘a’\n", "\"a\"", "b");
}

#[test]
fn a_shift_must_be_uniform() {
    not_found("  a\n    b\n", "a\nb\n", "a\nc\n");
    not_found("if x:\n  a\nb\n", "if x:\n    a\n    b\n", "if x:\n    a\n");
    not_found("\ta\n\t\t\tb\n", "  a\n    b\n", "  a\n    c\n");
    not_found("  a\n    b\n  c\n", "a\n b\nc\n", "a\n x\nc\n");
    // The first line's indentation is missing, and the others are shifted.
    not_found("    a(\n        b,\n    )\n", "a(\n      b,\n  )\n", "a(\n      c,\n  )\n");
    // Two blanks for one tab here, four there.
    not_found("\ta\n\t\tb\n", "  a\n      b\n", "x\n");
}

#[test]
fn new_text_that_cannot_be_shifted_is_refused() {
    let error = apply("a\n  b\n", "    a\n      b\n", "    a\nc\n      b\n").unwrap_err();
    assert!(matches!(error, Error::Unshiftable { line: 2, .. }), "{error:?}");
    let error = apply("x\n\na\n  b\nc\n", "    a\n      b\n", "    a\nc\n      b\n").unwrap_err();
    let place = LineSpan { first: 3, last: 4 };
    assert!(matches!(&error, Error::Unshiftable { place: found, .. } if *found == place), "{error:?}");
    let error = apply("\ta\n\t\tb\n", "  a\n    b\n", "  a\n   c\n    b\n").unwrap_err();
    assert!(matches!(error, Error::Unshiftable { line: 2, .. }), "{error:?}");
}

#[test]
fn a_tolerant_match_does_not_cut_words() {
    not_found("  x = 10\n", "    x = 1", "    x = 2");
    not_found("“a”_b\n", "\"a\"_", "x");
    not_found("max_‘a’\n", "x_'a'", "y");
    // To the letter it may.
    assert_eq!(apply("x = 10\n", "x = 1", "x = 2").unwrap().text, "x = 20\n");
}

#[test]
fn a_tolerant_match_does_not_cut_the_indentation() {
    // The second place has the blanks before it, but not those after; the first has those after, but not before.
    not_unique("return  \n\n    return\n\n", "  return  \n\n", (2, &[1, 3], Level::Indentation));
}

#[test]
fn trailing_means_at_the_end_of_a_line() {
    not_found("foobar\n", "foo ", "baz ");
    not_found("a\nb\n", "  \nb", "c");
    not_found("x y\n", "x  ", "z  ");
}

#[test]
fn a_final_newline_is_left_out_only_where_there_is_none() {
    not_found("a; b\n", "a\n", "c\n");
    not_found("ab", "a\n", "c\n");
    // A blank line that is not there, and another indentation on top of it.
    not_found("a\n  b\nc\n", "    b\n\n", "    x\n\n");
    // The caller means to remove a blank line, which is not there.
    not_found("a\nb\nc\n", "b\n\n", "x\n");
}

#[test]
fn a_spelling_that_could_be_either_is_refused() {
    // Which of the four quotes are left?
    let error = apply("say “a” or “b”\n", "say \"a\" or \"b\"", "say \"b\"").unwrap_err();
    assert!(matches!(error, Error::Spelling { .. }), "{error}");
    // One quote of a pair would be the text's, the other the caller's, though one pair is the same in both.
    let error = apply("f(\"x\", “a”)\n", "f(\"x\", \"a\")", "f(\"a\")").unwrap_err();
    assert!(matches!(error, Error::Spelling { .. }), "{error}");
    // The caller has one quote for two in the text.
    let error = apply("say(”a”, \"b\")\n", "say(”a”, ”b”)\n", "say(”a”, ”b”)\nsay(”c”)\n").unwrap_err();
    assert!(matches!(error, Error::Spelling { .. }), "{error}");
}

#[test]
fn slips_of_different_kinds_do_not_outbid_each_other() {
    // The first place has another indentation, the last no newline.
    not_unique("}\n\n    }", "    }\n", (2, &[1, 3], Level::Indentation));
    not_unique("} \n\n}", "}\n", (2, &[1, 3], Level::TrailingWhitespace));
}

#[test]
fn what_is_overlooked_cannot_be_what_the_edit_changes() {
    for (text, old, new) in [
        ("a\nb\n", "a\r\nb\r\n", "a\nb\n"),
        ("a\nb\n", "a \nb \n", "a\nb\n"),
        ("    a\n    b\n", "  a\n  b\n", "    a\n    b\n"),
        ("\ta\n\tb\n", "  a\n  b\n", "\ta\n\tb\n"),
        ("a\nb", "b\n", "b"),
        ("say \"a\"\n", "say “a”", "say \"a\""),
        ("a\n", "     1\ta\n", "a\n"),
        ("f(\"a\")\n", "f(\\\"a\\\")", "f(\"a\")"),
        // Indented by two already; doing it again would be wrong.
        ("    a\n    b\n", "  a\n  b\n", "      a\n      b\n"),
    ] {
        not_found(text, old, new);
    }
}

#[test]
fn what_is_done_is_not_done_twice() {
    not_found("if x {\n  a\n  b\n}\n", "a\nb\n", "if x {\n  a\n  b\n}\n");
    not_found("\"a\"\n\"b\"\n", "“a”\n", "\"a\"\n\"b\"\n");
}

#[test]
fn a_gutter_has_consecutive_numbers_on_every_line() {
    not_found("a\nb\n", "     1\ta\n     3\tb\n", "     1\ta\n");
    not_found("a\nb\n", "     1\ta\nb\n", "     1\ta\n");
    not_found("a\nb\n", "1: a\n2: b\n", "1: a\n");
    not_found("a\nb\n", "1|a\n2|b\n", "1|a\n");
    // The second column of a table is not a line.
    not_found("13\tfoo\n", "12\tfoo", "12\tbar");
    not_found("12\n", "13", "14");
}

#[test]
fn escapes_must_be_consistent() {
    // A plain quote beside an escaped one.
    not_found("f(\"a\", \"b\")\n", "f(\\\"a\\\", \"b\")", "x");
    // A backslash that belongs to no escape.
    not_found("\"\\d\"\n", "\\\"\\d\\\"", "\\\"\\w\\\"");
    // The new text uses an escape that the old one does not vouch for: newline, or backslash and n?
    not_found("p(\"a\")\n", "p(\\\"a\\\")", "p(\\\"a\\n\\\")");
    not_found("p(\"a\")\n", "p(\\\"a\\\")", "p(\\\"a\\\\n\\\")");
    // A plain newline beside an escaped one in the new text.
    not_found("a\nb\n", "a\\nb", "a\\nb\nc");
    not_found("a\n", "a\\", "b");
}

#[test]
fn blank_text_is_found_to_the_letter_or_not_at_all() {
    not_found("a\r\n\r\nb\r\n", "\n\n", "\n");
    not_found("a\n", "  ", "x");
}

#[test]
fn exact_matching_overlooks_nothing() {
    let exact = |text: &str, old: &str| Edit::new(old, "new").apply(text, Matching::Exact);
    assert!(matches!(exact("a\r\nb", "a\nb"), Err(Error::NotFound(_))));
    assert!(matches!(exact("a", "a\n"), Err(Error::NotFound(_))));
    assert!(matches!(exact("a", "1\ta"), Err(Error::NotFound(_))));
    assert_eq!(exact("a", "a").unwrap().text, "new");
}

#[test]
fn a_text_that_repeats_itself_ends_the_search() {
    // Many lines that are all alike, and an old text that almost fits everywhere.
    let text = "    a\r\n".repeat(3_000);
    let old = format!("{}b\n", "a\n".repeat(1_500));
    not_found(&text, &old, "x");
    assert_eq!(apply(&text, &"a\n".repeat(1_500), "x").unwrap_err(), Error::GivenUp);
    // With less of it they are counted.
    let error = apply(&text, &"a\n".repeat(100), "x").unwrap_err();
    assert!(matches!(error, Error::NotUnique { count: 2_901, .. }), "{error}");
}
