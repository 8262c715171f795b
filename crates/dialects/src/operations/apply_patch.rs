//! A patch of one file or many.

use toolcrib_access::Proposed;
use toolcrib_files::{HunkReport, PatchRequest, Patched, PatchedFile, Refused};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::changes::MOST_LISTED;
use crate::facts::{Facts, facts};

/// Applies a patch, all of it or nothing.
pub struct ApplyPatch;

parameters! {
    /// The patch, and how it is applied.
    pub struct ApplyPatchInput;
    patch_text: String, schemars(length(min = 1)) =>
        "Unified diff (--- a/path, +++ b/path, @@), git's headers optional; or *** Begin Patch, *** Update File: path, @@, lines that start with a space, - or +, *** End Patch; or, under a file's path, <<<<<<< SEARCH, =======, >>>>>>> REPLACE. Paths are relative to the working directory";
    overwrite: bool, serde(default) => "Add or move onto a file that exists";
    append: bool, serde(default) =>
        "Add lines at the end of a file where the patch does not say where they go";
    fuzz: usize, serde(default), schemars(range(max = PatchRequest::MAX_FUZZ)) =>
        "Context lines to drop at either end of a hunk that does not fit";
    expected_version: Option<String> =>
        "Version to require of the only file, from Read";
}

impl Operation for ApplyPatch {
    type Input = ApplyPatchInput;
    type Outcome = Patched;
    const NAME: &'static str = "apply_patch";
    const TITLE: &'static str = "ApplyPatch";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: ApplyPatchInput, caller: &Caller<'_>) -> Result<Proposed<Patched>, Refused> {
        let request = PatchRequest {
            patch: input.patch_text,
            file: None,
            overwrite: input.overwrite,
            fuzz: input.fuzz,
            append: input.append,
            matching: caller.settings.matching,
            max_growth: caller.settings.max_growth,
            expected_version: input.expected_version,
        };
        toolcrib_files::apply_patch(caller.sandbox, &request)
    }

    fn facts() -> Facts<Patched> {
        facts! { Patched, |it, words|
            "files_modified": "How many files were changed" => it.files.len();
            "files": "The files that were changed", list(Self::file()) => it.files.iter().collect();
            "match": "The loosest match level used" => it.level().name();
            "already_applied": "Files that already contained the patch's changes" =>
                some(it.already_applied.iter().map(|path| words.path(path)).collect::<Vec<_>>());
            "changed_since_read": "Whether another program had changed one of the files since it was read" =>
                some(it.changed_since_read);
            "hidden_characters": "Invisible or direction-changing characters in the new lines" =>
                some(it.hidden(|path| words.path(path)));
        }
    }
}

impl ApplyPatch {
    /// The facts about one of the files.
    #[must_use]
    pub fn file() -> Facts<PatchedFile> {
        let hunk = facts! { HunkReport, |it, words|
            "hunk": "Which hunk of the file, counted from 1" => it.hunk;
            "line": "The line where it was found" => it.line;
            "offset": "How many lines below the patch's line number it was found; negative if above" => it.offset;
            "match": "Which differences were ignored to match the hunk" => it.level.name();
            "fuzz": "How many lines of context were dropped at an end of it" => it.fuzz;
        };
        let file = facts! { PatchedFile, |it, words|
            "path": "Where it is now, or was before it was deleted" => words.path(&it.path);
            "action": "add, update, delete or move" => it.action.name();
            "from": "Where it was before, or of what it is a copy" => it.from.as_ref().map(|from| words.path(from));
            "hunks": "Hunks that were not found exactly where the patch has them", list(hunk) =>
                elsewhere(&it.hunks).take(MOST_LISTED).collect();
        };
        file.if_any("hunks")
    }
}

/// The hunks that were not found exactly where the patch has them.
pub(crate) fn elsewhere(hunks: &[HunkReport]) -> impl Iterator<Item = &HunkReport> {
    hunks.iter().filter(|hunk| !hunk.is_exact())
}
