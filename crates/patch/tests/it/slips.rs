//! A patch with a slip does what it does without, or is refused. It never does anything else.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib_edit::{Diff, Level, Line};
use toolcrib_patch::{Options, parse};

use super::properties::cases;

/// Lines of a text: some alike, some with odd white space or typography, none blank but with white space.
const LINES: [&str; 18] = [
    "",
    "",
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
    "--- a",
    "+++ b",
];
/// What a change writes: nothing whose spelling a slip could destroy.
const ADDED: [&str; 6] = ["", "new_line();", "    new_block {", "        call(x, y);", "}", "    x = 2"];

#[derive(Clone, Copy, Debug)]
enum Slip {
    None,
    Travelled,
    CrlfText,
    TrailingLost,
    TrailingAdded,
    Deeper,
    Typographic,
    Plain,
    WrongCounts,
    NoNumbers,
    NumbersOff(usize),
    BlankSigns,
    NoFinalNewline,
    LostEnd,
}

fn slip() -> impl Strategy<Value = Slip> {
    let slips = [
        Slip::None,
        Slip::Travelled,
        Slip::CrlfText,
        Slip::TrailingLost,
        Slip::TrailingAdded,
        Slip::Deeper,
        Slip::Typographic,
        Slip::Plain,
        Slip::WrongCounts,
        Slip::NoNumbers,
        Slip::NumbersOff(1),
        Slip::NumbersOff(7),
        Slip::BlankSigns,
        Slip::NoFinalNewline,
        Slip::LostEnd,
    ];
    select(slips.to_vec())
}

impl Slip {
    fn line(self, line: &str) -> String {
        match self {
            Self::TrailingLost => line.trim_end().to_owned(),
            Self::TrailingAdded if !line.is_empty() => format!("{line}  "),
            Self::Deeper if !line.trim().is_empty() => format!("  {line}"),
            Self::Typographic => line.replace('"', "”").replace('-', "–"),
            Self::Plain => line.replace(['“', '”'], "\"").replace('–', "-"),
            _ => line.to_owned(),
        }
    }

