//! A whole file.

use toolcrib_access::Proposed;
use toolcrib_files::{Refused, WriteRequest, Written};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};

/// Writes a whole file.
pub struct Write;

parameters! {
    /// Which file, and what it holds afterwards.
    pub struct WriteInput;
    file_path: String, schemars(length(min = 1)) => "Absolute path";
    content: String => "Whole content";
    expected_version: Option<String> =>
        "Version to require, from Read";
}

/// Creates a file that does not exist yet.
pub struct Create;

parameters! {
    /// Which file, and what it holds.
    pub struct CreateInput;
    file_path: String, schemars(length(min = 1)) => "The file to create";
    content: String => "The content of the new file";
}

impl Operation for Create {
    type Input = CreateInput;
    type Outcome = Written;
    const NAME: &'static str = "write";
    const TITLE: &'static str = "Create";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: CreateInput, caller: &Caller<'_>) -> Result<Proposed<Written>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let request = WriteRequest { path, content: input.content, expected_version: None };
        toolcrib_files::create(caller.sandbox, &request)
    }

    fn facts() -> Facts<Written> {
        Write::facts().pick("file_path bytes_written hidden_characters")
    }
}

impl Operation for Write {
    type Input = WriteInput;
    type Outcome = Written;
    const NAME: &'static str = "write";
    const TITLE: &'static str = "Write";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: WriteInput, caller: &Caller<'_>) -> Result<Proposed<Written>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let request = WriteRequest { path, content: input.content, expected_version: input.expected_version };
        toolcrib_files::write(caller.sandbox, &request)
    }

    fn facts() -> Facts<Written> {
        facts! { Written, |it, words|
            "file_path": "The file that was written" => words.path(&it.path);
            "diff": "What changed, as a unified diff" => it.shown.diff.clone();
            "bytes_written": "How many bytes it has now" => it.bytes;
            "created": "Whether it was not there before" => it.created;
            "unchanged": "Whether it held the same already, so that nothing was done" => it.unchanged;
            "encoding": "The encoding it is written in" => it.encoding.charset.name();
            "crlf_kept": "Whether LF became CRLF, because that is how the file's lines end" => some(it.crlf_kept);
            "hidden_characters": "Invisible or direction-changing characters in the new lines" =>
                some(it.shown.hidden.clone());
        }
    }
}
