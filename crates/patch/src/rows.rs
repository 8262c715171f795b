//! The lines of a patch, one after the other, with a look ahead.

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

#[derive(Clone, Debug)]
pub(crate) struct Rows<'p> {
    rows: Vec<Row<'p>>,
    at: usize,
}

impl<'p> Rows<'p> {
    pub(crate) fn of(patch: &'p str) -> Self {
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
        Self { rows: rows.collect(), at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<Row<'p>> {
        self.ahead(0)
    }

    /// The row so many after the next one.
    pub(crate) fn ahead(&self, count: usize) -> Option<Row<'p>> {
        self.rows.get(self.at + count).copied()
    }

    pub(crate) fn next(&mut self) -> Option<Row<'p>> {
        let row = self.peek();
        self.at += usize::from(row.is_some());
        row
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
        self.rows[self.at.min(self.rows.len())..].iter().find(|row| !row.text.trim().is_empty()).copied()
    }
}
