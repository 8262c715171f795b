//! What was typed, as requests: one for each path.

use std::path::{Path, PathBuf};

use toolcrib::files::{Case, GrepMode, GrepRequest, Grepped, OwnContext, Query, QueryOptions, Skipped};
use toolcrib::{ErrorKind, ToolError};

use super::GrepArgs;
use crate::commands::operation::starts;
use crate::input;

impl GrepArgs {
    pub(super) fn mode(&self) -> GrepMode {
        match (self.files_with_matches || self.quiet, self.files_without_match, self.count) {
            // Whether there is such a file, too.
            (_, true, _) => GrepMode::FilesWithout,
            (true, ..) => GrepMode::Files,
            (_, _, true) => GrepMode::Count,
            _ => GrepMode::Content,
        }
    }

    pub(super) fn requests(&self) -> Result<Vec<GrepRequest>, ToolError> {
        if self.files_only {
            let message = "grep searches the contents of files, and does not list them";
            let hint = "use `toolcrib glob '**'`, or -l for the files with a match";
            return Err(ToolError::new(ErrorKind::InvalidParameter, message).hint(hint));
        }
        let (patterns, paths) = self.patterns()?;
        let query = self.query();
        let pattern = one_pattern(&patterns, &query, self.line_regexp)?;
        // A pattern that was put together from literal texts is an expression.
        let literal = self.fixed_strings && patterns.len() == 1 && !self.line_regexp;
        if paths.iter().any(|path| path == Path::new("-")) {
            let message = "Standard input cannot be searched";
            let error = ToolError::new(ErrorKind::InvalidParameter, message);
            return Err(error.hint("name a file or directory, or use grep"));
        }
        if self.offset > 0 && paths.len() > 1 {
            let error = ToolError::new(ErrorKind::InvalidParameter, "--offset works with one path only");
            return Err(error.hint("search one path at a time"));
        }
        let request = |path| GrepRequest {
            pattern: pattern.clone(),
            query: QueryOptions { literal, ..query.clone() },
            path,
            ..self.request()
        };
        Ok(starts(&paths)?.into_iter().map(request).collect())
    }

    /// The patterns, and the paths: what stands first is a path where a pattern is given otherwise.
    fn patterns(&self) -> Result<(Vec<String>, Vec<PathBuf>), ToolError> {
        let mut paths = self.paths.clone();
        if self.patterns.is_empty() && self.pattern_files.is_empty() {
            return Ok((self.pattern.iter().cloned().collect(), paths));
        }
        if let Some(first) = &self.pattern {
            paths.insert(0, first.into());
        }
        let mut patterns = self.patterns.clone();
        for file in &self.pattern_files {
            patterns.extend(input::from(file)?.lines().map(str::to_owned));
        }
        if patterns.is_empty() {
            let error = ToolError::new(ErrorKind::InvalidParameter, "There is no pattern to search for");
            return Err(error.hint("the file of --file is empty: write one pattern on each line"));
        }
        Ok((patterns, paths))
    }

    fn query(&self) -> QueryOptions {
        QueryOptions {
            literal: self.fixed_strings,
            word: self.word_regexp,
            multiline: self.multiline,
            invert: self.invert_match,
            case: match (self.ignore_case, self.smart_case) {
                (true, _) => Case::Insensitive,
                (false, true) => Case::Smart,
                (false, false) => Case::Sensitive,
            },
            max_count: self.max_count,
            only_matching: self.only_matching && self.mode() == GrepMode::Content,
            except: None,
        }
    }

    /// All but the pattern and the path.
    fn request(&self) -> GrepRequest {
        // Lines that were not asked for would be in the way of a pipe.
        let around = |side: Option<usize>| side.or(self.context).unwrap_or(0);
        let all = self.types.iter().cloned();
        let types: Vec<String> = all.chain(self.types_not.iter().map(|name| format!("!{name}"))).collect();
        // As with rg, what is left out may be a directory.
        let (left_out, chosen): (Vec<&String>, Vec<&String>) =
            self.glob.iter().partition(|glob| glob.starts_with('!'));
        let left_out = left_out.into_iter().filter_map(|glob| glob.strip_prefix('!').map(str::to_owned));
        let exclude = self.exclude.iter().cloned().chain(left_out).collect();
        GrepRequest {
            pattern: String::new(),
            query: QueryOptions::default(),
            path: PathBuf::new(),
            include: chosen.into_iter().cloned().collect(),
            exclude,
            types: (!types.is_empty()).then(|| types.join(",")),
            mode: self.mode(),
            context: Some((around(self.before), around(self.after))),
            own_context: OwnContext::default(),
            sort: self.sort,
            offset: self.offset,
            limit: match (self.limit, self.json) {
                (None | Some(0), true) => GrepRequest::MAX_LIMIT,
                _ if self.quiet => 1,
                (None | Some(0), false) => usize::MAX,
                (Some(limit), true) => limit.min(GrepRequest::MAX_LIMIT),
                (Some(limit), false) => limit,
            },
            hidden: self.hidden || self.unrestricted > 1,
            ignored: self.no_ignore || self.unrestricted > 0,
            max_file_size: Some(self.max_filesize.unwrap_or(u64::MAX)),
            line_length: usize::MAX,
        }
    }
}

/// One pattern that matches what any of these matches. What is wrong with one of them is said of that one alone.
fn one_pattern(patterns: &[String], query: &QueryOptions, whole_line: bool) -> Result<String, ToolError> {
    if let ([pattern], false) = (patterns, whole_line) {
        return Ok(pattern.clone());
    }
    for pattern in patterns {
        Query::new(pattern, query.clone()).map_err(|error| {
            ToolError::new(ErrorKind::InvalidParameter, format!("{error} (in '{pattern}')"))
                .hint("to search for it as text, pass -F")
        })?;
    }
    let escaped = |pattern: &String| if query.literal { escape(pattern) } else { pattern.clone() };
    let parts: Vec<String> = patterns.iter().map(|pattern| format!("(?:{})", escaped(pattern))).collect();
    let any = parts.join("|");
    Ok(if whole_line { format!("^(?:{any})$") } else { any })
}

/// The text as an expression that matches it alone.
fn escape(text: &str) -> String {
    let special = |c: char| r"\.+*?()|[]{}^$#&-~".contains(c);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// What two searches found.
pub(super) fn together(one: Grepped, other: Grepped) -> Grepped {
    let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
    let [a, b] = [one.skipped, other.skipped];
    Grepped {
        files: one.files.into_iter().chain(other.files).collect(),
        returned: one.returned + other.returned,
        total_matches: sum(one.total_matches, other.total_matches),
        total_files: sum(one.total_files, other.total_files),
        next: one.next.or(other.next),
        searched: one.searched + other.searched,
        skipped: Skipped {
            binary: a.binary + b.binary,
            too_large: a.too_large + b.too_large,
            unreadable: a.unreadable + b.unreadable,
            denied: a.denied + b.denied,
            too_complex: a.too_complex + b.too_complex,
        },
        all_ignored: one.all_ignored && other.all_ignored,
        partial: one.partial || other.partial,
        ..one
    }
}

/// There is always a path, so this is not seen.
pub(super) fn nothing_to_search() -> ToolError {
    ToolError::new(ErrorKind::Internal, "There is nothing to search")
}
