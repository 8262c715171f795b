//! What was committed under a person's yes is, byte for byte, what was put before that person.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tempfile::TempDir;
use toolcrib::{
    Access, Action, ApprovalRequest, Config, Decision, Origin, PageSize, Rule, ToolResult, Toolbox, Version,
};
use toolcrib_testkit::Random;

/// A file and what it would hold.
type Written = (PathBuf, Version);

/// A person who says yes, no, or nothing, and of whom it is known what they said yes to.
#[derive(Default)]
struct Person {
    asked: AtomicUsize,
    approved: Mutex<HashMap<Written, usize>>,
}

impl Person {
    fn decide(&self, request: &ApprovalRequest) -> Decision {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let [change] = &request.changes[..] else { panic!("one file is changed") };
        let after = change.after.as_deref().unwrap();
        let value = String::from_utf8_lossy(after).split("\"run\": ").nth(1).unwrap()[..6].to_owned();
        let shown = request.page(1, PageSize::default());
        assert!(shown.is_whole() && shown.text.contains(&format!("\"run\": {value}")), "{}", shown.text);
        match number % 10 {
            0 => Decision::No(None),
            1 => Decision::Dismissed,
            _ => {
                let written = (PathBuf::from(&change.path), Version::of(after));
                *self.approved.lock().unwrap().entry(written).or_default() += 1;
                Decision::Once
            }
        }
    }
}

struct Arena {
    dir: TempDir,
    toolbox: Toolbox,
    person: Arc<Person>,
}

impl Arena {
    fn new() -> Self {
        let dir = toolcrib_testkit::quick_dir();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        let person = Arc::new(Person::default());
        let asked = Arc::clone(&person);
        let config = Config::parse("[journal]\ndurability = \"fast\"").unwrap();
        let toolbox = Toolbox::builder()
            .root(&root)
            .config(config.rule(Rule::new(Access::Edit, "*.json", Action::Ask, Origin::User).unwrap()))
            .journal_in(dir.path().join("state"))
            .approver(Arc::new(move |request: &ApprovalRequest| asked.decide(request)))
            .open()
            .unwrap();
        Self { dir, toolbox, person }
    }

    fn file(&self, number: usize) -> PathBuf {
        self.dir.path().join(format!("ws/{number}.json"))
    }

    fn write(&self, file: &Path, value: usize) -> ToolResult {
        self.toolbox.call_blocking(
            "Write",
            json!({"file_path": file, "content": settings(value)}),
            &self.toolbox.context(),
        )
    }

    /// A small edit: it is repeated by the executor where another call was faster.
    fn edit(&self, file: &Path, value: usize) -> ToolResult {
        let text = fs::read_to_string(file).unwrap_or_default();
        let old = text.split("\"run\": ").nth(1).unwrap_or("000000")[..6].to_owned();
        let (old, new) = (format!("\"run\": {old}"), format!("\"run\": {value:06}"));
        self.toolbox.call_blocking(
            "Edit",
            json!({"file_path": file, "old_string": old, "new_string": new}),
            &self.toolbox.context(),
        )
    }
}

/// One long line. What differs stands far beyond what a model is shown of it.
fn settings(value: usize) -> String {
    format!("{{{}\"run\": {value:06}, {}\"end\": 0}}\n", "\"a\": 1, ".repeat(100), "\"b\": 2, ".repeat(100))
}

#[test]
fn what_is_committed_is_what_the_person_saw() {
    const CALLS: usize = 10_000;
    const THREADS: usize = 16;
    let arena = Arena::new();
    let committed: Mutex<BTreeMap<Written, usize>> = Mutex::default();
    let looks: Mutex<HashSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (arena, committed, looks) = (&arena, &committed, &looks);
            scope.spawn(move || {
                let mut random = Random(thread as u64 + 1);
                for _ in 0..CALLS / THREADS {
                    let file = arena.file(random.below(8));
                    // Few values, so that many calls want the same.
                    let value = random.below(20);
                    let result = match random.below(2) {
                        0 => arena.write(&file, value),
                        _ => arena.edit(&file, value),
                    };
                    if let Some(version) = result.metadata.get("version").filter(|_| result.success) {
                        let version: Version = version.as_str().unwrap().parse().unwrap();
                        *committed.lock().unwrap().entry((file, version)).or_default() += 1;
                        let diff = result.metadata["diff"].as_str().unwrap().to_owned();
                        looks.lock().unwrap().insert(diff.split("@@").nth(2).unwrap_or_default().to_owned());
                    }
                }
            });
        }
    });
    let (approved, committed) = (arena.person.approved.lock().unwrap(), committed.into_inner().unwrap());
    let (mut changes, mut contents) = (0, HashSet::new());
    for ((file, version), times) in &committed {
        let yes = approved.get(&(file.clone(), *version)).copied().unwrap_or_default();
        assert!(*times <= yes, "{file:?}: committed {times} times with {yes} times yes");
        changes += times;
        contents.insert(*version);
    }
    let asked = arena.person.asked.load(Ordering::Relaxed);
    println!("{asked} questions, {changes} changes committed, each with a yes to its own bytes");
    assert!(asked >= CALLS / 2 && changes > CALLS / 4, "{asked} {changes}");
    // What the test is worth: to a model most of these changes look the same, so a text could not tell them apart.
    let looks = looks.into_inner().unwrap();
    assert!(contents.len() >= 20 && looks.len() < contents.len(), "{} {}", looks.len(), contents.len());
}
