//! Data-driven cases: a workspace before, a call, what the agent reads, the workspace after.
//!
//! ```text
//! scenarios/read/003_range/
//!   input/         the workspace before
//!   call.json      {"tool": "Read", "parameters": {"file_path": "$ROOT/notes.txt"}}
//!                  and, where needed, "dialect", "dry_run", "session", "config"
//!   output.txt     what the agent reads
//!   metadata.json  facts the answer must hold, among others
//!   expected/      the workspace after, where the call changes it; a directory that is empty holds a file `.empty`
//!   make.json      more files of the workspace before, see `make.rs`
//!   times.json     {"notes.txt": 1700000000}: when a file was last changed, where that matters
//! ```
//!
//! `$ROOT` stands for the workspace's path, in the call and in the answers. With `UPDATE=1` in the environment,
//! `output.txt` is written instead of compared. Everything in the workspace was last changed at the start of 2024, unless
//! `times.json` says otherwise.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::make::make;
use crate::tree::{Tree, copy_tree, set_times};

/// One case, ready to be called: its workspace is laid out at [`Case::root`].
#[derive(Debug)]
pub struct Case {
    /// Which case, such as `read/003_range`.
    pub name: String,
    /// The workspace.
    pub root: PathBuf,
    /// The tool to call.
    pub tool: String,
    /// Its parameters.
    pub parameters: Value,
    /// The dialect, if it is not the default one.
    pub dialect: Option<String>,
    /// Whether it is a dry run.
    pub dry_run: bool,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The user's configuration, if it is not the default one.
    pub config: Option<String>,
}

/// What a door answered.
#[derive(Debug)]
pub struct Answer {
    /// What the agent reads.
    pub text: String,
    /// The facts beside it, if the door shows them.
    pub metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    parameters: Value,
    dialect: Option<String>,
    #[serde(default)]
    dry_run: bool,
    session: Option<String>,
    config: Option<String>,
}

/// Runs every case below `scenarios/` through a door, and gives their number.
///
/// # Panics
///
/// With every difference that was found, or if there is no case at all.
pub fn run_scenarios(mut door: impl FnMut(&Case) -> Answer) -> usize {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let folders = case_folders(&top);
    assert!(!folders.is_empty(), "no scenario below {}", top.display());
    let faults: Vec<String> =
        folders.iter().filter_map(|folder| check(&top, folder, &mut door).err()).collect();
    assert!(
        faults.is_empty(),
        "{} of {} scenarios differ:\n\n{}",
        faults.len(),
        folders.len(),
        faults.join("\n\n")
    );
    folders.len()
}

fn case_folders(top: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = subfolders(top)
        .iter()
        .flat_map(|tool| subfolders(tool))
        .filter(|case| case.join("call.json").exists())
        .collect();
    folders.sort();
    folders
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

fn check(top: &Path, folder: &Path, door: &mut impl FnMut(&Case) -> Answer) -> Result<(), String> {
    let name = folder.strip_prefix(top).unwrap().display().to_string();
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("workspace");
    copy_tree(&folder.join("input"), &root);
    make(&folder.join("make.json"), &root).map_err(|error| format!("{name}: make.json: {error}"))?;
    set_times(&root, &times(folder, &name)?);
    let before = Tree::read(&root);

    let shown_root = root.to_str().unwrap();
    let call = fs::read_to_string(folder.join("call.json")).unwrap().replace("$ROOT", shown_root);
    let call: Call = serde_json::from_str(&call).map_err(|error| format!("{name}: call.json: {error}"))?;
    let case = Case {
        name: name.clone(),
        root: root.clone(),
        tool: call.tool,
        parameters: call.parameters,
        dialect: call.dialect,
        dry_run: call.dry_run,
        session: call.session,
        config: call.config,
    };
    let answer = door(&case);
    compare_text(folder, &name, &answer.text.replace(shown_root, "$ROOT"))?;
    if let Some(metadata) = &answer.metadata {
        compare_metadata(folder, &name, shown_root, metadata)?;
    }
    compare_tree(folder, &name, before, &root)
}

fn times(folder: &Path, name: &str) -> Result<BTreeMap<PathBuf, i64>, String> {
    let Ok(times) = fs::read_to_string(folder.join("times.json")) else { return Ok(BTreeMap::new()) };
    serde_json::from_str(&times).map_err(|error| format!("{name}: times.json: {error}"))
}

fn compare_text(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let file = folder.join("output.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, text.to_owned() + "\n").unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(&file).map_err(|error| format!("{name}: output.txt: {error}"))?;
    let expected = expected.strip_suffix('\n').unwrap_or(&expected);
    if expected == text {
        Ok(())
    } else {
        Err(format!("{name}: expected\n{expected}\nbut the answer is\n{text}"))
    }
}

fn compare_metadata(
    folder: &Path,
    name: &str,
    root: &str,
    metadata: &Map<String, Value>,
) -> Result<(), String> {
    let Ok(expected) = fs::read_to_string(folder.join("metadata.json")) else { return Ok(()) };
    let expected: Map<String, Value> = serde_json::from_str(&expected.replace("$ROOT", root))
        .map_err(|error| format!("{name}: metadata.json: {error}"))?;
    let absent = Value::Null;
    for (key, value) in &expected {
        let given = metadata.get(key).unwrap_or(&absent);
        if given != value {
            return Err(format!("{name}: metadata.{key} should be {value} and is {given}"));
        }
    }
    Ok(())
}

fn compare_tree(folder: &Path, name: &str, before: Tree, root: &Path) -> Result<(), String> {
    let expected = folder.join("expected");
    let expected = if expected.exists() { Tree::read(&expected).without(".empty") } else { before };
    let found = Tree::read(root);
    if expected == found {
        Ok(())
    } else {
        Err(format!("{name}: expected\n{expected:#?}\nbut there is\n{found:#?}"))
    }
}
