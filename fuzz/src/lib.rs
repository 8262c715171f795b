//! What is tried on any input. A target panics where something does not hold.
//!
//! `fuzz_targets/` runs these under libFuzzer, which needs a nightly compiler; the tests of `crates/patch` run the same
//! functions for a short time over mutated seeds.

use toolcrib_edit::{Change, Diff, Edit, Level, Limit, Matching, Names};
use toolcrib_patch::{Action, Options, parse};

/// An edit on any text: no crash, no hang, and only what is reported changes.
pub fn edit(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0xFF).map(String::from_utf8_lossy);
    let (Some(text), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    for all in [false, true] {
        let edit = Edit { old: old.clone().into_owned(), new: new.clone().into_owned(), all };
        match edit.apply(&text, Matching::Tolerant) {
            Ok(applied) => {
                check(&text, &applied.text, &applied.changes);
                let exact = edit.apply(&text, Matching::Exact);
                assert_eq!(exact.is_ok(), applied.level == Level::Exact);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Any text as a patch on any text: no crash, no hang, and only what is reported changes.
pub fn patch(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0xFF).map(String::from_utf8_lossy);
    let (Some(patch), text) = (parts.next(), parts.next().unwrap_or_default()) else {
        return;
    };
    let patch = match parse(&patch) {
        Ok(patch) => patch,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for change in &patch.files {
        assert!(!change.path.starts_with('/') && change.path.split('/').all(|part| part != ".."));
    }
    for fuzz in [0, 2] {
        let options = Options { fuzz, overwrite: fuzz > 0, ..Options::default() };
        let Ok(planned) = patch.plan(options, |_| Some(&text)) else {
            continue;
        };
        for file in planned
            .iter()
            .take(1)
            .filter(|file| matches!(file.action, Action::Update | Action::Move | Action::Copy))
        {
            let after = file.text.as_deref().unwrap_or_default();
            check(&text, after, &file.changes);
        }
    }
}

/// The diff of any two texts: applied it gives the new one, turned around the old one, and as a patch it says the same.
pub fn diff(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0xFF).map(String::from_utf8_lossy);
    let (Some(old), Some(new)) = (parts.next(), parts.next()) else {
        return;
    };
    let diff = Diff::between(&old, &new);
    assert_eq!(diff.apply(&old).as_deref(), Some(&*new));
    assert_eq!(diff.inverted().apply(&new).as_deref(), Some(&*old));
    let shown = diff.shown(Names::of("f"), Limit::default()).text;
    assert!(!shown.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    let patch = diff.to_patch(Names::of("f"));
    if !diff.is_empty() && !patch.contains('\0') {
        let planned = parse(&patch).unwrap().plan(Options::default(), |_| Some(&old)).unwrap();
        assert_eq!(planned[0].text.as_deref(), Some(&*new));
    }
}

/// What lies between the changes is the same before and after.
fn check(before: &str, after: &str, changes: &[Change]) {
    let (mut old, mut new) = (0, 0);
    for change in changes {
        assert_eq!(before[old..change.old.start], after[new..change.new.start]);
        (old, new) = (change.old.end, change.new.end);
    }
    assert_eq!(before[old..], after[new..]);
}
