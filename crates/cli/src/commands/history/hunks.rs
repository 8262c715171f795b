//! The hunks of a change, numbered across its files, so that a person can choose some.

use std::borrow::Cow;

use toolcrib::files::{Names, whole_difference};
use toolcrib::{
    ByteHunk, Difference, FileHunks, FilePast, HunkRow as Row, Hunks, Kept, Past, ToolError, Toolbox,
};

use crate::paint::{Paint, Part, plain};

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// The hunks of one change.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    /// Each with the place of its file and its name, in the order of their numbers, which begin with 1.
    hunks: Vec<(usize, String)>,
    /// All of it, as a diff.
    pub(crate) shown: String,
}

impl Numbered {
    /// Finds a change in the journal, reads its contents and lays out what changed in them.
    pub(crate) fn of(toolbox: &Toolbox, change: &Past, paint: Paint) -> Result<Self, ToolError> {
        Self::with(change, &|file| toolbox.contents(change.id, file), paint)
    }

    /// The same, of a change whose contents are at hand.
    pub(crate) fn with(
        change: &Past,
        contents: &dyn Fn(usize) -> Result<Kept, ToolError>,
        paint: Paint,
    ) -> Result<Self, ToolError> {
        let mut numbered = Self::default();
        for (at, file) in change.files.iter().enumerate() {
            if file.kind != "file" {
                numbered.say(file, "", paint);
                continue;
            }
            match contents(at)? {
                Kept::Whole(kept) => numbered.add(at, file, &kept, change, paint),
                Kept::Nothing => numbered.say(file, "the contents were not stored", paint),
                Kept::Damaged => numbered.say(file, "the contents are damaged", paint),
            }
        }
        Ok(numbered)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.hunks.len()
    }

    /// Those with these numbers, file by file; none if there is no such number.
    pub(crate) fn chosen(&self, numbers: &[usize]) -> Option<Vec<FileHunks>> {
        let mut files: Vec<FileHunks> = Vec::new();
        for number in numbers {
            let (file, hunk) = self.hunks.get(number.checked_sub(1)?)?;
            match files.iter_mut().find(|files| files.file == *file) {
                Some(known) => known.hunks.push(hunk.clone()),
                None => files.push(FileHunks { file: *file, hunks: vec![hunk.clone()] }),
            }
        }
        Some(files)
    }

    fn say(&mut self, file: &FilePast, why: &str, paint: Paint) {
        let from = file.from.as_ref().map(|from| format!("{} -> ", plain(from))).unwrap_or_default();
        let path = plain(&file.relative);
        let ending = if file.kind == "directory" && !file.relative.ends_with('/') { "/" } else { "" };
        let line = format!("{} {from}{path}{ending}", file.action);
        self.shown.push_str(&format!("{}\n", paint.show(Part::Files, line)));
        if !why.is_empty() {
            self.shown.push_str(&format!("  {why}\n"));
        }
    }

    fn add(&mut self, at: usize, file: &FilePast, kept: &Difference, change: &Past, paint: Paint) {
        let (before, after) = (kept.before.as_deref(), kept.after.as_deref());
        if let Some(from) = &file.from {
            let line = format!("move {} -> {}", plain(from), plain(&file.relative));
            self.shown.push_str(&format!("{}\n", paint.show(Part::Files, line)));
        }
        let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
        let is_text = std::str::from_utf8(old).is_ok() && std::str::from_utf8(new).is_ok();
        let hunks = Hunks::between(old, new);
        if !is_text || hunks.as_slice().is_empty() {
            let names = Names {
                old: before.map(|_| file.relative.as_str()),
                new: after.map(|_| file.relative.as_str()),
            };
            let shown = whole_difference(before, after, names);
            match shown.is_empty() {
                true if file.from.is_none() => self.say(file, "", paint),
                true => {}
                false => self.shown.push_str(&paint.diff(&shown)),
            }
            self.hunks.extend(hunks.as_slice().iter().map(|hunk| (at, hunk.id.clone())));
            return;
        }
        let side = |side: &str, content: Option<&[u8]>| match content {
            Some(_) => Names::quoted(side, &file.relative),
            None => "/dev/null".to_owned(),
        };
        let head = format!("--- {}\n+++ {}\n", side("a/", before), side("b/", after));
        self.shown.push_str(&paint.diff(&head));
        let is_crlf = |content: &[u8]| {
            content.split_inclusive(|byte| *byte == b'\n').all(|line| line.ends_with(b"\r\n"))
        };
        let all_crlf = is_crlf(old) && is_crlf(new);
        let undone = change.undone_parts.iter().find(|undone| undone.part.file == at);
        for hunk in hunks.as_slice() {
            self.hunks.push((at, hunk.id.clone()));
            let is_undone = undone.is_some_and(|undone| match &undone.part.hunks {
                Some(hunks) => hunks.contains(&hunk.id),
                None => true,
            });
            let number = self.hunks.len();
            self.shown.push_str(&shown(&hunks, hunk, number, is_undone, all_crlf, paint));
        }
    }
}

/// A hunk with its number.
fn shown(
    hunks: &Hunks<'_>,
    hunk: &ByteHunk,
    number: usize,
    undone: bool,
    all_crlf: bool,
    paint: Paint,
) -> String {
    let rows = hunks.rows(hunk, CONTEXT);
    let (mut old, mut new) = ((0, 0), (0, 0));
    for row in &rows {
        let (in_old, in_new) = match row {
            Row::Context(old, new, _) => (Some(*old), Some(*new)),
            Row::Removed(old, _) => (Some(*old), None),
            Row::Added(new, _) => (None, Some(*new)),
        };
        for (range, at) in [(&mut old, in_old), (&mut new, in_new)] {
            if let Some(at) = at {
                *range = if range.1 == 0 { (at + 1, 1) } else { (range.0, range.1 + 1) };
            }
        }
    }
    let range = |(start, count): (usize, usize)| match count {
        1 => start.to_string(),
        count => format!("{start},{count}"),
    };
    let undone = if undone { ", undone" } else { "" };
    let head = format!("@@ -{} +{} @@ hunk {number}{undone}", range(old), range(new));
    let mut text = format!("{}\n", paint.show(Part::Place, head));
    for row in rows {
        let (sign, part, line) = match row {
            Row::Context(_, _, line) => (' ', None, line),
            Row::Removed(_, line) => ('-', Some(Part::Removed), line),
            Row::Added(_, line) => ('+', Some(Part::Added), line),
        };
        let line = String::from_utf8_lossy(line);
        let bare = line.strip_suffix('\n').unwrap_or(&line);
        let bare = if all_crlf { bare.strip_suffix('\r').unwrap_or(bare) } else { bare };
        let shown: Cow<'_, str> = plain(bare);
        let shown = format!("{sign}{shown}");
        text.push_str(&part.map_or_else(|| shown.clone(), |part| paint.show(part, &shown)));
        text.push('\n');
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    }
    text
}
