//! Edits that people really made: the hunks of a git history, with the files that they were made in.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Result;

/// Larger files say no more and take longer.
const MOST_BYTES: usize = 200_000;
/// A change of more lines is no edit that a model would call for.
const MOST_LINES: usize = 60;

/// One hunk in its file.
pub(crate) struct Sample {
    pub(crate) path: String,
    pub(crate) commit: String,
    /// The lines above the hunk, without their endings.
    pub(crate) above: Vec<String>,
    /// The hunk.
    pub(crate) lines: Vec<Line>,
    /// The lines below.
    pub(crate) below: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Context,
    Removed,
    Added,
}

impl Sample {
    /// What stands there, and what shall.
    pub(crate) fn texts(&self) -> [String; 2] {
        [Kind::Added, Kind::Removed].map(|without| {
            self.lines
                .iter()
                .filter(|line| line.kind != without)
                .map(|line| format!("{}\n", line.text))
                .collect()
        })
    }

    /// It stands there once, and says something, so that it can be known what is meant.
    fn is_clear(&self) -> bool {
        let [old, new] = self.texts();
        let file: String = self.with(&old);
        old.contains(char::is_alphanumeric) && old != new && file.find(&old) == file.rfind(&old)
    }

    /// The whole file around a text.
    pub(crate) fn with(&self, text: &str) -> String {
        let lines = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        format!("{}{text}{}", lines(&self.above), lines(&self.below))
    }
}

/// Edits from the histories, spread evenly over all that there are.
pub(crate) fn samples(repositories: &[String], most: usize) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for repository in repositories {
        let hunks = hunks(repository)?;
        let wanted = (most / repositories.len()).max(1);
        // Not every hunk is clear, so more are looked at than are wanted.
        let step = (hunks.len() / (wanted * 2)).max(1);
        let mut blobs = Blobs::open(repository)?;
        let mut taken = 0;
        for hunk in hunks.into_iter().step_by(step) {
            if taken == wanted {
                break;
            }
            if let Some(sample) = hunk.in_file(&mut blobs)? {
                samples.push(sample);
                taken += 1;
            }
        }
    }
    if samples.is_empty() { Err("no edits in these histories".into()) } else { Ok(samples) }
}

/// A hunk of a log, before its file was looked at.
struct Found {
    commit: String,
    path: String,
    /// The name of the content that it was made in.
    blob: String,
    /// Its first line, counted from 1.
    first: usize,
    lines: Vec<Line>,
}

impl Found {
    fn in_file(self, blobs: &mut Blobs) -> Result<Option<Sample>> {
        let Some(file) = blobs.text(&self.blob)? else { return Ok(None) };
        let all: Vec<String> = file.lines().map(str::to_owned).collect();
        let old = self.lines.iter().filter(|line| line.kind != Kind::Added).count();
        let above = self.first.saturating_sub(1);
        if !file.ends_with('\n') || file.contains('\r') || above + old > all.len() {
            return Ok(None);
        }
        let sample = Sample {
            path: self.path,
            commit: self.commit,
            above: all[..above].to_vec(),
            lines: self.lines,
            below: all[above + old..].to_vec(),
        };
        let [old, _] = sample.texts();
        Ok(Some(sample).filter(|sample| sample.with(&old) == file && sample.is_clear()))
    }
}

fn hunks(repository: &str) -> Result<Vec<Found>> {
    let log = Command::new("git")
        .args(["-C", repository, "-c", "core.quotepath=off", "log", "-p", "-U3", "--no-merges", "--no-color"])
        .args(["--no-ext-diff", "--no-textconv", "--diff-filter=M", "--full-index", "--format=commit %H"])
        .stderr(Stdio::inherit())
        .output()?;
    if !log.status.success() {
        return Err(format!("git log failed in {repository}").into());
    }
    let mut found: Vec<Found> = Vec::new();
    let (mut commit, mut path, mut blob) = (String::new(), String::new(), String::new());
    let mut left = (0, 0);
    for line in String::from_utf8_lossy(&log.stdout).split('\n') {
        if left != (0, 0) {
            if let Some(hunk) = found.last_mut() {
                left = take(hunk, line, left);
            }
        } else if let Some(name) = line.strip_prefix("commit ") {
            commit = name.chars().take(12).collect();
        } else if let Some(index) = line.strip_prefix("index ") {
            blob = index.split("..").next().unwrap_or_default().to_owned();
        } else if let Some(name) = line.strip_prefix("+++ b/") {
            path = name.to_owned();
        } else if line.starts_with("\\ No newline") {
            found.pop();
        } else if let Some((first, counts)) = head(line) {
            left = counts;
            let (commit, path, blob) = (commit.clone(), path.clone(), blob.clone());
            found.push(Found { commit, path, blob, first, lines: Vec::new() });
        }
    }
    found.retain(|hunk| hunk.lines.len() <= MOST_LINES);
    Ok(found)
}

fn take(hunk: &mut Found, line: &str, left: (usize, usize)) -> (usize, usize) {
    let (kind, old, new) = match line.chars().next() {
        Some('-') => (Kind::Removed, 1, 0),
        Some('+') => (Kind::Added, 0, 1),
        Some('\\') => return left,
        _ => (Kind::Context, 1, 1),
    };
    hunk.lines.push(Line { kind, text: line.get(1..).unwrap_or_default().to_owned() });
    (left.0.saturating_sub(old), left.1.saturating_sub(new))
}

/// The first line and the counts of `@@ -1,2 +3,4 @@`.
fn head(line: &str) -> Option<(usize, (usize, usize))> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let part = |range: &str| -> Option<(usize, usize)> {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    let (old, new) = (part(old)?, part(new)?);
    Some((old.0, (old.1, new.1)))
}

/// The contents in a repository, by name.
struct Blobs {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Blobs {
    fn open(repository: &str) -> Result<Self> {
        let mut command = Command::new("git");
        command.args(["-C", repository, "cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        Ok(Self { process, output })
    }

    /// A content, if it is there, is text, and is not too large.
    fn text(&mut self, name: &str) -> Result<Option<String>> {
        let input = self.process.stdin.as_mut().ok_or("no standard input")?;
        writeln!(input, "{name}")?;
        input.flush()?;
        let mut head = String::new();
        self.output.read_line(&mut head)?;
        let Some(size) = head.trim().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let mut content = vec![0; size + 1];
        self.output.read_exact(&mut content)?;
        content.pop();
        Ok(String::from_utf8(content).ok().filter(|text| text.len() <= MOST_BYTES && !text.contains('\0')))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        _ = self.process.wait();
    }
}
