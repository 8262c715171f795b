//! Reads Rust sources for the modules of `std` that reach the world, which no manifest shows.
//!
//! Knows just enough of Rust's tokens not to be misled by comments, strings and lifetimes: a doc comment may well
//! say why `std::fs` is not used here. It guards against a slip, not against someone who hides it behind a rename.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::map::{UNSAFE, WORLD_MODULES};
use crate::job::Failure;
use crate::shell::root;

/// One sentence for each place in the `.rs` files below `folder` that names such a module.
pub(crate) fn world_below(folder: &Path) -> Result<Vec<String>, Failure> {
    faults_below(folder, |shown, source| {
        let places = world_modules(source).into_iter();
        let fault = |(line, module)| {
            format!("{shown}:{line}: names std::{module}, and this crate must not reach the world")
        };
        places.map(fault).collect()
    })
}

/// One sentence for each `unsafe` in the `.rs` files below `folder`, but for the file that may hold it.
pub(crate) fn unsafe_below(folder: &Path) -> Result<Vec<String>, Failure> {
    faults_below(folder, |shown, source| {
        let fault = |line| format!("{shown}:{line}: holds unsafe, which only {UNSAFE} may");
        if shown == UNSAFE { Vec::new() } else { unsafe_lines(source).into_iter().map(fault).collect() }
    })
}

/// What `faults_in` says to the name and the source of each `.rs` file below `folder`.
fn faults_below(
    folder: &Path,
    faults_in: impl Fn(&str, &str) -> Vec<String>,
) -> Result<Vec<String>, Failure> {
    let unreadable = |error| Failure::CouldNotRun(format!("{}: {error}", folder.display()));
    let mut faults = Vec::new();
    for file in rust_files(folder).map_err(unreadable)? {
        let source = fs::read_to_string(&file).map_err(unreadable)?;
        let shown = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        faults.extend(faults_in(&shown, &source));
    }
    Ok(faults)
}

fn unsafe_lines(source: &str) -> Vec<usize> {
    let tokens = tokens(source).into_iter();
    tokens.filter(|token| token.text == "unsafe").map(|token| token.line).collect()
}

fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The places (line, module) that name a world module: `std::fs`, or `fs` right inside `std::{…}`.
fn world_modules(source: &str) -> Vec<(usize, String)> {
    let tokens = tokens(source);
    let starts = tokens.windows(3).enumerate().filter(|(_, window)| {
        let [first, second, third] = window else { return false };
        first.text == "std" && second.text == ":" && third.text == ":"
    });
    starts
        .flat_map(|(at, _)| first_segments(&tokens[at + 3..]))
        .filter(|token| WORLD_MODULES.contains(&token.text))
        .map(|token| (token.line, token.text.to_owned()))
        .collect()
}

/// What may follow `std::`: one name, or the first name of each path in a group.
fn first_segments<'a>(after: &[Token<'a>]) -> Vec<Token<'a>> {
    if after.first().is_none_or(|token| token.text != "{") {
        return after.first().copied().into_iter().collect();
    }
    let mut names = Vec::new();
    let mut depth = 0;
    let mut previous = "";
    for token in after {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if depth == 1 && matches!(previous, "{" | ",") => names.push(*token),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        previous = token.text;
    }
    names
}

#[derive(Clone, Copy)]
struct Token<'a> {
    line: usize,
    text: &'a str,
}

/// Names and single punctuation marks, without comments and literals.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let ignored = if first.is_whitespace() { first.len_utf8() } else { literal_or_comment(rest) };
        let length = if ignored > 0 { ignored } else { name(rest).max(first.len_utf8()) };
        let (text, after) = rest.split_at(length);
        if ignored == 0 {
            tokens.push(Token { line, text });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// The length of the name at the start, 0 if there is none.
fn name(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The length of the comment, string, character or lifetime at the start, 0 if there is none.
fn literal_or_comment(text: &str) -> usize {
    let prefix = name(text);
    let after_prefix = &text[prefix..];
    let hashes = after_prefix.len() - after_prefix.trim_start_matches('#').len();
    if matches!(&text[..prefix], "r" | "br" | "cr") && after_prefix[hashes..].starts_with('"') {
        let opening = prefix + hashes + 1;
        let closing = format!("\"{}", "#".repeat(hashes));
        return text[opening..].find(&closing).map_or(text.len(), |at| opening + at + closing.len());
    }
    match text.as_bytes() {
        [b'/', b'/', ..] => text.find('\n').unwrap_or(text.len()),
        [b'/', b'*', ..] => block_comment(text),
        [b'"', ..] => quoted(text, '"'),
        [b'\'', b'\\', ..] => quoted(text, '\''),
        [b'\'', ..] => {
            // 'x' is a character; a quote without its partner starts a lifetime.
            let inside = text[1..].chars().next().map_or(0, char::len_utf8);
            if text[1 + inside..].starts_with('\'') { inside + 2 } else { 1 }
        }
        _ => 0,
    }
}

/// Comments nest in Rust.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let step = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of what stands between two marks, both included; a backslash takes the next character along.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == mark && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[(usize, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(line, module)| (*line, (*module).to_owned())).collect();
        assert_eq!(world_modules(source), expected, "{source}");
    }

    #[test]
    fn every_way_to_name_a_module_is_seen() {
        check("use std::fs;", &[(1, "fs")]);
        check("fn f() {\n    ::std::process::exit(1)\n}", &[(2, "process")]);
        check("use std :: net :: TcpStream;", &[(1, "net")]);
        check("use std::{\n    fmt,\n    fs::{self, File},\n    process,\n};", &[(3, "fs"), (4, "process")]);
        check("let c = 'x'; let l: &'static str = r#\"a \" b\"#; std::fs::read(l)", &[(1, "fs")]);
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        check("//! Never std::fs.\n/* std::net /* std::fs */ std::process */ use std::fmt;", &[]);
        check(
            r##"let a = "std::fs \" std::net"; let b = r#"std::process"#; let c = b"std::fs"; let d = '"';"##,
            &[],
        );
        check("use std::fs_like; use my::fs; use std::{io, my::fs, fmt::{fs}};", &[]);
        check("let unfinished = \"std::fs", &[]);
        check("/* std::fs", &[]);
        check("let ü = 'ü'; let q = '\\''; // std::fs", &[]);
    }

    #[test]
    fn unsafe_is_seen_where_it_is_meant() {
        assert_eq!(unsafe_lines("fn f() {\n    unsafe { g() }\n}\nunsafe fn g() {}"), [2, 4]);
        assert_eq!(unsafe_lines("// unsafe\nlet a = \"unsafe\"; #[expect(unsafe_code)]"), [0; 0]);
    }

    #[test]
    fn a_folder_is_read_to_its_depth() {
        let faults = world_below(&root().join("xtask/src")).unwrap();
        assert!(
            faults
                .iter()
                .any(|fault| fault.starts_with("xtask/src/stages/layers/scan.rs:")
                    && fault.contains("std::fs")),
            "{faults:?}"
        );
        assert!(matches!(world_below(&root().join("no-such-folder")), Err(Failure::CouldNotRun(_))));
    }
}
