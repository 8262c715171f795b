//! A clean machine: each package is installed on an empty system, without Rust and without a network, and used as the README
//! shows it.
//!
//! The system is a folder with Debian's essential packages, made by `mmdebstrap` from the packages that this machine gets, and
//! entered with `chroot` in namespaces of its own. The container is an empty folder with the program alone. It needs root.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::artefacts::{copy, make, only, scratch, text, write};
use crate::console::{self, HOME, PROJECT, Step, agrees};
use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::shell::{need_program, program, read, root, run};

/// Besides the essential packages: what users of the wheel have, and what Node needs.
const PACKAGES: &str = "--include=python3-venv,libstdc++6";
/// Programs that a machine without a compiler does not have.
const COMPILERS: [&str; 4] = ["cargo", "rustc", "cc", "gcc"];

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Checks every package that has been built.
pub(super) fn check() -> Outcome {
    if !read(program("id").arg("-u"))?.trim().eq("0") {
        return Err(Failure::CouldNotRun("another root folder can be entered by root alone".to_owned()));
    }
    let base = base()?;
    all_of([archive(&base), deb(&base), wheel(&base), npm(&base), container()])
}

/// The packed system, made once.
fn base() -> Result<PathBuf, Failure> {
    need_program("mmdebstrap", "mmdebstrap")?;
    let release = text(Path::new("/etc/os-release"))?;
    let suite = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let suite =
        suite.ok_or_else(|| Failure::CouldNotRun("/etc/os-release names no VERSION_CODENAME".to_owned()))?;
    let packed = Metadata::load()?.target.join(format!("xtask/machine-{suite}.tar"));
    if !packed.exists() {
        let partial = packed.with_extension("partial.tar");
        packed.parent().map_or(Ok(()), make)?;
        // The sources of this machine: whatever mirror it uses.
        let sources = "cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null; true";
        let sources = read(program("sh").args(["-c", sources]))?;
        let list = if sources.contains("Types:") { "sources.sources" } else { "sources.list" };
        let list = packed.with_file_name(list);
        write(&list, &sources)?;
        run(program("mmdebstrap")
            .args(["--quiet", "--mode=root", "--variant=essential", PACKAGES, suite])
            .arg(&partial)
            .arg(&list))?;
        std::fs::rename(&partial, &packed).map_err(|error| super::artefacts::unusable(&packed, &error))?;
    }
    Ok(packed)
}

fn archive(base: &Path) -> Outcome {
    let machine = Machine::unpack("archive", base)?;
    machine.bring(&only(".tar.gz")?, "toolcrib.tar.gz")?;
    machine.shell("mkdir -p /usr/local && tar -xf /toolcrib.tar.gz -C /usr/local --strip-components=1")?;
    machine.session()?;
    machine.remove()
}

fn deb(base: &Path) -> Outcome {
    let machine = Machine::unpack("deb", base)?;
    machine.bring(&only(".deb")?, "toolcrib.deb")?;
    machine.shell("dpkg --install /toolcrib.deb && test -e /usr/share/man/man1 && dpkg --verify toolcrib")?;
    machine.session()?;
    machine.shell("dpkg --remove toolcrib && ! command -v toolcrib")?;
    machine.remove()
}

fn wheel(base: &Path) -> Outcome {
    let machine = Machine::unpack("wheel", base)?;
    let wheel = only(".whl")?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    machine.bring(&wheel, &name)?;
    machine.shell(&format!(
        "python3 -m venv /venv && /venv/bin/pip install --quiet --no-index /{name} && ln -s /venv/bin/toolcrib /usr/local/bin/"
    ))?;
    machine.shell(
        "cd /tmp && /venv/bin/python -c 'import toolcrib; box = toolcrib.Toolbox(\".\", journal=False); assert box.write(\"a.txt\", \"one\") and \"one\" in str(box.read(\"a.txt\"))'",
    )?;
    machine.session()?;
    machine.remove()
}

/// With this machine's Node and npm, which the system below has not: only they are brought along.
fn npm(base: &Path) -> Outcome {
    let machine = Machine::unpack("npm", base)?;
    let node = read(program("sh").args(["-c", "readlink -f \"$(command -v node)\""]))?;
    machine.bring(Path::new(node.trim()), "usr/local/bin/node")?;
    let modules = read(program("npm").args(["root", "--global"]))?;
    run(program("cp")
        .arg("-r")
        .arg(Path::new(modules.trim()).join("npm"))
        .arg(machine.folder.join("opt/npm")))?;
    let version = super::artefacts::version()?;
    let platform = format!("-{}-{version}.tgz", super::npm::platform());
    for (ending, name) in
        [(platform.as_str(), "platform.tgz"), (&format!("toolcrib-{version}.tgz"), "toolcrib.tgz")]
    {
        machine.bring(&only(ending)?, name)?;
    }
    machine.shell(
        "mkdir /app && cd /app && echo '{}' > package.json && node /opt/npm/bin/npm-cli.js install --offline --no-audit --no-fund --loglevel=error --omit=optional --legacy-peer-deps /toolcrib.tgz /platform.tgz && ln -s /app/node_modules/.bin/toolcrib /usr/local/bin/",
    )?;
    machine.shell(
        "cd /app && node -e 'const { Toolbox } = require(\"toolcrib\"); new Toolbox(\"/app\").call(\"LS\", {}).then((result) => { if (!result.success) process.exit(1); })'",
    )?;
    machine.session()?;
    machine.remove()
}

