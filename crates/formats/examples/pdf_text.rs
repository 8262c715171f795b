//! Prints the text of a PDF: `pdf_text FILE [PAGES]`. For a look at what an agent would read, and for `compare_pdf.py`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own"
)]

use std::process::ExitCode;

use toolcrib_formats::{Ranges, pdf};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: pdf_text FILE [PAGES]");
        return ExitCode::from(2);
    };
    let pages = arguments.next().map_or_else(|| Ok(Ranges::all()), |pages| pages.parse());
    let result = pages.map_err(|error| error.to_string()).and_then(|pages| {
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        pdf::read(bytes, &pages, usize::MAX, &|| false).map_err(|error| error.to_string())
    });
    match result {
        Ok(document) => {
            print!("{}", document.render());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}
