//! Carries the change between a caller's old and new text over to the region that the old text means.
//!
//! The caller's copy is not pasted in. Lines and words that are the same in old and new keep the spelling they have in
//! the text: its endings, trailing white space, indentation, quotes. Only what differs is written, shifted and spelled
//! as the region shows that the caller's text has to be.

mod pairing;
mod quotes;
mod respell;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use crate::align::{Alignment, Row};
use crate::lines::Lines;
use crate::parts::{Edges, Parts};
use crate::splice::{Script, Splice};
use crate::{Bounds, TooLarge};
use pairing::{Change, Pair};
use respell::Respelling;
use tokens::tokens;

/// Why a change was not carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertain {
    /// The new text cannot be shifted as the old one was: a line of it stands too far left, or between two levels.
    Unshiftable {
        /// Which line of the new text, counted from 1.
        line: usize,
    },
    /// The text does not spell a quote, dash or space as the old text does, and which spelling the new text means is not
    /// certain: it has the same character for two spellings, or half of a pair of quotes would be kept.
    Spelling {
        /// The character.
        character: char,
    },
    /// What the change would change is what was overlooked to find the place. So there is no telling whether it is the
    /// old text that was found, or the new one.
    Indistinct,
    /// It would be more than the bounds allow.
    TooLarge(TooLarge),
    /// It was stopped.
    Stopped,
}

impl From<TooLarge> for Uncertain {
    fn from(too_large: TooLarge) -> Self {
        Self::TooLarge(too_large)
    }
}

impl From<Stopped> for Uncertain {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// `known` are lines of which the caller says that they stay, by their numbers in the old and the new text; without it the
/// texts themselves tell.
pub(crate) fn carry(
    text: &Lines<'_>,
    alignment: &Alignment,
    old: &Lines<'_>,
    new: &str,
    known: Option<&[(usize, usize)]>,
    bounds: Bounds<'_>,
) -> Result<Vec<Splice>, Uncertain> {
    let meter = Meter::new(bounds.stop);
    meter.spend(old.text().len() + new.len())?;
    let new = Lines::of(new);
    let before: Vec<&str> = (0..old.count()).map(|line| old.content_text(line)).collect();
    let after: Vec<&str> = (0..new.count()).map(|line| new.content_text(line)).collect();
    let pairs = match known {
        Some(known) => pairing::pairs_around(&before, &after, known, &meter),
        None => pairing::pairs(&before, &after, &meter),
    }?;
    let mut carrier = Carrier {
        text,
        old,
        new: &new,
        alignment,
        respelling: Respelling::learn(text.text(), old.text(), alignment),
        ending: first_ending(text, alignment),
        endings_meant: before == after
            || !(is_uniform(old) && is_uniform(&new) && has_one_ending(text, alignment)),
        strays: false,
        moved: moved(text, alignment, &before, &pairs),
        script: Script::new(text.text(), alignment.region.clone(), bounds.size),
        meter: &meter,
    };
    let (mut row, mut line) = (0, 0);
    for pair in pairs {
        carrier.remove_and_insert(row..pair.old, line..pair.new)?;
        match pair.change {
            Change::Kept => carrier.keep(pair.old),
            Change::Changed | Change::Replaced => carrier.change(pair)?,
        }
        carrier.end_line(pair.old, pair.new);
        (row, line) = (pair.old + 1, pair.new + 1);
    }
    carrier.remove_and_insert(row..old.count(), line..new.count())?;
    let overlooked =
        Alignment::of(&new, 0..new.text().len(), old).is_some_and(|same| same.level <= alignment.level);
    if overlooked && carrier.strays {
        return Err(Uncertain::Indistinct);
    }
    Ok(carrier.script.finish()?)
}

/// How the text spells the lines that are removed, by what the caller says in them. If one is inserted elsewhere, it moves.
fn moved<'a, 't>(
    text: &Lines<'t>,
    alignment: &Alignment,
    old: &[&'a str],
    pairs: &[Pair],
) -> HashMap<&'a str, &'t str> {
    let stay: HashSet<usize> = pairs.iter().map(|pair| pair.old).collect();
    let mut moved: HashMap<&str, &str> = HashMap::new();
    let mut spelled_in_two_ways = HashSet::new();
    for (row, said) in
        alignment.rows.iter().zip(old).enumerate().filter(|(row, _)| !stay.contains(row)).map(|(_, row)| row)
    {
        let spelled = &text.text()[row.text.whole()];
        if !(row.edges.start && row.edges.end)
            || moved.insert(said, spelled).is_some_and(|other| other != spelled)
        {
            spelled_in_two_ways.insert(*said);
        }
    }
    moved.retain(|said, _| !spelled_in_two_ways.contains(said) && !said.trim().is_empty());
    moved
}

/// The ending that a line inserted at the start of the region takes: that of the line there, else of the one before.
fn first_ending<'t>(text: &Lines<'t>, alignment: &Alignment) -> &'t str {
    let line = alignment.rows.first().map_or(0, |row| row.line);
    let own = text.ending_text(line);
    if own.is_empty() && line > 0 { text.ending_text(line - 1) } else { own }
}

