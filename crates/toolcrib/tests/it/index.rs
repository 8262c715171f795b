//! What an index has to do with permission and with the configuration.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use toolcrib::{Config, IndexStatus, Toolbox};

/// Everything below a folder, as bytes.
fn contents(folder: &Path, all: &mut Vec<u8>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            contents(&path, all);
        } else {
            all.extend(fs::read(&path).unwrap());
        }
    }
}

/// Neither in memory nor on disk, not even its name.
#[test]
fn what_may_not_be_read_is_not_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let (root, state) = (dir.path().join("root"), dir.path().join("state"));
    fs::create_dir_all(root.join("private")).unwrap();
    for (name, text) in
        [("a.txt", "plain words\n"), (".env", "KEY=1\n"), ("private/plan.txt", "hidden words\n")]
    {
        fs::write(root.join(name), text).unwrap();
    }
    // What has only just changed is not kept.
    std::thread::sleep(Duration::from_millis(2200));
    let rules = "[[rules]]\nkind = \"read\"\npattern = \"private/**\"\naction = \"deny\"";
    let builder = Toolbox::builder().root(&root).journal_in(&state);
    let open = |rules: &str| builder.clone().config(Config::parse(rules).unwrap()).open().unwrap();
    let kept = |toolbox: Toolbox, indexed: usize| {
        let status = toolbox.warm_up();
        assert!(
            matches!(status[0], Some(IndexStatus::Warm { indexed: n, .. }) if n == indexed),
            "{status:?}"
        );
        drop(toolbox);
        let mut all = Vec::new();
        contents(&state.join("index"), &mut all);
        String::from_utf8_lossy(&all).into_owned()
    };
    let written = kept(open(rules), 1);
    assert!(written.contains("a.txt"), "{written}");
    assert!(!written.contains("plan.txt") && !written.contains(".env"), "{written}");
    // The control: without the rule it is indexed.
    assert!(kept(open(""), 2).contains("plan.txt"));
}

#[test]
fn the_configuration_turns_it_off_and_bounds_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "needle\n").unwrap();
    let status = |text: &str| {
        let builder = Toolbox::builder().root(dir.path()).config(Config::parse(text).unwrap());
        let toolbox = builder.open().unwrap();
        let status = toolbox.warm_up();
        let found = toolbox.call_blocking("Grep", json!({"pattern": "needle"}), &toolbox.context());
        assert!(found.success);
        (status[0], found.metadata["index"].clone())
    };
    assert_eq!(status("[search]\nindex = \"off\""), (None, json!("scan")));
    let (large, by) = status("[search]\nlimit_mb = 0");
    assert_eq!((large, by), (Some(IndexStatus::Off(toolcrib::NoIndex::TooLarge)), json!("scan")));
    let (warm, by) = status("");
    assert!(matches!(warm, Some(IndexStatus::Warm { files: 1, .. })), "{warm:?}");
    assert_eq!(by, json!("warm"));
}