    fn head(self, old: &std::ops::Range<usize>, new: &std::ops::Range<usize>) -> String {
        let (start, count) = (old.start + usize::from(!old.is_empty()), old.len());
        match self {
            Self::NoNumbers => "@@".to_owned(),
            Self::NumbersOff(by) => {
                format!("@@ -{},{count} +{},{} @@", start + by, new.start + by, new.len())
            }
            Self::WrongCounts => format!("@@ -{start},{} +{},{} @@", count + 3, new.start + 1, new.len() + 2),
            _ => {
                format!("@@ -{start},{count} +{},{} @@", new.start + usize::from(!new.is_empty()), new.len())
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Case {
    old: String,
    new: String,
    slip: Slip,
    envelope: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let changes = vec((0..12_u8, select(&ADDED[..])), 24);
    (vec(select(&LINES[..]), 1..24), changes, slip(), any::<bool>()).prop_map(
        |(lines, changes, slip, envelope)| {
            let mut new: Vec<&str> = Vec::new();
            for (line, (change, added)) in lines.iter().zip(changes) {
                match change {
                    0 => new.push(added),
                    1 => new.extend([*line, added]),
                    2 => {}
                    _ => new.push(line),
                }
            }
            let joined = |lines: &[&str]| lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
            Case { old: joined(&lines), new: joined(&new), slip, envelope }
        },
    )
}

fn patch(case: &Case) -> String {
    let mut patch =
        if case.envelope { "*** Begin Patch\n*** Update File: f\n" } else { "--- a/f\n+++ b/f\n" }.to_owned();
    for hunk in &Diff::between(&case.old, &case.new).hunks {
        patch.push_str(&if case.envelope { "@@".to_owned() } else { case.slip.head(&hunk.old, &hunk.new) });
        patch.push('\n');
        for line in &hunk.lines {
            let sign = match line {
                Line::Context(_) => ' ',
                Line::Removed(_) => '-',
                Line::Added(_) => '+',
            };
            let text = case.slip.line(line.text().trim_end_matches('\n'));
            let bare = matches!(case.slip, Slip::BlankSigns) && sign == ' ' && text.is_empty();
            patch.push_str(&if bare { "\n".to_owned() } else { format!("{sign}{text}\n") });
        }
    }
    patch.push_str(if case.envelope { "*** End Patch\n" } else { "" });
    match case.slip {
        Slip::Travelled => patch.replace('\n', "\r\n"),
        Slip::LostEnd => patch.trim_end_matches('\n').to_owned(),
        _ => patch,
    }
}

/// Whether what was meant can still be told from what became of it.
fn is_reversible(case: &Case) -> bool {
    match case.slip {
        // Which of two typographic spellings a plain quote was is lost.
        Slip::Plain => !case.old.contains(['"', '-']),
        Slip::Typographic => !case.old.contains(['”', '–']),
        _ => true,
    }
}

static TRIED: AtomicUsize = AtomicUsize::new(0);
static RIGHT: AtomicUsize = AtomicUsize::new(0);

fn check(case: &Case) -> Result<(), TestCaseError> {
    if case.old == case.new || !is_reversible(case) {
        return Ok(());
    }
    let (mut text, mut expected) = (case.old.clone(), case.new.clone());
    match case.slip {
        Slip::CrlfText => (text, expected) = (text.replace('\n', "\r\n"), expected.replace('\n', "\r\n")),
        Slip::NoFinalNewline
            if Diff::between(&text, &expected)
                .hunks
                .iter()
                .any(|hunk| hunk.old.end == text.lines().count()) =>
        {
            text.pop();
            expected.pop();
        }
        _ => {}
    }
    let patch = patch(case);
    TRIED.fetch_add(1, Ordering::Relaxed);
    let Ok(parsed) = parse(&patch) else {
        return Ok(());
    };
    if let Ok(planned) = parsed.plan(Options::default(), |_| Some(&text)) {
        let respelled = matches!(case.slip, Slip::TrailingAdded | Slip::Deeper | Slip::Typographic);
        if respelled && planned[0].hunks.iter().any(|hunk| hunk.level == Level::Exact) {
            // The lines that would have shown the slip have nothing that it could spoil.
            return Ok(());
        }
        if matches!(case.slip, Slip::NumbersOff(_)) && planned[0].hunks.iter().any(|hunk| hunk.offset == 0) {
            // By chance its lines stand just where the wrong number says.
            return Ok(());
        }
        if planned[0].text.as_ref().is_some_and(|made| differ_in_moved_lines(&patch, made, &expected)) {
            return Ok(());
        }
        prop_assert_eq!(planned[0].text.as_ref(), Some(&expected), "{}\n{:?}", patch, planned[0].hunks);
        RIGHT.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether two texts differ only in lines that the patch takes out at one place and puts in at another: past other lines, what
/// is put in is written as the caller spells it. If one of the lines between is alike, it gets that line's trailing blanks.
fn differ_in_moved_lines(patch: &str, made: &str, expected: &str) -> bool {
    let has = |sign: char, line: &str| patch.lines().any(|row| row.strip_prefix(sign) == Some(line));
    let pairs = || made.lines().zip(expected.lines()).filter(|(made, expected)| made != expected);
    made.lines().count() == expected.lines().count()
        && pairs().next().is_some()
        && pairs().map(|(made, _)| made.trim_end()).all(|made| has('+', made) && has('-', made))
}

#[test]
fn a_slip_is_understood_or_refused() {
    proptest!(cases(12_000), |(case in case())| check(&case)?);
    let (tried, right) = (TRIED.load(Ordering::Relaxed), RIGHT.load(Ordering::Relaxed));
    println!("{right} of {tried} patches were understood, all others refused");
    assert!(tried > 8_000 && right * 100 > tried * 60, "{right} of {tried}");
}