/// Whether all lines end in the same way.
fn is_uniform(lines: &Lines<'_>) -> bool {
    all_same((0..lines.count().saturating_sub(1)).map(|line| lines.ending_text(line)))
}

/// The same of the region's lines.
fn has_one_ending(text: &Lines<'_>, alignment: &Alignment) -> bool {
    let endings = alignment.rows.iter().map(|row| &text.text()[row.text_ending.clone()]);
    all_same(endings.filter(|ending| !ending.is_empty()))
}

fn all_same<'e>(mut endings: impl Iterator<Item = &'e str>) -> bool {
    let first = endings.next();
    endings.all(|ending| Some(ending) == first)
}

struct Carrier<'a, 't> {
    text: &'a Lines<'t>,
    old: &'a Lines<'a>,
    new: &'a Lines<'a>,
    alignment: &'a Alignment,
    respelling: Respelling,
    /// The ending that an inserted line takes: that of the line which was kept or removed last.
    ending: &'a str,
    /// Whether other line endings in the new text than in the old are what the caller wants. They are if they are all that
    /// differs, or if one of the texts has several kinds; else the caller only wrote them as it is used to.
    endings_meant: bool,
    /// Something that the caller changes is not in the text as the caller wrote it.
    strays: bool,
    /// Lines that are removed, as the text spells them.
    moved: HashMap<&'a str, &'t str>,
    script: Script<'t>,
    meter: &'a Meter<'a>,
}

