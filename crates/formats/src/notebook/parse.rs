//! From bytes to a [`Notebook`].

use super::tree::Tree;
use super::{Cell, CellKind, Error, Limits, MAX_BYTES, Notebook, output};
use crate::Stop;

/// Reads a notebook.
///
/// ```
/// use toolcrib_formats::notebook::{Limits, parse};
///
/// let bytes = br##"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# Hello\n", "world"]}]}"##;
/// let notebook = parse(bytes, Limits::default(), &|| false)?;
/// assert_eq!(notebook.cells[0].source, "# Hello\nworld");
/// # Ok::<(), toolcrib_formats::notebook::Error>(())
/// ```
///
/// # Errors
///
/// If it is not a notebook, which the caller may show as text; if it is too large; if `stop` says so.
pub fn parse<'a>(bytes: &'a [u8], limits: Limits, stop: &dyn Stop) -> Result<Notebook<'a>, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let tree = Tree::parse(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), stop)?;
    let format = version(&tree)?;
    let mut cells = Vec::new();
    for cell in cells_of(&tree)? {
        if stop.stopped() {
            return Err(Error::Stopped);
        }
        cells.push(read_cell(cell, limits));
    }
    Ok(Notebook { format, language: language(&tree), cells })
}

fn version(tree: &Tree<'_>) -> Result<u32, Error> {
    if !matches!(tree, Tree::Map(_)) {
        return Err(Error::NotANotebook("the JSON is not an object"));
    }
    match tree.get("nbformat").and_then(Tree::number) {
        Some(3.0) => Ok(3),
        Some(4.0) => Ok(4),
        Some(_) => Err(Error::NotANotebook("its nbformat is neither 3 nor 4")),
        // Some tools forget it; the place of the cells tells.
        None if tree.get("cells").is_some() => Ok(4),
        None if tree.get("worksheets").is_some() => Ok(3),
        None => Err(Error::NotANotebook("the JSON has no cells")),
    }
}

/// The cells, which nbformat 3 spreads over worksheets.
fn cells_of<'t, 'a>(tree: &'t Tree<'a>) -> Result<Vec<&'t Tree<'a>>, Error> {
    if let Some(Tree::List(cells)) = tree.get("cells") {
        return Ok(cells.iter().collect());
    }
    if let Some(Tree::List(sheets)) = tree.get("worksheets") {
        return Ok(sheets.iter().filter_map(|sheet| sheet.get("cells")).flat_map(Tree::list).collect());
    }
    Err(Error::NotANotebook("the JSON has no list of cells"))
}

fn read_cell<'a>(cell: &Tree<'a>, limits: Limits) -> Cell<'a> {
    let kind = cell.get("cell_type").and_then(Tree::text);
    // nbformat 3 calls the source of code `input`.
    let source = cell.get("source").or_else(|| cell.get("input"));
    let mut source: String = source.map(|source| source.pieces().collect()).unwrap_or_default();
    if kind == Some("heading") {
        let level = cell.get("level").and_then(Tree::number).unwrap_or(1.0).clamp(1.0, 6.0);
        let marks = (1..=6).take_while(|mark| f64::from(*mark) <= level).map(|_| '#').collect::<String>();
        source = format!("{marks} {source}");
    }
    let kind = match kind {
        Some("code") => CellKind::Code,
        Some("markdown" | "heading") => CellKind::Markdown,
        _ => CellKind::Raw,
    };
    let mut outputs = Vec::new();
    if kind == CellKind::Code {
        for entry in cell.get("outputs").map(Tree::list).unwrap_or_default() {
            output::read(entry, limits, &mut outputs);
        }
    }
    Cell { kind, source, outputs }
}

fn language(tree: &Tree<'_>) -> Option<String> {
    let metadata = tree.get("metadata");
    let stated = |place: &str, key: &str| metadata?.get(place)?.get(key)?.text().map(str::to_owned);
    let of_a_cell = || {
        let cells = cells_of(tree).ok()?;
        cells.into_iter().find_map(|cell| cell.get("language")?.text().map(str::to_owned))
    };
    stated("language_info", "name").or_else(|| stated("kernelspec", "language")).or_else(of_a_cell)
}
