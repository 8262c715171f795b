//! What can be wrong with a file that is to be read, in words.

use std::io;

use toolcrib_formats::{Kind, RangeError, image, notebook, pdf};
use toolcrib_text::UnknownCharset;
use toolcrib_tool::{ErrorKind, ToolError};

use super::Part;
use crate::FilePath;

/// The file holds something else than text.
pub(super) fn binary(path: &FilePath, kind: Kind, size: u64) -> ToolError {
    let what = if kind == Kind::Unknown { "unknown type" } else { kind.name() };
    let message = format!("Cannot read binary file: {} ({what}, {size} bytes)", path.absolute);
    let error = ToolError::new(ErrorKind::Unsupported, message)
        .hint("use a program that knows its format; if it is text after all, name its encoding")
        .with("file_type", what)
        .with("size", size);
    match kind.mime_type() {
        Some(mime_type) => error.with("mime_type", mime_type),
        None => error,
    }
}

/// What helps where the decoders were left out.
const NOT_IN_THIS_BUILD: &str =
    "read it with another program, or have Toolcrib built with its cargo feature `formats`";

/// An image that cannot be given to a model.
pub(super) fn image(path: &FilePath, kind: Kind, size: u64, error: &image::Error) -> ToolError {
    use image::Error;
    let (failure, hint) = match error {
        Error::TooManyBytes { .. }
        | Error::TooManyPixels { .. }
        | Error::NoMemory(_)
        | Error::NotSmallEnough
        | Error::Stopped => (ErrorKind::TooLarge, "scale it down with another program first"),
        Error::Truncated | Error::Damaged(_) => {
            (ErrorKind::Unsupported, "the file itself is broken: get it again from where it came")
        }
        Error::Busy => (ErrorKind::TooLarge, "try again in a while, or convert it with another program"),
        Error::Fault => (ErrorKind::Internal, "try again, or convert it with another program"),
        Error::NotInThisBuild => (ErrorKind::Unsupported, NOT_IN_THIS_BUILD),
        _ => (ErrorKind::Unsupported, "convert it to PNG or JPEG with another program first"),
    };
    let error = ToolError::new(failure, format!("Cannot read image: {} ({error})", path.absolute));
    let error = error.hint(hint).with("file_type", kind.name()).with("size", size);
    match kind.mime_type() {
        Some(mime_type) => error.with("mime_type", mime_type),
        None => error,
    }
}

/// A document that gives no pages.
pub(super) fn pdf(path: &FilePath, size: u64, error: &pdf::Error) -> ToolError {
    use pdf::Error;
    let (failure, hint) = match error {
        Error::Range(error) => return range("page", error),
        Error::Encrypted | Error::UnknownEncryption => (
            ErrorKind::Unsupported,
            "have it decrypted first, for example with `qpdf --decrypt --password=…`",
        ),
        Error::TooLarge(_) | Error::Stopped => (ErrorKind::TooLarge, "split it with another program first"),
        Error::Busy => (ErrorKind::TooLarge, "try again in a while, or convert it with another program"),
        Error::Fault => (ErrorKind::Internal, "try again, or convert it with another program"),
        Error::NotInThisBuild => (ErrorKind::Unsupported, NOT_IN_THIS_BUILD),
        _ => (ErrorKind::Unsupported, "the file itself is broken: get it again from where it came"),
    };
    ToolError::new(failure, format!("Cannot read PDF: {} ({error})", path.absolute))
        .hint(hint)
        .with("file_type", Kind::Pdf.name())
        .with("size", size)
}

/// Cells were asked for, and there are none.
pub(super) fn notebook(path: &FilePath, size: u64, error: &notebook::Error) -> ToolError {
    let kind = match error {
        notebook::Error::TooLarge { .. } | notebook::Error::TooComplex => ErrorKind::TooLarge,
        _ => ErrorKind::Unsupported,
    };
    ToolError::new(kind, format!("Cannot read notebook: {} ({error})", path.absolute))
        .hint("leave out the cells to read it as a text")
        .with("size", size)
}

