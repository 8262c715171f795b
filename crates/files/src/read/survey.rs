//! How a text is to be read: its encoding and its line endings.
//!
//! All of a small file decides, and pieces from all over a large one.

use toolcrib_formats::Kind;
use toolcrib_text::{Breaks, Charset, Content, Encoding, LineEndings, Newline, Sample, detect_sample};
use toolcrib_tool::ToolError;

use super::fault;
use super::source::Source;

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    pub(super) encoding: Encoding,
    /// Those of the whole text, or of the pieces that were looked at.
    pub(super) endings: LineEndings,
    /// The caller said what the encoding is.
    pub(super) given: bool,
}

/// How much of the start of a large file is looked at.
const HEAD: usize = 64 * 1024;
/// How many pieces of the rest, and how large they are.
const PIECES: u64 = 16;
const PIECE: usize = 8 * 1024;

impl Survey {
    pub(super) fn of(source: &Source<'_>, encoding: Option<&str>) -> Result<Self, ToolError> {
        match encoding {
            Some(label) => Self::given(source, label),
            None => Self::found(source, &[]),
        }
    }

    /// Looks again, and also at a piece that does not decode.
    pub(super) fn again(self, source: &Source<'_>, piece: &[u8]) -> Result<Self, ToolError> {
        let whole = source.whole().is_some();
        if whole || self.given || self.encoding.bom {
            return Ok(self);
        }
        // How lines end stays as it was: lines were counted so.
        Ok(Self { endings: self.endings, ..Self::found(source, piece)? })
    }

    pub(super) fn breaks(&self) -> Breaks {
        Breaks::new(self.encoding.charset, self.endings.newline())
    }

    fn found(source: &Source<'_>, more: &[u8]) -> Result<Self, ToolError> {
        with_sample(source, more, |sample, pieces| match detect_sample(sample) {
            Content::Text(encoding) => Ok(Self::new(encoding, pieces, false)),
            Content::Binary(_) => Err(fault::binary(source.path(), Kind::Unknown, source.size())),
        })
    }

    fn given(source: &Source<'_>, label: &str) -> Result<Self, ToolError> {
        let charset: Charset = label.parse().map_err(|error| fault::encoding(&error))?;
        with_sample(source, &[], |_, pieces| {
            // `utf-16` alone leaves the order to the mark.
            let marked =
                Encoding::by_mark(pieces[0]).filter(|marked| marked.charset.unit() == charset.unit());
            let marked = marked.filter(|_| charset.unit() > 1);
            Ok(Self::new(marked.unwrap_or_else(|| Encoding::of(charset, pieces[0])), pieces, true))
        })
    }

    fn new(encoding: Encoding, pieces: &[&[u8]], given: bool) -> Self {
        let lines = Breaks::new(encoding.charset, Newline::Lf);
        let endings = pieces.iter().enumerate().map(|(at, piece)| {
            // A newline that begins a piece may have lost its carriage return.
            let from =
                if at == 0 { 0 } else { lines.find(piece).map_or(piece.len(), |at| at + lines.width()) };
            LineEndings::of_bytes(&piece[from..], encoding.charset)
        });
        Self { encoding, endings: endings.fold(LineEndings::default(), LineEndings::and), given }
    }
}

/// Hands over the whole of a small file, or pieces of a large one: its head, some of the rest, and `more`.
fn with_sample<T>(
    source: &Source<'_>,
    more: &[u8],
    judge: impl FnOnce(Sample<'_>, &[&[u8]]) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    if let Some(whole) = source.whole() {
        return judge(Sample::whole(&whole), &[whole]);
    }
    let mut head = vec![0; HEAD];
    let length = source.read_at(0, &mut head)?;
    head.truncate(length);
    let mut rest = Vec::new();
    for piece in 1..=PIECES {
        let mut bytes = vec![0; PIECE];
        let last = source.size().saturating_sub(PIECE as u64);
        let offset = (last / PIECES * piece) / 4 * 4;
        let length = source.read_at(offset.max(HEAD as u64), &mut bytes)?;
        bytes.truncate(length);
        rest.push(bytes);
    }
    let mut pieces: Vec<&[u8]> = vec![&head];
    pieces.extend(rest.iter().map(Vec::as_slice));
    pieces.push(more);
    judge(Sample::pieces(&pieces), &pieces)
}
