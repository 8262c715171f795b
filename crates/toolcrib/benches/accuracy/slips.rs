//! The slips that models make, each as a change to the call or to the file, with what is then meant.
//!
//! Only what is certain is expected: where a slip would leave two readings of what is meant (a quote in a line that the edit
//! changes, say), the sample is passed over.

use crate::FILE;
use crate::history::{Kind, Line, Sample};

/// How a change is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Edit,
    Unified,
    Envelope,
}

/// What the file holds if the call is understood.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Becomes(Vec<u8>),
    /// It cannot be known what is meant, so nothing may change.
    Refused,
}

/// A slip by its name.
pub(crate) struct Slip {
    pub(crate) name: &'static str,
    pub(crate) forms: &'static [Form],
    /// The case it makes of a sample, if it makes a difference there.
    pub(crate) make: fn(&Sample) -> Option<Case>,
    /// What is meant cannot be known.
    pub(crate) must_refuse: bool,
}

/// A file and a call on it.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) file: Vec<u8>,
    pub(crate) expected: Expected,
    lines: Vec<Line>,
    /// The line that a patch names, counted from 1.
    stated: isize,
    ending: &'static str,
    dress: Dress,
    /// An edit does not say which of two lines that say the same is the new one, and here that would matter.
    unclear_as_edit: bool,
}

/// What is done to the text of a call as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dress {
    Plain,
    Gutter,
    Escaped,
    WrongCounts,
    Bare,
    BlankLinesEmpty,
    Fenced,
    NoPrefix,
}

const ALL: &[Form] = &[Form::Edit, Form::Unified, Form::Envelope];
const EDIT: &[Form] = &[Form::Edit];
const UNIFIED: &[Form] = &[Form::Unified];
const PATCHES: &[Form] = &[Form::Unified, Form::Envelope];

const fn slip(name: &'static str, forms: &'static [Form], make: fn(&Sample) -> Option<Case>) -> Slip {
    Slip { name, forms, make, must_refuse: false }
}

const fn doubt(name: &'static str, make: fn(&Sample) -> Option<Case>) -> Slip {
    Slip { name, forms: ALL, make, must_refuse: true }
}

pub(crate) const SLIPS: &[Slip] = &[
    slip("none", ALL, |sample| Some(Case::of(sample))),
    slip("`$&`, `\\1` in the new text", ALL, dollar),
    slip("LF in the call, CRLF in the file", ALL, crlf_file),
    slip("CRLF in the call, LF in the file", ALL, |sample| Some(Case { ending: "\r\n", ..Case::of(sample) })),
    slip("mixed line endings", ALL, mixed_endings),
    slip("trailing spaces in the file", ALL, trailing_in_file),
    slip("trailing spaces in the call", ALL, trailing_in_call),
    slip("indentation omitted", ALL, dedented),
    slip("tabs in the call, spaces in the file", ALL, tabs_called),
    slip("spaces in the call, tabs in the file", ALL, tabs_in_file),
    slip("no final newline in the file", ALL, no_final_newline),
    slip("typographic quotes and dashes in the file", ALL, typographic_file),
    slip("typographic quotes and dashes in the call", ALL, typographic_call),
    slip("no-break spaces in the file", ALL, no_break_spaces),
    slip("pasted line numbers", EDIT, |sample| Some(Case { dress: Dress::Gutter, ..Case::of(sample) })),
    slip("escaped one time too many", EDIT, |sample| {
        Some(Case { dress: Dress::Escaped, ..Case::of(sample) })
    }),
    slip("UTF-8 with byte order mark", ALL, marked),
    slip("UTF-16", ALL, utf16),
    slip("windows-1252", ALL, latin),
    slip("an invalid byte elsewhere", ALL, invalid_byte),
    slip("line numbers off by 5", UNIFIED, |sample| off(sample, 5)),
    slip("line numbers off by 60", UNIFIED, |sample| off(sample, 60)),
    slip("wrong counts in @@", UNIFIED, |sample| {
        Some(Case { dress: Dress::WrongCounts, ..Case::of(sample) })
    }),
    slip("a bare @@", UNIFIED, |sample| Some(Case { dress: Dress::Bare, ..Case::of(sample) })),
    slip("empty context lines without their leading space", PATCHES, blank_lines_empty),
    slip("prose and a code fence around it", PATCHES, |sample| {
        Some(Case { dress: Dress::Fenced, ..Case::of(sample) })
    }),
    slip("paths without a/ and b/", UNIFIED, |sample| {
        Some(Case { dress: Dress::NoPrefix, ..Case::of(sample) })
    }),
    doubt("stale text", stale),
    doubt("text that occurs twice", twice),
];

