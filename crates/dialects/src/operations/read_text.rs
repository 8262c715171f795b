//! Texts as they are, without numbers.

use toolcrib_access::Proposed;
use toolcrib_files::{ReadManyRequest, ReadTextRequest, Refused, TextPart, VerbatimText};
use toolcrib_tool::{Effect, ErrorKind, ToolError};

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};
use crate::refusals::refuse;
use crate::words::Given;

/// Reads a text as it is.
pub struct ReadText;

/// Reads several texts as they are.
pub struct ReadTexts;

parameters! {
    /// Which file, and which of its lines.
    pub struct ReadTextInput;
    file_path: String, schemars(length(min = 1)) => "The file to read";
    tail: Option<usize>, schemars(range(min = 1)) => "If provided, returns only the last N lines of the file";
    head: Option<usize>, schemars(range(min = 1)) => "If provided, returns only the first N lines of the file";
    offset: Option<u64>, schemars(range(min = 1)) =>
        "Line number to start reading from (1-indexed), to go on where a long answer was cut";
}

parameters! {
    /// Which files.
    pub struct ReadTextsInput;
    file_paths: Vec<String>, schemars(length(min = 1, max = ReadManyRequest::MAX_FILES)) =>
        "Array of file paths to read. Each path must be a string pointing to a valid file within allowed directories.";
}

impl Operation for ReadText {
    type Input = ReadTextInput;
    type Outcome = VerbatimText;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read Text File";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ReadTextInput, caller: &Caller<'_>) -> Result<Proposed<VerbatimText>, Refused> {
        let name = |canonical| caller.words.parameter(canonical);
        let part = match (input.head, input.tail, input.offset) {
            (Some(lines), None, None) => TextPart::First(lines),
            (None, Some(lines), None) => TextPart::Last(lines),
            (None, None, first) => TextPart::From(first.unwrap_or(1)),
            (Some(_), Some(_), _) => {
                let [head, tail] = ["head", "tail"].map(name);
                let message = format!("Cannot specify both {head} and {tail} parameters simultaneously");
                return Err(ToolError::new(ErrorKind::InvalidParameter, message).into());
            }
            _ => {
                let message = format!("{} cannot be combined with another choice of lines", name("offset"));
                return Err(ToolError::new(ErrorKind::InvalidParameter, message).into());
            }
        };
        let path = caller.file(input.file_path, "file_path")?;
        let request = ReadTextRequest { path, part, budget: usize::MAX };
        Ok(toolcrib_files::read_text(caller.sandbox, &request)?.into())
    }

    fn facts() -> Facts<VerbatimText> {
        facts! { VerbatimText, |it, words|
            "file_path": "The file that was read" => words.path(&it.path);
            "size": "The size of the file in bytes" => it.size;
            "next_line": "The line with which it goes on" => it.next;
        }
    }
}

/// What was read of several files.
pub struct ReadTextsOutcome {
    /// Each file as it was named, and its text or why it cannot be read.
    pub files: Vec<(String, Result<VerbatimText, ToolError>)>,
    /// The files for which there was no room, as they were named.
    pub left_out: Vec<String>,
}

impl Operation for ReadTexts {
    type Input = ReadTextsInput;
    type Outcome = ReadTextsOutcome;
    const NAME: &'static str = "read_many";
    const TITLE: &'static str = "Read Multiple Files";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ReadTextsInput, caller: &Caller<'_>) -> Result<Proposed<ReadTextsOutcome>, Refused> {
        /// What is said around a file, and too little for one more.
        const AROUND: usize = 200;
        let mut room = caller.sandbox.context().max_output_size.saturating_sub(AROUND);
        let mut outcome = ReadTextsOutcome { files: Vec::new(), left_out: Vec::new() };
        for named in input.file_paths {
            caller.sandbox.checkpoint()?;
            room = room.saturating_sub(AROUND + named.len());
            if room < AROUND {
                outcome.left_out.push(named);
                continue;
            }
            let read = caller.file(named.clone(), "file_paths").map_err(Refused::from).and_then(|path| {
                let request = ReadTextRequest { path, part: TextPart::From(1), budget: room };
                toolcrib_files::read_text(caller.sandbox, &request)
            });
            room = room.saturating_sub(read.as_ref().map_or(0, |read| read.text.len()));
            let given = Given::path("file_path", &named);
            let read = read.map_err(|refused| refuse(refused, &caller.words.about(&given)));
            outcome.files.push((named, read));
        }
        Ok(outcome.into())
    }

    fn facts() -> Facts<ReadTextsOutcome> {
        facts! { ReadTextsOutcome, |it, words|
            "left_out": "Files for which there was no room: ask for them in another call" => some(it.left_out.clone());
        }
    }
}
