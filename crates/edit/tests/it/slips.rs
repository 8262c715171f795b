//! An edit called with a slip does what it does without, or is refused. It never does anything else.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib_edit::{Edit, Level, Matching};

use super::cases;

/// Lines of a text: some alike, some with odd white space or typography.
const LINES: [&str; 20] = [
    "",
    "",
    "  ",
    "}",
    "    }",
    "    return",
    "return  ",
    "if a {",
    "    if a {",
    "\tif a {",
    "\t\tb(\"x\");",
    "    b(\"x\");",
    "        b(“x”);",
    "say(\"a - b\")",
    "say(“a – b”)  ",
    "x = 1",
    "x = 10",
    "\\d+\\n",
    "'it''s'",
    "12\tcolumn",
];

/// What a change writes: nothing whose spelling a slip could destroy.
const ADDED: [&str; 6] = ["", "new_line();", "    new_block {", "        call(x, \"y\");", "}", "    x = 2"];

/// What goes wrong on the way from a model to the tool, in old and new text alike.
#[derive(Clone, Copy, Debug)]
enum Slip {
    Crlf,
    CrlfText,
    TrailingAdded,
    TrailingLost,
    Deeper,
    Shallower,
    SpacesForTabs,
    NewlineAdded,
    NewlineAtEnd,
    Typographic,
    Plain,
    Gutter,
    Escaped,
    QuotesEscaped,
}

const SLIPS: [Slip; 14] = [
    Slip::Crlf,
    Slip::CrlfText,
    Slip::TrailingAdded,
    Slip::TrailingLost,
    Slip::Deeper,
    Slip::Shallower,
    Slip::SpacesForTabs,
    Slip::NewlineAdded,
    Slip::NewlineAtEnd,
    Slip::Typographic,
    Slip::Plain,
    Slip::Gutter,
    Slip::Escaped,
    Slip::QuotesEscaped,
];

fn per_line(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    text.split('\n').enumerate().map(|(number, line)| change(number, line)).collect::<Vec<_>>().join("\n")
}

impl Slip {
    /// Whether what was meant can still be told from what became of it.
    fn is_reversible(self, text: &str) -> bool {
        let mut said = text.lines().filter(|line| !line.trim().is_empty());
        match self {
            Self::Shallower => said.all(|line| line.starts_with("    ")),
            Self::Plain => !text.contains(['"', '-']),
            Self::SpacesForTabs => said.all(|line| !line.starts_with(' ')),
            _ => true,
        }
    }

    fn level(self) -> Level {
        match self {
            Self::Crlf | Self::CrlfText => Level::LineEndings,
            Self::TrailingAdded | Self::TrailingLost => Level::TrailingWhitespace,
            Self::Deeper | Self::Shallower | Self::SpacesForTabs => Level::Indentation,
            Self::NewlineAdded | Self::NewlineAtEnd => Level::FinalNewline,
            Self::Typographic | Self::Plain => Level::Typography,
            Self::Gutter => Level::Gutter,
            Self::Escaped | Self::QuotesEscaped => Level::Escapes,
        }
    }

    fn apply(self, text: &str) -> String {
        let blank = |line: &str| line.trim().is_empty();
        match self {
            Self::Crlf => text.replace('\n', "\r\n"),
            Self::CrlfText => text.to_owned(),
            Self::TrailingAdded => {
                per_line(text, |_, line| if line.is_empty() { String::new() } else { format!("{line}  ") })
            }
            Self::TrailingLost => per_line(text, |_, line| line.trim_end().to_owned()),
            Self::Deeper => {
                per_line(text, |_, line| if blank(line) { line.to_owned() } else { format!("  {line}") })
            }
            Self::Shallower => per_line(text, |_, line| line.strip_prefix("    ").unwrap_or(line).to_owned()),
            Self::SpacesForTabs => per_line(text, |_, line| {
                let body = line.trim_start_matches('\t');
                "    ".repeat(line.len() - body.len()) + body
            }),
            Self::NewlineAdded | Self::NewlineAtEnd => format!("{text}\n"),
            Self::Typographic => text.replace('"', "”").replace('-', "–"),
            Self::Plain => text.replace(['“', '”'], "\"").replace('–', "-"),
            Self::Gutter => per_line(text, |number, line| format!("{:>6}\t{line}", number + 7)),
            Self::Escaped => text
                .replace('\\', "\\\\")
                .replace('\n', "\\n")
                .replace('\t', "\\t")
                .replace('"', "\\\"")
                .replace('\'', "\\'"),
            Self::QuotesEscaped => text.replace('"', "\\\""),
        }
    }
}

