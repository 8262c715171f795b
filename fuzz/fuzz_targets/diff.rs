//! The diff of any two texts: applied it gives the new one, turned around the old one, and as a patch it says the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolcrib_edit::{Diff, Limit, Names};
use toolcrib_patch::{Options, parse};

fuzz_target!(|data: &[u8]| {
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
});