impl Case {
    fn of(sample: &Sample) -> Self {
        let [old, new] = sample.texts();
        Self {
            file: sample.with(&old).into(),
            expected: Expected::Becomes(sample.with(&new).into()),
            lines: sample.lines.clone(),
            stated: sample.above.len().cast_signed() + 1,
            ending: "\n",
            dress: Dress::Plain,
            unclear_as_edit: false,
        }
    }

    /// The file and what it becomes, made anew from their texts.
    fn recoded(sample: &Sample, recode: impl Fn(String) -> Vec<u8>) -> Self {
        let [old, new] = sample.texts();
        let expected = Expected::Becomes(recode(sample.with(&new)));
        Self { file: recode(sample.with(&old)), expected, ..Self::of(sample) }
    }

    /// The file has other lines where the edit changes nothing; the call knows nothing of it.
    fn with_context(sample: &Sample, change: impl Fn(&str) -> String) -> Option<Self> {
        let mut differs = false;
        let lines: Vec<Line> = sample
            .lines
            .iter()
            .map(|line| {
                let text = if line.kind == Kind::Context { change(&line.text) } else { line.text.clone() };
                differs |= text != line.text;
                Line { kind: line.kind, text }
            })
            .collect();
        let other = Sample {
            path: String::new(),
            commit: String::new(),
            above: sample.above.clone(),
            lines,
            below: sample.below.clone(),
        };
        let repeats = |line: &Line| {
            line.kind != Kind::Context
                && sample.lines.iter().any(|other| other.kind == Kind::Context && other.text == line.text)
        };
        let unclear_as_edit = sample.lines.iter().any(repeats);
        differs.then(|| Self { lines: sample.lines.clone(), unclear_as_edit, ..Self::of(&other) })
    }

    /// The call has other lines where the edit changes nothing.
    fn with_called_context(sample: &Sample, change: impl Fn(&str) -> String) -> Option<Self> {
        let mut case = Self::of(sample);
        for line in case.lines.iter_mut().filter(|line| line.kind == Kind::Context) {
            line.text = change(&line.text);
        }
        (case.lines != sample.lines).then_some(case)
    }

    /// All lines of the call are changed in the same way.
    fn with_lines(sample: &Sample, change: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let mut case = Self::of(sample);
        let mut differs = false;
        for line in &mut case.lines {
            let text = change(&line.text)?;
            // Where only new lines are written otherwise, nothing tells that it is a slip.
            differs |= line.kind != Kind::Added && text != line.text;
            line.text = text;
        }
        differs.then_some(case)
    }

    /// Whether the change can be called for in this form: an envelope and an edit cannot say a line without text to hold on to.
    pub(crate) fn fits(&self, form: Form) -> bool {
        match form {
            Form::Unified => true,
            Form::Envelope => self.lines.iter().any(|line| line.kind != Kind::Added),
            Form::Edit => !self.unclear_as_edit && self.lines.iter().any(|line| line.kind != Kind::Added),
        }
    }

    /// The texts of an edit.
    pub(crate) fn texts(&self) -> [String; 2] {
        [Kind::Added, Kind::Removed].map(|without| {
            let lines = self.lines.iter().filter(|line| line.kind != without);
            let first = usize::try_from(self.stated).unwrap_or(1);
            let text: String = match self.dress {
                Dress::Gutter => lines
                    .enumerate()
                    .map(|(at, line)| format!("{:>6}\t{}{}", first + at, line.text, self.ending))
                    .collect(),
                _ => lines.map(|line| format!("{}{}", line.text, self.ending)).collect(),
            };
            if self.dress == Dress::Escaped { text.escape_default_json() } else { text }
        })
    }

    /// The text of a call, as far as it is one.
    pub(crate) fn call(&self, form: Form) -> String {
        match form {
            Form::Edit => self.texts().join("\n=======\n"),
            Form::Unified => self.dressed(self.unified()),
            Form::Envelope => self.dressed(format!(
                "*** Begin Patch\n*** Update File: {FILE}\n@@\n{}*** End Patch\n",
                self.body()
            )),
        }
    }

    fn unified(&self) -> String {
        let count = |without: Kind| self.lines.iter().filter(|line| line.kind != without).count();
        let more = if self.dress == Dress::WrongCounts { 2 } else { 0 };
        let (old, new) = (count(Kind::Added), count(Kind::Removed));
        let head = if self.dress == Dress::Bare {
            "@@".to_owned()
        } else {
            format!("@@ -{0},{1} +{0},{2} @@", self.stated.max(1), old + more, new + more)
        };
        let (a, b) = if self.dress == Dress::NoPrefix { ("", "") } else { ("a/", "b/") };
        format!("--- {a}{FILE}\n+++ {b}{FILE}\n{head}\n{}", self.body())
    }

