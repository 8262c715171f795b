//! What a model is told, word for word: names of levels, errors, and what to try next.

use toolcrib_edit::{Error, Failed, Level, LineSpan};

use super::apply;

#[test]
fn levels_have_the_names_that_callers_use() {
    let names = [
        (Level::Exact, "exact"),
        (Level::LineEndings, "line_endings"),
        (Level::TrailingWhitespace, "trailing_whitespace"),
        (Level::Indentation, "indentation"),
        (Level::FinalNewline, "final_newline"),
        (Level::Typography, "typography"),
        (Level::Gutter, "gutter"),
        (Level::Escapes, "escapes"),
    ];
    for (level, name) in names {
        assert_eq!((level.name(), level.to_string().as_str()), (name, name));
    }
}

#[test]
fn every_error_says_what_is_wrong_and_what_helps() {
    let twice = |count, lines: Vec<usize>, level| Error::NotUnique { count, lines, level };
    let many: Vec<usize> = (1..=20).collect();
    let all_of_many = format!("the old text was found 25 times, lines: {many:?} and 5 more");
    let no_more = format!("the old text was found 20 times, lines: {many:?}");
    let errors = [
        (Error::EmptyOld, "the old text is empty", Some("give the text that is to be replaced")),
        (
            Error::Same,
            "the old and the new text must be different",
            Some("the new text has to be what should stand there afterwards"),
        ),
        (Error::Nul, "the new text has a NUL character", None),
        (twice(2, vec![5, 10], Level::Exact), "the old text was found 2 times, lines: [5, 10]", MORE),
        // Three places on two lines are all named.
        (twice(3, vec![5, 10], Level::Exact), "the old text was found 3 times, lines: [5, 10]", MORE),
        (twice(20, many.clone(), Level::Exact), &no_more, MORE),
        (twice(25, many, Level::Exact), &all_of_many, MORE),
        (
            twice(2, vec![1, 2], Level::Indentation),
            "the old text was found 2 times, lines: [1, 2] (not an exact match: indentation)",
            MORE,
        ),
        (
            Error::Unshiftable { place: LineSpan { first: 3, last: 4 }, line: 2 },
            "the old text stands at lines 3-4 with other indentation, and line 2 of the new text cannot be shifted the \
             same way",
            Some("give both texts with the indentation that the file has"),
        ),
        (
            Error::Spelling { character: '\'' },
            "the file does not spell ' as the old text does, and the new text could mean either",
            Some("give the old text with the quotes, dashes and spaces that the file has"),
        ),
        (
            Error::GivenUp,
            "the text repeats itself too much to be certain of a place",
            Some("give more lines around the place"),
        ),
    ];
    for (error, says, hint) in errors {
        assert_eq!((error.to_string().as_str(), error.hint()), (says, hint));
    }
}

/// What is not there is there already, or something like it is, or nothing.
#[test]
fn what_helps_depends_on_what_was_found_instead() {
    let hint = |text, old, new| apply(text, old, new).unwrap_err().hint();
    assert_eq!(
        hint("let mut count = 2;\n", "let count = 1;", "let mut count = 2;"),
        Some("if that is the change you want, there is nothing left to do")
    );
    assert_eq!(
        hint("let count = 2;\n", "let count = 1;", "let count = 3;"),
        Some("give the lines as they are now, character by character")
    );
    assert_eq!(
        hint("a\n", "let count = 1;", "let count = 3;"),
        Some("read the file again: nothing in it resembles the old text")
    );
}

const MORE: Option<&str> = Some(
    "add one more line above or below it so that it is the only one, or ask for all places to be changed",
);

#[test]
fn of_several_edits_the_one_that_failed_is_named() {
    let failed = Failed { edit: 2, of: 3, error: Error::Same };
    assert_eq!(failed.to_string(), "edit 2 of 3: the old and the new text must be different");
    assert!(std::error::Error::source(&failed).is_some());
}
