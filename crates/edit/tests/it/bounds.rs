//! What an edit may cost: how large a text may become, how many places may change, and how soon it ends when stopped.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolcrib_edit::{Bounds, Diff, Edit, Error, Matching, Target, TooLarge};

fn limited(size: usize) -> Bounds<'static> {
    Bounds { size, ..Bounds::none() }
}

#[track_caller]
fn too_large(text: &str, edit: &Edit, limit: usize, size: usize) {
    let within = |limit| edit.apply_within(text, Matching::Tolerant, limited(limit));
    assert_eq!(within(limit).unwrap_err(), Error::TooLarge(TooLarge { size, limit }));
    assert!(within(limit + 1_000_000).is_ok(), "the limit alone is the reason");
}

#[test]
fn a_text_that_would_grow_too_large_is_refused() {
    let edit = Edit::new("ab", "abab").everywhere();
    too_large(&"ab".repeat(100), &edit, 399, 400);
    assert!(edit.apply_within(&"ab".repeat(100), Matching::Tolerant, limited(400)).is_ok());
    // The size is that of the whole result, so a text that shrinks is never refused.
    let shrinks = Edit::new("abab", "x").everywhere();
    assert!(shrinks.apply_within(&"ab".repeat(100), Matching::Tolerant, limited(200)).is_ok());
}

#[test]
fn the_size_is_known_before_the_text_is_made() {
    // 32 GiB: code that makes it first and counts then does not come so far.
    let text = "a".repeat(1 << 17);
    let edit = Edit::new("a", "b".repeat(1 << 18)).everywhere();
    let error = edit.apply_within(&text, Matching::Tolerant, limited(1 << 24)).unwrap_err();
    assert_eq!(error, Error::TooLarge(TooLarge { size: 1 << 35, limit: 1 << 24 }));
    assert_eq!(
        error.to_string(),
        "the text would grow to 34359738368 bytes, and one call may make it 16777216 at most"
    );
}

#[test]
fn places_across_lines_add_up_too() {
    let text = "a\nb\n".repeat(1000);
    let edit = Edit::new("a\nb\n", "a\n".repeat(1000)).everywhere();
    let error = edit.apply_within(&text, Matching::Tolerant, limited(1 << 16)).unwrap_err();
    let Error::TooLarge(TooLarge { size, limit }) = error else { panic!("{error}") };
    assert!(size > limit && size < 2 * limit, "it is refused at the first place that is too much: {size}");
}

#[test]
fn indentation_that_is_carried_over_counts() {
    // The text is indented by 10,000 blanks, and so would be each of the caller's 10,000 new lines.
    let indent = " ".repeat(10_000);
    let text = format!("{indent}one\n{indent}two\n");
    let edit = Edit::new("one\ntwo\n", format!("one\n{}two\n", "x\n".repeat(10_000)));
    let error = edit.apply_within(&text, Matching::Tolerant, limited(1 << 20)).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)), "{error}");
    assert!(edit.apply_within(&text, Matching::Tolerant, limited(200 << 20)).is_ok());
}

#[test]
fn more_places_than_one_edit_replaces_are_counted() {
    let text = "a".repeat(1_000_001);
    let error = Edit::new("a", "b").everywhere().apply(&text, Matching::Tolerant).unwrap_err();
    assert_eq!(error, Error::TooMany { count: 1_000_001, most: 250_000 });
    let error = Edit::new("a", "b").apply(&text, Matching::Tolerant).unwrap_err();
    assert!(matches!(error, Error::NotUnique { count: 1_000_001, .. }), "{error}");
    let error = error.to_string();
    assert!(error.contains("found 1000001 times, lines: [1]"), "{error}");
}

