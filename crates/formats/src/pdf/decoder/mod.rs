//! Reads the pages, on a thread where a fault of the decoder stays.

mod content;
mod document;
mod filter;
mod fonts;
mod layout;
mod open;
mod pages;
mod scan;
mod survey;
mod unicode;

use super::{Document, Error, Page};
use crate::isolate::{self, Fault};
use crate::{Ranges, Stop};

pub(super) fn read_pages(
    bytes: Vec<u8>,
    pages: &Ranges,
    max_pages: usize,
    stop: &dyn Stop,
) -> Result<Document, Error> {
    let pages = pages.clone();
    isolate::run(stop, move |wanted| document::read(bytes, &pages, max_pages, wanted)).unwrap_or_else(
        |fault| {
            Err(match fault {
                Fault::Stopped => Error::Stopped,
                Fault::Panicked => Error::Fault,
                Fault::Busy => Error::Busy,
            })
        },
    )
}

/// An error if no caller wants the answer any more.
fn go_on(stop: &dyn Stop) -> Result<(), Error> {
    if stop.stopped() { Err(Error::Stopped) } else { Ok(()) }
}
