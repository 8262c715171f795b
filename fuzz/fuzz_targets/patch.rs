//! Any text as a patch on any text: no crash, no hang, and only what is reported changes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolcrib_patch::{Action, Options, parse};

fuzz_target!(|data: &[u8]| {
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
            let (mut old, mut new) = (0, 0);
            for change in &file.changes {
                assert_eq!(text[old..change.old.start], after[new..change.new.start]);
                (old, new) = (change.old.end, change.new.end);
            }
            assert_eq!(text[old..], after[new..]);
        }
    }
});
