//! What can be wrong with a file that is to be read, in words.

use std::io;

use toolcrib_formats::Kind;
use toolcrib_text::UnknownCharset;
use toolcrib_tool::{ErrorKind, ToolError};

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
        .hint("leave it out to have it found out; known are utf-8, utf-16le, windows-1252, shift_jis, gbk, big5 and the other encodings of the web")
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
