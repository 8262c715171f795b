//! Changes to the cells of a notebook, as replacements of spans in its text.
//!
//! The JSON is never written anew: key order, indentation, number formats and everything else that an editor or a
//! version control system would notice stay as they are. Only nbformat 4 can be changed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{CellKind, MAX_BYTES};

/// What to do with which cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellEdit<'a> {
    /// Gives a cell a new source, and another kind if one is named. The outputs of code are cleared: they belong to the
    /// old source.
    Replace {
        /// The cell.
        cell: &'a str,
        /// Its new text.
        source: &'a str,
        /// Its new kind.
        kind: Option<CellKind>,
    },
    /// Adds a cell.
    Insert {
        /// The cell that it follows; without one it is the first.
        after: Option<&'a str>,
        /// Its text.
        source: &'a str,
        /// Its kind.
        kind: CellKind,
    },
    /// Removes a cell.
    Delete {
        /// The cell.
        cell: &'a str,
    },
}

/// How the text of the notebook changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The spans to replace, in order and without overlap, and what takes their place.
    pub splices: Vec<(Range<usize>, String)>,
    /// The cell's number, counted from 1: after the change, or before it if the cell is gone.
    pub number: usize,
    /// The cell's id, if it has one.
    pub id: Option<String>,
    /// The cell's kind.
    pub kind: CellKind,
}

/// Why a notebook is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Not a notebook that can be changed.
    #[error("not a notebook of nbformat 4: {0}")]
    NotANotebook(String),
    /// No cell has this id or number.
    #[error("there is no cell '{cell}': the notebook has {count} cells")]
    NoSuchCell {
        /// What was given.
        cell: String,
        /// How many cells there are.
        count: usize,
    },
    /// Several cells have this id, or it is the number of another cell.
    #[error("'{cell}' names {count} cells, by their ids and their number")]
    NotUnique {
        /// What was given.
        cell: String,
        /// How many cells it names.
        count: usize,
    },
}

/// Finds the cell and says which spans of the text change.
///
/// A cell is named by its id, or by its number counted from 1; `#2` is the number in any case.
///
/// ```
/// use toolcrib_formats::notebook::{CellEdit, edit};
///
/// let text = r#"{"cells": [{"cell_type": "markdown", "id": "a", "source": ["old"]}], "nbformat": 4}"#;
/// let edited = edit(text, CellEdit::Replace { cell: "a", source: "new", kind: None })?;
/// let [(span, new)] = &edited.splices[..] else { panic!("one span") };
/// assert_eq!((&text[span.clone()], &**new), (r#"["old"]"#, r#"["new"]"#));
/// # Ok::<(), toolcrib_formats::notebook::EditError>(())
/// ```
///
/// # Errors
///
/// If it is not a notebook of nbformat 4, or if it is not certain which cell is meant.
pub fn edit(text: &str, edit: CellEdit<'_>) -> Result<Edited, EditError> {
    let notebook = Source::parse(text)?;
    match edit {
        CellEdit::Replace { cell, source, kind } => notebook.replace(notebook.find(cell)?, source, kind),
        CellEdit::Insert { after, source, kind } => {
            let at = after.map(|cell| notebook.find(cell)).transpose()?.map_or(0, |at| at + 1);
            notebook.insert(at, source, kind)
        }
        CellEdit::Delete { cell } => notebook.delete(notebook.find(cell)?),
    }
}

/// How many keys a notebook and its cells may have; they have about five.
const MAX_FIELDS: usize = 256;

/// How many blanks a level may be indented by.
const MAX_INDENT: usize = 16;

