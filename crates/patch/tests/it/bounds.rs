//! What a patch may cost: it grows with its hunks and not faster, ends when it is stopped, and makes no file too large.
//!
//! Work is measured in questions whether to stop, which are asked after a certain amount of it: that is the same on every
//! machine.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolcrib_edit::{Bounds, TooLarge};
use toolcrib_patch::{ErrorKind, HunkFailure, Options, Problem, Reason, parse, parse_within};

/// How hunks are said to stand where they stand.
const KINDS: [&str; 13] = [
    "right",
    "off",
    "envelope",
    "anchor",
    "anchor begins",
    "anchor inside",
    "same lines",
    "same lines, off",
    "same lines, envelope",
    "missing",
    "line endings",
    "indented",
    "only added",
];

/// A text and a patch of so many hunks for it.
fn many(kind: &str, hunks: usize) -> (String, String) {
    let same = kind.starts_with("same");
    let lines: Vec<String> = (0..hunks * 4)
        .map(|line| match line % 4 {
            _ if same => "same".to_owned(),
            0 => format!("fn line_{line}() {{"),
            _ => format!("    line {line}"),
        })
        .collect();
    let (indent, ending) =
        (if kind == "indented" { "  " } else { "" }, if kind == "line endings" { "\r\n" } else { "\n" });
    let text = lines.iter().map(|line| format!("{indent}{line}{ending}")).collect();
    let envelope = kind.contains("anchor") || kind.contains("envelope") || kind == "only added";
    let mut patch =
        if envelope { "*** Begin Patch\n*** Update File: f\n" } else { "--- a/f\n+++ b/f\n" }.to_owned();
    for hunk in 0..hunks {
        let at = hunk * 4 + 1;
        patch += &match kind {
            "anchor" | "only added" => format!("@@ {}\n", lines[at - 1]),
            "anchor begins" => format!("@@ {}\n", &lines[at - 1][..lines[at - 1].len() - 2]),
            "anchor inside" => format!("@@ line_{}(\n", at - 1),
            _ if envelope => "@@\n".to_owned(),
            "off" | "same lines, off" => format!("@@ -{0},3 +{0},3 @@\n", at + 3),
            _ => format!("@@ -{at},3 +{at},3 @@\n"),
        };
        let old = if kind == "missing" { format!("gone {at}") } else { lines[at].clone() };
        patch += &match kind {
            "only added" => format!("+    added {at}\n"),
            _ => format!(" {}\n-{old}\n+    changed {at}\n {}\n", lines[at - 1], lines[at + 1]),
        };
    }
    (text, patch + if envelope { "*** End Patch\n" } else { "" })
}

/// Applies a patch until it is asked for the last time allowed. Gives what came of it, and how often it was asked.
fn questions(text: &str, patch: &str, most: usize) -> (Result<usize, Vec<HunkFailure>>, usize) {
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= most;
    let patch = parse(patch).unwrap();
    let bounds = Bounds { stop: &stop, ..Bounds::none() };
    let applied = patch.files[0].apply_within(text, Options::default(), bounds);
    (applied.map(|applied| applied.hunks.len()), asked.load(Ordering::Relaxed))
}

#[test]
fn twice_the_hunks_are_twice_the_work() {
    for kind in KINDS {
        let [small, large] = [1500, 6000].map(|hunks| {
            let (text, patch) = many(kind, hunks);
            let (applied, work) = questions(&text, &patch, usize::MAX);
            let fits = applied.as_ref().is_ok_and(|count| *count == hunks);
            assert_eq!(
                fits,
                !kind.starts_with("same lines,") && kind != "missing",
                "{kind}: {applied:.200?}"
            );
            work.max(4)
        });
        println!("{kind}: {small} for 1,500 hunks, {large} for 6,000");
        // What comes closest to the first of the missing ones costs about the same, however many there are.
        assert!(large <= small * 6, "{kind}: {small} for 1,500 hunks, {large} for 6,000");
    }
}

#[test]
fn a_patch_ends_when_it_is_stopped() {
    for kind in KINDS {
        let (text, patch) = many(kind, 4000);
        let (_, all) = questions(&text, &patch, usize::MAX);
        assert!(all > 3, "{kind}: only {all} questions");
        for most in [0, all / 2, all - 1] {
            let (applied, asked) = questions(&text, &patch, most);
            let stopped = applied.unwrap_err();
            assert!(matches!(stopped[..], [HunkFailure { reason: Reason::Stopped, .. }]), "{kind}");
            assert!(asked < most + 10, "{kind}: asked {asked} times, stopped after {most}");
        }
    }
}

