//! Work on a large text ends when it is stopped, and asks often enough to notice.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolcrib_text::{Change, ChangeError, Charset, Document, Encoding, Meter, Stopped};

/// Large enough for several questions.
const SIZE: usize = 1 << 20;

/// Runs the work once without end to count its questions, then stops it at each of them. It must end there and not go on.
#[track_caller]
fn ends_at_every_question<T: PartialEq + std::fmt::Debug>(
    least: usize,
    stopped: &T,
    work: impl Fn(&Meter<'_>) -> T,
) {
    let asked = AtomicUsize::new(0);
    let count = || asked.fetch_add(1, Ordering::Relaxed) == usize::MAX;
    assert_ne!(work(&Meter::new(&count)), *stopped);
    let questions = asked.load(Ordering::Relaxed);
    assert!(questions >= least, "only {questions} questions");
    for last in [0, questions / 2, questions - 1] {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= last;
        assert_eq!(work(&Meter::new(&stop)), *stopped);
        assert_eq!(asked.load(Ordering::Relaxed), last + 1, "it went on after it was stopped");
    }
}

#[test]
fn decoding_ends() {
    for charset in ["windows-1252", "shift_jis", "iso-2022-jp", "utf-16le", "utf-32be"] {
        let charset: Charset = charset.parse().unwrap();
        let bytes = charset.encode(&"a line of it, 0123\n".repeat(SIZE / 19)).unwrap();
        ends_at_every_question(3, &Err(Stopped), |meter| {
            Document::decode_metered(bytes.clone(), charset, meter).map(|document| document.text().len())
        });
    }
}

#[test]
fn encoding_ends() {
    for charset in ["windows-1252", "gb18030", "iso-2022-jp", "utf-16be", "utf-32le"] {
        let charset: Charset = charset.parse().unwrap();
        let text = "a line of it, 0123\n".repeat(SIZE / 19);
        ends_at_every_question(3, &Err(Stopped), |meter| {
            let encoded = Encoding { charset, bom: false }.encode_metered(&text, meter);
            encoded.map(|bytes| bytes.unwrap().len())
        });
    }
}

#[test]
fn changing_many_places_ends() {
    let text = "a=1\n".repeat(SIZE / 4 / 16);
    for charset in [Charset::UTF_8, Charset::UTF_16LE] {
        let document = Document::decode(charset.encode(&text).unwrap(), charset);
        let changes: Vec<Change<'_>> =
            (0..text.len() / 4).map(|line| Change { span: line * 4 + 2..line * 4 + 3, text: "2" }).collect();
        let stopped = Err(ChangeError::Stopped);
        ends_at_every_question(3, &stopped, |meter| {
            document.apply_metered(&changes, meter).map(|document| document.bytes().len())
        });
    }
}
