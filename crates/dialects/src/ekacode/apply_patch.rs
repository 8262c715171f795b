//! `apply_patch`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{PatchRequest, Patched, PatchedFile, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::shown::note_facts;

pub(crate) struct ApplyPatch {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplyPatchInput {
    /// The patch: a unified or git diff, or *** Begin Patch … *** End Patch. Paths are relative to the workspace root
    #[schemars(length(min = 1))]
    patch_text: String,
    /// Replace a file that exists where one is added or moved to (default: false)
    #[serde(default)]
    overwrite: bool,
    /// How many lines of context may be dropped at either end of a hunk that does not fit otherwise (default: 0)
    #[serde(default)]
    #[schemars(range(max = 3))]
    fuzz: usize,
    /// The version that the file must have, if the patch changes one file
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplyPatchOutput {
    /// Always true: a failure is an error
    success: bool,
    /// How many files were changed
    files_modified: usize,
    /// The files that were changed
    files: Vec<FileResult>,
}

#[derive(Serialize, JsonSchema)]
struct FileResult {
    /// Where it is now, or was before it was deleted, relative to the workspace
    path: String,
    /// add, update, delete or move
    action: String,
    /// Where it was before, or of what it is a copy
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

impl Tool for ApplyPatch {
    type Input = ApplyPatchInput;
    type Output = ApplyPatchOutput;
    const NAME: &'static str = "apply_patch";
    const TITLE: &'static str = "ApplyPatch";
    const DESCRIPTION: &'static str = "\
Applies a patch to one file or many, all of it or nothing: a unified or git diff, or *** Begin Patch with *** Add File, \
*** Update File, *** Delete File and *** Move to. Read the files first. Adding or moving onto a file that exists needs overwrite.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: ApplyPatchInput, call: &mut Call<'_>) -> Result<ApplyPatchOutput, ToolError> {
        let request = PatchRequest {
            patch: input.patch_text,
            overwrite: input.overwrite,
            fuzz: input.fuzz,
            matching: self.settings.matching,
            max_growth: self.settings.max_growth,
            expected_version: input.expected_version,
        };
        let patched = toolcrib_files::apply_patch(call, &request)?;
        note_facts(call, patched.level(), &patched.hidden(|path| &path.relative), patched.changed_since_read);
        if !patched.already_applied.is_empty() {
            let paths = patched.already_applied.iter().map(|path| path.relative.clone());
            call.note("already_applied", paths.collect::<Vec<_>>());
        }
        Ok(patched.into())
    }
}

impl From<Patched> for ApplyPatchOutput {
    fn from(patched: Patched) -> Self {
        let files: Vec<FileResult> = patched.files.into_iter().map(FileResult::from).collect();
        Self { success: true, files_modified: files.len(), files }
    }
}

impl From<PatchedFile> for FileResult {
    fn from(file: PatchedFile) -> Self {
        Self {
            path: file.path.relative,
            action: file.action.name().to_owned(),
            from: file.from.map(|from| from.relative),
        }
    }
}
