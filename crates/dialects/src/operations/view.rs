//! A file or a directory, whichever a path leads to.

use toolcrib_access::Proposed;
use toolcrib_files::{ListRequest, Listing, Part, ReadRequest, Refused};
use toolcrib_tool::{Effect, ErrorKind, ToolError};

use super::{Caller, Operation, Read, ReadOutcome};
use crate::facts::{Facts, facts};

/// Shows a file, or two levels of a directory.
pub struct View;

parameters! {
    /// Which file or directory, and which of the lines.
    pub struct ViewInput;
    file_path: String, schemars(length(min = 1)) => "The file or directory to view";
    range: Option<Vec<i64>> =>
        "First and last line of a file, 1-based, such as [11, 20]; -1 as the last is the end";
}

/// What was there.
pub enum ViewOutcome {
    /// A file.
    File(ReadOutcome),
    /// A directory: its entries and those of its directories by name, without hidden ones and `node_modules`.
    Directory(Listing),
}

impl Operation for View {
    type Input = ViewInput;
    type Outcome = ViewOutcome;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "View";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: ViewInput, caller: &Caller<'_>) -> Result<Proposed<ViewOutcome>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let request = ListRequest {
            path: path.clone(),
            depth: Some(2),
            ignore: [".*", "node_modules"].map(str::to_owned).to_vec(),
            ignored: true,
            offset: 0,
            limit: ListRequest::DEFAULT_LIMIT,
        };
        match toolcrib_files::list(caller.sandbox, &request) {
            Ok(_) if input.range.is_some() => return Err(range_of_directory(caller).into()),
            Ok(mut listing) => {
                listing
                    .entries
                    .sort_by(|one, other| one.path.relative.split('/').cmp(other.path.relative.split('/')));
                return Ok(ViewOutcome::Directory(listing).into());
            }
            // Reading it says more of what does not exist.
            Err(error) if matches!(error.kind(), ErrorKind::NotDirectory | ErrorKind::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        let (first, limit) = input.range.as_deref().map_or(Ok(WHOLE), |range| lines(range, caller))?;
        let part = Part::From { first, limit };
        // Lines are shown in order to be edited, so a notebook is the JSON that it is.
        let encoding = path.extension().is_some_and(|ending| ending == "ipynb").then(|| "utf-8".to_owned());
        let limits = caller.settings.read;
        let request = ReadRequest { part, encoding, limits, ..ReadRequest::new(path) };
        let range = input.range.as_deref().unwrap_or_default();
        let read = Read::perform(request, caller).map_err(|refused| match &refused {
            Refused::Failed(error) if error.kind() == ErrorKind::InvalidParameter => {
                let Some(total) = error.fact("total_lines") else { return refused };
                let within = format!("should be within the range of lines of the file: [1, {total}]");
                wrong(range, &format!("Its first element `{first}` {within}"), caller).into()
            }
            _ => refused,
        })?;
        Ok(read.map(ViewOutcome::File))
    }

    fn facts() -> Facts<ViewOutcome> {
        facts! { ViewOutcome, |it, words|
            "total_lines": "How many lines a file has; absent when counting them would mean reading on" =>
                it.file()?.text()?.total_lines;
            "count": "How many entries of a directory are shown" => Some(it.directory()?.entries.len());
            "truncated": "Whether there is more than shown" => match it {
                ViewOutcome::File(file) => file.truncated(),
                ViewOutcome::Directory(listing) => listing.next.is_some() || listing.partial,
            };
        }
    }
}

impl ViewOutcome {
    /// What was read, if it is a file.
    #[must_use]
    pub fn file(&self) -> Option<&ReadOutcome> {
        if let Self::File(file) = self { Some(file) } else { None }
    }

    /// The entries, if it is a directory.
    #[must_use]
    pub fn directory(&self) -> Option<&Listing> {
        if let Self::Directory(listing) = self { Some(listing) } else { None }
    }
}

/// The first line, and how many at the most.
const WHOLE: (u64, usize) = (1, ReadRequest::MAX_LIMIT);

/// The lines that a range means. One that ends behind the last line ends there.
fn lines(range: &[i64], caller: &Caller<'_>) -> Result<(u64, usize), ToolError> {
    let &[first, last] = range else {
        return Err(wrong(range, "It should be a list of two integers", caller));
    };
    let from = u64::try_from(first).ok().filter(|first| *first > 0);
    let from = from.ok_or_else(|| {
        wrong(
            range,
            &format!("Its first element `{first}` should be within the range of lines of the file"),
            caller,
        )
    })?;
    if last == -1 {
        return Ok((from, ReadRequest::MAX_LIMIT));
    }
    if last < first {
        let why = format!("Its second element `{last}` should be larger or equal than its first `{first}`");
        return Err(wrong(range, &why, caller));
    }
    let count = usize::try_from(last.abs_diff(first)).unwrap_or(usize::MAX).saturating_add(1);
    Ok((from, count.min(ReadRequest::MAX_LIMIT)))
}

fn wrong(range: &[i64], why: &str, caller: &Caller<'_>) -> ToolError {
    let message = format!("Invalid `{}`: {range:?}. {why}", caller.words.parameter("range"));
    ToolError::new(ErrorKind::InvalidParameter, message)
}

fn range_of_directory(caller: &Caller<'_>) -> ToolError {
    let [range, path] = ["range", "file_path"].map(|name| caller.words.parameter(name));
    let message = format!("The `{range}` parameter is not allowed when `{path}` points to a directory.");
    ToolError::new(ErrorKind::InvalidParameter, message)
}