/// What the container file makes: the program and nothing else, not even a shell.
fn container() -> Outcome {
    let folder = scratch("machine/container")?;
    make(&folder.join("work"))?;
    let archive = only(".tar.gz")?;
    run(program("tar").arg("-xf").arg(&archive).arg("-C").arg(&folder).args([
        "--strip-components=2",
        "--wildcards",
        "*/bin/toolcrib",
    ]))?;
    write(&folder.join("work/a.txt"), "one\n")?;
    let call = |arguments: &[&str]| {
        let mut command = program("unshare");
        command
            .args(["--net", "chroot"])
            .arg(&folder)
            .arg("/toolcrib")
            .args(["--root", "/work"])
            .args(arguments);
        // The path is for `unshare` to find `chroot`.
        command.env_clear().envs([("HOME", "/state"), ("XDG_STATE_HOME", "/state"), ("PATH", PATH)]);
        command
    };
    run(&mut call(&["edit", "/work/a.txt", "one", "two"]))?;
    let read_back = read(&mut call(&["read", "/work/a.txt"]))?;
    run(&mut call(&["undo"]))?;
    if read_back.contains("two") && text(&folder.join("work/a.txt"))? == "one\n" {
        return Ok(());
    }
    Err(Failure::Faults(format!("in an empty root folder, the program has read: {read_back}")))
}

/// A system in a folder.
struct Machine {
    folder: PathBuf,
}

impl Machine {
    fn unpack(name: &str, base: &Path) -> Result<Self, Failure> {
        let folder = scratch(&format!("machine/{name}"))?;
        run(program("tar").arg("-xf").arg(base).arg("-C").arg(&folder))?;
        let machine = Self { folder };
        for compiler in COMPILERS {
            machine.shell(&format!("! command -v {compiler}"))?;
        }
        Ok(machine)
    }

    /// What has passed need not be looked at.
    fn remove(self) -> Outcome {
        std::fs::remove_dir_all(&self.folder)
            .map_err(|error| super::artefacts::unusable(&self.folder, &error))
    }

    fn bring(&self, file: &Path, name: &str) -> Outcome {
        copy(file, &self.folder.join(name))
    }

    /// A command in the system, without a network.
    fn command(&self, script: &str) -> Command {
        let mut command = program("unshare");
        let proc = format!("--mount-proc={}", self.folder.join("proc").display());
        command.args(["--net", "--pid", "--fork", "--mount"]).arg(proc).arg("chroot").arg(&self.folder);
        command.args(["/bin/sh", "-c", script]).env_clear().envs([
            ("PATH", PATH),
            ("HOME", HOME),
            ("LC_ALL", "C.UTF-8"),
        ]);
        command
    }

    fn shell(&self, script: &str) -> Outcome {
        run(&mut self.command(script))
    }

    /// The sessions of the README, as they stand there.
    fn session(&self) -> Outcome {
        self.shell(&format!("mkdir -p {PROJECT}"))?;
        let steps = console::steps(&text(&root().join("README.md"))?).map_err(Failure::Faults)?;
        let mut ran = 0;
        for step in steps {
            match step {
                Step::Setup { script, .. } => self.shell(&format!("cd {PROJECT} && {script}"))?,
                Step::NotRun { .. } => {}
                Step::Command { line, command, expected } => {
                    ran += 1;
                    let output = self.command(&format!("cd {PROJECT} && {{ {command}\n}} 2>&1")).output();
                    let output = output.map_err(|error| Failure::CouldNotRun(error.to_string()))?;
                    let printed = String::from_utf8_lossy(&output.stdout);
                    println!("$ {command}\n{printed}");
                    if !agrees(&expected, &printed) {
                        return Err(Failure::Faults(format!(
                            "README.md:{line}: `{command}` does not print what is written there, but:\n{printed}"
                        )));
                    }
                }
            }
        }
        if ran == 0 {
            return Err(Failure::Faults("README.md has no session to run".to_owned()));
        }
        Ok(())
    }
}
