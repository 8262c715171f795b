//! Notebooks of both formats, and what only looks like one.

use serde_json::{Value, json};
use toolcrib_formats::notebook::{Error, Limits, MAX_BYTES, Output, parse, render};

/// What an agent reads of a whole notebook.
#[track_caller]
fn shown(notebook: &Value) -> String {
    let bytes = serde_json::to_vec(notebook).unwrap();
    let notebook = parse(&bytes, Limits { output: 60 }, &|| false).unwrap();
    let all: Vec<usize> = (1..=notebook.cells.len()).collect();
    render(&notebook, &all)
}

fn one_cell(outputs: &Value) -> Value {
    json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "metadata": {}, "source": "x", "outputs": outputs}
    ]})
}

#[test]
fn every_kind_of_cell_and_output_of_format_4() {
    let notebook = json!({
        "nbformat": 4,
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "text"]},
            {"cell_type": "code", "source": "a\nb", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
                {"output_type": "stream", "name": "stderr", "text": "oh\n"},
                {"output_type": "execute_result", "data": {"text/plain": ["4", "2"], "text/html": "<b>42</b>"}},
                {"output_type": "display_data", "data": {"text/plain": "<Figure>", "image/png": "iVBORw0K\nGgo="}},
                {"output_type": "display_data", "data": {
                    "text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "*so*"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no",
                 "traceback": ["\u{1b}[0;31m-----\u{1b}[0m", "\u{1b}[31mValueError\u{1b}[0m: no"]},
            ]},
            {"cell_type": "raw", "source": ""},
            {"cell_type": "code", "source": "nothing", "outputs": []},
        ],
    });
    assert_eq!(
        shown(&notebook),
        "--- Cell 1 (markdown) ---\n# Title\ntext\n\n\
         --- Cell 2 (code) ---\na\nb\n\
         [Output: stdout]\none\ntwo\n[Output: stderr]\noh\n[Result]\n42\n[Result]\n<Figure>\n\
         [Image 1: image/png, 1 KB]\n[Result]\n*so*\n[Error: ValueError]\n-----\nValueError: no\n\n\
         --- Cell 3 (raw) ---\n\n\
         --- Cell 4 (code) ---\nnothing\n"
    );
    let bytes = serde_json::to_vec(&notebook).unwrap();
    let parsed = parse(&bytes, Limits::default(), &|| false).unwrap();
    assert_eq!((parsed.format, parsed.language.as_deref()), (4, Some("python")));
    let images: Vec<_> = parsed.images(&[1, 2, 9]).map(|image| image.bytes().unwrap()).collect();
    assert_eq!(images, [b"\x89PNG\r\n\x1a\n"]);
}