#[test]
fn reading_a_patch_ends_too() {
    let (_, patch) = many("right", 10_000);
    assert_eq!(parse_within(&patch, &|| true).unwrap_err().kind, ErrorKind::Stopped);
    let (_, patch) = many("envelope", 10_000);
    assert_eq!(parse_within(&patch, &|| true).unwrap_err().kind, ErrorKind::Stopped);
}

#[test]
fn blank_rows_are_not_counted_anew_for_each() {
    // 40,000 of them in each place where a patch looks what comes after them: a billion steps for each before.
    let blanks = "\n".repeat(40_000);
    for patch in [
        format!("*** Begin Patch\n*** Add File: f\n+a\n{blanks}+b\n*** End Patch\n"),
        format!("*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n{blanks} c\n*** End Patch\n"),
        format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n{blanks}+b\n"),
    ] {
        let parsed = parse(&patch).unwrap();
        assert_eq!(parsed.files[0].hunks[0].lines.len(), 40_002 + usize::from(patch.contains(" a\n")));
    }
}

#[test]
fn only_some_hunks_that_are_missing_are_told_what_comes_closest() {
    let (text, patch) = many("missing", 200);
    let failures = parse(&patch).unwrap().files[0].apply(&text, Options::default()).unwrap_err();
    let told = |failure: &&HunkFailure| matches!(&failure.reason, Reason::NotFound(diagnosis) if diagnosis.closest.is_some());
    assert_eq!((failures.len(), failures.iter().filter(told).count()), (200, 50));
    assert_eq!(
        failures[199].to_string(),
        "hunk 200: its lines were not found:\n   fn line_796() {\n  -gone 797\n   ····line 798"
    );
}

/// What a plan fails with if its files may have so many bytes together.
#[track_caller]
fn planned(patch: &str, size: usize) -> Result<usize, String> {
    let patch = parse(patch).unwrap();
    let bounds = Bounds { size, ..Bounds::none() };
    let text = "one\ntwo\n".repeat(100);
    let planned = patch.plan_each(Options { overwrite: true, ..Options::default() }, bounds, |path| {
        path.starts_with("old").then_some(text.as_str())
    });
    planned
        .map(|planned| planned.map(|file| file.text.map_or(0, |text| text.len())))
        .sum::<Result<usize, _>>()
        .map_err(|failure| failure.to_string())
}

#[test]
fn copies_add_up() {
    let copy = |number: usize| {
        format!("diff --git a/old b/new{number}\nsimilarity index 100%\ncopy from old\ncopy to new{number}\n")
    };
    let patch: String = (0..10).map(copy).collect();
    assert_eq!(planned(&patch, 8000), Ok(8000));
    assert_eq!(
        planned(&patch, 7999).unwrap_err(),
        "new9: with it the files would have 8000 bytes, and one patch may write 7999 at most"
    );
}

#[test]
fn a_file_that_is_named_twice_counts_once() {
    let add = "*** Add File: new\n+one\n";
    let update = "*** Update File: new\n@@\n-one\n+twotwo\n";
    let patch = format!("*** Begin Patch\n{add}{update}*** End Patch\n");
    assert!(planned(&patch, 7).is_ok());
    assert!(planned(&patch, 6).unwrap_err().contains("grow to 7 bytes, and one call may make it 6 at most"));
}

#[test]
fn an_added_file_counts_and_a_deleted_one_does_not() {
    let patch = "*** Begin Patch\n*** Delete File: old\n*** Add File: new\n+12345\n*** End Patch\n";
    assert_eq!(planned(patch, 6), Ok(6));
    assert!(planned(patch, 5).is_err());
}

#[test]
fn indentation_that_is_carried_over_counts() {
    let indent = " ".repeat(5000);
    let text = format!("{indent}one\n{indent}two\n");
    let added: String = (0..2000).map(|line| format!("+{line}\n")).collect();
    let patch = parse(&format!("--- a/f\n+++ b/f\n@@ -1,2 +1,2002 @@\n one\n{added} two\n")).unwrap();
    let within = |size: usize| {
        patch.files[0].apply_within(&text, Options::default(), Bounds { size, ..Bounds::none() })
    };
    assert!(within(20 << 20).is_ok());
    let failures = within(1 << 20).unwrap_err();
    let Reason::TooLarge(TooLarge { limit, .. }) = failures[0].reason else { panic!("{}", failures[0]) };
    assert_eq!(limit, 1 << 20);
    assert!(!matches!(Problem::Hunks(failures), Problem::TooLarge(_)));
}
