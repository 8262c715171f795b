//! An edit on any text: no crash, no hang, and only what is reported changes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolcrib_edit::{Change, Edit, Level, Matching};

fuzz_target!(|data: &[u8]| {
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
});

/// What lies between the changes is the same before and after.
fn check(before: &str, after: &str, changes: &[Change]) {
    let (mut old, mut new) = (0, 0);
    for change in changes {
        assert_eq!(before[old..change.old.start], after[new..change.new.start]);
        (old, new) = (change.old.end, change.new.end);
    }
    assert_eq!(before[old..], after[new..]);
}
