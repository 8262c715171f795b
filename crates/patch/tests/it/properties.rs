//! What holds for any text and any patch.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib_edit::{Diff, Names};
use toolcrib_patch::{Options, parse};

pub(crate) fn cases(count: u32) -> ProptestConfig {
    let cases = if std::env::var_os("TOOLCRIB_SOAK").is_some() { 50 * count } else { count };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

const LINES: [&str; 24] = [
    "",
    "",
    " ",
    "a",
    "b",
    "c",
    "  a",
    "\tb",
    "a  ",
    "-- x",
    "++ y",
    "--- a/x",
    "+++ b/x",
    "@@ -1 +1 @@",
    "diff --git a/x b/x",
    "\\ No newline at end of file",
    "*** Begin Patch",
    "*** End Patch",
    "-- ",
    "“a”",
    "\"a\"",
    "x\u{1b}[0m",
    "é",
    "```",
];

/// Lines with endings of any kind, and perhaps none at the end.
fn text() -> impl Strategy<Value = String> {
    let ending = prop_oneof![8 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r")];
    let times = prop_oneof![6 => Just(1_usize), 1 => 2..9_usize];
    (vec((select(&LINES[..]), ending, times), 0..16), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String =
            lines.into_iter().map(|(line, ending, times)| [line, ending].concat().repeat(times)).collect();
        if !ended {
            text.pop();
        }
        text
    })
}

/// Pieces of patches in any order.
fn rubble() -> impl Strategy<Value = String> {
    let pieces = [
        "--- a/f\n",
        "+++ b/f\n",
        "--- /dev/null\n",
        "+++ /dev/null\n",
        "@@ -1,2 +1,2 @@\n",
        "@@\n",
        "@@ -0,0 +1 @@\n",
        " a\n",
        "-a\n",
        "+b\n",
        "\n",
        "\\ No newline at end of file\n",
        "diff --git a/f b/f\n",
        "rename from f\n",
        "rename to g\n",
        "new file mode 100644\n",
        "*** Begin Patch\n",
        "*** Update File: f\n",
        "*** Add File: g\n",
        "*** Move to: h\n",
        "*** End of File\n",
        "*** End Patch\n",
        "@@ a\n",
        "text\n",
        "```\n",
        "\"",
        "\\303",
        "+",
        "-",
        "\r\n",
        "-- \n",
        "é",
    ];
    vec(select(pieces.to_vec()).prop_map(str::to_owned), 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(cases(10_000))]

    /// The diff of two texts, read as a patch, makes one of the other, byte by byte; reversed, it restores the first.
    #[test]
    fn a_patch_gives_the_new_text_and_undone_the_old((old, new) in (text(), text())) {
        if old == new {
            return Ok(());
        }
        let diff = Diff::between(&old, &new);
        for (diff, before, after) in [(diff.clone(), &old, &new), (diff.inverted(), &new, &old)] {
            let patch = diff.to_patch(Names::of("f"));
            let parsed = parse(&patch).unwrap();
            prop_assert!(parsed.files[0].hunks.iter().all(|hunk| !hunk.miscounted), "{}", patch);
            let planned = parsed.plan(Options::default(), |_| Some(before)).map_err(|refused| TestCaseError::fail(format!("{refused}\n{patch}")))?;
            prop_assert_eq!(planned[0].text.as_ref(), Some(after), "{}", patch);
            prop_assert!(planned[0].hunks.iter().all(|hunk| hunk.offset == 0));
        }
    }

    /// On any other text a patch changes what it reports, or nothing.
    #[test]
    fn a_patch_changes_only_what_it_reports((old, new, other) in (text(), text(), text())) {
        if old == new {
            return Ok(());
        }
        let patch = Diff::between(&old, &new).to_patch(Names::of("f"));
        if let Ok(planned) = parse(&patch).unwrap().plan(Options { fuzz: 2, ..Options::default() }, |_| Some(&other)) {
            let text = planned[0].text.as_ref().unwrap();
            let (mut before, mut after) = (0, 0);
            for change in &planned[0].changes {
                prop_assert_eq!(&other[before..change.old.start], &text[after..change.new.start]);
                (before, after) = (change.old.end, change.new.end);
            }
            prop_assert_eq!(&other[before..], &text[after..]);
            prop_assert_eq!(planned[0].already_applied, planned[0].changes.is_empty());
        }
    }

    /// Whatever is read as a patch is applied or refused; nothing panics.
    #[test]
    fn rubble_is_refused_or_means_something((patch, text) in (rubble(), text())) {
        if let Ok(patch) = parse(&patch) {
            let _ = patch.plan(Options { fuzz: 1, ..Options::default() }, |_| Some(&text));
            let _ = patch.plan(Options { overwrite: true, ..Options::default() }, |_| None);
        }
    }
}
