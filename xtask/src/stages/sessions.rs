//! The terminal sessions in README.md and docs/, run with the built program: each prints what is written there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::docs::markdown::{File, files};
use crate::console::{self, HOME, PROJECT, Step, agrees};
use crate::job::{Failure, Outcome, none_of};
use crate::metadata::Metadata;
use crate::shell::{program, root, toolcrib};

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let program = toolcrib(&target)?;
    let folder = target.join("xtask/sessions");
    let mut pages = files(&root().join("docs"), "md")?;
    pages.extend(files(root(), "md")?.into_iter().filter(|page| page.path == Path::new("README.md")));
    let mut faults = Vec::new();
    let (mut ran, mut not_run) = (0, 0);
    for page in &pages {
        let name = page.path.display();
        let steps = match console::steps(&page.text) {
            Ok(steps) if steps.is_empty() => continue,
            Ok(steps) => steps,
            Err(fault) => {
                faults.push(format!("{name}: {fault}"));
                continue;
            }
        };
        let session = Session::start(page, &folder, &program)?;
        for step in steps {
            match step {
                Step::NotRun { line, reason } => {
                    not_run += 1;
                    println!("{name}:{line}: not run, because {reason}");
                }
                Step::Setup { line, script } => faults.extend(session.prepare(line, &script)?),
                Step::Command { line, command, expected } => {
                    ran += 1;
                    faults.extend(session.compare(line, &command, &expected)?);
                }
            }
        }
    }
    println!("{ran} commands run, {not_run} sessions not run");
    if ran == 0 {
        faults.push("no session was run".to_owned());
    }
    none_of(faults)
}

/// The folder of a page, which stands for the home of the documentation's user.
struct Session<'a> {
    page: &'a Path,
    top: PathBuf,
    path: String,
}

impl<'a> Session<'a> {
    fn start(page: &'a File, folder: &Path, program: &Path) -> Result<Self, Failure> {
        let top = folder.join(page.path.to_string_lossy().replace('/', "-"));
        let unusable = |error| Failure::CouldNotRun(format!("{}: {error}", top.display()));
        if top.exists() {
            fs::remove_dir_all(&top).map_err(unusable)?;
        }
        let bin = top.join("bin");
        fs::create_dir_all(&bin).map_err(unusable)?;
        fs::create_dir_all(inside(&top, PROJECT)).map_err(unusable)?;
        std::os::unix::fs::symlink(program, bin.join("toolcrib")).map_err(unusable)?;
        let users = inside(&top, HOME).join(".local/bin");
        let rest = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{rest}", bin.display(), users.display());
        Ok(Self { page: &page.path, top, path })
    }

    fn shell(&self, script: &str) -> Command {
        // Paths are written as on the user's machine; here they are below a folder of ours.
        let script = script.replace(HOME, &inside(&self.top, HOME).display().to_string());
        let mut command = program("sh");
        command
            .arg("-c")
            .arg(format!("{{ {script}\n}} 2>&1"))
            .current_dir(inside(&self.top, PROJECT))
            .env_clear();
        command.envs([("PATH", self.path.as_str()), ("LC_ALL", "C.UTF-8"), ("TERM", "dumb")]);
        command.env("HOME", inside(&self.top, HOME));
        command
    }

    fn output(&self, script: &str) -> Result<(bool, String), Failure> {
        let output = self.shell(script).output();
        let output = output.map_err(|error| Failure::CouldNotRun(format!("sh: {error}")))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        Ok((output.status.success(), printed.replace(&self.top.display().to_string(), "")))
    }

    fn prepare(&self, line: usize, script: &str) -> Result<Option<String>, Failure> {
        let (success, printed) = self.output(&format!("set -e\n{script}"))?;
        Ok((!success).then(|| format!("{}:{line}: the preparation failed:\n{printed}", self.page.display())))
    }

    fn compare(&self, line: usize, command: &str, expected: &[String]) -> Result<Option<String>, Failure> {
        let (_, printed) = self.output(command)?;
        Ok((!agrees(expected, &printed))
            .then(|| format!("{}:{line}: `{command}` prints this instead:\n{printed}", self.page.display())))
    }
}

/// A path of the user's machine below the folder that stands for it.
fn inside(top: &Path, path: &str) -> PathBuf {
    top.join(path.trim_start_matches('/'))
}
