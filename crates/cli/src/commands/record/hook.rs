//! `toolcrib record-hook AGENT`: what an agent's hook calls before and after a built-in tool that changes files.
//!
//! The agent's JSON comes on standard input. Whatever goes wrong, the agent goes on: the exit status is 0, nothing is written
//! to standard output, and `toolcrib doctor` tells what could not be recorded.

use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::Value;
use toolcrib::{ForeignCall, Toolbox};

use super::super::prepare;
use crate::args::Common;
use crate::output;

#[derive(Debug, clap::Args)]
pub(crate) struct HookArgs {
    /// The agent whose hook this is
    agent: String,
}

/// What an agent tells its hook. The names are Claude Code's, which most others have taken over.
#[derive(Debug, Deserialize)]
struct Event {
    hook_event_name: String,
    session_id: Option<String>,
    tool_name: String,
    tool_use_id: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    tool_input: Value,
}

pub(crate) fn run(common: &Common, args: &HookArgs) -> ExitCode {
    let recorded = std::panic::catch_unwind(AssertUnwindSafe(|| record(common, &args.agent)));
    let left_out = match recorded {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) => error,
        Err(_) => "internal fault".to_owned(),
    };
    output::say(&format!("toolcrib record: {left_out}"));
    ExitCode::SUCCESS
}

fn record(common: &Common, agent: &str) -> Result<(), String> {
    let mut input = Vec::new();
    std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut input).map_err(|error| error.to_string())?;
    let event: Event = serde_json::from_slice(&input)
        .map_err(|error| format!("{agent} sent no event of a tool: {error}"))?;
    let paths = paths_in(&event.tool_input);
    if paths.is_empty() {
        return Ok(());
    }
    let project = common.roots.first().cloned().or_else(project).or_else(|| event.cwd.clone());
    let root = project.ok_or_else(|| format!("{agent} does not say in which directory it works"))?;
    let working_dir = event.cwd.clone().unwrap_or_else(|| root.clone());
    let common = Common { roots: vec![root], session: None, ..common.clone() };
    let toolbox = prepare(&common, common.dialect).and_then(|builder| builder.one_call().open());
    let toolbox = toolbox.map_err(|error| error.to_string())?;
    let call = ForeignCall {
        agent,
        session: event.session_id.as_deref(),
        tool: &event.tool_name,
        id: event.tool_use_id.as_deref().filter(|id| !id.is_empty()),
        paths: &paths,
        working_dir: &working_dir,
    };
    let is_before = ["Pre", "Before"].iter().any(|word| event.hook_event_name.starts_with(word));
    let left_out = if is_before {
        toolbox.before_foreign_call(&call)
    } else {
        toolbox.after_foreign_call(&call).map(|change| change.left_out)
    };
    tell(&toolbox, &call, &left_out.unwrap_or_else(|error| vec![error.to_string()]));
    Ok(())
}

/// Says what is not recorded, now and to those who ask later.
fn tell(toolbox: &Toolbox, call: &ForeignCall<'_>, left_out: &[String]) {
    for what in left_out {
        let what = format!("{}, {}: {what}", call.agent, call.tool);
        output::say(&format!("toolcrib record: {what}"));
        let _ = toolbox.note_unrecorded(&what);
    }
}

/// The project that the agent works on, as it tells its hooks.
fn project() -> Option<PathBuf> {
    ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"]
        .iter()
        .find_map(|variable| std::env::var_os(variable).map(PathBuf::from))
        .filter(|path| path.is_absolute())
}

/// The files that a call's arguments name: under the names that agents use, in lists too, and in a patch.
fn paths_in(arguments: &Value) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect(arguments, 0, &mut paths);
    let mut seen = std::collections::HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

fn collect(arguments: &Value, depth: usize, paths: &mut Vec<PathBuf>) {
    const NAMES: [&str; 7] =
        ["file_path", "filePath", "path", "notebook_path", "notebookPath", "absolute_path", "target_file"];
    const PATCHES: [&str; 4] = ["patchText", "patch", "patch_text", "input"];
    const DEEPEST: usize = 3;
    match arguments {
        Value::Object(named) => {
            for (name, value) in named {
                match value {
                    Value::String(path) if NAMES.contains(&name.as_str()) && !path.is_empty() => {
                        paths.push(PathBuf::from(path));
                    }
                    Value::String(patch) if PATCHES.contains(&name.as_str()) => paths.extend(patched(patch)),
                    Value::Array(_) | Value::Object(_) if depth < DEEPEST => collect(value, depth + 1, paths),
                    _ => {}
                }
            }
        }
        Value::Array(values) if depth < DEEPEST => {
            values.iter().for_each(|value| collect(value, depth + 1, paths));
        }
        _ => {}
    }
}

/// The files that a patch in the form of apply_patch names.
fn patched(patch: &str) -> impl Iterator<Item = PathBuf> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|line| {
        let path = HEADERS.iter().find_map(|header| line.strip_prefix(header))?;
        Some(Path::new(path.trim()).to_owned())
    })
}

/// The content of a file that is written is in the event.
const MOST_INPUT: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(arguments: Value) -> Vec<String> {
        paths_in(&arguments).into_iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn the_files_of_every_agents_tools_are_found() {
        assert_eq!(found(json!({"file_path": "/p/a", "old_string": "path", "new_string": ""})), ["/p/a"]);
        assert_eq!(found(json!({"notebook_path": "/p/n.ipynb", "new_source": "x"})), ["/p/n.ipynb"]);
        assert_eq!(
            found(json!({"filePath": "a", "edits": [{"filePath": "b"}, {"filePath": "a"}]})),
            ["a", "b"]
        );
        let patch = "*** Begin Patch\n*** Update File: a b\n*** Move to: c\n@@\n-x\n+*** Add File: no\n*** Delete File: d\n*** End Patch";
        assert_eq!(found(json!({"patchText": patch})), ["a b", "c", "d"]);
        assert_eq!(
            found(json!({"command": "rm a", "a": {"b": {"c": {"d": {"path": "x"}}}}})),
            Vec::<String>::new()
        );
        assert_eq!(found(json!(null)), Vec::<String>::new());
    }
}
