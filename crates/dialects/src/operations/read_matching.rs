//! Several files in one answer, chosen by patterns.

use std::collections::BTreeSet;

use toolcrib_access::Proposed;
use toolcrib_files::{GlobRequest, ReadManyRequest, ReadRequest, Refused};
use toolcrib_tool::Effect;

use super::{Caller, Operation, ReadMany, ReadManyOutcome};
use crate::facts::Facts;

/// Reads the start of the files that patterns choose.
pub struct ReadMatching;

parameters! {
    /// Which files.
    pub struct ReadMatchingInput;
    include: Vec<String>, schemars(length(min = 1, max = ReadManyRequest::MAX_FILES)) =>
        "Glob patterns or paths of the files to read, such as src/**/*.ts or README.md";
    exclude: Vec<String>, serde(default) => "Glob patterns of what to leave out, such as **/*.log or temp/";
}

/// How many files are looked at for each pattern, the newest.
const MOST: usize = 1000;

impl Operation for ReadMatching {
    type Input = ReadMatchingInput;
    type Outcome = ReadManyOutcome;
    const NAME: &'static str = "read_many";
    const TITLE: &'static str = "ReadManyFiles";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ReadMatchingInput, caller: &Caller<'_>) -> Result<Proposed<ReadManyOutcome>, Refused> {
        let mut chosen = BTreeSet::new();
        for pattern in input.include {
            let request = GlobRequest {
                pattern: pattern.clone(),
                path: caller.start(None)?,
                ignore_case: true,
                hidden: true,
                ignored: false,
                directories: false,
                exclude: input.exclude.clone(),
                offset: 0,
                limit: MOST,
            };
            match toolcrib_files::glob(caller.sandbox, &request) {
                Ok(matches) if !matches.files.is_empty() => {
                    chosen.extend(matches.files.into_iter().map(|file| file.absolute));
                }
                // What was meant as a path is told why it cannot be read.
                _ if is_path(&pattern) => _ = chosen.insert(pattern),
                found => _ = found?,
            }
        }
        let mut files: Vec<String> = chosen.into_iter().collect();
        let beyond = files.split_off(files.len().min(ReadManyRequest::MAX_FILES));
        let mut outcome = ReadMany::perform(files, ReadRequest::DEFAULT_LIMIT, caller)?;
        outcome.left_out.extend(beyond);
        Ok(outcome.into())
    }

    fn facts() -> Facts<ReadManyOutcome> {
        ReadMany::facts()
    }
}

/// Whether a pattern has no wildcard.
fn is_path(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{'])
}
