//! The benchmarks by name. They measure and show; they are never part of `test`, where a busy machine would fail them.

mod peers;

use peers::{SEARCHERS, SERVERS, indexes as other_indexes, peers};

use crate::job::{Failure, Job, Outcome};
use crate::large_tree::{django_source, linux_source};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{cargo, need_program, program, run, toolcrib, toolcrib_optimised};
use crate::stages::{npm, originals, wheel};

pub(crate) const BENCHES: &[Job] = &[
    Job::with_extra(
        "startup",
        "a whole `toolcrib call` beside `cat`, and the first answer of the MCP server beside `node -e 0`",
        |extra| bench("toolcrib", "startup", extra),
    ),
    Job::with_extra("frame", "what the executor adds to a call: look up, validate, record", |extra| {
        bench("toolcrib", "frame", extra)
    }),
    Job::with_extra(
        "read",
        "ranges of a text of 1 GiB beside a bare count of newlines and sed, small files through the MCP server, and a PDF \
         beside pypdf and pdftotext",
        read,
    ),
    Job::new(
        "mcp",
        "small calls through the MCP server, beside rust-mcp-filesystem, the reference filesystem server and an echo",
        mcp,
    ),
    Job::with_extra("calls", "instructions and system calls of typical calls in a running MCP server", calls),
    Job::new("sessions", "one MCP server over HTTP with 1,000 sessions on 100 workspaces", sessions),
    Job::with_extra(
        "tokens",
        "what typical calls cost a model in tokens, in every dialect, beside the reference server and rust-mcp-filesystem",
        tokens,
    ),
    Job::with_extra(
        "edit",
        "an edit in 100 MB beside reading and writing it, 1000 hunks beside git apply and Codex, what comes closest in 1 MB",
        edit,
    ),
    Job::with_extra(
        "accuracy",
        "edits from git histories with the slips that models make, beside git apply, GNU patch and MCP servers",
        accuracy,
    ),
    Job::with_extra(
        "commit",
        "a change beside a plain write, fsync and rename; many files at once; many writers; what the journal adds",
        |extra| bench("toolcrib-journal", "commit", extra),
    ),
    Job::new(
        "record",
        "the hooks that record an agent's own edits, before and after a call, beside an empty program",
        record,
    ),
    Job::with_extra(
        "growth",
        "every tool and command while one size after the other is doubled: no time or memory may grow faster than n log n",
        |extra| bench("toolcrib", "growth", extra),
    ),
    Job::new(
        "python",
        "the Python package beside deepagents' FilesystemBackend and LangChain's FileManagementToolkit",
        python,
    ),
    Job::new(
        "node",
        "the npm package beside the reference filesystem server, Mastra's LocalFilesystem and fs/promises",
        node,
    ),
    Job::with_extra(
        "search",
        "Grep and Glob beside rg and fd on the sources of Linux, of Django and of this project, as processes and in a server, \
         with an index and without",
        search,
    ),
    Job::with_extra(
        "indexes",
        "Grep with its index beside other search indexes, on the sources of Linux and of Django: speed, size, and what they miss \
         of a change",
        indexes,
    ),
];

/// The programs whose tools dialects speak take part too.
const ORIGINALS: &str = "--originals";

/// It counts what is right and measures no time, so it needs no optimised build.
fn accuracy(extra: &[String]) -> Outcome {
    need_program("git", "git")?;
    need_program("patch", "patch")?;
    if let Some((ORIGINALS, extra)) = extra.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        let (python, modules) = originals::packages(&Metadata::load()?.target)?;
        return run(program(python)
            .arg("tests/originals/accuracy.py")
            .args(extra)
            .env("ORIGINALS_MODULES", modules));
    }
    run(cargo(["bench", "-p", "toolcrib", "--bench", "accuracy", "--profile", "dev", "--"]).args(extra))
}

fn mcp() -> Outcome {
    let target = Metadata::load()?.target;
    let peer = peers(&target, &SERVERS)?.join("rust-mcp-filesystem");
    let modules = packages::node_modules("tests/bench/package.json", &target.join("xtask/bench"))?;
    let toolcrib = toolcrib_optimised(&target)?;
    run(&mut cargo(["build", "--quiet", "--release", "-p", "toolcrib-mcp", "--example", "echo"]))?;
    let echo = target.join("release/examples/echo");
    run(program("python3").arg("tests/bench/mcp.py").arg(toolcrib).arg(modules).arg(peer).arg(echo))
}

