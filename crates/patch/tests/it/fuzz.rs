//! The fuzz targets for a short time, on any compiler: seeds, mutated with the words of the grammars.
//!
//! It is no match for a fuzzer that sees which branches an input reaches; `fuzz/` has that. With `TOOLCRIB_SOAK` in the
//! environment it goes on for two minutes a target, each time with other mutations.

#[allow(unreachable_pub, reason = "it is the library of the fuzz targets")]
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use std::panic::catch_unwind;
use std::time::{Duration, Instant, SystemTime};

use crate::tree::{Chance, Tree, changed, edit};

/// No input of this size may take longer, also in a debug build on a busy machine.
const SLOWEST: Duration = Duration::from_secs(10);
const LONGEST: usize = 4096;
/// What separates the texts of an input.
const NEXT: u8 = 0xFF;

/// What the readers look for, and what texts are made of.
const WORDS: [&str; 47] = [
    "--- ",
    "+++ ",
    "@@ ",
    "@@ -1,3 +1,4 @@",
    "@@ -0,0 +1 @@",
    "@@\n",
    "diff --git a/f b/f\n",
    "rename from f\n",
    "rename to g\n",
    "copy from f\n",
    "new file mode 100755\n",
    "deleted file mode 100644\n",
    "old mode 100644\n",
    "new mode 120000\n",
    "index 1..2\n",
    "GIT binary patch\n",
    "\\ No newline at end of file\n",
    "*** Begin Patch\n",
    "*** End Patch\n",
    "*** Update File: f\n",
    "*** Add File: g\n",
    "*** Delete File: f\n",
    "*** Move to: h\n",
    "*** End of File\n",
    "/dev/null",
    "a/f",
    "b/f",
    "../",
    "\"\\303\\251\"",
    "--- \"a/",
    "+++ \"b/\\é\"\n",
    "rename from \"f\\",
    "```diff\n",
    "<<'EOF'\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "“",
    "’",
    "\u{A0}",
    "\u{202E}",
    "\0",
    "     1\t",
    "\\n",
    "99999999999999999999",
];

fn pick<'a>(chance: &mut Chance, list: &'a [Vec<u8>]) -> &'a [u8] {
    &list[chance.below(list.len())]
}

fn range(chance: &mut Chance, length: usize) -> std::ops::Range<usize> {
    let start = chance.below(length + 1);
    start..(start + chance.below(40)).min(length)
}

fn mutate(chance: &mut Chance, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = pick(chance, seeds).to_vec();
    for _ in 0..=chance.below(6) {
        let part = range(chance, input.len());
        match chance.below(7) {
            0 => drop(input.drain(part)),
            1 => {
                let words = (0..=chance.below(3)).map(|_| WORDS[chance.below(WORDS.len())]);
                let words: String = words.collect();
                // Most words mean something at the start of a line only.
                let line =
                    input[..part.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                let at = if chance.one_in(3) { part.start } else { line };
                drop(input.splice(at..at, words.into_bytes()));
            }
            2 => {
                let copy = input[part.clone()].to_vec();
                let at = chance.below(input.len() + 1);
                drop(input.splice(at..at, copy));
            }
            3 => {
                let other = pick(chance, seeds);
                let taken = other[range(chance, other.len())].to_vec();
                drop(input.splice(part, taken));
            }
            4 if !input.is_empty() => {
                let at = chance.below(input.len());
                input[at] = u8::try_from(chance.below(256)).unwrap();
            }
            5 => input.insert(part.start, NEXT),
            _ => input.truncate(part.end),
        }
    }
    input.truncate(LONGEST);
    input
}

/// Inputs that mean something: texts with changed ones, and the patches between them.
fn seeds(chance: &mut Chance, of: fn(&str, &str) -> Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    while seeds.len() < 200 {
        let tree = changed(chance, &Tree::new());
        for (text, _) in tree.values() {
            let new = edit(chance, text);
            seeds.extend(of(text, &new));
        }
    }
    seeds
}

fn joined(texts: &[&str]) -> Vec<u8> {
    texts.join("\u{0}").bytes().map(|byte| if byte == 0 { NEXT } else { byte }).collect()
}

fn run(name: &str, target: fn(&[u8]), of: fn(&str, &str) -> Vec<Vec<u8>>) {
    let soak = std::env::var_os("TOOLCRIB_SOAK").is_some();
    let time = Duration::from_secs(if soak { 120 } else { 5 });
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    let mut chance = Chance(if soak { u64::try_from(now & 0xFFFF_FFFF).unwrap() | 1 } else { 0x5EED });
    let seeds = seeds(&mut chance, of);
    let (began, mut tried) = (Instant::now(), 0);
    while began.elapsed() < time {
        let input = mutate(&mut chance, &seeds);
        let started = Instant::now();
        let outcome = catch_unwind(|| target(&input));
        let shown = || input.escape_ascii().to_string();
        assert!(outcome.is_ok(), "{name} fails for the input above and b\"{}\"", shown());
        assert!(started.elapsed() < SLOWEST, "{name} took {:?} for b\"{}\"", started.elapsed(), shown());
        tried += 1;
    }
    println!("{name}: {tried} inputs");
    assert!(tried > 100, "only {tried} inputs were tried");
}

#[test]
fn edits() {
    run("edit", targets::edit, |old, new| {
        let part = old.lines().nth(1).unwrap_or("a");
        vec![
            joined(&[old, old, new]),
            joined(&[old, part, "x"]),
            joined(&[old, &part.replace(' ', "\t"), new]),
        ]
    });
}

#[test]
fn patches() {
    run("patch", targets::patch, |old, new| {
        let patch = toolcrib_edit::Diff::between(old, new).to_patch(toolcrib_edit::Names::of("f"));
        let hunks: String = patch.lines().skip(2).map(|line| format!("{line}\n")).collect();
        let envelope = format!("*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n");
        vec![joined(&[&patch, old]), joined(&[&envelope, old]), joined(&[&patch, new])]
    });
}

#[test]
fn diffs() {
    run("diff", targets::diff, |old, new| vec![joined(&[old, new]), joined(&[new, old])]);
}
