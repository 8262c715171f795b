//! The lines of a patch, one after the other, with a look ahead.

use std::cell::Cell;

use toolcrib_text::{Meter, Stop};

/// A line of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row<'p> {
    /// Its number, counted from 1.
    pub(crate) number: usize,
    /// The line without its ending.
    pub(crate) text: &'p str,
    /// The ending that the patch gives to a line of a file.
    pub(crate) ending: &'p str,
}

#[derive(Debug)]
pub(crate) struct Rows<'p> {
    rows: Vec<Row<'p>>,
    at: usize,
    /// Where the row after the blank ones is that were passed over last, so that a long run of them is not counted anew
    /// for each: blank ones, and such as have nothing at all.
    blank: Cell<Run>,
    empty: Cell<Run>,
    meter: Meter<'p>,
    /// No caller waits for the patch any more. It then seems to be at its end, and is not looked at.
    stopped: bool,
}

/// A run of rows: from, and up to.
type Run = (usize, usize);

impl<'p> Rows<'p> {
    pub(crate) fn of(patch: &'p str, stop: &'p dyn Stop) -> Self {
        // If every line ends with CRLF, headers too, it is the way the patch travelled and says nothing about the files.
        let travelled =
            patch.split_inclusive('\n').all(|line| line.ends_with("\r\n") || !line.ends_with('\n'));
        let rows = patch.split_inclusive('\n').zip(1..).map(|(line, number)| {
            let text = line.strip_suffix('\n').unwrap_or(line);
            match text.strip_suffix('\r') {
                Some(text) => Row { number, text, ending: if travelled { "\n" } else { "\r\n" } },
                // The last line of a patch may have lost its ending; that too says nothing about the file.
                None => Row { number, text, ending: "\n" },
            }
        });
        Self {
            rows: rows.collect(),
            at: 0,
            blank: Cell::default(),
            empty: Cell::default(),
            meter: Meter::new(stop),
            stopped: false,
        }
    }

    /// Whether it was stopped, so that what was read is not all.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Goes back to the first row.
    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }

    pub(crate) fn peek(&self) -> Option<Row<'p>> {
        self.ahead(0)
    }

    /// The row so many after the next one.
    pub(crate) fn ahead(&self, count: usize) -> Option<Row<'p>> {
        self.rows.get(self.at + count).copied()
    }

    pub(crate) fn next(&mut self) -> Option<Row<'p>> {
        let row = self.peek()?;
        self.at += 1;
        if self.meter.spend(row.text.len() + EACH_ROW).is_err() {
            (self.stopped, self.at) = (true, self.rows.len());
        }
        Some(row)
    }

    pub(crate) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.rows.len());
    }

    /// The next row if it fits.
    pub(crate) fn next_if(&mut self, fits: impl Fn(&str) -> bool) -> Option<Row<'p>> {
        self.peek().filter(|row| fits(row.text))?;
        self.next()
    }

    /// Passes over blank rows, if what follows them fits.
    pub(crate) fn skip_blanks_before(&mut self, fits: impl Fn(&str) -> bool) {
        if self.after_blanks().is_some_and(|row| fits(row.text)) {
            while self.next_if(|text| text.trim().is_empty()).is_some() {}
        }
    }

    /// The number of the next row, or of the one after the last.
    pub(crate) fn number(&self) -> usize {
        self.at + 1
    }

    /// The first row from here on that is not blank.
    pub(crate) fn after_blanks(&self) -> Option<Row<'p>> {
        self.rows.get(self.run_end(&self.blank, |text| text.trim().is_empty())).copied()
    }

    /// Whether nothing but blank rows follows the next one.
    pub(crate) fn only_blanks_after_next(&self) -> bool {
        // Blank rows at the end of a patch are few, or it is one that was made to take time: then some are looked at.
        const MOST: usize = 1000;
        let after = &self.rows[(self.at + 1).min(self.rows.len())..];
        after.len() <= MOST && after.iter().all(|row| row.text.trim().is_empty() || row.text.trim() == "EOF")
    }

    /// How many rows from here on have nothing in them.
    pub(crate) fn empty_ones(&self) -> usize {
        self.run_end(&self.empty, str::is_empty) - self.at
    }

    /// Where a run of rows ends that begins here or goes on.
    fn run_end(&self, known: &Cell<Run>, belongs: impl Fn(&str) -> bool) -> usize {
        let (from, to) = known.get();
        if from <= self.at && self.at < to {
            return to;
        }
        let run = self.rows[self.at..].iter().take_while(|row| belongs(row.text)).count();
        known.set((self.at, self.at + run));
        self.at + run
    }
}

/// What a row costs beside its bytes.
const EACH_ROW: usize = 64;