impl<'a, 't: 'a> Carrier<'a, 't> {
    fn row(&self, row: usize) -> &'a Row {
        &self.alignment.rows[row]
    }

    /// Keeps a line as it stands in the text, without ending.
    fn keep(&mut self, row: usize) {
        self.script.keep(self.row(row).text.whole());
    }

    fn remove_and_insert(&mut self, rows: Range<usize>, lines: Range<usize>) -> Result<(), Uncertain> {
        for row in rows {
            self.remove(row);
        }
        for line in lines {
            self.meter.spend(self.new.content(line).len() + EACH)?;
            self.insert(line)?;
            if self.new_has_ending(line) {
                self.insert_ending(line);
            }
        }
        Ok(())
    }

    /// What is not kept is removed; here only its traces are looked at.
    fn remove(&mut self, row: usize) {
        self.strays |= self.old.content_text(row) != &self.text.text()[self.row(row).text.whole()];
        self.learn_ending(row);
    }

    /// Writes a line that the text does not have, without ending.
    fn insert(&mut self, line: usize) -> Result<(), Uncertain> {
        let edges = self.new_edges(line);
        if let Some(spelled) =
            self.moved.get(self.new.content_text(line)).filter(|_| edges.start && edges.end)
        {
            self.script.insert(spelled);
            return Ok(());
        }
        let parts = self.new_parts(line);
        self.insert_indent(line, &parts)?;
        let body = self.respelling.body(&self.new.text()[parts.body])?;
        self.script.insert(&body);
        self.script.insert(self.respelling.trailing(&self.new.text()[parts.trailing]));
        Ok(())
    }

    fn insert_indent(&mut self, line: usize, parts: &Parts) -> Result<(), Uncertain> {
        let indent = &self.new.text()[parts.indent.clone()];
        if parts.is_blank() || !self.new_edges(line).start {
            self.script.insert(indent);
            return Ok(());
        }
        let indent = self.respelling.body(indent)?;
        let shifted = self.alignment.shift.apply(&indent).ok_or(Uncertain::Unshiftable { line: line + 1 })?;
        self.script.insert(&shifted);
        Ok(())
    }

    /// Changes a line word by word, without ending. One that is replaced does not hand down its trailing white space.
    fn change(&mut self, pair: Pair) -> Result<(), Uncertain> {
        let (row, line) = (pair.old, pair.new);
        let (meant, parts) = (self.row(row), self.new_parts(line));
        let mut before = tokens(self.old.text(), &meant.old, meant.edges);
        if pair.change == Change::Replaced {
            tokens::forget_trailing(&mut before);
        }
        let after = tokens(self.new.text(), &parts, self.new_edges(line));
        let spans = tokens::spans(self.text.text(), meant, &before);
        let strays = |token: usize| before[token].text != &self.text.text()[spans[token].clone()];
        let differing = match quotes::differing(&before, &after, strays, self.meter) {
            Err(Uncertain::Spelling { .. }) if pair.change == Change::Replaced => {
                self.remove(row);
                return self.insert(line);
            }
            differing => differing?,
        };
        let mut kept = 0;
        for (removed, added) in differing {
            spans[kept..removed.start].iter().for_each(|span| self.script.keep(span.clone()));
            self.strays |= removed.clone().any(strays);
            for token in &after[added] {
                match token.kind {
                    tokens::Kind::Indent => self.insert_indent(line, &parts)?,
                    tokens::Kind::Body => self.script.insert(&self.respelling.body(token.text)?),
                    tokens::Kind::Trailing | tokens::Kind::Blank | tokens::Kind::Forgotten => {
                        self.script.insert(self.respelling.trailing(token.text));
                    }
                }
            }
            kept = removed.end;
        }
        spans[kept..].iter().for_each(|span| self.script.keep(span.clone()));
        Ok(())
    }

    /// Ends a line that was kept or changed. Its ending stays, unless the caller knew it and gave another.
    fn end_line(&mut self, row: usize, line: usize) {
        self.learn_ending(row);
        let ending = self.row(row).text_ending.clone();
        match (row + 1 < self.old.count(), self.new_has_ending(line)) {
            (true, true) => {
                let (old, new) = (self.old.ending_text(row), self.new.ending_text(line));
                let known = old == &self.text.text()[ending.clone()];
                if old != new && known && self.endings_meant {
                    self.script.insert(new);
                    self.ending = new;
                } else {
                    self.strays |= old != new && !known;
                    self.script.keep(ending);
                }
            }
            (false, true) => self.insert_ending(line),
            (_, false) => {}
        }
    }

    fn insert_ending(&mut self, line: usize) {
        self.script.insert(if self.ending.is_empty() { self.new.ending_text(line) } else { self.ending });
    }

    fn learn_ending(&mut self, row: usize) {
        let own = self.text.ending_text(self.row(row).line);
        if !own.is_empty() {
            self.ending = own;
        }
    }

    fn new_has_ending(&self, line: usize) -> bool {
        line + 1 < self.new.count()
    }

    fn new_parts(&self, line: usize) -> Parts {
        Parts::of(self.new.text(), self.new.content(line), self.new_edges(line))
    }

    /// The first and the last line of the new text reach the edges that the region reaches.
    fn new_edges(&self, line: usize) -> Edges {
        let starts = self.alignment.rows.first().is_none_or(|row| row.edges.start);
        let ends = self.alignment.rows.last().is_none_or(|row| row.edges.end);
        Edges { start: line > 0 || starts, end: self.new_has_ending(line) || ends }
    }
}

/// What a line costs beside its bytes.
const EACH: usize = 64;