    fn body(&self) -> String {
        let mut body = String::new();
        for line in &self.lines {
            let sign = match line.kind {
                Kind::Context if self.dress == Dress::BlankLinesEmpty && line.text.is_empty() => "",
                Kind::Context => " ",
                Kind::Removed => "-",
                Kind::Added => "+",
            };
            body.push_str(&format!("{sign}{}{}", line.text, self.ending));
        }
        body
    }

    fn dressed(&self, patch: String) -> String {
        if self.dress == Dress::Fenced {
            return format!(
                "Here is the change that you asked for:\n\n```diff\n{patch}```\n\nThat should do it.\n"
            );
        }
        patch
    }
}

/// What JSON makes of a text.
trait EscapeOnce {
    fn escape_default_json(&self) -> String;
}

impl EscapeOnce for String {
    fn escape_default_json(&self) -> String {
        let quoted = serde_json::Value::from(self.as_str()).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    }
}

fn dollar(sample: &Sample) -> Option<Case> {
    let last = sample.lines.iter().rposition(|line| line.kind == Kind::Added)?;
    let mut lines = sample.lines.clone();
    lines.insert(last, Line { kind: Kind::Added, text: "literal $& $1 \\1 ${name} %s".to_owned() });
    Some(Case::of(&Sample {
        path: String::new(),
        commit: String::new(),
        above: sample.above.clone(),
        lines,
        below: sample.below.clone(),
    }))
}

fn crlf_file(sample: &Sample) -> Option<Case> {
    Some(Case::recoded(sample, |text| text.replace('\n', "\r\n").into()))
}

/// The lines above end otherwise than the rest.
fn mixed_endings(sample: &Sample) -> Option<Case> {
    let above: String = sample.above.iter().map(|line| format!("{line}\n")).collect();
    (!above.is_empty()).then(|| {
        Case::recoded(sample, |text| {
            format!("{}{}", above.replace('\n', "\r\n"), text.strip_prefix(&*above).unwrap_or(&text)).into()
        })
    })
}

fn trailing_in_file(sample: &Sample) -> Option<Case> {
    Case::with_context(
        sample,
        |line| if line.trim().is_empty() { line.to_owned() } else { format!("{line}  ") },
    )
}

fn trailing_in_call(sample: &Sample) -> Option<Case> {
    Case::with_called_context(sample, |line| {
        if line.trim().is_empty() { line.to_owned() } else { format!("{line}  ") }
    })
}

/// What all lines that say something begin with.
fn common_indentation(lines: &[Line]) -> String {
    let mut said = lines.iter().map(|line| line.text.as_str()).filter(|line| !line.trim().is_empty());
    let indentation = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let first = said.next().map(indentation).unwrap_or_default();
    said.fold(first, |common, line| {
        let same = common.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
        common[..same].to_owned()
    })
}

fn dedented(sample: &Sample) -> Option<Case> {
    let common = common_indentation(&sample.lines);
    Case::with_lines(sample, |line| Some(line.strip_prefix(&*common).unwrap_or(line.trim_start()).to_owned()))
}

/// The line with each four blanks before it as a tab; nothing, if they do not come in fours.
fn tabbed(line: &str) -> Option<String> {
    let said = line.trim_start_matches(' ');
    let blanks = line.len() - said.len();
    (blanks.is_multiple_of(4) && !said.starts_with('\t'))
        .then(|| format!("{}{said}", "\t".repeat(blanks / 4)))
}

fn tabs_called(sample: &Sample) -> Option<Case> {
    Case::with_lines(sample, tabbed)
}

fn tabs_in_file(sample: &Sample) -> Option<Case> {
    let lines: Option<Vec<Line>> =
        sample.lines.iter().map(|line| Some(Line { kind: line.kind, text: tabbed(&line.text)? })).collect();
    let tabbed_all =
        |lines: &[String]| -> Option<Vec<String>> { lines.iter().map(|line| tabbed(line)).collect() };
    let other = Sample {
        path: String::new(),
        commit: String::new(),
        above: tabbed_all(&sample.above)?,
        lines: lines?,
        below: tabbed_all(&sample.below)?,
    };
    let differs = |(a, b): (&Line, &Line)| a.kind != Kind::Added && a != b;
    let differs = sample.lines.iter().zip(&other.lines).any(differs);
    differs.then(|| Case { lines: sample.lines.clone(), ..Case::of(&other) })
}

