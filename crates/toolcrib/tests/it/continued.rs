//! Answers that were cut: none is larger than its client takes, each says how to go on, and all parts together are the whole.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::Toolbox;
use toolcrib_testkit::Random;

/// What clients take, in characters.
const BUDGETS: [usize; 4] = [7_500, 22_000, 30_000, 45_000];

struct Scene {
    dir: TempDir,
    toolbox: Toolbox,
    budget: usize,
    calls: usize,
}

impl Scene {
    fn new(budget: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let toolbox = Toolbox::open(dir.path()).unwrap();
        Self { dir, toolbox, budget, calls: 0 }
    }

    /// One part of an answer, and where the next begins.
    fn part(&mut self, tool: &str, mut arguments: Value, offset: u64) -> (String, Option<u64>) {
        arguments["offset"] = json!(offset);
        let context = self.toolbox.context().max_output_size(self.budget);
        let result = self.toolbox.call_blocking(tool, arguments, &context);
        assert_eq!(result.error, None);
        self.calls += 1;
        let text = result.output.as_str().unwrap().to_owned();
        assert!(text.chars().count() <= self.budget, "{tool}: {} characters", text.chars().count());
        let next = result.metadata.get("next_offset").and_then(Value::as_u64);
        assert!(!text.contains("[output cut"), "{tool}: it is cut at a line, and says how to go on");
        if let Some(next) = next {
            assert!(next > offset, "{tool}: it does not go on from {offset}");
            assert!(text.contains(&format!("offset {next})")), "{tool}: the way to go on is in the text");
        }
        (text, next)
    }

    /// All parts.
    fn whole(&mut self, tool: &str, arguments: &Value, first: u64) -> Vec<String> {
        let (mut parts, mut offset) = (Vec::new(), Some(first));
        while let Some(at) = offset {
            let (text, next) = self.part(tool, arguments.clone(), at);
            parts.push(text);
            offset = next;
        }
        parts
    }
}

#[test]
fn the_parts_of_an_answer_are_the_whole() {
    let mut random = Random(7);
    let mut calls = 0;
    let (rounds, least) = if std::env::var_os("TOOLCRIB_SOAK").is_some() { (60, 1000) } else { (6, 50) };
    for round in 0..rounds {
        let mut scene = Scene::new(BUDGETS[round % BUDGETS.len()]);
        let (lines, width) = (500 + random.below(4000), 1 + random.below(160));
        let word = if round % 3 == 0 { "é" } else { "x" };
        let text: String = (0..lines).map(|line| format!("needle {line} {}\n", word.repeat(width))).collect();
        let file = scene.dir.path().join("large.txt");
        fs::write(&file, &text).unwrap();

        let parts = scene.whole("Read", &json!({"file_path": file, "limit": 10_000}), 1);
        let numbered = parts.iter().flat_map(|part| part.lines()).filter_map(|line| line.split_once('\t'));
        let read: Vec<&str> = numbered.map(|(_, line)| line).collect();
        assert_eq!(read, text.lines().collect::<Vec<_>>());

        let grep = json!({
            "pattern": "needle", "path": scene.dir.path(), "output_mode": "content", "head_limit": 100_000
        });
        let parts = scene.whole("Grep", &grep, 0);
        let found = parts.iter().flat_map(|part| part.lines()).filter(|line| !line.starts_with('('));
        let found = found.filter_map(|line| line.split_once(": "));
        let found: Vec<&str> = found.map(|(_, line)| line).collect();
        assert_eq!(found.len(), lines);
        assert!(found.iter().zip(text.lines()).all(|(found, line)| *found == line));

        let names = 200 + random.below(1500);
        let folder = scene.dir.path().join("files");
        fs::create_dir(&folder).unwrap();
        for name in 0..names {
            fs::write(folder.join(format!("{name:05}-{}.txt", "n".repeat(width.min(80)))), "").unwrap();
        }
        for (tool, arguments) in [
            ("Glob", json!({"pattern": "**/*.txt", "path": folder, "limit": 100_000})),
            ("LS", json!({"path": folder, "limit": 10_000})),
        ] {
            let parts = scene.whole(tool, &arguments, 0);
            let listed = parts.iter().flat_map(|part| part.lines()).filter_map(|line| {
                let at = line.find("-n")?;
                line.get(at - 5..at)?.parse::<usize>().ok()
            });
            let (listed, count) = listed.fold((BTreeSet::new(), 0), |(mut all, count), number| {
                all.insert(number);
                (all, count + 1)
            });
            assert_eq!((listed.len(), count), (names, names), "{tool}: each once");
        }
        calls += scene.calls;
    }
    println!("{calls} calls");
    assert!(calls >= least, "only {calls}");
}