/// Runs the work until its last question, then stops it at some of them: it must end there and not go on.
#[track_caller]
fn ends_when_stopped<T>(
    least: usize,
    work: impl Fn(Bounds<'_>) -> Result<T, Error>,
    accepted: impl Fn(&Result<T, Error>) -> bool,
) {
    let asked = AtomicUsize::new(0);
    let count = || asked.fetch_add(1, Ordering::Relaxed) == usize::MAX;
    assert!(accepted(&work(Bounds { stop: &count, ..Bounds::none() })));
    let questions = asked.load(Ordering::Relaxed);
    assert!(questions >= least, "only {questions} questions");
    for last in [0, questions / 3, questions - 1] {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= last;
        assert!(matches!(work(Bounds { stop: &stop, ..Bounds::none() }), Err(Error::Stopped)));
        let after = asked.load(Ordering::Relaxed) - last;
        assert!(after < 10, "{after} questions after it was stopped");
    }
}

const SIZE: usize = 1 << 20;

#[test]
fn looking_for_what_is_not_there_ends() {
    let text = "let some = value; // with words\n".repeat(SIZE / 32);
    for old in ["fn nothing\nlike it\n", "let some = other value; // with other words", "    let some = valu"]
    {
        let edit = Edit::new(old, "new");
        ends_when_stopped(
            3,
            |bounds| edit.apply_within(&text, Matching::Tolerant, bounds),
            |result| matches!(result, Err(Error::NotFound(_) | Error::NotUnique { .. })),
        );
    }
}

#[test]
fn replacing_in_many_places_ends() {
    let text = "one\r\ntwo\r\n".repeat(4000);
    // To the letter across lines, and with the line endings overlooked.
    for edit in [Edit::new("one\r\ntwo", "1\r\n2"), Edit::new("one\ntwo", "1\n2")] {
        let edit = edit.everywhere();
        let work = |bounds: Bounds<'_>| edit.apply_within(&text, Matching::Tolerant, bounds);
        ends_when_stopped(3, work, Result::is_ok);
    }
}

#[test]
fn a_text_that_repeats_itself_is_left_when_stopped() {
    let text = "x\n".repeat(50_000);
    let edit = Edit::new(format!("{}y\nx\n", " x\n".repeat(20_000)), "new");
    ends_when_stopped(
        3,
        |bounds| edit.apply_within(&text, Matching::Tolerant, bounds),
        |result| matches!(result, Err(Error::NotFound(_) | Error::GivenUp)),
    );
}

#[test]
fn carrying_a_change_over_ends() {
    let words: String = (0..600).map(|word| format!("word{word} ")).collect();
    let old: String = (0..50).map(|line| format!("{words}{line}\n")).collect();
    let new: String = (0..50).map(|line| format!("{words}{line} changed\n")).collect();
    let (text, edit) = (old.replace('\n', "\r\n"), Edit::new(&*old, new));
    let work = |bounds: Bounds<'_>| edit.apply_within(&text, Matching::Tolerant, bounds);
    ends_when_stopped(3, work, Result::is_ok);
}

#[test]
fn a_line_of_quotes_is_carried_over_in_no_time() {
    // Every pair of quotes was compared with every difference before: 10^10 steps.
    let quotes = "“a” ".repeat(50_000);
    let edit = Edit::new("\"a\" ".repeat(50_000) + "end", "\"a\" ".repeat(49_999) + "\"b\" end");
    let text = format!("{quotes}end\n");
    let asked = AtomicUsize::new(0);
    let count = || asked.fetch_add(1, Ordering::Relaxed) == usize::MAX;
    let bounds = Bounds { stop: &count, ..Bounds::none() };
    assert!(edit.apply_within(&text, Matching::Tolerant, bounds).is_ok());
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked < 1000, "{asked} times as much work as is done between two questions");
}

#[test]
fn comparing_long_texts_ends() {
    let lines = |side: &str| (0..120_000).map(|line| format!("{side}{line}\n")).collect::<String>();
    let (old, new) = (lines("old"), lines("new"));
    let asked = AtomicUsize::new(0);
    let count = || asked.fetch_add(1, Ordering::Relaxed) == usize::MAX;
    let diff = Diff::shortened(&old, &new, &count).unwrap();
    assert!(diff.left_out() > 0 && !diff.is_empty());
    let questions = asked.load(Ordering::Relaxed);
    assert!(questions > 10, "only {questions} questions");
    assert!(Diff::shortened(&old, &new, &|| true).is_err());
}

#[test]
fn a_long_text_with_few_changes_is_shown_as_a_short_one() {
    let old: String = (0..200_000).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 7\n", "line seven\n").replace("line 199990\n", "");
    let usual = Diff::between(&old, &new);
    let shortened = Diff::shortened(&old, &new, &|| false).unwrap();
    assert_eq!(shortened, usual);
    assert_eq!(shortened.apply(&old), Some(new));
}

#[test]
fn finding_in_a_target_that_is_stopped_is_an_error() {
    let text = "a\n".repeat(SIZE);
    let target = Target::within(&text, Bounds { stop: &|| true, ..Bounds::none() });
    assert!(target.find("b\nc\n", toolcrib_edit::Scope::Lines, toolcrib_edit::Level::Typography).is_err());
}