/// A text, some of its lines, and what they become.
#[derive(Clone, Debug)]
struct Case {
    text: String,
    old: String,
    new: String,
    slip: Slip,
}

fn case() -> impl Strategy<Value = Case> {
    let lines = vec(select(&LINES[..]), 1..14);
    let changes = vec((0..5_u8, select(&ADDED[..])), 6);
    (lines, any::<(usize, usize, bool)>(), changes, select(&SLIPS[..])).prop_map(
        |(lines, (at, size, ended), changes, slip)| {
            let from = at % lines.len();
            let to = (from + 1 + size % 4).min(lines.len());
            let end = if ended { "\n" } else { "" };
            let old = lines[from..to].join("\n") + end;
            let new = changed(&lines[from..to], &changes).join("\n") + end;
            Case { text: lines.join("\n") + "\n", old, new, slip }
        },
    )
}

fn changed(lines: &[&str], changes: &[(u8, &str)]) -> Vec<String> {
    let mut new = Vec::new();
    for (line, (change, added)) in lines.iter().zip(changes) {
        match change {
            0 => new.push((*added).to_owned()),
            1 => new.extend([(*line).to_owned(), (*added).to_owned()]),
            2 => new.push(line.replace("x", "y").replace("if a", "if a && b")),
            3 if lines.len() > 1 => {}
            _ => new.push((*line).to_owned()),
        }
    }
    new
}

static TRIED: AtomicUsize = AtomicUsize::new(0);
static RIGHT: AtomicUsize = AtomicUsize::new(0);

fn check(case: &Case) -> Result<(), TestCaseError> {
    let Ok(expected) = Edit::new(&*case.old, &*case.new).apply(&case.text, Matching::Exact) else {
        return Ok(());
    };
    let (mut text, mut expected) = (case.text.clone(), expected.text);
    match case.slip {
        Slip::CrlfText => (text, expected) = (text.replace('\n', "\r\n"), expected.replace('\n', "\r\n")),
        Slip::NewlineAtEnd if expected.ends_with('\n') => {
            text.pop();
            expected.pop();
        }
        _ => {}
    }
    let white = |text: &str| text.lines().filter(|line| !line.is_empty() && line.trim().is_empty()).count();
    let lost = match case.slip {
        Slip::NewlineAtEnd => case.old.ends_with('\n'),
        Slip::TrailingLost | Slip::TrailingAdded => white(&case.old) + white(&case.new) > 0,
        _ => false,
    };
    if lost || !(case.slip.is_reversible(&case.old) && case.slip.is_reversible(&case.new)) {
        return Ok(());
    }
    let edit = Edit::new(case.slip.apply(&case.old), case.slip.apply(&case.new));
    if edit.apply(&text, Matching::Exact).is_ok() {
        // It did no harm, or it made another edit of it, which is there to the letter.
        return Ok(());
    }
    TRIED.fetch_add(1, Ordering::Relaxed);
    if let Ok(applied) = edit.apply(&text, Matching::Tolerant) {
        if applied.level < case.slip.level() {
            // With the slip it is the text of another place, which needs less to be overlooked.
            return Ok(());
        }
        prop_assert_eq!(&applied.text, &expected, "{:?} at {}", edit, applied.level);
        RIGHT.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

#[test]
fn a_slip_is_understood_or_refused() {
    proptest!(cases(20_000), |(case in case())| check(&case)?);
    let (tried, right) = (TRIED.load(Ordering::Relaxed), RIGHT.load(Ordering::Relaxed));
    assert!(tried > 6_000, "only {tried} cases say something");
    println!("{right} of {tried} were understood, all others refused");
    assert!(right * 100 > tried * 90, "only {right} of {tried} were understood");
}