#[test]
fn format_3_with_worksheets() {
    let notebook = json!({
        "nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "old"},
        "worksheets": [
            {"cells": [
                {"cell_type": "heading", "level": 2, "source": ["Old"]},
                {"cell_type": "code", "language": "python", "input": ["print 1"], "outputs": [
                    {"output_type": "stream", "stream": "stdout", "text": ["1\n"]},
                    {"output_type": "pyout", "prompt_number": 1, "text": ["'a'"], "png": "iVBORw0KGgo="},
                    {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": []},
                ]},
            ]},
            {"cells": [{"cell_type": "markdown", "source": "second sheet"}]},
        ],
    });
    assert_eq!(
        shown(&notebook),
        "--- Cell 1 (markdown) ---\n## Old\n\n--- Cell 2 (code) ---\nprint 1\n[Output: stdout]\n1\n[Result]\n'a'\n\
         [Image 1: image/png, 1 KB]\n[Error: E]\nv\n\n--- Cell 3 (markdown) ---\nsecond sheet\n"
    );
    let bytes = serde_json::to_vec(&notebook).unwrap();
    assert_eq!(parse(&bytes, Limits::default(), &|| false).unwrap().language.as_deref(), Some("python"));
}

#[test]
fn a_long_output_is_cut_with_a_note() {
    let long = "0123456789\n".repeat(50);
    let shown = shown(&one_cell(&json!([{"output_type": "stream", "name": "stdout", "text": long}])));
    assert_eq!(
        shown,
        "--- Cell 1 (code) ---\nx\n[Output: stdout]\n0123456789\n0123456789\n0123456789\n0123456789\n\
         [... 495 bytes of this output left out ...]\n0123456789\n"
    );
}

#[test]
fn what_breaks_the_schema_is_taken_as_absent() {
    let notebook = json!({"cells": [
        {},
        7,
        {"cell_type": "code", "source": null, "outputs": {"output_type": "stream"}},
        {"cell_type": "code", "source": ["a", 1, "b"], "outputs": [
            null, [], {"output_type": "stream"}, {"output_type": "error", "ename": 5, "traceback": "no list"},
            {"output_type": "execute_result"}, {"output_type": "new", "data": {"image/png": {"not": "text"}}},
        ]},
        {"cell_type": "unheard of", "source": "s", "outputs": "none"},
    ], "metadata": []});
    assert_eq!(
        shown(&notebook),
        "--- Cell 1 (raw) ---\n\n--- Cell 2 (raw) ---\n\n--- Cell 3 (code) ---\n\n--- Cell 4 (code) ---\nab\n\
         [Image 1: image/png, 0 KB]\n\n--- Cell 5 (raw) ---\ns\n"
    );
}

#[test]
fn what_is_no_notebook_says_why() {
    let error = |bytes: &[u8]| parse(bytes, Limits::default(), &|| false).unwrap_err().to_string();
    assert_eq!(error(b"[]"), "not a notebook: the JSON is not an object");
    assert_eq!(error(b"{}"), "not a notebook: the JSON has no cells");
    assert_eq!(error(br#"{"cells": {}}"#), "not a notebook: the JSON has no list of cells");
    assert_eq!(error(br#"{"nbformat": 2, "cells": []}"#), "not a notebook: its nbformat is neither 3 nor 4");
    assert_eq!(error(b""), "not a notebook: not JSON (EOF while parsing a value at line 1 column 0)");
    assert!(error(b"print('hello')").starts_with("not a notebook: not JSON (expected value"));
    assert!(error(b"{} {}").starts_with("not a notebook: not JSON (trailing characters"));
    assert!(error(b"\xFF\xFE{\0}\0").starts_with("not a notebook: not JSON"));
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    assert!(parse(b"\xEF\xBB\xBF{\"nbformat\": 4, \"cells\": []}", Limits::default(), &|| false).is_ok());
}

#[test]
fn size_depth_and_number_of_values_are_bounded() {
    let bytes = vec![b' '; MAX_BYTES + 1];
    assert!(matches!(parse(&bytes, Limits::default(), &|| false), Err(Error::TooLarge { .. })));
    let deep = "[".repeat(1_000_000);
    assert!(matches!(parse(deep.as_bytes(), Limits::default(), &|| false), Err(Error::NotJson(_))));
    let many = format!("{{\"cells\": [{}0]}}", "0,".repeat(1_100_000));
    assert_eq!(parse(many.as_bytes(), Limits::default(), &|| false), Err(Error::TooComplex));
    assert_eq!(parse(many.as_bytes(), Limits::default(), &|| true), Err(Error::Stopped));
}

#[test]
fn data_for_programs_is_passed_over() {
    let numbers = vec![1; 2_000_000];
    let outputs = json!([{"output_type": "display_data", "data": {
        "application/vnd.plotly.v1+json": {"data": numbers}, "text/plain": "a plot"}}]);
    assert_eq!(shown(&one_cell(&outputs)), "--- Cell 1 (code) ---\nx\n[Result]\na plot\n");
}

#[test]
fn an_image_that_is_no_base64_has_no_bytes() {
    let outputs = json!([
        {"output_type": "display_data", "data": {"image/png": "no base64!"}},
        {"output_type": "display_data", "data": {"image/svg+xml": ["<svg>", "</svg>"]}},
    ]);
    let bytes = serde_json::to_vec(&one_cell(&outputs)).unwrap();
    let notebook = parse(&bytes, Limits::default(), &|| false).unwrap();
    let images: Vec<_> = notebook.images(&[1]).map(|image| image.bytes()).collect();
    assert_eq!(images, [None, Some(b"<svg></svg>".to_vec())]);
    assert!(notebook.cells[0].outputs.iter().all(|output| matches!(output, Output::Image(_))));
}
