//! Lines of a text: a range of them, or the last ones.

use std::ops::ControlFlow;

use toolcrib_access::Seen;
use toolcrib_text::{Charset, Collector, LineIndex, LineRange, Lines, Start, tail};
use toolcrib_tool::ToolError;

use super::cache::{self, Known};
use super::source::Source;
use super::survey::Survey;
use super::{LineNumber, Text, fault};

/// A text that is being read.
pub(super) struct Reader<'c> {
    source: Source<'c>,
    survey: Survey,
    /// Where its lines are, as far as is known.
    index: LineIndex,
    /// How many characters at the start of each line are left out.
    column: usize,
    /// How many characters of a line are shown.
    line_length: usize,
}

/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// What a line costs beside its text: its number in six columns, a separator of up to three bytes, a newline.
const LINE_COST: usize = 10;

impl<'c> Reader<'c> {
    pub(super) fn new(
        source: Source<'c>,
        encoding: Option<&str>,
        column: usize,
        line_length: usize,
    ) -> Result<Self, ToolError> {
        let known =
            if source.whole().is_none() && encoding.is_none() { cache::get(source.file()) } else { None };
        if let Some(Known { survey, index }) = known {
            return Ok(Self { source, survey, index, column, line_length });
        }
        let survey = Survey::of(&source, encoding)?;
        let mut index = LineIndex::new(survey.breaks());
        if let Some(whole) = source.whole() {
            whole.chunks(LineIndex::BLOCK).for_each(|block| index.push(block));
        }
        Ok(Self { source, survey, index, column, line_length })
    }

    /// What a session has seen with it.
    pub(super) fn seen(&self) -> Seen {
        self.source.seen()
    }

