//! The pages of docs/reference, which the built program writes about itself: every command, every tool of every dialect, every key
//! of the configuration.
//!
//! The stage fails where a committed page is not what the program says today; with `UPDATE=1` it writes the pages instead.

mod configuration;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::job::{Failure, Outcome, none_of};
use crate::metadata::Metadata;
use crate::shell::{read, root, toolcrib};

const FOLDER: &str = "docs/reference";
const UPDATE: &str = "UPDATE=1 cargo xtask test reference";
/// Under every page, so that nobody edits it.
const NOTE: &str = "<!-- Written by `cargo xtask test reference`; do not edit. -->";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let program = Program { path: toolcrib(&target)?, folder: target.join("xtask/reference") };
    let pages = [
        ("commands.md", commands(&program)?),
        ("tools.md", tools(&program)?),
        ("configuration.md", configuration::page(&program)?),
    ];
    let mut faults = Vec::new();
    for (name, text) in pages {
        let file = root().join(FOLDER).join(name);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, text).map_err(|error| unusable(&file, &error))?;
        } else if fs::read_to_string(&file).unwrap_or_default() != text {
            faults.push(format!("{FOLDER}/{name} is not what the program says: run `{UPDATE}`"));
        }
    }
    none_of(faults)
}

fn unusable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::CouldNotRun(format!("{}: {error}", file.display()))
}

/// The built program, away from the configuration of whoever runs the tests.
struct Program {
    path: PathBuf,
    folder: PathBuf,
}

impl Program {
    fn command(&self, arguments: &[&str]) -> Result<Command, Failure> {
        fs::create_dir_all(&self.folder).map_err(|error| unusable(&self.folder, &error))?;
        let mut command = crate::shell::program(&self.path);
        command.args(arguments).current_dir(&self.folder).env_clear();
        command.env("HOME", &self.folder).env("COLUMNS", "80").env("LC_ALL", "C.UTF-8");
        Ok(command)
    }

    fn prints(&self, arguments: &[&str]) -> Result<String, Failure> {
        read(&mut self.command(arguments)?)
    }
}

/// The help of the program and of every command.
fn commands(program: &Program) -> Result<String, Failure> {
    let manual = program.prints(&["man"])?;
    let mut page = format!(
        "# Commands\n\nWhat `toolcrib COMMAND --help` prints. [cli.md](../cli.md) describes what the commands share.\n\n{NOTE}\n\n## toolcrib\n\n```text\n{}\n```\n",
        program.prints(&["--help"])?.trim_end()
    );
    for command in manual_pages(&manual) {
        let help = program.prints(&[&command, "--help"])?;
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## toolcrib {command}\n\n```text\n{}\n```\n", help.trim_end());
    }
    Ok(page)
}

/// The commands whose pages a manual page refers to: `toolcrib\-apply\-patch(1)`.
pub(crate) fn manual_pages(page: &str) -> Vec<String> {
    let references = page.lines().filter_map(|line| line.strip_prefix("toolcrib\\-")?.strip_suffix("(1)"));
    references.map(|name| name.replace('\\', "")).filter(|name| name != "help").collect()
}

/// Every tool of every dialect, with those that are off by default.
fn tools(program: &Program) -> Result<String, Failure> {
    let config = program.folder.join("config.toml");
    fs::create_dir_all(&program.folder).map_err(|error| unusable(&program.folder, &error))?;
    fs::write(&config, "more_tools = true\nundo_tool = true\n").map_err(|error| unusable(&config, &error))?;
    let config = config.display().to_string();
    let mut page = format!(
        "# Tools\n\nEvery tool in every dialect, as a model sees it. The tools that `more_tools` and `undo_tool` in the\n[configuration](configuration.md) enable are among them. [dialects](../dialects/README.md) says which dialect is for which agent.\n\n{NOTE}\n"
    );
    for dialect in dialects(&program.prints(&["dialects"])?) {
        let schemas =
            program.prints(&["--config", &config, "--dialect", &dialect, "schemas", "--format", "mcp"])?;
        let schemas: Value = serde_json::from_str(&schemas).map_err(|error| {
            Failure::CouldNotRun(format!("the schemas of {dialect} are not JSON: {error}"))
        })?;
        let _ = write!(page, "\n## {dialect}\n");
        for tool in schemas.as_array().into_iter().flatten() {
            page.push_str(&tool_section(tool));
        }
    }
    Ok(page)
}

/// The names at the start of lines.
fn dialects(listing: &str) -> Vec<String> {
    let names = listing.lines().filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn tool_section(tool: &Value) -> String {
    let (name, schema) = (tool["name"].as_str().unwrap_or_default(), &tool["inputSchema"]);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut section = format!("\n### {name}\n\n{}\n", cell(tool["description"].as_str().unwrap_or_default()));
    let properties: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    if properties.is_empty() {
        section.push_str("\nIt has no parameters.\n");
        return section;
    }
    section.push_str("\n| parameter | type | meaning |\n| --- | --- | --- |\n");
    for (parameter, about) in properties {
        let needed = if required.contains(&parameter.as_str()) { ", required" } else { "" };
        let _ = writeln!(
            section,
            "| `{parameter}` | {}{needed} | {} |",
            kind(about),
            cell(about["description"].as_str().unwrap_or_default())
        );
    }
    section
}

/// The type of a parameter, its choices, and what is taken if it is not given.
fn kind(about: &Value) -> String {
    let kind = match (&about["type"], &about["items"]) {
        (Value::String(kind), items) if kind == "array" => {
            format!("list of {}s", items["type"].as_str().unwrap_or("value"))
        }
        (Value::String(kind), _) => kind.clone(),
        _ => "any".to_owned(),
    };
    let choices = about["enum"].as_array().map(|choices| {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(|choice| format!("`{choice}`")).collect();
        format!(": {}", choices.join(", "))
    });
    let default = match &about["default"] {
        Value::Null | Value::Bool(false) => String::new(),
        Value::Array(empty) if empty.is_empty() => String::new(),
        default => format!(", default `{}`", default.to_string().trim_matches('"')),
    };
    cell(&format!("{kind}{}{default}", choices.unwrap_or_default()))
}

/// A text in a cell of a table, or in a paragraph: on one line, and nothing in it is a link or a tag.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    ['|', '<', '*', '_', '[']
        .iter()
        .fold(text, |text, special| text.replace(*special, &format!("\\{special}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_that_a_page_refers_to_are_found() {
        let page = ".TP\ntoolcrib\\-read(1)\nRead\n.TP\ntoolcrib\\-apply\\-patch(1)\ntoolcrib\\-help(1)\n";
        assert_eq!(manual_pages(page), ["read", "apply-patch"]);
    }

    #[test]
    fn a_tool_is_a_heading_and_a_table() {
        let tool = serde_json::json!({"name": "Read", "description": "Reads\n a | b.", "inputSchema": {
            "properties": {"path": {"type": "string", "description": "A <path>"}, "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
                "many": {"type": "array", "items": {"type": "string"}, "default": []}},
            "required": ["path"]}});
        let expected = "\n### Read\n\nReads a \\| b.\n\n| parameter | type | meaning |\n| --- | --- | --- |\n| `path` | string, required | A \\<path> |\n| `mode` | string: `a`, `b`, default `a` |  |\n| `many` | list of strings |  |\n";
        assert_eq!(tool_section(&tool), expected);
    }

    #[test]
    fn dialects_stand_at_the_start_of_a_line() {
        assert_eq!(dialects("a   for b\n    Read Write\nc-d  x\n"), ["a", "c-d"]);
    }
}