/// The file ends with the hunk, and without a newline.
fn no_final_newline(sample: &Sample) -> Option<Case> {
    let [old, new] = sample.texts();
    let above: String = sample.above.iter().map(|line| format!("{line}\n")).collect();
    let file = |text: &str| format!("{above}{text}").trim_end_matches('\n').to_owned();
    // A blank line at the end would be a second newline.
    let ends = |text: &str| text.lines().last().is_some_and(|line| !line.trim().is_empty());
    (ends(&old) && ends(&new)).then(|| Case {
        file: file(&old).into(),
        expected: Expected::Becomes(file(&new).into()),
        ..Case::of(sample)
    })
}

fn is_typographic(c: char) -> bool {
    matches!(c, '"' | '\'' | '-' | '“' | '”' | '’' | '‘' | '–' | '—')
}

fn typeset(line: &str) -> String {
    let mut opens = true;
    line.replace(" - ", " – ")
        .chars()
        .map(|c| match c {
            '"' => {
                opens = !opens;
                if opens { '”' } else { '“' }
            }
            '\'' => '’',
            other => other,
        })
        .collect()
}

/// A change that says nothing about quotes and dashes.
fn is_plain(sample: &Sample) -> bool {
    !sample.lines.iter().any(|line| line.kind != Kind::Context && line.text.contains(is_typographic))
        && !sample.lines.iter().any(|line| line.text.contains(['“', '”', '’', '‘', '–', '—']))
}

fn typographic_file(sample: &Sample) -> Option<Case> {
    is_plain(sample).then(|| Case::with_context(sample, typeset)).flatten()
}

fn typographic_call(sample: &Sample) -> Option<Case> {
    is_plain(sample).then(|| Case::with_called_context(sample, typeset)).flatten()
}

fn no_break_spaces(sample: &Sample) -> Option<Case> {
    let spaced = |line: &str| {
        let said = line.trim_start();
        format!("{}{}", &line[..line.len() - said.len()], said.replacen(' ', "\u{A0}", 1))
    };
    Case::with_context(sample, spaced)
}

fn marked(sample: &Sample) -> Option<Case> {
    Some(Case::recoded(sample, |text| format!("\u{FEFF}{text}").into()))
}

fn utf16(sample: &Sample) -> Option<Case> {
    let units = |text: String| {
        std::iter::once(0xFEFF)
            .chain(text.encode_utf16().collect::<Vec<_>>())
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    Some(Case::recoded(sample, units))
}

/// A line that tells the encoding, above all others.
const FRENCH: &str = "// déjà vu à la crème, garçon: voilà le café où l’été était né\n";

fn latin(sample: &Sample) -> Option<Case> {
    let byte = |c: char| match c {
        '’' => Some(0x92),
        c if c.is_ascii() || ('\u{A0}'..='\u{FF}').contains(&c) => u8::try_from(u32::from(c)).ok(),
        _ => None,
    };
    let encode = |text: String| format!("{FRENCH}{text}").chars().filter_map(byte).collect::<Vec<u8>>();
    let [old, new] = sample.texts();
    let known = sample.with(&old).chars().chain(new.chars()).all(|c| c.is_ascii());
    known.then(|| {
        let case = Case::recoded(sample, encode);
        Case { stated: case.stated + 1, ..case }
    })
}

fn invalid_byte(sample: &Sample) -> Option<Case> {
    let [old, new] = sample.texts();
    // With nothing but that byte the encoding is anyone's guess, and so is how another character is written.
    (new.is_ascii() || !sample.with(&old).is_ascii()).then_some(())?;
    let case = Case::recoded(sample, |text| [b"raw \xFF byte\n".to_vec(), text.into_bytes()].concat());
    Some(Case { stated: case.stated + 1, ..case })
}

fn off(sample: &Sample, by: isize) -> Option<Case> {
    let case = Case::of(sample);
    Some(Case { stated: case.stated + by, ..case })
}

fn blank_lines_empty(sample: &Sample) -> Option<Case> {
    let has = sample.lines.iter().any(|line| line.kind == Kind::Context && line.text.is_empty());
    has.then(|| Case { dress: Dress::BlankLinesEmpty, ..Case::of(sample) })
}

/// A line that is to go does not stand there any more.
fn stale(sample: &Sample) -> Option<Case> {
    let mut case = Case::of(sample);
    let gone = case.lines.iter_mut().find(|line| {
        line.kind == Kind::Removed && line.text.chars().filter(|c| c.is_alphanumeric()).count() > 5
    })?;
    let word = gone.text.find(char::is_alphanumeric)?;
    gone.text.insert_str(word, "former_");
    Some(Case { expected: Expected::Refused, ..case })
}

/// The same lines stand there once more, and nothing tells which are meant.
fn twice(sample: &Sample) -> Option<Case> {
    let [old, _] = sample.texts();
    let file = format!("{}{old}", sample.with(&old));
    Some(Case { file: file.into(), expected: Expected::Refused, dress: Dress::Bare, ..Case::of(sample) })
}
