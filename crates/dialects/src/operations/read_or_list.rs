//! A file, or the entries of a directory: for dialects that have one tool for both.

use toolcrib_access::Proposed;
use toolcrib_files::{ListRequest, Listing, Part, ReadRequest, Refused};
use toolcrib_tool::{Effect, ErrorKind};

use super::{Caller, Operation, Read, ReadOutcome};
use crate::facts::{Facts, facts};

/// Reads a file, or lists a directory.
pub struct ReadOrList;

parameters! {
    /// Which file or directory, and how much of it.
    pub struct ReadOrListInput;
    file_path: String, schemars(length(min = 1)) => "The file or directory to read";
    offset: u64, serde(default = "first_line"), schemars(range(min = 1)) =>
        "First line (1-based)";
    limit: usize, serde(default = "default_limit"), schemars(range(min = 1, max = ReadRequest::MAX_LIMIT)) =>
        "Most lines";
}

fn first_line() -> u64 {
    1
}

fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}

/// What was read.
pub enum ReadOrListOutcome {
    /// A file.
    Read(ReadOutcome),
    /// The entries of a directory.
    Listed(Listing),
}

impl Operation for ReadOrList {
    type Input = ReadOrListInput;
    type Outcome = ReadOrListOutcome;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ReadOrListInput, caller: &Caller<'_>) -> Result<Proposed<ReadOrListOutcome>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let part = Part::From { first: input.offset, limit: input.limit };
        let request = ReadRequest { part, limits: caller.settings.read, ..ReadRequest::new(path.clone()) };
        match Read::perform(request, caller) {
            Err(Refused::Failed(error)) if error.kind() == ErrorKind::IsDirectory => {
                let request = ListRequest {
                    path,
                    depth: Some(1),
                    ignore: Vec::new(),
                    ignored: true,
                    offset: usize::try_from(input.offset - 1).unwrap_or(usize::MAX),
                    limit: input.limit.min(ListRequest::MAX_LIMIT),
                };
                Ok(ReadOrListOutcome::Listed(toolcrib_files::list(caller.sandbox, &request)?).into())
            }
            read => Ok(read?.map(ReadOrListOutcome::Read)),
        }
    }

    fn facts() -> Facts<ReadOrListOutcome> {
        facts! { ReadOrListOutcome, |it, words|
            "truncated": "Whether there is more than shown" => match it {
                ReadOrListOutcome::Read(read) => read.truncated(),
                ReadOrListOutcome::Listed(listing) => listing.next.is_some() || listing.partial,
            };
        }
    }
}
