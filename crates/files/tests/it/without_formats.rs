//! A build without the decoders: `cargo test -p toolcrib-files --no-default-features --test it without_formats`.

use toolcrib_files::{Content, ReadRequest, Refused};
use toolcrib_tool::ErrorKind;

use crate::support::Home;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";
const NOTEBOOK: &str = r#"{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = 1", "outputs":
    [{"output_type": "display_data", "data": {"image/png": "iVBORw0KGgoAAAANSUhEUg=="}}]}]}"#;

#[track_caller]
fn check_refused(content: &[u8], missing: &str) {
    let home = Home::with("file", content);
    let error = home.read(ReadRequest::new("file")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let shown = format!("{error:?}");
    assert!(shown.contains(&format!("this build of Toolcrib has no support for {missing}")), "{shown}");
    assert!(shown.contains("cargo feature `formats`"), "{shown}");
}

#[test]
fn an_image_and_a_pdf_are_recognised_and_refused_with_the_reason() {
    check_refused(PNG, "images");
    check_refused(b"%PDF-1.4\n1 0 obj", "PDF");
}

#[test]
fn a_notebook_is_read_without_its_images() {
    let home = Home::with("file.ipynb", NOTEBOOK);
    home.call(|call| match toolcrib_files::read(call, &ReadRequest::new("file.ipynb")) {
        Ok(Content::Notebook(notebook)) => {
            assert!(notebook.content.text.contains("x = 1"), "{notebook:?}");
            let images: Vec<_> = notebook.content.images.iter().map(|image| image.image.clone()).collect();
            assert_eq!(images, [Err("this build of Toolcrib has no support for images".to_owned())]);
            Ok(())
        }
        Err(Refused::Failed(error)) => Err(error),
        other => panic!("neither a notebook nor a failure: {other:?}"),
    })
    .unwrap();
}
