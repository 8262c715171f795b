//! What the checks need to know of Markdown and of the files of the repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::job::Failure;
use crate::shell::root;

/// Directories that hold no documentation or source of ours: build output, packages, and the input of test cases.
const SKIPPED: &[&str] = &["target", "node_modules", "scenarios", "__pycache__"];

/// A file of the repository: its path from the top folder, and its text.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The files below a folder of the repository whose name ends with `extension`, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<File>, Failure> {
    let unreadable = |error: io::Error| Failure::CouldNotRun(format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    collect(folder, extension, &mut paths).map_err(unreadable)?;
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        Ok(File { path: path.strip_prefix(root()).unwrap_or(&path).to_owned(), text })
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                collect(&path, extension, paths)?;
            }
        } else if path.extension().is_some_and(|other| other == extension) {
            paths.push(path);
        }
    }
    Ok(())
}

/// The lines outside fenced code blocks, with their numbers.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The code spans of a line, without their backticks.
pub(crate) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_blocks_are_no_prose() {
        let lines: Vec<_> = prose("a\n```sh\n`b`\n```\nc\n").collect();
        assert_eq!(lines, [(1, "a"), (5, "c")]);
    }

    #[test]
    fn spans_are_what_stands_between_backticks() {
        assert_eq!(code_spans("see `a/b` and `c`").collect::<Vec<_>>(), ["a/b", "c"]);
        assert_eq!(code_spans("nothing").count(), 0);
    }
}
