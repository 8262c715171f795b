//! Files that are made to hurt, read through the tool: each gets an answer or an error within 5 s and 256 MB.
//!
//! Every file is read by a process of its own, which tells how long its processors worked and how much memory it had at
//! the most.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use toolcrib::Toolbox;
use toolcrib_testkit::formats::hostile;
use toolcrib_testkit::measured::{self, Report, in_child};

const SECONDS: f64 = 5.0;
const MEGABYTES: u64 = 256;

#[test]
fn every_hostile_file_is_answered_within_bounds() {
    let home = tempfile::tempdir().unwrap();
    check(
        home.path(),
        hostile::ALL.iter().map(|(name, make)| {
            (
                *name,
                Box::new(|file: &mut File| {
                    file.write_all(&make()).unwrap();
                }) as Box<dyn Fn(&mut File)>,
            )
        }),
    );
}

#[test]
fn a_hostile_text_is_answered_within_bounds() {
    type Make = Box<dyn Fn(&mut File)>;
    let home = tempfile::tempdir().unwrap();
    let cases: [(&str, Make); 7] = [
        ("text: 1 TB of nothing", Box::new(|file| file.set_len(1 << 40).unwrap())),
        (
            "text: a line, then 1 TB of nothing",
            Box::new(|file| {
                file.write_all(b"hello\n").unwrap();
                file.set_len(1 << 40).unwrap();
            }),
        ),
        ("text: one line of 100 MB", Box::new(|file| repeat(file, &[b'x'; 1 << 20], 100))),
        ("text: 100 MB of newlines", Box::new(|file| repeat(file, &[b'\n'; 1 << 20], 100))),
        ("text: a file that grows", Box::new(|file| repeat(file, b"a line of a log\n", 1000))),
        (
            "notebook: 1 GB of output",
            Box::new(|file| {
                file.write_all(b"{\"cells\":[{\"cell_type\":\"code\",\"outputs\":[{\"text\":\"").unwrap();
                file.set_len(1 << 30).unwrap();
            }),
        ),
        (
            "notebook: 100 MB of output",
            Box::new(|file| {
                file.write_all(b"{\"cells\":[{\"cell_type\":\"code\",\"outputs\":[{\"text\":\"").unwrap();
                repeat(file, &[b'x'; 1 << 20], 100);
            }),
        ),
    ];
    check(home.path(), cases);
}

fn repeat(file: &mut File, piece: &[u8], times: usize) {
    (0..times).for_each(|_| file.write_all(piece).unwrap());
}

#[test]
fn what_a_bomb_costs_without_the_bounds() {
    // The control: the same process sees memory and time, if there is something to see.
    let report = in_child("hostile::child", "control", b"");
    assert!(!report.is_within(SECONDS, MEGABYTES), "{report}");
}

/// Reads each file in a process of its own, and shows what it took.
fn check<'a>(home: &Path, cases: impl IntoIterator<Item = (&'a str, Box<dyn Fn(&mut File) + 'a>)>) {
    let mut beyond = Vec::new();
    for (name, make) in cases {
        let path = path_of(home, name);
        make(&mut File::create(&path).unwrap());
        let report: Report = in_child("hostile::child", name, path.to_str().unwrap().as_bytes());
        fs::remove_file(path).unwrap();
        eprintln!("{name:46} {report}");
        if !report.is_within(SECONDS, MEGABYTES) {
            beyond.push(format!("{name}: {report}"));
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}

/// Under the name that a file of its kind has.
fn path_of(home: &Path, name: &str) -> PathBuf {
    let kind = name.split(':').next().unwrap();
    home.join(match kind {
        "notebook" => "file.ipynb",
        "pdf" => "file.pdf",
        "image" => "file.png",
        _ => "file.txt",
    })
}

/// Not a test: the process that is measured.
#[test]
#[ignore = "a process that other tests start"]
fn child() {
    measured::child(|case, path| match case {
        "control" => format!("{} bytes", vec![1_u8; 400 << 20].len()),
        _ => read(case, Path::new(std::str::from_utf8(&path).unwrap())),
    });
}

/// What an agent would get.
fn read(case: &str, path: &Path) -> String {
    let toolbox = Toolbox::open(path.parent().unwrap()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if case.contains("grows") {
            scope.spawn(|| {
                let mut file = File::options().append(true).open(path).unwrap();
                while !done.load(Ordering::Relaxed) {
                    file.write_all(&b"one more line of a log\n".repeat(1000)).unwrap();
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        let result = toolbox.call_blocking("Read", json!({"file_path": path}), &toolbox.context());
        done.store(true, Ordering::Relaxed);
        // Neither an answer that was cut by the frame nor a fault of the tool is a clear answer.
        assert!(!result.metadata.contains_key("output_bytes_left_out"), "{case}");
        assert_ne!(result.metadata.get("error_kind"), Some(&json!("internal")), "{case}: {:?}", result.error);
        match &result.error {
            Some(error) => format!("error: {error}"),
            None => {
                let size = result.output.as_str().unwrap().len();
                let cut = result.metadata["truncated"].as_bool().unwrap();
                format!("{size} bytes of text, truncated {cut}")
            }
        }
    })
}
