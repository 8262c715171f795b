//! Files of each kind with a few bytes changed: no crash, and no more memory than others take.

use std::time::{Duration, Instant};

use toolcrib_formats::{Kind, Ranges, image, notebook, pdf, sniff};
use toolcrib_testkit::formats::hostile;
use toolcrib_testkit::measured::{self, in_child};

const MEGABYTES: u64 = 256;

#[test]
fn two_thousand_mutations_of_each_kind_of_file_do_no_harm() {
    for (name, file) in hostile::small() {
        let report = in_child("mutated::child", name, &file);
        eprintln!("{name:24} {report}");
        assert!(report.is_within(f64::INFINITY, MEGABYTES), "{name}: {report}");
    }
}

/// Not a test: the process that is measured.
#[test]
#[ignore = "a process that other tests start"]
fn child() {
    // Every document with AES-256 costs some thousand rounds of SHA.
    measured::child(|name, file| mutated(&file, if name.ends_with("AES-256") { 200 } else { 2000 }));
}

/// What a caller would get, with a deadline as a caller has one.
fn outcome(bytes: Vec<u8>) -> String {
    let started = Instant::now();
    let stop = move || started.elapsed() > Duration::from_secs(4);
    match sniff(&bytes) {
        Kind::Pdf => match pdf::read(bytes, &Ranges::all(), 20, &stop) {
            Ok(document) => {
                let letters: usize = document.pages.iter().map(|page| page.text.len()).sum();
                let cut = document.pages.iter().any(|page| page.cut);
                format!("{} pages, {letters} letters, cut {cut}", document.page_count)
            }
            Err(error) => format!("error: {error}"),
        },
        Kind::Unknown => match notebook::parse(&bytes, notebook::Limits::default(), &stop) {
            Ok(notebook) => {
                let numbers: Vec<usize> = (1..=notebook.cells.len()).collect();
                format!("{} cells, {} letters", numbers.len(), notebook::render(&notebook, &numbers).len())
            }
            Err(error) => format!("error: {error}"),
        },
        _ => match image::prepare(bytes, image::Limits::default(), &stop) {
            Ok(image) => format!("{} {}x{}", image.mime_type, image.width, image.height),
            Err(error) => format!("error: {error}"),
        },
    }
}

/// Changes a few bytes of the file, so many times, and reads each.
fn mutated(file: &[u8], times: usize) -> String {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below.max(1) as u64).unwrap()
    };
    let mut slowest = Duration::ZERO;
    let (mut answers, mut errors, mut faults) = (0, 0, 0);
    for _ in 0..times {
        let mut bytes = file.to_vec();
        for _ in 0..=next(8) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                1 => bytes[at] ^= 1 << next(8),
                2 => bytes.truncate(at.max(12)),
                _ => {
                    let end = (at + next(30)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = next(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let started = Instant::now();
        let outcome = outcome(bytes);
        slowest = slowest.max(started.elapsed());
        if outcome.contains("decoder failed") {
            faults += 1;
        } else if outcome.starts_with("error") {
            errors += 1;
        } else {
            answers += 1;
        }
    }
    format!("{answers} answers, {errors} errors, {faults} panics held, slowest {slowest:?}")
}
