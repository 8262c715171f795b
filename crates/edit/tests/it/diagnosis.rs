//! What a caller reads when the old text is not there.

use std::time::{Duration, Instant};

use toolcrib_edit::{Diagnosis, Error};

use super::apply;

#[track_caller]
fn diagnosis(text: &str, old: &str, new: &str) -> Diagnosis {
    match apply(text, old, new) {
        Err(Error::NotFound(diagnosis)) => *diagnosis,
        other => panic!("{other:?}"),
    }
}

const TEXT: &str = "use std::io;\n\nfn main() {\n    let name = read();\n\tgreet(&name);  \n    done();\n}\n";

#[test]
fn the_closest_region_is_shown_with_its_white_space() {
    let found = diagnosis(TEXT, "    let name = read();\n    greet(name);\n    done();\n", "x");
    insta::assert_snapshot!(found, @r"
    the old text was not found
    closest: lines 4-6 (· is a blank, → a tab, ! differs)
          4  ····let name = read();
    !     5  →greet(&name);··
          6  ····done();
    first difference, line 2 of the old text against line 5:
      given: ····greet(name);
      found: →greet(&name);··
    ");
}

#[test]
fn the_old_text_may_begin_and_end_inside_a_line() {
    let found =
        diagnosis("x = call(a,\n    b,\n    c).done()\n", "call(a,\n    B,\n    c)", "x").closest.unwrap();
    assert_eq!(found.shown.iter().map(|line| line.differs).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn words_lead_to_a_line_when_no_line_is_the_same() {
    let found = diagnosis(TEXT, "greet(&names, 1);", "x").closest.unwrap();
    assert_eq!((found.lines.first, found.lines.last), (5, 5));
}

#[test]
fn nothing_alike_is_said_too() {
    let found = diagnosis(TEXT, "completely unrelated words", "x");
    assert_eq!(found, Diagnosis::default());
    assert_eq!(found.to_string(), "the old text was not found");
    assert_eq!(diagnosis("", "a", "b"), Diagnosis::default());
}

#[test]
fn a_change_that_is_there_already_is_recognised() {
    for (text, old, new) in [
        ("a\nb2\nc\n", "a\nb\nc\n", "a\nb2\nc\n"),
        ("let colour = 1;\n", "let color = 1;", "let colour = 1;"),
        ("    if x {\n        b2\n    }\n", "if x {\n    b\n}\n", "if x {\n    b2\n}\n"),
        ("a\nb2\r\nc\n", "a\nb\nc\n", "a\nb2\nc\n"),
    ] {
        let found = diagnosis(text, old, new);
        let lines = text.lines().count();
        assert_eq!(found.applied.map(|applied| (applied.first, applied.last)), Some((1, lines)), "{text:?}");
        assert!(found.to_string().contains("already applied"));
    }
}

#[test]
fn a_new_text_that_says_nothing_is_not_taken_for_done() {
    // A part of the old text, punctuation, part of a word, or one of several.
    assert_eq!(diagnosis("a\n", "a\nb\n", "a\n").applied, None);
    assert_eq!(diagnosis("}\n", "b}", "}").applied, None);
    assert_eq!(diagnosis("colours\n", "color", "colour").applied, None);
    assert_eq!(diagnosis("b\nb\n", "a", "b").applied, None);
    assert_eq!(diagnosis("b\n", "a", "").applied, None);
    // Elsewhere than where the old text could have stood.
    assert_eq!(diagnosis("alpha\nbeta\n", "gamma", "beta").applied, None);
    assert_eq!(diagnosis("x = 3\n\nlet x = 2;\ny\n", "x = 1", "let x = 2;").applied, None);
}

#[test]
fn a_diagnosis_is_bounded() {
    let text: String = (0..2000).map(|line| format!("line {line} {}\n", "x ".repeat(200))).collect();
    let old = text.replace("line 1500 ", "line 1501 ");
    let found = diagnosis(&text, &old, "new");
    assert!(found.to_string().len() < 5000);
    let closest = found.closest.unwrap();
    assert_eq!(closest.difference.as_ref().map(|difference| difference.line), Some(1501));
    assert_eq!(closest.left_out, 2000 - closest.shown.len());
}

#[test]
fn the_text_may_end_before_the_old_one_does() {
    let found = diagnosis("a one\nb two\n", "a one\nb two\nc three", "x").closest.unwrap();
    assert_eq!((found.lines.first, found.lines.last), (1, 2));
    assert_eq!(found.difference.map(|difference| (difference.line, difference.found)), Some((3, None)));
}

/// Fifty milliseconds are the promise for a build that is optimised; this one may not be. The best of some runs counts,
/// since others use the machine too.
#[test]
fn a_megabyte_is_diagnosed_at_once() {
    let text: String =
        (0..30_000).map(|line| format!("    let value_{line} = compute({line}, other);\n")).collect();
    assert!(text.len() > 1_000_000);
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 50 });
    for old in [
        "    let value_7 = compute(7, another);\n    let x = 1;",
        "let value_15000 = compute(15000,  other);",
        "nothing",
    ] {
        let once = || {
            let start = Instant::now();
            diagnosis(&text, old, "something else");
            start.elapsed()
        };
        assert!((0..5).any(|_| once() < limit), "{old:?}");
    }
}
