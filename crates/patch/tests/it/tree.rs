//! Random trees of files, and the same at random a little different.

use std::collections::BTreeMap;

/// Paths to a text and whether it is executable.
pub(crate) type Tree = BTreeMap<String, (String, bool)>;

/// A small source of chance that gives the same on every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    pub(crate) fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const FOLDERS: [&str; 7] = ["", "", "src/", "a/", "b/", "sp ace/", "dév/漢/"];
const NAMES: [&str; 10] =
    ["main.rs", "x", "y.txt", "two words", "quo\"te", "tab\there", "back\\slash", "ünï", "-dash", "+plus"];
const LINES: [&str; 40] = [
    "",
    "",
    "",
    " ",
    "\t",
    "a",
    "b",
    "c",
    "fn f() {",
    "    g();",
    "\th();",
    "}",
    "}",
    "-- x",
    "++ y",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    "@@",
    "diff --git a/x b/x",
    "\\ No newline at end of file",
    "-- ",
    "From me",
    "*** Begin Patch",
    "*** Update File: x",
    "```",
    "crlf\r",
    "\r",
    "lone\rcr",
    "é ü 漢",
    "“quoted” – dash",
    "trailing  ",
    "index 1..2",
    "new",
    "old",
    "+",
    "-",
    "Binary files a and b differ",
    "rename from x",
    "value = 1",
];

pub(crate) fn line(chance: &mut Chance) -> String {
    let line = chance.pick(&LINES).to_owned();
    if chance.one_in(3) { format!("{line}{}", chance.below(1000)) } else { line }
}

/// A line, or the same several times.
fn lines(chance: &mut Chance) -> String {
    let times = if chance.one_in(8) { 2 + chance.below(8) } else { 1 };
    (line(chance) + "\n").repeat(times)
}

fn text(chance: &mut Chance) -> String {
    let count = if chance.one_in(10) { 0 } else { chance.below(30) };
    let mut text: String = (0..count).map(|_| lines(chance)).collect();
    if chance.one_in(4) {
        text.pop();
    }
    text
}

/// A path that is free: no file, and no folder of a file.
fn free_path(chance: &mut Chance, tree: &Tree) -> Option<String> {
    let path = format!("{}{}{}", chance.pick(&FOLDERS), chance.pick(&NAMES), chance.below(4));
    let clashes = |other: &String| {
        *other == path || other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"))
    };
    (!tree.keys().any(clashes)).then_some(path)
}

fn any_path(chance: &mut Chance, tree: &Tree) -> Option<String> {
    (!tree.is_empty()).then(|| tree.keys().nth(chance.below(tree.len())).unwrap().clone())
}

/// Changes some lines of a text.
pub(crate) fn edit(chance: &mut Chance, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..=chance.below(4) {
        let at = chance.below(lines.len() + 1);
        match chance.below(3) {
            0 => self::lines(chance).split_inclusive('\n').for_each(|line| lines.insert(at, line.to_owned())),
            1 if at < lines.len() => drop(lines.remove(at)),
            _ if at < lines.len() => lines[at] = line(chance) + "\n",
            _ => lines.push(line(chance) + "\n"),
        }
    }
    // Only the last line may be without ending.
    let last = lines.len().saturating_sub(1);
    for line in lines.iter_mut().take(last) {
        if !line.ends_with('\n') {
            line.push('\n');
        }
    }
    let mut text: String = lines.concat();
    match chance.below(8) {
        0 if text.ends_with('\n') => drop(text.pop()),
        1 if !text.is_empty() && !text.ends_with('\n') => text.push('\n'),
        _ => {}
    }
    text
}

/// A tree that differs from this one.
pub(crate) fn changed(chance: &mut Chance, tree: &Tree) -> Tree {
    loop {
        let mut next = tree.clone();
        for _ in 0..=chance.below(4) {
            change_one(chance, &mut next);
        }
        if next != *tree && !next.is_empty() {
            return next;
        }
    }
}

fn change_one(chance: &mut Chance, tree: &mut Tree) {
    let kind = if tree.len() > 12 { 5 } else { chance.below(12) };
    match (kind, any_path(chance, tree), free_path(chance, tree)) {
        (0..=1, _, Some(free)) => drop(tree.insert(free, (text(chance), chance.one_in(4)))),
        (2, Some(path), Some(free)) => {
            let (text, mode) = tree.remove(&path).unwrap();
            let text = if chance.one_in(2) { edit(chance, &text) } else { text };
            tree.insert(free, (text, mode));
        }
        (3, Some(path), Some(free)) => {
            let (text, mode) = tree[&path].clone();
            let text = if chance.one_in(2) { edit(chance, &text) } else { text };
            tree.insert(free, (text, mode));
        }
        (4, Some(path), _) => tree.get_mut(&path).unwrap().1 ^= true,
        (5, Some(path), _) => drop(tree.remove(&path)),
        (6, Some(path), _) => {
            // Two files change places.
            if let Some(other) = any_path(chance, tree) {
                let (one, two) = (tree[&path].clone(), tree[&other].clone());
                tree.insert(path, two);
                tree.insert(other, one);
            }
        }
        (_, Some(path), _) => {
            let (text, mode) = tree[&path].clone();
            tree.insert(path, (edit(chance, &text), mode));
        }
        _ => {}
    }
}
