//! Changes text in a file: one edit, or several in order, all or none.

use std::path::PathBuf;

use toolcrib_edit::{
    AppliedAll, Bounds, Edit, Error, Failed, Level, LineSpan, Matching, Step, changed_lines,
};
use toolcrib_text::{Encoding, Stop, Stopped};
use toolcrib_tool::{Call, Draft, ErrorKind, ToolError};

use crate::FilePath;
use crate::bounds::{bounds, reserve, stopped, to_change, until_over};
use crate::changed::{Shown, document, propose, refuse_nul, spliced};

/// Which file, and what to change in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The edits, in order; each sees what those before it left. An empty old text in the first one creates the file.
    pub edits: Vec<Edit>,
    /// How much may be overlooked when looking for a place.
    pub matching: Matching,
    /// What the file must hold before, as Read gave it.
    pub expected_version: Option<String>,
    /// How many bytes the file may grow by, beyond what the edits themselves contain.
    pub max_growth: usize,
    /// The caller's own words, for what goes wrong.
    pub terms: Terms,
}

/// What the caller calls the parts of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The text that is to be replaced.
    pub old: &'static str,
    /// What replaces it.
    pub new: &'static str,
    /// Whether every place is meant.
    pub all: &'static str,
    /// What replaces a whole file.
    pub write: &'static str,
    /// That the text to be replaced is not there.
    pub not_found: &'static str,
    /// Whether the beginning of that text is shown then.
    pub shows_old: bool,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The file.
    pub path: FilePath,
    /// Whether it was not there before.
    pub created: bool,
    /// Whether the edits cancel each other out, so that nothing was done.
    pub unchanged: bool,
    /// What each edit did.
    pub steps: Vec<Step>,
    /// The changed lines, as they are counted afterwards.
    pub lines: Vec<LineSpan>,
    /// Whether somebody else had changed the file since the session read it.
    pub changed_since_read: bool,
    /// How the change reads.
    pub shown: Shown,
}

impl Edited {
    /// In how many places text was replaced.
    #[must_use]
    pub fn replacements(&self) -> usize {
        self.steps.iter().map(|step| step.replacements).sum()
    }

    /// The loosest level that was needed.
    #[must_use]
    pub fn level(&self) -> Level {
        self.steps.iter().map(|step| step.level).max().unwrap_or(Level::Exact)
    }
}

impl EditRequest {
    /// How large the file may become that has so many bytes now.
    fn bounds<'s>(&self, now: usize, stop: &'s dyn Stop) -> Bounds<'s> {
        let given = self.edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum();
        bounds(self.max_growth, now, given, stop)
    }
}

/// Proposes the changes. Bytes outside the changed spans stay as they are.
///
/// # Errors
///
/// If the file may not be changed or is no text, or if an edit does not fit: it is not found, not unique, or makes no sense.
pub fn edit(call: &mut Call<'_>, request: &EditRequest) -> Result<Edited, ToolError> {
    for edit in &request.edits {
        refuse_nul(&edit.new, request.terms.new)?;
    }
    check_differences(&request.edits, request.terms)?;
    let draft = call.sandbox()?.draft(&request.path)?;
    draft.expect(request.expected_version.as_deref())?;
    match request.edits.split_first() {
        Some((first, rest)) if first.old.is_empty() => create(call, draft, first, rest, request),
        _ => change(call, draft, request),
    }
}

fn change(call: &Call<'_>, mut draft: Draft, request: &EditRequest) -> Result<Edited, ToolError> {
    let document = document(call, &mut draft)?;
    let _memory = reserve(to_change(document.text(), document.bytes().len()))?;
    let changed_since_read = draft.changed_since_read();
    // What somebody else has changed meanwhile is edited only where there can be no doubt.
    let matching = if changed_since_read { Matching::Exact } else { request.matching };
    let before = AppliedAll::before(document.text());
    let applied = apply_all(call, &draft, before, &request.edits, matching, request)?;
    let after = spliced(call, &document, &applied.text, &applied.changes, &draft)?;
    let (steps, lines) = (applied.steps, changed_lines(&applied.changes));
    if after.bytes() == document.bytes() {
        let (path, lines, shown) = (FilePath::new(&draft.location), Vec::new(), Shown::default());
        return Ok(Edited { path, created: false, unchanged: true, steps, lines, changed_since_read, shown });
    }
    let (path, shown) = propose(call, draft, document.text(), &applied.text, after.into_bytes())?;
    Ok(Edited { path, created: false, unchanged: false, steps, lines, changed_since_read, shown })
}

