//! How matches are printed.

use std::ops::Range;

use toolcrib::files::{Found, GrepMode, GrepRequest, Grepped, Query};

use super::GrepArgs;
use crate::commands::operation::{LeftOut, hidden_by_rules, unreadable};
use crate::layout::{counted, size};
use crate::paint::{Paint, Part, plain};

pub(super) struct Format {
    paint: Paint,
    mode: GrepMode,
    /// What to highlight, if anything is.
    query: Option<Query>,
    /// Whether a line of context may stand among those that match.
    in_groups: bool,
    paths: bool,
    numbers: bool,
    /// Whether something was printed.
    begun: bool,
}

impl Format {
    pub(super) fn new(args: &GrepArgs, requests: &[GrepRequest], paint: Paint) -> Self {
        let highlighted = requests.first().filter(|request| paint.has_colour() && !request.query.invert);
        let query = highlighted.and_then(|one| Query::new(&one.pattern, one.query.clone()).ok());
        let one_file = matches!(requests, [only] if is_file(only));
        Self {
            paint,
            mode: args.mode(),
            query,
            in_groups: requests.iter().any(|request| request.context != Some((0, 0))) && !args.only_matching,
            paths: args.with_filename || !(args.no_filename || one_file),
            numbers: !args.no_line_number,
            begun: false,
        }
    }

    /// What is printed of a file.
    pub(super) fn file(&mut self, file: &Found) -> String {
        let path = self.paint.show(Part::Heading, plain(&file.path.relative));
        let text = match self.mode {
            GrepMode::Content => self.lines(&path, file),
            GrepMode::Files | GrepMode::FilesWithout => format!("{path}\n"),
            GrepMode::Count if self.paths => {
                format!("{path}:{}\n", self.paint.show(Part::Number, file.count))
            }
            GrepMode::Count => format!("{}\n", file.count),
        };
        self.begun = true;
        text
    }

    fn lines(&self, path: &str, file: &Found) -> String {
        let mut answer = String::new();
        let headings = self.paint.for_people && self.paths;
        if headings {
            let between = if self.begun { "\n" } else { "" };
            answer.push_str(&format!("{between}{path}\n"));
        } else if self.in_groups && self.begun {
            answer.push_str("--\n");
        }
        let mut expected = None;
        for line in &file.lines {
            if self.in_groups && expected.is_some_and(|expected| expected != line.number) {
                answer.push_str("--\n");
            }
            expected = Some(line.number + 1);
            let sign = if line.matches { ':' } else { '-' };
            if self.paths && !headings {
                answer.push_str(path);
                answer.push(sign);
            }
            if self.numbers {
                answer.push_str(&self.paint.show(Part::Number, line.number));
                answer.push(sign);
            }
            self.text(&line.text, line.matches, &mut answer);
            answer.push('\n');
        }
        answer
    }

    fn text(&self, text: &str, matches: bool, answer: &mut String) {
        let query = self.query.as_ref().filter(|_| matches);
        let mut done = 0;
        for Range { start, end } in query.map(|query| query.find_all(text)).unwrap_or_default() {
            answer.push_str(&plain(&text[done..start]));
            answer.push_str(&self.paint.show(Part::Match, plain(&text[start..end])));
            done = end;
        }
        answer.push_str(&plain(&text[done..]));
    }
}

/// Whether a request is about a file alone, as a look at it tells. Errors come with the search.
fn is_file(request: &GrepRequest) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "it decides about the form of the answer, and shows nothing"
    )]
    let looked = std::fs::metadata(&request.path);
    looked.is_ok_and(|found| found.is_file())
}

/// What is missing from the matches, and the way to it.
pub(super) fn notes(request: &GrepRequest, found: &Grepped) -> Vec<String> {
    let (total, results) = match request.mode {
        GrepMode::Content => (found.total_matches, "matches"),
        GrepMode::Files | GrepMode::Count => (found.total_files, "files"),
        GrepMode::FilesWithout => (None, "files"),
    };
    let Grepped { returned, next, partial, skipped, .. } = *found;
    let mut notes = LeftOut { shown: returned, total, next, partial, ..LeftOut::default() }.notes(results);
    if found.all_ignored {
        notes.push("ignore rules exclude every file here: pass --no-ignore to search them".to_owned());
    }
    let too_large = request.max_file_size.unwrap_or(u64::MAX);
    let larger =
        || format!("{} larger than {} not searched", counted(skipped.too_large, "file"), size(too_large));
    let complex = || {
        format!("{} not searched: the pattern takes too long on them", counted(skipped.too_complex, "file"))
    };
    notes.extend((skipped.too_large > 0).then(larger));
    notes.extend((skipped.too_complex > 0).then(complex));
    notes.extend(unreadable(skipped.unreadable));
    notes.extend(hidden_by_rules(skipped.denied));
    notes
}
