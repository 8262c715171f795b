//! Who makes the changes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use toolcrib::Toolbox;

use crate::slips::{Case, Form};
use crate::{FILE, Result};

/// Something that takes calls and changes a file. Whether it says that it did is not asked: the disk counts.
pub(crate) trait Contestant {
    fn name(&self) -> String;
    fn takes(&self, form: Form) -> bool;
    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()>;
}

/// Toolcrib as a library.
pub(crate) struct InProcess(Toolbox);

impl InProcess {
    pub(crate) fn open(root: &Path) -> Result<Self> {
        Ok(Self(Toolbox::open(root)?))
    }
}

impl Contestant for InProcess {
    fn name(&self) -> String {
        "Toolcrib".to_owned()
    }

    fn takes(&self, _form: Form) -> bool {
        true
    }

    fn call(&mut self, root: &Path, form: Form, case: &Case) -> Result<()> {
        let (tool, arguments) = match form {
            Form::Edit => {
                let [old, new] = case.texts();
                ("Edit", json!({"file_path": root.join(FILE), "old_string": old, "new_string": new}))
            }
            Form::Unified | Form::Envelope => ("ApplyPatch", json!({"patch_text": case.call(form)})),
        };
        self.0.call_blocking(tool, arguments, &self.0.context());
        Ok(())
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
