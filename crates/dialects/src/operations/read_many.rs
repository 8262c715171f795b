//! Several files in one answer.

use toolcrib_access::Proposed;
use toolcrib_files::{Part, ReadManyRequest, ReadRequest, Refused, Settings};
use toolcrib_tool::{Effect, ToolError};

use super::{Caller, Operation, ReadOutcome, some};
use crate::facts::{Facts, facts};
use crate::refusals::refuse;

/// Reads the start of several files.
pub struct ReadMany;

parameters! {
    /// Which files, and how much of them.
    pub struct ReadManyInput;
    file_paths: Vec<String>, schemars(length(min = 1, max = ReadManyRequest::MAX_FILES)) => "The files to read, in order";
    limit: usize, serde(default = "default_limit"), schemars(range(min = 1, max = ReadRequest::MAX_LIMIT)) =>
        "Most lines of each file";
}

fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}

/// What was read.
pub struct ReadManyOutcome {
    /// The files for which there was room.
    pub files: Vec<ReadFile>,
    /// The others, as they were named.
    pub left_out: Vec<String>,
}

/// One of the files.
pub struct ReadFile {
    /// Its path, as it was named.
    pub path: String,
    /// What it holds, or why it cannot be read.
    pub read: Result<ReadOutcome, ToolError>,
}

impl Operation for ReadMany {
    type Input = ReadManyInput;
    type Outcome = ReadManyOutcome;
    const NAME: &'static str = "read_many";
    const TITLE: &'static str = "ReadMany";
    const EFFECT: Effect = Effect::Reads;
    const OFFERED: fn(&Settings) -> bool = |settings| settings.more_tools;

    fn run(input: ReadManyInput, caller: &Caller<'_>) -> Result<Proposed<ReadManyOutcome>, Refused> {
        Ok(Self::perform(input.file_paths, input.limit, caller)?.into())
    }

    fn facts() -> Facts<ReadManyOutcome> {
        facts! { ReadManyOutcome, |it, words|
            "files": "The files, in order", list(Self::file()) => it.files.iter().collect();
            "left_out": "Files for which there was no room: ask for them in another call" => some(it.left_out.clone());
        }
    }
}

impl ReadMany {
    /// Reads the start of these files, in order.
    pub(super) fn perform(
        files: Vec<String>,
        limit: usize,
        caller: &Caller<'_>,
    ) -> Result<ReadManyOutcome, Refused> {
        let paths =
            files.into_iter().map(|path| caller.file(path, "file_paths")).collect::<Result<_, _>>()?;
        let request = ReadManyRequest { paths, limit, limits: caller.settings.read };
        let many = toolcrib_files::read_many(caller.sandbox, &request)?;
        let files = many.files.into_iter().map(|(path, content)| ReadFile {
            path: path.display().to_string(),
            read: content
                .map(|content| ReadOutcome { content, part: Part::From { first: 1, limit } })
                .map_err(|refused| refuse(refused, caller.words)),
        });
        let left_out = many.left_out.iter().map(|path| path.display().to_string()).collect();
        Ok(ReadManyOutcome { files: files.collect(), left_out })
    }

    /// The facts about one of the files.
    #[must_use]
    pub fn file() -> Facts<ReadFile> {
        facts! { ReadFile, |it, words|
            "file_path": "The file, as it was named" => it.path.clone();
            "content": "The lines with their numbers, or the text of pages or cells" =>
                Some(it.read.as_ref().ok()?.shown('→', words));
            "version": "The hash of the file's content" => it.read.as_ref().ok()?.version();
            "truncated": "Whether the file goes on after what is shown; absent otherwise" =>
                some(it.read.as_ref().ok()?.truncated());
            "next_offset": "The line to continue from" => it.read.as_ref().ok()?.goes_on();
            "next_skip": "How many lines to skip to go on" => Some(it.read.as_ref().ok()?.goes_on()? - 1);
            "error": "Why it cannot be read" => it.read.as_ref().err().map(ToString::to_string);
        }
    }
}
