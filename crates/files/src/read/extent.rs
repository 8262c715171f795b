//! How much of a file an answer shows, for the session's ledger.

use toolcrib_access::{Extent, Unit};
use toolcrib_formats::Ranges;

use super::{Content, LineNumber, Text};

pub(super) fn of(content: &Content) -> Extent {
    match content {
        Content::Text(text) => of_text(text),
        Content::Image(_) => Extent::Whole,
        Content::Pdf(document) => {
            let pdf = &document.content;
            // A page of which a part is left out was not seen.
            let cut = |page: &usize| pdf.left_out > 0 || pdf.cut.contains(page);
            of_parts(Unit::Pages, pdf.shown.as_ref(), pdf.page_count, cut)
        }
        Content::Notebook(document) => {
            let notebook = &document.content;
            let cut = |_: &usize| notebook.left_out > 0;
            of_parts(Unit::Cells, notebook.shown.as_ref(), notebook.cell_count, cut)
        }
    }
}

/// A line that was cut, at its start or its end, was not seen. Lines whose number is unknown, since the file is large,
/// are not counted.
pub(super) fn of_text(text: &Text) -> Extent {
    let LineNumber::FromStart(first) = text.first else {
        return Extent::of(Unit::Lines, [], text.total_lines);
    };
    let whole = text.lines.iter().zip(first..).filter(|(line, _)| text.column == 0 && !line.cut);
    Extent::of(Unit::Lines, whole.map(|(_, number)| number), text.total_lines)
}

fn of_parts(unit: Unit, shown: Option<&Ranges>, total: usize, cut: impl Fn(&usize) -> bool) -> Extent {
    let shown = shown.and_then(|shown| shown.select(total, usize::MAX).ok());
    let numbers = shown.map(|shown| shown.numbers).unwrap_or_default().into_iter();
    Extent::of(unit, numbers.filter(|number| !cut(number)).map(|number| number as u64), Some(total as u64))
}