/// The fields of an object, in order, each value as the text it is.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    fn number(&self, name: &str) -> Option<u64> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// The id, which is a text; some programs write a number.
    fn id(&self) -> Option<String> {
        self.text("id").or_else(|| self.number("id").map(|number| number.to_string()))
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    // Which of two values counts is up to the program that reads them.
                    if fields.iter().any(|(known, _)| *known == key.0) {
                        return Err(de::Error::custom(format_args!("duplicate key '{}'", key.0)));
                    }
                    if fields.len() == MAX_FIELDS {
                        return Err(de::Error::custom("an object has too many keys"));
                    }
                    fields.push((key.0, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// A notebook as text, and where its cells are.
struct Source<'a> {
    text: &'a str,
    /// The list of cells with its brackets.
    list: Range<usize>,
    cells: Vec<Range<usize>>,
    /// Whether cells have ids: since nbformat 4.5 they must.
    has_ids: bool,
    style: Style<'a>,
}

impl<'a> Source<'a> {
    fn parse(text: &'a str) -> Result<Self, EditError> {
        let not = |why: &str| EditError::NotANotebook(why.to_owned());
        if text.len() > MAX_BYTES {
            return Err(not("it is too large"));
        }
        let json: Fields<'a> =
            serde_json::from_str(text).map_err(|error| EditError::NotANotebook(error.to_string()))?;
        if json.get("nbformat").is_some() && json.number("nbformat") != Some(4) {
            return Err(not("its nbformat is not 4"));
        }
        let list = json.get("cells").ok_or_else(|| not("it has no cells"))?;
        let cells: Vec<&'a RawValue> =
            serde_json::from_str(list.get()).map_err(|_| not("its cells are not a list"))?;
        let cells: Vec<Range<usize>> = cells.into_iter().map(|cell| span(text, cell.get())).collect();
        let first = cells.first().and_then(|cell| fields(&text[cell.clone()]).ok());
        let has_ids = json.number("nbformat_minor").is_some_and(|minor| minor >= 5)
            || first.as_ref().is_some_and(|cell| cell.get("id").is_some());
        Ok(Self { text, list: span(text, list.get()), style: Style::of(text), cells, has_ids })
    }

    fn cell(&self, at: usize) -> Result<Fields<'a>, EditError> {
        fields(&self.text[self.cells[at].clone()])
            .map_err(|error| EditError::NotANotebook(format!("cell {}: {error}", at + 1)))
    }

    /// The ids of all cells. One that cannot be read could have any.
    fn ids(&self) -> Result<Vec<Option<String>>, EditError> {
        (0..self.cells.len()).map(|at| Ok(self.cell(at)?.id())).collect()
    }

    /// A reader sees the number of a cell and not its id, so what could be either is refused.
    fn find(&self, cell: &str) -> Result<usize, EditError> {
        let count = self.cells.len();
        let numbered = |number: &str| {
            let number = number.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
            number.map(|number| number - 1)
        };
        let none = || EditError::NoSuchCell { cell: cell.to_owned(), count };
        if let Some(number) = cell.strip_prefix('#') {
            return numbered(number).ok_or_else(none);
        }
        let ids = self.ids()?;
        let mut named: Vec<usize> = (0..count).filter(|at| ids[*at].as_deref() == Some(cell)).collect();
        named.extend(numbered(cell).filter(|at| !named.contains(at)));
        match *named {
            [at] => Ok(at),
            [] => Err(none()),
            _ => Err(EditError::NotUnique { cell: cell.to_owned(), count: named.len() }),
        }
    }

    fn replace(&self, at: usize, source: &str, kind: Option<CellKind>) -> Result<Edited, EditError> {
        let cell = self.cell(at)?;
        let was = kind_of(&cell);
        let kind = kind.unwrap_or(was);
        let edited = |splices| Edited { splices, number: at + 1, id: cell.id(), kind };
        let old = cell.get("source");
        let listed = old.is_none_or(|old| old.get().starts_with('['));
        let new = self.style.source(source, listed, 3);
        let (false, Some(old)) = (kind != was, old) else {
            return Ok(edited(vec![(self.cells[at].clone(), self.rewritten(&cell, kind, new))]));
        };
        let mut splices = vec![(span(self.text, old.get()), new)];
        if kind == CellKind::Code {
            let cleared = [("outputs", "[]"), ("execution_count", "null")];
            let stale = cleared.iter().filter_map(|(name, empty)| Some((cell.get(name)?, *empty)));
            splices.extend(
                stale
                    .filter(|(value, empty)| !is_empty_list(value.get()) && value.get() != *empty)
                    .map(|(value, empty)| (span(self.text, value.get()), empty.to_owned())),
            );
            splices.sort_by_key(|(span, _)| span.start);
        }
        Ok(edited(splices))
    }

    /// The cell with the fields that its kind has, all others as they are.
    fn rewritten(&self, cell: &Fields<'_>, kind: CellKind, source: String) -> String {
        let code = kind == CellKind::Code;
        let only_code = ["execution_count", "outputs"];
        let kept = cell.0.iter().filter(|(name, _)| code || !only_code.contains(&&**name));
        let mut fields: Vec<(String, String)> = kept
            .map(|(name, value)| match &**name {
                "cell_type" => (name.to_string(), format!("\"{}\"", kind.name())),
                "execution_count" => (name.to_string(), "null".to_owned()),
                "outputs" => (name.to_string(), "[]".to_owned()),
                _ => (name.to_string(), value.get().to_owned()),
            })
            .filter(|(name, _)| name != "source")
            .collect();
        if cell.get("cell_type").is_none() {
            fields.push(("cell_type".to_owned(), format!("\"{}\"", kind.name())));
        }
        for (name, empty) in [("execution_count", "null"), ("outputs", "[]")] {
            if code && !fields.iter().any(|(known, _)| known == name) {
                fields.push((name.to_owned(), empty.to_owned()));
            }
        }
        fields.push(("source".to_owned(), source));
        self.style.object(&fields, 2)
    }

    fn insert(&self, at: usize, source: &str, kind: CellKind) -> Result<Edited, EditError> {
        let id = if self.has_ids { Some(self.new_id(at, source)?) } else { None };
        let mut fields = vec![("cell_type".to_owned(), format!("\"{}\"", kind.name()))];
        if kind == CellKind::Code {
            fields.push(("execution_count".to_owned(), "null".to_owned()));
        }
        fields.extend(id.iter().map(|id| ("id".to_owned(), format!("\"{id}\""))));
        fields.push(("metadata".to_owned(), "{}".to_owned()));
        if kind == CellKind::Code {
            fields.push(("outputs".to_owned(), "[]".to_owned()));
        }
        // As the cell before it has its source, a text or a list of lines.
        let beside = at.saturating_sub(1);
        let beside = self.cells.get(beside).and_then(|_| self.cell(beside).ok()?.get("source"));
        let listed = beside.is_none_or(|source| source.get().starts_with('['));
        fields.push(("source".to_owned(), self.style.source(source, listed, 3)));
        let cell = self.style.object(&fields, 2);
        let gap = self.style.line(2);
        let splice = match (self.cells.get(at), self.cells.last()) {
            (Some(next), _) => (next.start..next.start, format!("{cell},{}", self.style.gap(2))),
            (None, Some(last)) => (last.end..last.end, format!(",{}{cell}", self.style.gap(2))),
            (None, None) => (self.list.clone(), format!("[{gap}{cell}{}]", self.style.line(1))),
        };
        Ok(Edited { splices: vec![splice], number: at + 1, id, kind })
    }

    fn delete(&self, at: usize) -> Result<Edited, EditError> {
        let cell = self.cell(at)?;
        let Range { start, end } = self.cells[at].clone();
        let gone = match (self.cells.get(at + 1), at.checked_sub(1).map(|before| &self.cells[before])) {
            (Some(next), _) => start..next.start,
            (None, Some(before)) => before.end..end,
            (None, None) => self.list.start + 1..self.list.end - 1,
        };
        let splices = vec![(gone, String::new())];
        Ok(Edited { splices, number: at + 1, id: cell.id(), kind: kind_of(&cell) })
    }

    /// An id that no other cell has. It follows from the notebook and the source, so that a change that is shown first
    /// and made later is the same.
    fn new_id(&self, at: usize, source: &str) -> Result<String, EditError> {
        let known: HashSet<String> = self.ids()?.into_iter().flatten().collect();
        let seed = [source.as_bytes(), &at.to_le_bytes(), &self.text.len().to_le_bytes()];
        // FNV-1a: a name, not a secret.
        let hash = seed.concat().iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let ids = (0..).map(|turn: u64| format!("{:08x}", hash.wrapping_add(turn) & 0xffff_ffff));
        Ok(ids.into_iter().find(|id| !known.contains(id)).unwrap_or_default())
    }
}

fn fields(json: &str) -> Result<Fields<'_>, serde_json::Error> {
    serde_json::from_str(json)
}

