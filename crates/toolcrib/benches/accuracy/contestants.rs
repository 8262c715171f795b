//! Who makes the changes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolcrib::{Dialect, Toolbox};

use crate::slips::{Case, Form};
use crate::{FILE, Result};

/// Something that takes calls and changes a file. Whether it says that it did is not asked: the disk counts.
pub(crate) trait Contestant {
    fn name(&self) -> String;
    fn takes(&self, form: Form) -> bool;
    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()>;
}

/// Toolcrib as a library, in one of its dialects.
pub(crate) struct InProcess(Toolbox);

impl InProcess {
    pub(crate) fn open(root: &Path, dialect: Dialect) -> Result<Self> {
        Ok(Self(Toolbox::builder().root(root).dialect(dialect).open()?))
    }

    /// The tool that takes a call of this form, and how.
    fn tool(&self, form: Form) -> Option<(&'static str, Arguments)> {
        let dialect = self.0.dialect();
        if form != Form::Edit {
            return match dialect {
                Dialect::Standard => Some(("ApplyPatch", |_, patch, _| json!({"patch_text": patch}))),
                Dialect::Ekacode => Some(("apply_patch", |_, patch, _| json!({"patchText": patch}))),
                Dialect::Opencode if form == Form::Envelope => {
                    Some(("apply_patch", |_, patch, _| json!({"patchText": patch})))
                }
                Dialect::ApplyPatch if form == Form::Envelope => {
                    Some(("apply_patch", |_, patch, _| json!({"input": patch})))
                }
                Dialect::ApplyPatchV4a if form == Form::Envelope => {
                    Some(("update_file", |_, patch, _| json!({"path": FILE, "diff": body(patch)})))
                }
                _ => None,
            };
        }
        let replace: Arguments =
            |file, old, new| json!({"command": "str_replace", "path": file, "old_str": old, "new_str": new});
        Some(match dialect {
            Dialect::Standard | Dialect::ClaudeCode => {
                ("Edit", |file, old, new| json!({"file_path": file, "old_string": old, "new_string": new}))
            }
            Dialect::Ekacode | Dialect::Opencode => {
                ("edit", |file, old, new| json!({"filePath": file, "oldString": old, "newString": new}))
            }
            Dialect::Filesystem => (
                "edit_file",
                |file, old, new| json!({"path": file, "edits": [{"oldText": old, "newText": new}]}),
            ),
            Dialect::TextEditor => ("str_replace_based_edit_tool", replace),
            Dialect::TextEditor20250124 => ("str_replace_editor", replace),
            Dialect::Memory => ("memory", |_, old, new| {
                let path = format!("/memories/{FILE}");
                json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
            }),
            Dialect::Gemini => {
                ("replace", |file, old, new| json!({"file_path": file, "old_string": old, "new_string": new}))
            }
            _ => return None,
        })
    }
}

/// What stands in an envelope of one file, without the envelope.
fn body(envelope: &str) -> String {
    let outside = |line: &&str| !line.starts_with("***") || line.starts_with("*** End of File");
    let inside = envelope.lines().skip_while(|line| !line.starts_with("*** Begin Patch")).filter(outside);
    let inside: Vec<&str> = inside.take_while(|line| !line.starts_with("```")).collect();
    inside.join("\n")
}

/// The arguments of a call: the file, and the old and the new text; or a patch as the old one.
type Arguments = fn(&str, &str, &str) -> Value;

impl Contestant for InProcess {
    fn name(&self) -> String {
        format!("Toolcrib, {}", self.0.dialect())
    }

    fn takes(&self, form: Form) -> bool {
        self.tool(form).is_some()
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        let Some((tool, arguments)) = self.tool(form) else { return Ok(()) };
        let file = root.join(FILE).to_string_lossy().into_owned();
        let [old, new] = if form == Form::Edit { case.texts() } else { [case.call(form), String::new()] };
        self.0.call_blocking(tool, arguments(&file, &old, &new), &self.0.context());
        Ok(())
    }
}

/// A program that takes a patch on its standard input, such as Codex under the name `apply_patch`.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl Contestant for Program {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn takes(&self, form: Form) -> bool {
        form == Form::Envelope
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        feed(Command::new(&self.path).current_dir(root), &case.call(form))
    }
}

pub(crate) struct GitApply;

impl Contestant for GitApply {
    fn name(&self) -> String {
        "git apply".to_owned()
    }

    fn takes(&self, form: Form) -> bool {
        form == Form::Unified
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        let mut command = Command::new("git");
        command.args(["apply", "--whitespace=nowarn", "-"]).env("GIT_CEILING_DIRECTORIES", "/");
        feed(command.current_dir(root), &case.call(form))
    }
}

pub(crate) struct GnuPatch;

impl Contestant for GnuPatch {
    fn name(&self) -> String {
        "GNU patch".to_owned()
    }

    fn takes(&self, form: Form) -> bool {
        form == Form::Unified
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        let mut command = Command::new("patch");
        command.args([
            "-p1",
            "--batch",
            "--forward",
            "--silent",
            "--no-backup-if-mismatch",
            "--reject-file=-",
        ]);
        feed(command.current_dir(root), &case.call(form))
    }
}

fn feed(command: &mut Command, text: &str) -> Result<()> {
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if let Some(mut input) = process.stdin.take() {
        // Who refuses early does not read to the end.
        _ = input.write_all(text.as_bytes());
    }
    process.wait()?;
    Ok(())
}