    pub(super) fn source(&self) -> &Source<'c> {
        &self.source
    }

    /// Lines from `first` on.
    pub(super) fn range(&mut self, first: u64, limit: usize, budget: usize) -> Result<Text, ToolError> {
        let start = self.find(first)?;
        let (text, _) = self.range_at(start, first, limit, budget)?;
        if text.next.is_none() {
            // The end was reached, so little is missing to know all lines.
            self.count(|_| false)?;
        }
        Ok(text)
    }

    /// Lines from `first` on, from a place that was found for it, and where the line after them begins.
    pub(super) fn range_at(
        &mut self,
        start: Start,
        first: u64,
        limit: usize,
        budget: usize,
    ) -> Result<(Text, u64), ToolError> {
        let (lines, next) = self.collect(start, first, limit, budget)?;
        match lines.nul {
            Some(line) => Err(fault::nul(self.source.path(), Some(line), None, self.source.size())),
            None => Ok((self.text(LineNumber::FromStart(first), lines, 0), next)),
        }
    }

    /// The last lines.
    pub(super) fn last(&mut self, most: usize, budget: usize) -> Result<Text, ToolError> {
        let text = self.survey.encoding.mark().len() as u64..self.source.size();
        let (mut least, longest) = (0_u64, self.line_length as u64);
        let enough = |length: u64| {
            // A byte of the file gives at least a quarter of one that is shown, up to the length that is.
            least += LINE_COST as u64 + (length / 4).min(longest);
            least > budget as u64
        };
        let breaks = self.survey.breaks();
        let found = tail(breaks, text.clone(), most, CHUNK, enough, |offset, buffer: &mut [u8]| {
            self.source.read_at(offset, buffer)?;
            self.refuse_hole(buffer, offset)
        })?;
        let from = found.lines.front().map_or(text.end, |line| line.start);
        let all = if found.whole { Some(found.lines.len() as u64) } else { self.total() };
        let wanted = most.min(all.map_or(usize::MAX, |all| usize::try_from(all).unwrap_or(usize::MAX)));

        let start = Start { offset: from, newlines: 0 };
        let (mut lines, _) = self.collect(start, 1, found.lines.len(), usize::MAX)?;
        if lines.nul.is_some() {
            return Err(fault::nul(self.source.path(), None, None, self.source.size()));
        }
        keep_the_end(&mut lines, budget);
        let shown = lines.lines.len();
        lines.total = all;
        let first = match all {
            Some(all) => LineNumber::FromStart(all - shown as u64 + 1),
            None => LineNumber::FromEnd(shown as u64),
        };
        Ok(self.text(
            if shown == 0 { LineNumber::FromStart(1) } else { first },
            lines,
            wanted.saturating_sub(shown),
        ))
    }

    /// Where to begin to look for a line.
    pub(super) fn find(&mut self, line: u64) -> Result<Start, ToolError> {
        self.count(|index| line <= index.newlines() + 1)?;
        match self.total().filter(|total| line > (*total).max(1)) {
            Some(total) => Err(fault::past_the_end(line, total)),
            None => Ok(self.index.before(line)),
        }
    }

    /// Goes on counting lines until it is enough, or to the end.
    fn count(&mut self, enough: impl Fn(&LineIndex) -> bool) -> Result<(), ToolError> {
        let mut block = Vec::new();
        while !enough(&self.index) && self.index.covered() < self.source.size() {
            block.resize(LineIndex::BLOCK, 0);
            let offset = self.index.covered();
            let length = self.source.read_at(offset, &mut block)?;
            // A look at the first of it is enough to notice a hole.
            self.refuse_nul(&block[..length.min(4)], offset)?;
            self.index.push(&block[..length]);
            if length < block.len() {
                break;
            }
        }
        if !block.is_empty() {
            self.remember();
        }
        Ok(())
    }

    /// How many lines there are, if that is known.
    fn total(&self) -> Option<u64> {
        let mark = self.survey.encoding.mark().len() as u64;
        let total = if self.source.size() <= mark { 0 } else { self.index.total() };
        (self.index.covered() >= self.source.size()).then_some(total)
    }

    /// Collects lines from a place that was found for them, and says where the next one begins.
    fn collect(
        &mut self,
        start: Start,
        first: u64,
        limit: usize,
        budget: usize,
    ) -> Result<(Lines, u64), ToolError> {
        let from = start.offset.max(self.survey.encoding.mark().len() as u64);
        let range = LineRange {
            first,
            limit,
            budget,
            line_cost: LINE_COST,
            column: self.column,
            line_length: self.line_length,
        };
        let mut lines = self.collect_once(start.newlines, from, range)?;
        if lines.undecodable > 0 && self.survey.encoding.charset == Charset::UTF_8 {
            // The pieces that were looked at did not show that it is not UTF-8.
            let end = from + lines.bytes;
            let mut piece = vec![0; CHUNK];
            let length = self.source.read_at(end.saturating_sub(CHUNK as u64).max(from), &mut piece)?;
            let survey = self.survey.again(&self.source, &piece[..length])?;
            if survey.encoding != self.survey.encoding {
                self.survey = survey;
                self.remember();
                lines = self.collect_once(start.newlines, from, range)?;
            }
        }
        let next = from + lines.bytes;
        Ok((lines, next))
    }

    fn collect_once(&self, newlines: u64, mut from: u64, range: LineRange) -> Result<Lines, ToolError> {
        let mut collector = Collector::starting_after(newlines, range, self.survey.breaks());
        let mut chunk = vec![0; CHUNK.min(usize::try_from(self.source.size()).unwrap_or(CHUNK)).max(1)];
        loop {
            let length = self.source.read_at(from, &mut chunk)?;
            self.refuse_hole(&chunk[..length], from)?;
            from += length as u64;
            if length == 0 || collector.push(&chunk[..length]) == ControlFlow::Break(()) {
                return Ok(collector.finish());
            }
        }
    }

    /// The hole of a sparse file is one line of NULs, and may be larger than the disk: there is no end to wait for.
    fn refuse_hole(&self, bytes: &[u8], offset: u64) -> Result<(), ToolError> {
        if self.survey.breaks().find(bytes).is_none() { self.refuse_nul(bytes, offset) } else { Ok(()) }
    }

    /// NULs are no text, wherever they stand.
    fn refuse_nul(&self, bytes: &[u8], offset: u64) -> Result<(), ToolError> {
        let nul = match self.survey.encoding.charset.unit() {
            1 => memchr::memchr(0, bytes),
            _ => bytes.starts_with(&[0; 4]).then_some(0),
        };
        match nul {
            Some(at) => {
                let offset = offset + at as u64;
                Err(fault::nul(self.source.path(), None, Some(offset), self.source.size()))
            }
            None => Ok(()),
        }
    }

    fn remember(&self) {
        let large = self.source.whole().is_none();
        if large && !self.survey.given && !self.source.changed() {
            cache::put(self.source.file(), Known { survey: self.survey, index: self.index.clone() });
        }
    }

    fn text(&self, first: LineNumber, lines: Lines, left_out: usize) -> Text {
        let total = lines.total.or_else(|| self.total());
        let next = match first {
            LineNumber::FromStart(first) => first + lines.lines.len() as u64,
            LineNumber::FromEnd(_) => 0,
        };
        let complete = self.total().filter(|total| *total > 0).and_then(|_| self.index.final_newline());
        Text {
            path: self.source.path().clone(),
            column: self.column,
            first,
            total_lines: total,
            next: (next > 0 && total.is_none_or(|total| next <= total)).then_some(next),
            left_out,
            final_newline: lines.final_newline.or(complete),
            size: self.source.size(),
            encoding: self.survey.encoding,
            line_ending: self.survey.endings.kind(),
            undecodable: lines.undecodable,
            version: self.source.version(),
            changed: self.source.changed(),
            lines: lines.lines,
            not_a_notebook: None,
        }
    }
}

/// Drops lines from the start until the rest fits.
fn keep_the_end(lines: &mut Lines, budget: usize) {
    let mut used = 0;
    let fits = lines.lines.iter().rev().take_while(|line| {
        used += line.text.len() + LINE_COST;
        used <= budget
    });
    let kept = fits.count().max(1).min(lines.lines.len());
    lines.lines.drain(..lines.lines.len() - kept);
}