/// Where a part of a text is in it.
fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

fn kind_of(cell: &Fields<'_>) -> CellKind {
    match cell.text("cell_type").as_deref() {
        Some("code") => CellKind::Code,
        Some("markdown") => CellKind::Markdown,
        _ => CellKind::Raw,
    }
}

fn is_empty_list(json: &str) -> bool {
    json.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|items| items.trim().is_empty())
}

/// How the JSON of a notebook is laid out.
struct Style<'a> {
    /// The blanks of one level, and the end of a line; none if everything stands on one line.
    indent: Option<(&'a str, &'a str)>,
    /// Between a key and its value.
    colon: &'static str,
    /// Whether other characters than ASCII are escaped.
    ascii: bool,
}

impl<'a> Style<'a> {
    fn of(text: &'a str) -> Self {
        let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
        let blanks = &inside[..inside.len() - inside.trim_start().len()];
        let indent = blanks.rfind('\n').map(|at| {
            let end = if blanks[..at].ends_with('\r') { "\r\n" } else { "\n" };
            (&blanks[at + 1..], end)
        });
        // Deeper than any program indents: it would be repeated in every new line.
        let indent = indent.filter(|(blanks, _)| blanks.len() <= MAX_INDENT);
        let key = inside.trim_start().strip_prefix('"').unwrap_or_default();
        let colon = if key.find(':').is_some_and(|at| key[at + 1..].starts_with(' ')) { ": " } else { ":" };
        Self { indent, colon, ascii: text.is_ascii() && text.contains("\\u") }
    }

