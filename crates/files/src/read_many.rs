//! Reads several files into one bounded answer.

use std::path::PathBuf;

use toolcrib_access::Sandbox;

use crate::refused::Refused;
use crate::{Content, Part, ReadLimits, ReadRequest, read};

/// Which files, and how much of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadManyRequest {
    /// The files, as the caller named them.
    pub paths: Vec<PathBuf>,
    /// How many lines of each at the most.
    pub limit: usize,
    /// How much the answer may hold, all files together.
    pub limits: ReadLimits,
}

impl ReadManyRequest {
    /// How many files one call may name.
    pub const MAX_FILES: usize = 100;
}

/// What was read, in the order of the request.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyRead {
    /// The files that fit, each with what it holds or why it cannot be read.
    pub files: Vec<(PathBuf, Result<Content, Refused>)>,
    /// The files for which there was no room.
    pub left_out: Vec<PathBuf>,
}

/// Reads the start of each file, as long as there is room. One that cannot be read does not keep the others from it.
///
/// # Errors
///
/// If the time is up or the call is cancelled.
pub fn read_many(sandbox: &Sandbox<'_>, request: &ReadManyRequest) -> Result<ManyRead, Refused> {
    /// What stands above a file, and what is said below it.
    const AROUND: usize = 200;
    let mut room = request.limits.budget.min(sandbox.context().max_output_size);
    let mut many = ManyRead { files: Vec::new(), left_out: Vec::new() };
    for path in &request.paths {
        sandbox.checkpoint()?;
        let budget = room.saturating_sub(AROUND + path.as_os_str().len());
        if budget < AROUND {
            many.left_out.push(path.clone());
            continue;
        }
        let one = ReadRequest {
            part: Part::From { first: 1, limit: request.limit },
            limits: ReadLimits { budget, ..request.limits },
            ..ReadRequest::new(path)
        };
        let content = read(sandbox, &one);
        room = budget.saturating_sub(content.as_ref().map_or(0, shown));
        many.files.push((path.clone(), content));
    }
    Ok(many)
}

/// How many bytes of an answer a file takes.
fn shown(content: &Content) -> usize {
    /// The number of a line and what is around it.
    const EACH_LINE: usize = 8;
    match content {
        Content::Text(text) => text.lines.iter().map(|line| line.text.len() + EACH_LINE).sum(),
        Content::Pdf(pdf) => pdf.content.text.len(),
        Content::Notebook(notebook) => notebook.content.text.len(),
        Content::Image(_) => 0,
    }
}