/// A page or cell that does not exist.
pub(super) fn range(one: &str, error: &RangeError) -> ToolError {
    let fault = |message| ToolError::new(ErrorKind::InvalidParameter, message);
    match error {
        RangeError::PastTheEnd { first, total } => {
            let there_are = match total {
                0 => format!("there is no {one}"),
                1 => format!("there is 1 {one}"),
                _ => format!("there are {total} {one}s"),
            };
            fault(format!("No {one} {first}: {there_are}"))
                .hint(format!("start at {one} {} or before", (*total).max(1)))
                .with(&format!("{one}_count"), *total)
        }
        other => fault(format!("No such {one}: {other}")),
    }
}

/// What a file turned out to be that has no lines.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    Image,
    Pdf,
    Notebook,
}

/// A part was asked for that a file of this kind does not have.
pub(super) fn no_such_part(path: &FilePath, part: &Part, holds: Holds) -> ToolError {
    let (kind, hint) = match holds {
        Holds::Image => ("an image", "an image is read as a whole: give nothing but its path"),
        Holds::Pdf => ("a PDF document", "choose pages instead, such as \"1-10\""),
        Holds::Notebook => (
            "a notebook",
            "choose cells instead, such as \"1-10\"; to see the lines of its JSON, name the encoding utf-8",
        ),
    };
    only_of(path, part, kind).hint(hint)
}

/// Pages or cells were asked of a text.
pub(super) fn not_paged(path: &FilePath, part: &Part) -> ToolError {
    only_of(path, part, "a text")
}

fn only_of(path: &FilePath, part: &Part, kind: &str) -> ToolError {
    let (parts, of) = match part {
        Part::Pages(_) => ("pages", "PDF documents"),
        Part::Cells(_) => ("cells", "notebooks"),
        Part::From { .. } | Part::Last(_) => ("lines", "texts"),
    };
    let message = format!("Only {of} have {parts}: {} is {kind}", path.absolute);
    ToolError::new(ErrorKind::InvalidParameter, message)
}

/// The lines that were asked for hold NULs, although the file began as a text.
pub(super) fn nul(path: &FilePath, line: Option<u64>, offset: Option<u64>, size: u64) -> ToolError {
    let message = format!("Cannot read binary file: {} (NUL bytes among text, {size} bytes)", path.absolute);
    let error = ToolError::new(ErrorKind::Unsupported, message).with("size", size);
    match (line, offset) {
        (Some(line), _) => error
            .hint(format!("line {line} holds NUL bytes; read the lines before or after it"))
            .with("binary_line", line),
        (None, Some(offset)) => {
            error.hint(format!("there are NUL bytes at byte {offset}")).with("binary_offset", offset)
        }
        (None, None) => error.hint("the lines asked for hold NUL bytes"),
    }
}

/// The file ends before the first line that was asked for.
pub(super) fn past_the_end(first: u64, total: u64) -> ToolError {
    let lines = match total {
        0 => "the file is empty".to_owned(),
        1 => "the file has 1 line".to_owned(),
        _ => format!("the file has {total} lines"),
    };
    ToolError::new(ErrorKind::InvalidParameter, format!("Line {first} is past the end: {lines}"))
        .hint(format!("start at line {} or before", total.max(1)))
        .with("total_lines", total)
}

/// There is no encoding of that name.
pub(super) fn encoding(error: &UnknownCharset) -> ToolError {
    let near = error.near.map_or_else(String::new, |near| format!(", did you mean '{near}'?"));
    ToolError::new(ErrorKind::InvalidParameter, format!("Unknown encoding '{}'{near}", error.label))
        .hint("omit it to detect the encoding; supported are utf-8, utf-16le, windows-1252, shift_jis, gbk, big5 and the other encodings of the web")
}

/// The file was changed between two chunks of it.
pub(super) fn changed(path: &FilePath) -> ToolError {
    ToolError::new(ErrorKind::Conflict, format!("File changed while it was read: {}", path.absolute))
        .hint("read it again from the start")
}

/// The operating system failed.
pub(super) fn unreadable(path: &FilePath, error: &io::Error) -> ToolError {
    ToolError::new(ErrorKind::Io, format!("Cannot read file: {} ({error})", path.absolute))
}
