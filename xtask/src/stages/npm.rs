//! The npm package: packed, installed into an empty project, and the tests in bindings/node/tests there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{cargo, program, read, root, run};

const TESTS: &str = "bindings/node/tests";
const PACKAGES: &str = "bindings/node/tests/package.json";
const MAKE_TYPES: &str = "bindings/node/npm/scripts/dialects.mjs";
const TYPES: &str = "bindings/node/npm/src/dialects.ts";
/// Run by the Node that runs everywhere.
const PLAIN: [&str; 4] = ["scenarios.test.mjs", "toolbox.test.mjs", "command.test.mjs", "leak.test.mjs"];
/// Run by the newer Node that the frameworks need, which becomes the command in another way.
const NEWER: [&str; 3] = ["frameworks.test.mjs", "filesystem.test.mjs", "command.test.mjs"];

pub(crate) fn check() -> Outcome {
    let folder = Metadata::load()?.target.join("xtask/npm");
    let modules = packages::node_modules(PACKAGES, &folder)?;
    let built = built(&folder)?;
    types_are_current(&built.module)?;
    let tarballs = pack(&folder, "linux-x64-gnu", &built)?;
    let app = install(&folder, &tarballs)?;
    copy(&root().join(TESTS), &app)?;
    copy(&root().join("examples/node"), &app.join("examples"))?;
    let newer = modules.join("node/bin/node");
    let node = |node: &Path, tests: &[&str]| {
        let mut node = program(node);
        node.args(["--test", "--test-reporter=dot"]).args(tests).current_dir(&app);
        run(node.env("TOOLCRIB_REPOSITORY", root()))
    };
    let tool = |name: &str| program(modules.join(".bin").join(name));
    all_of([
        node(Path::new("node"), &PLAIN),
        node(&newer, &NEWER),
        run(tool("tsc").args(["-p", "tsconfig.json"]).current_dir(&app)),
        examples(&newer, &app),
        run(tool("attw").arg(&tarballs[0]).current_dir(&folder)),
        all_of(
            tarballs
                .iter()
                .map(|tarball| run(tool("publint").arg("--strict").arg(tarball).current_dir(&folder))),
        ),
    ])
}

/// Every example runs, without a key.
fn examples(node: &Path, app: &Path) -> Outcome {
    let folder = app.join("examples");
    let mut names: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(unreadable(folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(Failure::Faults("there is no example in examples/node".to_owned()));
    }
    let without_keys = |example: &PathBuf| {
        let mut node = program(node);
        node.arg("--disable-warning=ExperimentalWarning").arg(example).current_dir(app);
        run(node.env_remove("OPENAI_API_KEY").env_remove("ANTHROPIC_API_KEY"))
    };
    all_of(names.iter().map(without_keys))
}

/// A project with the package in it.
pub(crate) struct App {
    pub(crate) folder: PathBuf,
    /// The Node that the frameworks need.
    pub(crate) node: PathBuf,
}

/// The package as it is shipped, in a project beside a file of the repository.
pub(crate) fn optimised(file: &str) -> Result<App, Failure> {
    let target = Metadata::load()?.target;
    let folder = target.join("xtask/npm");
    let modules = packages::node_modules(PACKAGES, &folder)?;
    run(&mut cargo(["build", "--release", "-p", "toolcrib-node", "-p", "toolcrib-cli"]))?;
    let release = target.join("release");
    let built = Built { module: release.join("libtoolcrib_node.so"), program: release.join("toolcrib") };
    let app = install(&folder, &pack(&folder, "linux-x64-gnu", &built)?)?;
    let name = Path::new(file).file_name().unwrap_or_default();
    fs::copy(root().join(file), app.join(name)).map_err(unreadable(file))?;
    Ok(App { folder: app, node: modules.join("node/bin/node") })
}

/// The native module and the program, small enough to be packed.
struct Built {
    module: PathBuf,
    program: PathBuf,
}

/// Builds both with the features that the tests of the workspace were built with, so that nothing is built twice.
fn built(folder: &Path) -> Result<Built, Failure> {
    run(&mut cargo(["build", "--workspace", "--exclude", "xtask", "--lib", "--bins"]))?;
    let debug = Metadata::load()?.target.join("debug");
    let built = Built { module: folder.join("module.node"), program: folder.join("toolcrib") };
    run(program("strip").arg("-o").arg(&built.module).arg(debug.join("libtoolcrib_node.so")))?;
    run(program("strip").arg("-o").arg(&built.program).arg(debug.join("toolcrib")))?;
    Ok(built)
}

/// The types of the tools are made of the same descriptions as their schemas.
fn types_are_current(module: &Path) -> Outcome {
    let made = read(program("node").arg(MAKE_TYPES).arg(module))?;
    let committed = fs::read_to_string(root().join(TYPES)).map_err(unreadable(TYPES))?;
    if made == committed {
        return Ok(());
    }
    let again = format!("node {MAKE_TYPES} target/debug/libtoolcrib_node.so > {TYPES}");
    Err(Failure::Faults(format!("{TYPES} is not what the tools are; run `{again}`")))
}

/// The tarballs of the package and of a platform.
fn pack(folder: &Path, platform: &str, built: &Built) -> Result<[PathBuf; 2], Failure> {
    let build = "bindings/node/npm/scripts/build.mjs";
    for entry in fs::read_dir(folder).map_err(unreadable(folder.display()))?.flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "tgz") {
            fs::remove_file(entry.path()).map_err(unreadable(entry.path().display()))?;
        }
    }
    run(program("node").args([build, "main"]).arg(folder))?;
    let args = [build, "platform"];
    run(program("node").args(args).arg(folder).arg(platform).arg(&built.module).arg(&built.program))?;
    let tarball = |prefix: &str| {
        let found = fs::read_dir(folder).map_err(unreadable(folder.display()))?.flatten();
        let mut found = found.map(|entry| entry.path());
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.ends_with(".tgz"))
        };
        found.find(named).ok_or_else(|| Failure::CouldNotRun(format!("npm has packed no {prefix}*.tgz")))
    };
    Ok([tarball("toolcrib-")?, tarball(&format!("toolcrib-{platform}-"))?])
}

/// An empty project with the packages in it.
fn install(folder: &Path, tarballs: &[PathBuf]) -> Result<PathBuf, Failure> {
    let app = folder.join("app");
    if app.exists() {
        fs::remove_dir_all(&app).map_err(unreadable(app.display()))?;
    }
    fs::create_dir_all(&app).map_err(unreadable(app.display()))?;
    let manifest = "{ \"private\": true, \"type\": \"module\" }\n";
    fs::write(app.join("package.json"), manifest).map_err(unreadable(app.display()))?;
    let install =
        ["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--legacy-peer-deps"];
    run(program("npm").args(install).args(tarballs).current_dir(&app))?;
    Ok(app)
}

/// Copies the files of a folder: packages are looked for from where a script lies.
fn copy(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to).map_err(unreadable(to.display()))?;
    for entry in fs::read_dir(from).map_err(unreadable(from.display()))?.flatten() {
        let name = entry.file_name();
        if entry.path().is_file() && name != "package.json" {
            fs::copy(entry.path(), to.join(&name)).map_err(unreadable(entry.path().display()))?;
        }
    }
    Ok(())
}

fn unreadable(path: impl std::fmt::Display) -> impl Fn(std::io::Error) -> Failure {
    let path = path.to_string();
    move |error| Failure::CouldNotRun(format!("{path}: {error}"))
}
