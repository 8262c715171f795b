//! Changes text in a file: one edit, or several in order, all or none.

use std::path::PathBuf;

use toolcrib_access::{Draft, Proposed, Sandbox};
use toolcrib_edit::{AppliedAll, Bounds, Edit, Error, Level, LineSpan, Matching, Step, changed_lines};
use toolcrib_text::{Document, Encoding, Stop, Stopped, line_count};

use crate::FilePath;
use crate::bounds::{bounds, reserve, stopped, to_change, until_over};
use crate::changed::{Excerpt, NewContent, Shown, document, propose, proposed, shown, spliced};
use crate::refused::{EditRefused, Refused, refuse_nul, require_version};

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
    /// Whether another program had changed the file since the session read it.
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
pub fn edit(sandbox: &Sandbox<'_>, request: &EditRequest) -> Result<Proposed<Edited>, Refused> {
    for edit in &request.edits {
        refuse_nul(&edit.new)?;
    }
    check_differences(&request.edits)?;
    let draft = sandbox.draft(&request.path)?;
    require_version(&draft, request.expected_version.as_deref())?;
    match request.edits.split_first() {
        Some((first, rest)) if first.old.is_empty() => create(sandbox, draft, first, rest, request),
        _ => change(sandbox, draft, request),
    }
}

fn change(
    sandbox: &Sandbox<'_>,
    mut draft: Draft,
    request: &EditRequest,
) -> Result<Proposed<Edited>, Refused> {
    let document = document(sandbox, &mut draft)?;
    let _memory = reserve(to_change(document.text(), document.bytes().len()))?;
    let changed_since_read = draft.changed_since_read();
    // What another program has changed meanwhile is edited only where there can be no doubt.
    let matching = if changed_since_read { Matching::Exact } else { request.matching };
    let before = AppliedAll::before(document.text());
    let applied = apply_all(sandbox, &draft, before, &request.edits, matching, request)?;
    // Of most files the text is all they hold, so the new one need not be put together twice.
    let encoded = if holds_text_alone(&document) {
        None
    } else {
        Some(spliced(sandbox, &document, &applied.text, &applied.changes, &draft)?)
    };
    let after = encoded.as_ref().map_or(applied.text.as_bytes(), Document::bytes);
    let (steps, lines) = (applied.steps, changed_lines(&applied.changes));
    if after == document.bytes() {
        let (path, lines, shown) = (FilePath::new(&draft.location), Vec::new(), Shown::default());
        let unchanged = true;
        return Ok(Edited { path, created: false, unchanged, steps, lines, changed_since_read, shown }.into());
    }
    let mut shown = shown(sandbox, &draft, document.text(), &applied.text)?;
    shown.excerpt = Excerpt::of(&applied.text, lines.first().copied());
    let content = encoded.map_or_else(|| applied.text.into_owned().into_bytes(), Document::into_bytes);
    let NewContent { path, shown, proposal } = proposed(draft, shown, content);
    let edited = Edited { path, created: false, unchanged: false, steps, lines, changed_since_read, shown };
    Ok(Proposed::new(edited, vec![proposal]))
}

/// Whether the bytes of the file are those of its text, without a mark or another encoding.
fn holds_text_alone(document: &Document) -> bool {
    std::ptr::eq(document.text().as_bytes(), document.bytes())
}

/// An empty old text: the new text is the whole of a file that does not exist.
fn create(
    sandbox: &Sandbox<'_>,
    draft: Draft,
    first: &Edit,
    rest: &[Edit],
    request: &EditRequest,
) -> Result<Proposed<Edited>, Refused> {
    if draft.before.is_some() {
        return Err(Refused::CreatesExisting { path: draft.location.show() });
    }
    let mut created = AppliedAll::before(&first.new);
    created.steps.push(Step { level: Level::Exact, replacements: 1 });
    let applied = apply_all(sandbox, &draft, created, rest, request.matching, request)?;
    let last = line_count(&applied.text);
    let lines = if last == 0 { Vec::new() } else { vec![LineSpan { first: 1, last }] };
    let content = Encoding::UTF_8.charset.encode(&applied.text).unwrap_or_default();
    let NewContent { path, shown, proposal } = propose(sandbox, draft, "", &applied.text, content)?;
    let edited = Edited {
        path,
        created: true,
        unchanged: false,
        steps: applied.steps,
        lines,
        changed_since_read: false,
        shown,
    };
    Ok(Proposed::new(edited, vec![proposal]))
}

/// Makes the edits that are left, as long as a caller waits for them.
fn apply_all<'t>(
    sandbox: &Sandbox<'_>,
    draft: &Draft,
    mut all: AppliedAll<'t>,
    edits: &[Edit],
    matching: Matching,
    request: &EditRequest,
) -> Result<AppliedAll<'t>, Refused> {
    let of = all.steps.len() + edits.len();
    let stop = until_over(sandbox);
    let bounds = request.bounds(all.text.len(), &stop);
    let before = all.steps.len();
    sandbox.checkpoint()?;
    match all.then_all(edits, matching, bounds) {
        Ok(()) => Ok(all),
        Err((_, Error::Stopped)) => Err(stopped(sandbox)(Stopped).into()),
        Err((at, why)) => Err(refused(Some(draft), &edits[at], before + at + 1, of, why)),
    }
}

/// An edit that changes nothing is a slip whatever the file holds, so it is said before the file is looked at.
fn check_differences(edits: &[Edit]) -> Result<(), Refused> {
    let same = edits.iter().position(|edit| edit.old == edit.new).map(|at| (at, Error::Same));
    let empty =
        || edits.iter().skip(1).position(|edit| edit.old.is_empty()).map(|at| (at + 1, Error::EmptyOld));
    match same.or_else(empty) {
        None => Ok(()),
        Some((at, why)) => Err(refused(None, &edits[at], at + 1, edits.len(), why)),
    }
}

fn refused(draft: Option<&Draft>, edit: &Edit, number: usize, of: usize, why: Error) -> Refused {
    Refused::Edit(Box::new(EditRefused {
        path: draft.map(|draft| draft.location.show()),
        edit: number,
        of,
        old: edit.old.clone(),
        changed_since_read: draft.is_some_and(Draft::changed_since_read),
        why,
    }))
}
