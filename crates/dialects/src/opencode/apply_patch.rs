//! `ApplyPatch`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{FileAction, HunkReport, PatchRequest, Patched, PatchedFile, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::facts::counted;
use crate::shown::{MOST_LISTED, with_diff};

pub(crate) struct ApplyPatch {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ApplyPatchInput {
    /// The patch: a unified or git diff, or *** Begin Patch … *** End Patch. Paths are relative to the working directory
    #[schemars(length(min = 1))]
    patch_text: String,
    /// Replace a file that exists where one is added or moved to (default: false)
    #[serde(default)]
    overwrite: bool,
    /// How many lines of context may be dropped at either end of a hunk that does not fit otherwise (default: 0)
    #[serde(default)]
    #[schemars(range(max = 3))]
    fuzz: usize,
    /// The version that the file must have, as Read gave it, if the patch changes one file
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ApplyPatchOutput {
    #[serde(skip)]
    text: String,
    /// How many files were changed
    files_modified: usize,
    /// The files that were changed
    files: Vec<FileResult>,
    /// The loosest of the levels at which the hunks were found
    #[serde(rename = "match")]
    level: String,
    /// Files that already were what the patch makes of them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    already_applied: Vec<String>,
    /// Whether somebody else had changed one of the files since it was read
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    changed_since_read: bool,
    /// Invisible or direction-changing characters in the new lines
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden_characters: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileResult {
    /// Where it is now, or was before it was deleted
    path: String,
    /// add, update, delete or move
    action: String,
    /// Where it was before, or of what it is a copy
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Hunks that were not found exactly where the patch has them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hunks: Vec<HunkResult>,
}

#[derive(Serialize, JsonSchema)]
struct HunkResult {
    /// Which hunk of the file, counted from 1
    hunk: usize,
    /// The line where it was found
    line: usize,
    /// How many lines that is below where the patch has it; less than 0 is above
    offset: isize,
    /// What had to be overlooked to find it
    #[serde(rename = "match")]
    level: String,
    /// How many lines of context were dropped at an end of it
    fuzz: usize,
}

impl Tool for ApplyPatch {
    type Input = ApplyPatchInput;
    type Output = ApplyPatchOutput;
    const NAME: &'static str = "ApplyPatch";
    const DESCRIPTION: &'static str = "\
Applies a patch to one file or many, all of it or nothing.

Usage:
- patch_text is a unified diff (--- a/path, +++ b/path, @@) with or without git's headers, or an envelope: *** Begin Patch, \
*** Update File: path, @@, lines that start with a space, - or +, *** End Patch
- Paths are relative to the working directory
- Files can be added, updated, deleted, moved, copied and made executable
- Existing files must be read first
- Line numbers may be off; the lines themselves must be those of the file, and stand there once or nearest to the line number
- Adding or moving onto a file that exists needs overwrite=true
- If anything does not fit, no file changes, and the error names every hunk that does not fit";
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
        Ok(toolcrib_files::apply_patch(call, &request)?.into())
    }

    fn render(&self, output: &ApplyPatchOutput) -> Option<String> {
        Some(output.text.clone())
    }
}

impl From<Patched> for ApplyPatchOutput {
    fn from(patched: Patched) -> Self {
        Self {
            text: text(&patched),
            files_modified: patched.files.len(),
            level: patched.level().name().to_owned(),
            already_applied: patched.already_applied.iter().map(|path| path.absolute.clone()).collect(),
            changed_since_read: patched.changed_since_read,
            hidden_characters: patched.hidden(|path| &path.absolute),
            files: patched.files.into_iter().map(FileResult::from).collect(),
        }
    }
}

impl From<PatchedFile> for FileResult {
    fn from(file: PatchedFile) -> Self {
        Self {
            path: file.path.absolute,
            action: file.action.name().to_owned(),
            from: file.from.map(|from| from.absolute),
            hunks: elsewhere(&file.hunks).take(MOST_LISTED).map(HunkResult::from).collect(),
        }
    }
}

impl From<&HunkReport> for HunkResult {
    fn from(report: &HunkReport) -> Self {
        let HunkReport { hunk, line, offset, level, fuzz } = *report;
        Self { hunk, line, offset, level: level.name().to_owned(), fuzz }
    }
}

fn text(patched: &Patched) -> String {
    let mut text = match patched.files.len() {
        0 => "Already applied: nothing was changed".to_owned(),
        count => format!("Patched {}", counted(count, "file", "files")),
    };
    for file in &patched.files {
        text.push_str(&format!("\n{}", listed(file)));
    }
    for path in &patched.already_applied {
        text.push_str(&format!("\n  already applied {}", path.absolute));
    }
    for file in &patched.files {
        // Who adds or deletes a file knows what is in it.
        if matches!(file.action, FileAction::Update | FileAction::Move) {
            text = with_diff(&text, &file.shown);
        }
    }
    text
}

/// What happened to a file, and what was not as the patch has it.
fn listed(file: &PatchedFile) -> String {
    let from = file.from.as_ref().map_or_else(String::new, |from| format!("{} -> ", from.absolute));
    let mut listed = format!("  {} {from}{}", file.action.name(), file.path.absolute);
    for hunk in elsewhere(&file.hunks).take(MOST_LISTED) {
        listed.push_str(&format!("\n    hunk {}: {hunk}", hunk.hunk));
    }
    let more = elsewhere(&file.hunks).skip(MOST_LISTED).count();
    if more > 0 {
        listed
            .push_str(&format!("\n    and {more} more hunks that are not exactly where the patch has them"));
    }
    listed
}

/// The hunks that were not found exactly where the patch has them.
fn elsewhere(hunks: &[HunkReport]) -> impl Iterator<Item = &HunkReport> {
    hunks.iter().filter(|hunk| !hunk.is_exact())
}