    /// The start of a line inside so many brackets.
    fn line(&self, level: usize) -> String {
        self.indent.map_or_else(String::new, |(blanks, end)| end.to_owned() + &blanks.repeat(level))
    }

    /// What stands between two values, after the comma.
    fn gap(&self, level: usize) -> String {
        if self.indent.is_none() && self.colon == ": " { " ".to_owned() } else { self.line(level) }
    }

    fn object(&self, fields: &[(String, String)], level: usize) -> String {
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| self.quoted(name) + self.colon + value).collect();
        let between = format!(",{}", self.gap(level + 1));
        format!("{{{}{}{}}}", self.line(level + 1), fields.join(&between), self.line(level))
    }

    /// The source of a cell: a list with a text for each line, or one text.
    fn source(&self, source: &str, listed: bool, level: usize) -> String {
        if !listed {
            return self.quoted(source);
        }
        let lines: Vec<String> = source.split_inclusive('\n').map(|line| self.quoted(line)).collect();
        if lines.is_empty() {
            return "[]".to_owned();
        }
        let between = format!(",{}", self.gap(level + 1));
        format!("[{}{}{}]", self.line(level + 1), lines.join(&between), self.line(level))
    }

    fn quoted(&self, text: &str) -> String {
        let quoted = serde_json::Value::from(text).to_string();
        if !self.ascii {
            return quoted;
        }
        let mut units = [0; 2];
        let mut escaped = String::with_capacity(quoted.len());
        for character in quoted.chars() {
            if character.is_ascii() {
                escaped.push(character);
            } else {
                escaped
                    .extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "title",
   "metadata": {"tags": [ 1.50 ]},
   "source": [
    "# Ünder\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {},
   "outputs": [
    {"data": {"text/plain": ["2"]}, "execution_count": 3}
   ],
   "source": "1 + 1"
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

    fn apply(text: &str, edited: &Edited) -> String {
        let mut after = text.to_owned();
        for (span, new) in edited.splices.iter().rev() {
            after.replace_range(span.clone(), new);
        }
        let _: serde_json::Value = serde_json::from_str(&after).unwrap();
        after
    }

    fn changed(text: &str, change: CellEdit<'_>) -> String {
        apply(text, &edit(text, change).unwrap())
    }

    #[test]
    fn a_new_source_is_laid_out_as_the_old_one_and_outputs_are_cleared() {
        let replace = |cell, source| changed(NOTEBOOK, CellEdit::Replace { cell, source, kind: None });
        let after = replace("title", "# New\n\nÄ \"b\"");
        let wanted = "\"# Ünder\\n\",\n    \"text\"";
        assert_eq!(after, NOTEBOOK.replace(wanted, "\"# New\\n\",\n    \"\\n\",\n    \"Ä \\\"b\\\"\""));
        let after = replace("sum", "2 + 2\n3");
        let wanted = NOTEBOOK
            .replace("\"1 + 1\"", r#""2 + 2\n3""#)
            .replace("\"execution_count\": 3,\n", "\"execution_count\": null,\n")
            .replace("[\n    {\"data\": {\"text/plain\": [\"2\"]}, \"execution_count\": 3}\n   ]", "[]");
        assert_eq!(after, wanted);
        assert_eq!(replace("2", "2 + 2\n3"), wanted, "by number");
        let once = replace("sum", "x");
        assert_eq!(
            edit(&once, CellEdit::Replace { cell: "sum", source: "y", kind: None }).unwrap().splices.len(),
            1
        );
    }

    #[test]
    fn a_cell_is_inserted_and_deleted_again() {
        for after in [None, Some("title"), Some("sum")] {
            let insert = CellEdit::Insert { after, source: "x = 1\ny", kind: CellKind::Code };
            let edited = edit(NOTEBOOK, insert).unwrap();
            let with = apply(NOTEBOOK, &edited);
            // The last cell has its source as one text, so the one after it has too.
            let lines = if after == Some("sum") { 8 } else { 11 };
            assert_eq!(with.lines().count(), NOTEBOOK.lines().count() + lines, "{with}");
            let id = edited.id.unwrap();
            assert_eq!(edit(NOTEBOOK, insert).unwrap().id.as_ref(), Some(&id), "the same each time");
            assert_eq!(changed(&with, CellEdit::Delete { cell: &id }), NOTEBOOK);
        }
        let one = changed(NOTEBOOK, CellEdit::Delete { cell: "sum" });
        let none = changed(&one, CellEdit::Delete { cell: "title" });
        assert!(none.starts_with("{\n \"cells\": [],\n"), "{none}");
        let again = changed(&none, CellEdit::Insert { after: None, source: "", kind: CellKind::Markdown });
        assert!(again.contains("\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": "), "{again}");
    }

    #[test]
    fn another_kind_has_other_fields() {
        let kind = Some(CellKind::Markdown);
        let after = changed(NOTEBOOK, CellEdit::Replace { cell: "sum", source: "Text", kind });
        assert!(!after.contains("outputs") && !after.contains("execution_count"), "{after}");
        let kind = Some(CellKind::Code);
        let after = changed(NOTEBOOK, CellEdit::Replace { cell: "title", source: "1", kind });
        assert!(
            after.contains("\"metadata\": {\"tags\": [ 1.50 ]},\n   \"execution_count\": null,"),
            "{after}"
        );
    }

    #[test]
    fn other_layouts_are_kept() {
        let compact = r#"{"cells":[{"cell_type":"code","metadata":{},"outputs":[],"source":["a\u00e4"]}],"nbformat":4}"#;
        let after = changed(compact, CellEdit::Replace { cell: "1", source: "ö\n🦀", kind: None });
        assert_eq!(after, compact.replace(r#""a\u00e4""#, r#""\u00f6\n","\ud83e\udd80""#));
        let after = changed(compact, CellEdit::Insert { after: Some("1"), source: "x", kind: CellKind::Raw });
        assert!(after.contains(r#"},{"cell_type":"raw","metadata":{},"source":["x"]}]"#), "{after}");
        let crlf = NOTEBOOK.replace('\n', "\r\n");
        let after = changed(&crlf, CellEdit::Replace { cell: "title", source: "a\nb", kind: None });
        assert!(after.contains("[\r\n    \"a\\n\",\r\n    \"b\"\r\n   ]"), "{after}");
    }

    #[test]
    fn nothing_is_guessed() {
        let delete = |text: &str, cell| edit(text, CellEdit::Delete { cell }).unwrap_err();
        assert_eq!(delete(NOTEBOOK, "3"), EditError::NoSuchCell { cell: "3".to_owned(), count: 2 });
        assert!(matches!(delete(NOTEBOOK, "cell-1"), EditError::NoSuchCell { .. }));
        let twice = NOTEBOOK.replace("\"sum\"", "\"title\"");
        assert_eq!(delete(&twice, "title"), EditError::NotUnique { cell: "title".to_owned(), count: 2 });
        for broken in [
            "",
            "[]",
            "{}",
            r#"{"cells": 1}"#,
            r#"{"nbformat": 3, "cells": []}"#,
            r#"{"cells": [], "cells": []}"#,
        ] {
            assert!(matches!(delete(broken, "1"), EditError::NotANotebook(_)), "{broken}");
        }
        // The id of one cell is the number of another, and a reader sees numbers.
        let numbered = NOTEBOOK.replace("\"sum\"", "\"1\"");
        assert_eq!(delete(&numbered, "1"), EditError::NotUnique { cell: "1".to_owned(), count: 2 });
        assert_eq!(edit(&numbered, CellEdit::Delete { cell: "#1" }).unwrap().number, 1);
        let own = NOTEBOOK.replace("\"sum\"", "2");
        assert_eq!(edit(&own, CellEdit::Delete { cell: "2" }).unwrap().number, 2);
        // A cell that cannot be read could be the one that is meant.
        let twice = NOTEBOOK.replace("\"id\": \"sum\"", "\"id\": \"sum\", \"id\": \"sum\"");
        assert!(matches!(delete(&twice, "1"), EditError::NotANotebook(_)));
    }

    #[test]
    fn odd_keys_and_layouts_stay_json() {
        let odd = r#"{"cells": [{"cell_type": "code", "id": "a", "k\n\"x": 1}], "nbformat": 4}"#;
        for kind in [None, Some(CellKind::Markdown)] {
            let after = changed(odd, CellEdit::Replace { cell: "a", source: "x", kind });
            assert!(after.contains(r#""k\n\"x": 1"#), "{after}");
        }
        let deep = format!(
            "{{\n{}\"cells\": [{{\"cell_type\": \"raw\", \"source\": [\"x\"]}}], \"nbformat\": 4}}",
            " ".repeat(99_999)
        );
        let source = "line\n".repeat(1000);
        let after = changed(&deep, CellEdit::Replace { cell: "1", source: &source, kind: None });
        assert!(after.len() < 200_000, "{}", after.len());
    }
}
