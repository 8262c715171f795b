//! The page on the configuration: the example of the module that reads it, and a check that the example has every key.
//!
//! Which keys there are, the program says itself, as it refuses one that does not exist.

use std::collections::BTreeSet;
use std::fs;

use super::{NOTE, Program, unusable};
use crate::job::Failure;
use crate::shell::root;

/// The module whose documentation has the example.
const SOURCE: &str = "crates/toolcrib/src/config.rs";
const NO_KEY: &str = "no_such_key";

/// The page, or the keys that the example lacks.
pub(super) fn page(program: &Program) -> Result<String, Failure> {
    let source = root().join(SOURCE);
    let source = fs::read_to_string(&source).map_err(|error| unusable(&source, &error))?;
    let example = example(&source);
    let documented = keys(&example);
    let known = known(program)?;
    let missing: Vec<_> = known.difference(&documented).cloned().collect();
    let invented: Vec<_> = documented.difference(&known).cloned().collect();
    if !missing.is_empty() || !invented.is_empty() {
        return Err(Failure::Faults(format!(
            "the example in {SOURCE} lacks {missing:?}, and has {invented:?}, which the program does not know"
        )));
    }
    Ok(format!(
        "# Configuration

Every key of `toolcrib/config.toml` in your configuration folder (`$XDG_CONFIG_HOME`, or `~/.config`), or of the file that
`--config` names. An unknown key is an error that names the line. `toolcrib doctor` shows which file is used, `toolcrib rules` the
rules that result.

{NOTE}

```toml
{example}```

A `.toolcrib.toml` at the top of a root can contain the same keys, but only what tightens the rules has an effect, and agents cannot
write it. [security.md](../security.md) describes the rules and their limits, [journal.md](../journal.md#settings) the journal.
"
    ))
}

/// The lines of the first block of TOML in a module's documentation.
fn example(source: &str) -> String {
    let lines = source
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line));
    let inside = lines.skip_while(|line| *line != "```toml").skip(1).take_while(|line| *line != "```");
    inside.map(|line| format!("{line}\n")).collect()
}

/// The keys in a text of TOML: `matching`, `read.budget`.
fn keys(toml: &str) -> BTreeSet<String> {
    let mut table = String::new();
    let mut keys = BTreeSet::new();
    for line in toml.lines() {
        if let Some(name) = line.strip_prefix('[') {
            name.trim_start_matches('[').split(']').next().unwrap_or_default().clone_into(&mut table);
        } else if let Some((key, _)) = line.split_once(" = ") {
            keys.insert(if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") });
        }
    }
    keys
}

/// All keys that the program takes. A key below which there are others is a table.
fn known(program: &Program) -> Result<BTreeSet<String>, Failure> {
    let mut known = BTreeSet::new();
    for key in expected(program, &format!("{NO_KEY} = 1\n"))? {
        let (table, list) = (format!("[{key}]\n{NO_KEY} = 1\n"), format!("[[{key}]]\n{NO_KEY} = 1\n"));
        let below = expected(program, &table).or_else(|_| expected(program, &list));
        match below {
            Ok(below) => known.extend(below.into_iter().map(|each| format!("{key}.{each}"))),
            Err(_) => drop(known.insert(key)),
        }
    }
    Ok(known)
}

/// The keys that the program names when it refuses a configuration with one that does not exist.
fn expected(program: &Program, toml: &str) -> Result<Vec<String>, Failure> {
    let file = program.folder.join("refused.toml");
    fs::create_dir_all(&program.folder).map_err(|error| unusable(&program.folder, &error))?;
    fs::write(&file, toml).map_err(|error| unusable(&file, &error))?;
    let output = program.command(&["--config", &file.display().to_string(), "rules"])?.output();
    let output = output.map_err(|error| unusable(&program.path, &error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    named(&said).ok_or_else(|| {
        Failure::CouldNotRun(format!("{toml:?} is not refused with the keys there are: {said}"))
    })
}

/// The names after "unknown field …, expected one of".
fn named(said: &str) -> Option<Vec<String>> {
    let line = said.lines().find(|line| line.contains(&format!("unknown field `{NO_KEY}`")))?;
    let (_, names) = line.split_once("expected ")?;
    Some(names.split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_an_example_and_in_a_refusal() {
        let source = "//! Text\n//! ```toml\n//! a = 1   # x\n//!\n//! [t]\n//! b = 2\n//! [[l]]\n//! c = 3\n//! ```\n//! d = 4\n";
        assert_eq!(keys(&example(source)), ["a", "l.c", "t.b"].map(str::to_owned).into());
        let said = "error: x: line 1: unknown field `no_such_key`, expected one of `a`, `b`\nhint: `c`";
        assert_eq!(named(said).unwrap(), ["a", "b"]);
        assert!(named("error: invalid type").is_none());
    }
}
