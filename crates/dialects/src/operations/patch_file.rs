//! A diff of one file, which is named beside it.

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib_access::Proposed;
use toolcrib_files::{NamedFile, PatchRequest, Patched, Refused};
use toolcrib_tool::Effect;

use super::{ApplyPatch, Caller, Operation};
use crate::facts::Facts;

/// Creates, updates or deletes one file by a diff without an envelope.
pub struct PatchFile;

parameters! {
    /// Which file, what happens to it, and the diff.
    pub struct PatchFileInput;
    action: FileOperation => "What happens to the file";
    file_path: String, schemars(length(min = 1)) => "The file, relative to the working directory";
    diff: String, serde(default) => "What changes in it, without *** Begin Patch and without the name of the file";
    move_to: Option<String>, schemars(length(min = 1)) => "Where the file is afterwards, if it is moved too";
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FileOperation {
    Create,
    Update,
    Delete,
}

impl Operation for PatchFile {
    type Input = PatchFileInput;
    type Outcome = Patched;
    const NAME: &'static str = "patch_file";
    const TITLE: &'static str = "PatchFile";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: PatchFileInput, caller: &Caller<'_>) -> Result<Proposed<Patched>, Refused> {
        let PatchFileInput { action, file_path: path, diff, move_to } = input;
        let file = match action {
            FileOperation::Create => NamedFile::Created { path },
            FileOperation::Update => NamedFile::Updated { path, move_to },
            FileOperation::Delete => NamedFile::Deleted { path },
        };
        let request = PatchRequest {
            patch: diff,
            file: Some(file),
            overwrite: false,
            fuzz: 0,
            // OpenAI's own functions put lines without a place at the top, and Codex at the end.
            append: false,
            matching: caller.settings.matching,
            max_growth: caller.settings.max_growth,
            expected_version: None,
        };
        toolcrib_files::apply_patch(caller.sandbox, &request)
    }

    fn facts() -> Facts<Patched> {
        ApplyPatch::facts()
    }
}
