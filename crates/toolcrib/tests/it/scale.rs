//! Searches of what is large: many files, large files, long lines, little time. `cargo xtask soak search` takes them larger.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use toolcrib::Toolbox;
use toolcrib_testkit::limits::Work;
use toolcrib_testkit::quick_dir;

/// The second in a long run.
fn of(ordinary: usize, long: usize) -> usize {
    if std::env::var_os("TOOLCRIB_SOAK").is_some() { long } else { ordinary }
}

#[track_caller]
fn facts(toolbox: &Toolbox, tool: &str, parameters: Value) -> (String, Value) {
    let result = toolbox.call_blocking(tool, parameters, &toolbox.context());
    assert!(result.success, "{:?}", result.error);
    (result.to_display(), Value::Object(result.metadata))
}

/// Does the work in a process that has no other test in it: it looks at the memory of the whole process.
fn alone(test: &str, work: impl FnOnce()) {
    const ALONE: &str = "TOOLCRIB_TEST_ALONE";
    if std::env::var_os("NEXTEST").is_some() || std::env::var_os(ALONE).is_some() {
        return work();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", test, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    told.lines().filter(|line| line.contains(" MB")).for_each(|line| println!("{line}"));
}

/// The most memory this process had, in megabytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() / 1024
}

#[test]
fn many_files_are_counted_and_shown_page_by_page() {
    alone("scale::many_files_are_counted_and_shown_page_by_page", many_files);
}

fn many_files() {
    let dir = quick_dir();
    let (flat, deep) = (of(3_000, 100_000), of(3_000, 1_000_000));
    for n in 0..flat {
        if n == 0 {
            fs::create_dir(dir.path().join("flat")).unwrap();
        }
        File::create(dir.path().join(format!("flat/{n:07}.txt"))).unwrap();
    }
    for n in 0..deep {
        let folder = dir.path().join(format!("deep/{}/{}", n / 10_000, n / 100));
        if n % 100 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::write(folder.join(format!("{n}.rs")), "needle\n").unwrap();
    }
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let before = peak();
    let (_, found) = facts(&toolbox, "Glob", json!({"pattern": "**", "limit": 10}));
    assert_eq!((found["total"].as_u64(), found["count"].as_u64()), (Some((flat + deep) as u64), Some(10)));
    let (_, found) = facts(&toolbox, "Grep", json!({"pattern": "needle", "head_limit": 10}));
    assert_eq!(found["total_files"], deep);
    assert_eq!(found["files_searched"], flat + deep);
    let (_, listed) = facts(&toolbox, "LS", json!({"path": "flat", "limit": 2, "offset": flat - 2}));
    assert_eq!((&listed["truncated"], &listed["count"]), (&json!(false), &json!(2)));
    assert_eq!(listed["entries"][1]["name"], format!("{:07}.txt", flat - 1));
    let grown = peak() - before;
    println!("{flat} files in one directory and {deep} in many: {grown} MB more");
    assert!(grown < 64, "{grown} MB");
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let dir = quick_dir();
    let half = "x".repeat(of(3_000_000, 50_000_000));
    fs::write(dir.path().join("long.txt"), format!("short\n{half} needle {half}\nlast\n")).unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let (text, found) = facts(
        &toolbox,
        "Grep",
        json!({"pattern": "needle", "path": "long.txt", "output_mode": "content", "-C": 0}),
    );
    assert_eq!(found["total_matches"], 1);
    assert!(
        text.contains(":2: …") && text.contains(" needle ") && text.len() < 2_000,
        "{} bytes",
        text.len()
    );
}

/// Ten gigabytes of nothing behind a text: as long as one waits for it, and no longer.
#[test]
fn a_huge_file_is_searched_until_the_time_is_up() {
    alone("scale::a_huge_file_is_searched_until_the_time_is_up", a_huge_file);
}

fn a_huge_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = File::create(dir.path().join("huge.log")).unwrap();
    file.write_all("a line of a log with a needle in it\n".repeat(4_000).as_bytes()).unwrap();
    file.set_len(10 << 30).unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let (_, found) = facts(&toolbox, "Grep", json!({"pattern": "needle"}));
    assert_eq!(found["skipped"]["too_large"], 1, "{found}");
    let began = Work::begin();
    let context = toolbox.context().timeout(Duration::from_millis(400));
    let result = toolbox.call_blocking("Grep", json!({"pattern": "no.such", "path": "huge.log"}), &context);
    let took = began.so_far();
    assert!(result.success, "{:?}", result.error);
    let ended =
        result.metadata.get("partial") == Some(&json!(true)) || result.metadata["skipped"]["unreadable"] == 1;
    assert!(ended, "{:?}", result.metadata);
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(peak() < 600, "{} MB", peak());
}

/// A log of 64 MB, or of ten gigabytes: the last line is found, and little of it is in memory at a time.
#[test]
fn a_huge_log_is_searched_to_its_end() {
    alone("scale::a_huge_log_is_searched_to_its_end", a_huge_log);
}

fn a_huge_log() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = File::create(dir.path().join("huge.log")).unwrap();
    let (block, blocks) = ("a line of a log, as there are many\n".repeat(30_000), of(64, 10_240));
    for _ in 0..blocks {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(b"a needle at last\n").unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let before = peak();
    let parameters =
        json!({"pattern": "needle", "path": "huge.log", "output_mode": "content", "-C": 0, "max_count": 5});
    let context = toolbox.context().timeout(Duration::from_secs(600));
    let result = toolbox.call_blocking("Grep", parameters, &context);
    assert!(result.success, "{:?}", result.error);
    let (lines, grown) = (blocks * 30_000 + 1, peak() - before);
    let expected = format!(":{lines}: a needle at last");
    assert!(result.to_display().contains(&expected), "{}", result.to_display());
    println!("{} MB searched: {grown} MB more", file.metadata().unwrap().len() >> 20);
    assert!(grown < 32, "{grown} MB");
}

#[test]
fn at_the_deadline_there_is_what_was_found_so_far() {
    let dir = quick_dir();
    for n in 0..of(2_000, 20_000) {
        fs::write(dir.path().join(format!("{n}.txt")), "a line with a needle in it\n".repeat(400)).unwrap();
    }
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let context = toolbox.context().timeout(Duration::from_millis(60));
    let parameters = json!({"pattern": r"\w{3,9}\s+\w+\s+needle", "sort": "relevance"});
    let began = Work::begin();
    let result = toolbox.call_blocking("Grep", parameters, &context);
    let took = began.so_far();
    assert!(result.success, "{:?}", result.error);
    assert_eq!((&result.metadata["partial"], &result.metadata["truncated"]), (&json!(true), &json!(true)));
    assert!(result.to_display().contains("(incomplete: the time limit was reached)"));
    assert!(took < Duration::from_secs(2), "{took:?}");
}
