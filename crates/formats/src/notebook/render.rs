//! A notebook as the text that an agent reads.

use std::fmt::Write as _;

use super::{Cell, Image, Notebook, Output, Text};

/// The cells of the given numbers, counted from 1, each under `--- Cell N (code|markdown|raw) ---`.
///
/// An image stands there as `[Image K: image/png, 12 KB]`; K counts the images of the text, in the order of
/// [`Notebook::images`]. Numbers that the notebook does not have are passed over.
///
/// ```
/// use toolcrib_formats::notebook::{Limits, parse, render};
///
/// let bytes = br#"{"nbformat": 4, "cells": [{"cell_type": "code", "source": "1 + 1", "outputs": [
///     {"output_type": "execute_result", "data": {"text/plain": "2"}}]}]}"#;
/// let notebook = parse(bytes, Limits::default(), &|| false)?;
/// assert_eq!(render(&notebook, &[1]), "--- Cell 1 (code) ---\n1 + 1\n[Result]\n2\n");
/// # Ok::<(), toolcrib_formats::notebook::Error>(())
/// ```
#[must_use]
pub fn render(notebook: &Notebook<'_>, numbers: &[usize]) -> String {
    let mut text = String::new();
    let mut images = 0;
    for number in numbers {
        let Some(cell) = notebook.cell(*number) else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&render_cell(*number, cell, &mut images));
    }
    text
}

/// One cell, as [`render`] shows it. `images` counts those of the text so far.
#[must_use]
pub fn render_cell(number: usize, cell: &Cell<'_>, images: &mut usize) -> String {
    let mut text = format!("--- Cell {number} ({}) ---\n", cell.kind.name());
    push_lines(&mut text, &cell.source);
    for output in &cell.outputs {
        push_output(&mut text, output, images);
    }
    text
}

impl<'a> Notebook<'a> {
    /// The cell of this number, counted from 1.
    #[must_use]
    pub fn cell(&self, number: usize) -> Option<&Cell<'a>> {
        self.cells.get(number.checked_sub(1)?)
    }

    /// The images in the outputs of these cells, in the order in which [`render`] counts them.
    pub fn images(&self, numbers: &[usize]) -> impl Iterator<Item = &Image<'a>> {
        let outputs = numbers.iter().filter_map(|number| self.cell(*number)).flat_map(|cell| &cell.outputs);
        outputs.filter_map(|output| if let Output::Image(image) = output { Some(image) } else { None })
    }
}

fn push_output(text: &mut String, output: &Output<'_>, images: &mut usize) {
    match output {
        Output::Stream { name, text: printed } => push_block(text, &format!("[Output: {name}]"), printed),
        Output::Result(result) => push_block(text, "[Result]", result),
        Output::Error { name, message, traceback } => {
            // Most tracebacks end with the error itself.
            if traceback.is_empty() {
                push_block(text, &format!("[Error: {name}]"), message);
            } else {
                push_block(text, &format!("[Error: {name}]"), traceback);
            }
        }
        Output::Image(image) => {
            *images += 1;
            let size = image.size().div_ceil(1024);
            // Writing to a text cannot fail.
            let _ = writeln!(text, "[Image {images}: {}, {size} KB]", image.mime_type);
        }
    }
}

fn push_block(text: &mut String, title: &str, block: &Text) {
    if block.is_empty() {
        return;
    }
    text.push_str(title);
    text.push('\n');
    push_lines(text, &block.start);
    if block.left_out > 0 {
        let _ = writeln!(text, "[... {} bytes of this output left out ...]", block.left_out);
        push_lines(text, &block.end);
    }
}

/// Whole lines: with an end after the last one.
fn push_lines(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}