fn calls(extra: &[String]) -> Outcome {
    need_program("strace", "strace")?;
    need_program("valgrind", "valgrind")?;
    let toolcrib = toolcrib_optimised(&Metadata::load()?.target)?;
    run(program("python3").arg("tests/bench/calls.py").arg(toolcrib).args(extra))
}

fn sessions() -> Outcome {
    let toolcrib = toolcrib_optimised(&Metadata::load()?.target)?;
    run(program("python3").arg("tests/bench/sessions.py").arg(toolcrib))
}

fn record() -> Outcome {
    let toolcrib = toolcrib_optimised(&Metadata::load()?.target)?;
    run(program("python3").arg("tests/bench/record.py").arg(toolcrib))
}

/// It counts and measures no time, so it needs no optimised build.
fn tokens(extra: &[String]) -> Outcome {
    let target = Metadata::load()?.target;
    let (django, peers) = (django_source()?, peers(&target, &SERVERS)?);
    let modules = packages::node_modules("tests/bench/package.json", &target.join("xtask/bench"))?;
    let mut command = program("python3");
    command.arg("tests/bench/tokens.py").arg(toolcrib(&target)?).arg(modules).arg(django);
    run(command.arg(peers.join("rust-mcp-filesystem")).args(extra))
}

fn python() -> Outcome {
    let folder = Metadata::load()?.target.join("xtask/wheel");
    let tools = packages::python("tests/bench/requirements.txt", &folder.join("bench"))?;
    let wheel = wheel::build(&tools, &folder.join("release"), &["--release"])?;
    let python = packages::fresh_python(&tools, &wheel, &folder.join("bench-fresh"))?;
    packages::lend(&tools, &folder.join("bench-fresh"))?;
    run(program(python).arg("tests/bench/python.py"))
}

fn node() -> Outcome {
    let npm::App { folder, node } = npm::optimised("tests/bench/node.mjs")?;
    run(program(node).arg("node.mjs").current_dir(folder))
}

fn search(extra: &[String]) -> Outcome {
    let target = Metadata::load()?.target;
    let (linux, django, peers) = (linux_source()?, django_source()?, peers(&target, &SEARCHERS)?);
    let toolcrib = toolcrib_optimised(&target)?;
    let mut command = cargo(["bench", "-p", "toolcrib", "--bench", "search", "--"]);
    command.arg("--linux").arg(linux).arg("--django").arg(django).arg("--peers").arg(peers);
    run(command.arg("--toolcrib").arg(toolcrib).args(extra))
}

fn indexes(extra: &[String]) -> Outcome {
    let target = Metadata::load()?.target;
    let (linux, django, peers, indexes) =
        (linux_source()?, django_source()?, peers(&target, &SEARCHERS)?, other_indexes(&target)?);
    let toolcrib = toolcrib_optimised(&target)?;
    let mut command = program("python3");
    command.arg("tests/bench/indexes/main.py").arg("--toolcrib").arg(toolcrib);
    command.arg("--linux").arg(linux).arg("--django").arg(django);
    command.arg("--modules").arg(indexes.modules).arg("--peers").arg(peers).args(indexes.programs);
    run(command.args(extra))
}

/// Codex's program acts as `apply_patch` if that is its name.
fn edit(extra: &[String]) -> Outcome {
    need_program("git", "git")?;
    let target = Metadata::load()?.target;
    let modules = packages::node_modules("tests/bench/codex/package.json", &target.join("xtask/codex"))?;
    let program = modules.join("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let named = modules.join("apply_patch");
    if !named.exists() {
        std::os::unix::fs::symlink(&program, &named)
            .map_err(|error| Failure::CouldNotRun(format!("{}: {error}", named.display())))?;
    }
    let mut command = cargo(["bench", "-p", "toolcrib", "--bench", "edit", "--"]);
    run(command.args(extra).env("TOOLCRIB_BENCH_CODEX", named))
}

fn bench(package: &str, name: &str, extra: &[String]) -> Outcome {
    run(cargo(["bench", "-p", package, "--bench", name, "--"]).args(extra))
}

/// With the programs it is held against.
fn read(extra: &[String]) -> Outcome {
    need_program("pdftotext", "poppler-utils")?;
    let venv = Metadata::load()?.target.join("xtask/venv-bench");
    let python = packages::python("crates/toolcrib/benches/requirements.txt", &venv)?;
    let mut command = cargo(["bench", "-p", "toolcrib", "--bench", "read", "--"]);
    run(command.args(extra).env("TOOLCRIB_BENCH_PYTHON", python))
}
