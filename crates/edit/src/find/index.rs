//! Where the lines of a caller's texts stand in a text, so that many of them are found in one pass over it.
//!
//! A patch of a thousand hunks looks for a thousand texts. Going over the whole text for each takes a thousand passes; an
//! [`Index`] goes over it once, and then looks only where the rarest line of a text stands. What is found is the same.

use toolcrib_text::Stopped;

use super::whole::Search;
use super::{Place, Places, Scope, Target};
use crate::Level;
use crate::lines::Lines;
use crate::vocabulary::Vocabulary;

/// The lines of a text that some texts have, by number.
#[derive(Debug)]
pub struct Index<'o> {
    known: Vocabulary<'o>,
    /// The number of each line of the text.
    text: Vec<u32>,
    /// The lines that have a number, in order: those of number `n` stand from `starts[n]` to `starts[n + 1]`.
    lines: Vec<u32>,
    starts: Vec<usize>,
}

/// A line that no text has.
const UNKNOWN: u32 = u32::MAX;

/// What it costs to recognise a line, and to look at one that may be the first of a place.
const EACH_LINE: usize = 32;
const EACH_PLACE: usize = 64;

impl<'t> Target<'t> {
    /// Remembers where these lines stand, which may have endings.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn index<'o>(&self, lines: impl IntoIterator<Item = &'o str>) -> Result<Index<'o>, Stopped> {
        let mut known = Vocabulary::default();
        for line in lines {
            self.meter().spend(line.len() + EACH_LINE)?;
            known.add(without_ending(line));
        }
        self.meter().spend(self.text().len())?;
        let count = self.lines().count();
        let (mut text, mut starts) = (Vec::with_capacity(count), vec![0; known.len() + 1]);
        for line in 0..count {
            let said = self.lines().content_text(line);
            self.meter().spend(said.len() / 4 + EACH_LINE)?;
            let number = known.number(said).unwrap_or(UNKNOWN);
            text.push(number);
            if number != UNKNOWN {
                starts[number as usize + 1] += 1;
            }
        }
        self.meter().ask()?;
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        let mut lines = vec![0; starts[known.len()]];
        let mut next = starts.clone();
        for (line, number) in (0_u32..).zip(&text).filter(|(_, number)| **number != UNKNOWN) {
            let next = &mut next[*number as usize];
            lines[*next] = line;
            *next += 1;
        }
        Ok(Index { known, text, lines, starts })
    }

    /// As [`Target::find`] for whole lines, with an index of at least the lines of `old`.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn find_lines(&self, index: &Index<'_>, old: &str, loosest: Level) -> Result<Places, Stopped> {
        let lines = Lines::of(old);
        let Some(wanted) = index.numbers(&lines) else {
            return self.find(old, Scope::Lines, loosest);
        };
        let mut firsts = Vec::new();
        index.each_first(self, &wanted, |first| firsts.push(first))?;
        firsts.retain(|first| first + lines.count() <= self.line_count());
        let exact = self.exactly(old, &firsts)?;
        if !exact.places.is_empty() || loosest == Level::Exact || old.trim().is_empty() {
            return Ok(exact);
        }
        let mut search = Search::new(self.lines(), &lines, Scope::Lines, self.meter());
        for first in firsts {
            if !search.look_at(first)? {
                break;
            }
        }
        Ok(search.found.at_strictest(loosest))
    }

    /// Those of the lines where `old` begins to the letter.
    fn exactly(&self, old: &str, firsts: &[usize]) -> Result<Places, Stopped> {
        let mut found = Places::default();
        for &line in firsts {
            self.meter().spend(old.len() / 4 + EACH_PLACE)?;
            let start = self.lines().start(line);
            let Some(after) = self.text()[start..].strip_prefix(old) else { continue };
            let ends = old.ends_with('\n')
                || after.is_empty()
                || after.starts_with('\n')
                || after.starts_with("\r\n");
            if ends && found.places.len() == Places::MOST {
                found.given_up = true;
                break;
            }
            if ends {
                found.count += 1;
                found.places.push(Place { region: start..start + old.len(), line, level: Level::Exact });
            }
        }
        Ok(found)
    }
}

impl Index<'_> {
    /// The numbers of a text's lines. Nothing, if one of them is not in the index, or if half of an ending belongs to it.
    fn numbers(&self, old: &Lines<'_>) -> Option<Vec<u32>> {
        let last = old.content_text(old.count() - 1);
        let said = old.count() - usize::from(last.is_empty());
        (said > 0 && !last.ends_with('\r')).then_some(())?;
        (0..said).map(|line| self.known.number(old.content_text(line))).collect()
    }

    /// Calls `each` with every line from which on the lines have these numbers.
    fn each_first(
        &self,
        target: &Target<'_>,
        wanted: &[u32],
        mut each: impl FnMut(usize),
    ) -> Result<(), Stopped> {
        let Some((at, rarest)) = (0..).zip(wanted).min_by_key(|(_, number)| self.lines_of(**number).len())
        else {
            return Ok(());
        };
        for &line in self.lines_of(*rarest) {
            target.meter().spend(EACH_LINE)?;
            let Some(first) = (line as usize).checked_sub(at) else { continue };
            let Some(there) = self.text.get(first..first + wanted.len()) else { continue };
            if there.first() == wanted.first() {
                target.meter().spend(wanted.len() / 2)?;
                if there == wanted {
                    each(first);
                }
            }
        }
        Ok(())
    }

    fn lines_of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.lines[self.starts[number]..self.starts[number + 1]]
    }
}

fn without_ending(line: &str) -> &str {
    let Some(line) = line.strip_suffix('\n') else { return line };
    line.strip_suffix('\r').unwrap_or(line)
}