/// An empty old text: the new text is the whole of a file that does not exist.
fn create(
    call: &Call<'_>,
    draft: Draft,
    first: &Edit,
    rest: &[Edit],
    request: &EditRequest,
) -> Result<Edited, ToolError> {
    if draft.before.is_some() {
        return Err(ToolError::new(
            ErrorKind::AlreadyExists,
            format!(
                "{} is empty, which creates a file, but {} exists",
                request.terms.old,
                draft.location.show()
            ),
        )
        .hint(format!(
            "give the text that is to be replaced, or use {} to replace the whole file",
            request.terms.write
        )));
    }
    let mut created = AppliedAll::before(&first.new);
    created.steps.push(Step { level: Level::Exact, replacements: 1 });
    let applied = apply_all(call, &draft, created, rest, request.matching, request)?;
    let last = applied.text.lines().count();
    let lines = if last == 0 { Vec::new() } else { vec![LineSpan { first: 1, last }] };
    let content = Encoding::UTF_8.charset.encode(&applied.text).unwrap_or_default();
    let (path, shown) = propose(call, draft, "", &applied.text, content)?;
    Ok(Edited {
        path,
        created: true,
        unchanged: false,
        steps: applied.steps,
        lines,
        changed_since_read: false,
        shown,
    })
}

/// Makes the edits that are left, as long as somebody waits for them.
fn apply_all<'t>(
    call: &Call<'_>,
    draft: &Draft,
    mut all: AppliedAll<'t>,
    edits: &[Edit],
    matching: Matching,
    request: &EditRequest,
) -> Result<AppliedAll<'t>, ToolError> {
    let of = all.steps.len() + edits.len();
    let stop = until_over(call);
    let bounds = request.bounds(all.text.len(), &stop);
    for edit in edits {
        call.checkpoint()?;
        let number = all.steps.len() + 1;
        all.then(edit, matching, bounds).map_err(|error| match error {
            Error::Stopped => stopped(call)(Stopped),
            error => refused(draft, &Failed { edit: number, of, error }, edit, request.terms),
        })?;
    }
    Ok(all)
}

/// An edit that changes nothing is a slip whatever the file holds, so it is said before the file is looked at.
fn check_differences(edits: &[Edit], terms: Terms) -> Result<(), ToolError> {
    let same = edits.iter().position(|edit| edit.old == edit.new);
    let empty = edits.iter().skip(1).position(|edit| edit.old.is_empty()).map(|at| at + 1);
    let which = |at: usize| {
        if edits.len() == 1 { String::new() } else { format!("edit {} of {}: ", at + 1, edits.len()) }
    };
    if let Some(at) = same {
        let message = format!("{}{} and {} must be different", which(at), terms.old, terms.new);
        return Err(ToolError::new(ErrorKind::InvalidParameter, message)
            .hint(format!("{} is what should stand there afterwards", terms.new)));
    }
    if let Some(at) = empty {
        let message =
            format!("{}{} is empty, which is for creating a file in the first edit", which(at), terms.old);
        return Err(
            ToolError::new(ErrorKind::InvalidParameter, message).hint("give the text that is to be replaced")
        );
    }
    Ok(())
}

fn refused(draft: &Draft, failed: &Failed, edit: &Edit, terms: Terms) -> ToolError {
    let path = draft.location.show();
    let which =
        if failed.of == 1 { String::new() } else { format!("edit {} of {}: ", failed.edit, failed.of) };
    let changed = draft.changed_since_read();
    let kind = match &failed.error {
        Error::NotUnique { .. } => ErrorKind::NotUnique,
        Error::NotFound(_) if changed => ErrorKind::Conflict,
        Error::NotFound(_) => ErrorKind::NotFound,
        Error::TooMany { .. } | Error::TooLarge(_) | Error::NoMemory(_) => ErrorKind::TooLarge,
        _ => ErrorKind::InvalidParameter,
    };
    let error = ToolError::new(kind, format!("{path}: {which}{}", terms.say(&failed.error, edit)));
    let error = match &failed.error {
        Error::NotUnique { lines, count, .. } => error.with("count", *count).with("lines", lines.clone()),
        Error::TooLarge(too_large) => error.with("size", too_large.size).with("limit", too_large.limit).hint(
            format!("make the change in several calls, or use {} to replace the whole file", terms.write),
        ),
        _ if changed => error.hint("the file has changed since it was read: read it again"),
        other => match other.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        },
    };
    if failed.of > 1 { error.with("edit", failed.edit) } else { error }
}

impl Terms {
    /// The parameter's name stands for 'the old text', and both ways out are in the sentence itself.
    fn say(self, error: &Error, edit: &Edit) -> String {
        let said = error.to_string();
        if let Some(rest) = said.strip_prefix("the old text was not found") {
            return self.missing(&edit.old) + &rest.replacen("the old text", self.old, 1);
        }
        let said = said.replacen("the old text was", self.old, 1).replacen("the old text", self.old, 1);
        match error {
            Error::NotUnique { .. } => {
                format!("{said}. Use {}=true or provide more context to make it unique", self.all)
            }
            _ => said,
        }
    }

    fn missing(self, old: &str) -> String {
        /// How many characters of the text are shown.
        const SHOWN: usize = 50;
        if !self.shows_old {
            return self.not_found.to_owned();
        }
        let start: String = old.chars().take(SHOWN).collect();
        let rest = if start.len() < old.len() { "..." } else { "" };
        format!("{}: {:?}", self.not_found, start + rest)
    }
}
