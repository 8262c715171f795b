//! The text of a PDF of 300 pages, beside pypdf and pdftotext: how long it takes, and how much of it they find.
//!
//! The interpreter that has pypdf is the one that `TOOLCRIB_BENCH_PYTHON` names; `cargo xtask bench read` makes it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use toolcrib::{Config, Toolbox};
use toolcrib_testkit::formats::pdf::{show as show_text, with_pages};

use crate::Result;
use crate::measure::{Samples, aim, show};

const PAGES: usize = 300;
const ROUNDS: usize = 5;

/// Prints how many seconds it took, then the text.
const PYPDF: &str = "
import sys, time, pypdf
started = time.perf_counter()
text = '\\n'.join(page.extract_text() for page in pypdf.PdfReader(sys.argv[1]).pages)
print(time.perf_counter() - started)
sys.stdout.buffer.write(text.encode())
";

pub(crate) fn beside_others(root: &Path) -> Result<bool> {
    let python = std::env::var_os("TOOLCRIB_BENCH_PYTHON")
        .ok_or("TOOLCRIB_BENCH_PYTHON is not set: run `cargo xtask bench read`")?;
    let file = root.join("long.pdf");
    let pages = pages();
    let contents: Vec<String> = pages.iter().map(|lines| content(lines)).collect();
    std::fs::write(&file, with_pages(&contents.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let words = pages.concat().join("\n");

    let mut ours = Samples::new("Read, all pages in one call");
    let mut pdftotext = Samples::new("pdftotext, a process");
    let mut pypdf = Samples::new("pypdf, without the start of Python");
    let mut found = [0.0; 3];
    for _ in 0..ROUNDS {
        let (taken, text) = read(root, &file)?;
        ours.push(taken, 1);
        found[0] = share(&words, &text);
        let started = Instant::now();
        let text = output(Command::new("pdftotext").arg(&file).arg("-"))?;
        pdftotext.push(started.elapsed(), 1);
        found[1] = share(&words, &text);
        let printed = output(Command::new(&python).args(["-c", PYPDF]).arg(&file))?;
        let (seconds, text) = printed.split_once('\n').ok_or("pypdf said nothing")?;
        pypdf.push(Duration::from_secs_f64(seconds.trim().parse()?), 1);
        found[2] = share(&words, text);
    }
    show(&format!("The text of a PDF of {PAGES} pages"), &[&ours, &pdftotext, &pypdf]);
    let [we, poppler, they] = found.map(|share| share * 100.0);
    println!("  words found: Read {we:.2} %, pdftotext {poppler:.2} %, pypdf {they:.2} %");
    let ratio = pypdf.median() / ours.median();
    let faster = aim("faster than pypdf by far (5 times)", &format!("{ratio:.1} times"), ratio >= 5.0);
    let complete = aim("at least as complete as pypdf", &format!("{we:.2} to {they:.2} %"), we >= they);
    Ok(faster && complete)
}

/// The lines of each page.
fn pages() -> Vec<Vec<String>> {
    let vocabulary = "the quick brown fox jumps over a lazy dog while seven wizards calmly judge every export of \
                      quartz and the office keeps (most of) its figures: 12, 3.50 and 99% in order";
    let vocabulary: Vec<&str> = vocabulary.split_whitespace().collect();
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut line = |page: usize, line: usize| {
        let words: Vec<&str> = (0..9).map(|_| vocabulary[next(vocabulary.len())]).collect();
        format!("{page}.{line} {}", words.join(" "))
    };
    (1..=PAGES).map(|page| (1..=45).map(|number| line(page, number)).collect()).collect()
}

fn content(lines: &[String]) -> String {
    let place = |at: usize| 780.0 - 16.0 * at as f64;
    lines.iter().enumerate().map(|(at, line)| show_text(60.0, place(at), 10.0, line)).collect()
}

fn read(root: &Path, file: &Path) -> Result<(Duration, String)> {
    let config = Config::parse(&format!("[read]\npages = {PAGES}\nbudget = 100000000\n"))?;
    let toolbox = Toolbox::builder().root(root).config(config).open()?;
    let context = toolbox.context().max_output_size(usize::MAX);
    let started = Instant::now();
    let result = toolbox.call_blocking("Read", json!({"file_path": file}), &context);
    let taken = started.elapsed();
    if result.metadata.get("pages") != Some(&json!(format!("1-{PAGES}"))) {
        return Err(result.to_display().chars().take(200).collect::<String>().into());
    }
    Ok((taken, result.to_display()))
}

fn output(command: &mut Command) -> Result<String> {
    let done = command.output()?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(String::from_utf8(done.stdout)?)
}

/// How many of the words are in the text, each as often as it is wanted.
fn share(words: &str, text: &str) -> f64 {
    let mut there: HashMap<&str, usize> = HashMap::new();
    text.split_whitespace().for_each(|word| *there.entry(word).or_default() += 1);
    let (mut found, mut wanted) = (0, 0);
    for word in words.split_whitespace() {
        wanted += 1;
        if let Some(count) = there.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            found += 1;
        }
    }
    f64::from(found) / f64::from(wanted)
}
