//! Opens a document with hayro, so that hayro keeps no more of it than we have measured.
//!
//! Two things are done to the bytes before:
//! - **An update is appended**, as a program that changes a PDF would, with a catalogue and an empty page tree of our
//!   own. hayro makes a list of all pages when it opens a file, and a page takes a kilobyte there; like this the list is
//!   empty, and `pages.rs` walks the real tree, which hayro reads object by object.
//! - **Streams that would unpack to too much** lose their dictionary, so that there is nothing to unpack. What was in
//!   them is missing then; all else is read.
//!
//! To measure an object stream in an encrypted document it must be decrypted, which only hayro can. So such a document is
//! opened twice: first with the type of all object streams masked, when hayro unpacks none.

use std::ops::Range;
use std::sync::Arc;

use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Dict, FromBytes as _, Name, ObjectIdentifier, Stream};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};

use super::survey::{Container, Start, Survey, few_names_in_container};
use super::{Error, filter, go_on};
use crate::Stop;

/// How many bytes all object streams together may have.
const MAX_CONTAINED: usize = 48 * 1024 * 1024;
/// The numbers of our own objects. Larger than any document's, and if not, ours are the newer ones.
const CATALOG: u32 = 2_000_000_000;
const PAGES: u32 = CATALOG + 1;
const MASK: &[u8; 6] = b"Masked";

/// A document, and where its page tree may start.
pub(super) struct Opened {
    pub(super) pdf: Pdf,
    /// The objects that trailers call the root, the most trustworthy first.
    pub(super) roots: Vec<ObjectIdentifier>,
}

pub(super) fn open(mut bytes: Vec<u8>, stop: &dyn Stop) -> Result<Opened, Error> {
    let mut survey = Survey::of(&bytes, stop)?;
    let start = survey.starts.first().cloned();
    blank(&mut bytes, &survey.harmful);
    let too_large = match &start {
        Some(start) if !start.encryption.is_empty() => {
            measure_encrypted(&mut bytes, &mut survey, start, stop)?
        }
        _ => measure_plain(&bytes, &mut survey, stop)?,
    };
    blank(&mut bytes, &too_large);

    let roots: Vec<ObjectIdentifier> = survey.starts.iter().map(|start| start.root.into()).collect();
    let length = bytes.len();
    if survey.references.is_some() {
        append_update(&mut bytes, start.as_ref(), survey.references);
        let (pdf, back) = load(bytes)?;
        if has_catalog(&pdf, &roots) {
            return Ok(Opened { pdf, roots });
        }
        drop(pdf);
        bytes = back.take()?;
        bytes.truncate(length);
    }
    // The table of the file leads nowhere: without one, hayro looks at the whole file for objects.
    append_update(&mut bytes, start.as_ref(), None);
    let (pdf, _) = load(bytes)?;
    Ok(Opened { pdf, roots })
}

fn has_catalog(pdf: &Pdf, roots: &[ObjectIdentifier]) -> bool {
    roots
        .iter()
        .any(|root| pdf.xref().get::<Dict<'_>>(*root).is_some_and(|root| root.contains_key(keys::PAGES)))
}

/// Bytes that hayro borrows and gives back.
struct Lent(Arc<Vec<u8>>);

impl Lent {
    fn take(self) -> Result<Vec<u8>, Error> {
        Arc::try_unwrap(self.0).map_err(|_| Error::Fault)
    }
}

fn load(bytes: Vec<u8>) -> Result<(Pdf, Lent), Error> {
    let bytes = Arc::new(bytes);
    let pdf = Pdf::new(PdfData::from(Arc::clone(&bytes))).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Error::Encrypted,
        LoadPdfError::Decryption(_) => Error::UnknownEncryption,
        LoadPdfError::Invalid => Error::Damaged("it cannot be opened"),
    })?;
    if pdf.xref().root_id() != ObjectIdentifier::new(CATALOG, 0) {
        return Err(Error::Damaged("it has no structure"));
    }
    Ok((pdf, Lent(bytes)))
}

/// Appends our own catalogue. With `references` the table that stands there goes on to be used; without, the file has
/// no table that can be found, and hayro makes one itself.
fn append_update(bytes: &mut Vec<u8>, start: Option<&Start>, references: Option<usize>) {
    let objects = [
        format!("{CATALOG} 0 obj\n<</Type/Catalog/Pages {PAGES} 0 R>>\nendobj\n"),
        format!("{PAGES} 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"),
    ];
    let encryption = start.map(|start| start.encryption.as_slice()).unwrap_or_default();
    // Exactly this much: a vector that grows takes twice the room.
    bytes.reserve_exact(500 + encryption.len());
    bytes.extend_from_slice(b"\n");
    let places = objects.map(|object| {
        let place = bytes.len();
        bytes.extend_from_slice(object.as_bytes());
        place
    });
    let table = bytes.len();
    if references.is_some() {
        bytes.extend_from_slice(format!("xref\n{CATALOG} {}\n", places.len()).as_bytes());
        for place in places {
            bytes.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
        }
    }
    bytes.extend_from_slice(format!("trailer\n<</Size {}/Root {CATALOG} 0 R", PAGES + 1).as_bytes());
    if let Some(references) = references {
        bytes.extend_from_slice(format!("/Prev {references} ").as_bytes());
    }
    bytes.extend_from_slice(encryption);
    // A place behind the end is no place.
    let table = if references.is_some() { table } else { bytes.len() + 1000 };
    bytes.extend_from_slice(format!(">>\nstartxref\n{table}\n%%EOF\n").as_bytes());
}

/// The dictionaries of the object streams that are too large.
fn measure_plain(bytes: &[u8], survey: &mut Survey, stop: &dyn Stop) -> Result<Vec<Range<usize>>, Error> {
    let mut budget = Budget { left: MAX_CONTAINED, too_large: Vec::new() };
    for container in std::mem::take(&mut survey.containers) {
        go_on(stop)?;
        budget.spend(&container, Stream::from_bytes(&bytes[container.dict.start..]), survey)?;
    }
    Ok(budget.too_large)
}

/// The same, when they have to be decrypted first.
fn measure_encrypted(
    bytes: &mut Vec<u8>,
    survey: &mut Survey,
    start: &Start,
    stop: &dyn Stop,
) -> Result<Vec<Range<usize>>, Error> {
    let length = bytes.len();
    let containers = std::mem::take(&mut survey.containers);
    for container in &containers {
        bytes[container.type_at..container.type_at + MASK.len()].copy_from_slice(MASK);
    }
    append_update(bytes, Some(start), survey.references);
    let (pdf, back) = load(std::mem::take(bytes))?;
    let mut budget = Budget { left: MAX_CONTAINED, too_large: Vec::new() };
    for container in &containers {
        go_on(stop)?;
        // A length that stands elsewhere could be in an object stream that is not measured yet.
        let stream = container.length_stated.then(|| pdf.xref().get::<Stream<'_>>(container.id)).flatten();
        // Of several with one number, hayro reads one; the others cannot be measured.
        let here = back.0.as_ptr().wrapping_add(container.dict.start);
        budget.spend(container, stream.filter(|stream| stream.dict().data().as_ptr() == here), survey)?;
    }
    drop(pdf);
    *bytes = back.take()?;
    bytes.truncate(length);
    for container in &containers {
        bytes[container.type_at..container.type_at + MASK.len()].copy_from_slice(b"ObjStm");
    }
    Ok(budget.too_large)
}

/// What the object streams may still take, and those for which it was not enough.
struct Budget {
    left: usize,
    too_large: Vec<Range<usize>>,
}

impl Budget {
    fn spend(
        &mut self,
        container: &Container,
        stream: Option<Stream<'_>>,
        survey: &mut Survey,
    ) -> Result<(), Error> {
        let Some(stream) = stream else {
            self.too_large.push(container.dict.clone());
            return Ok(());
        };
        if filter::measure(&stream, self.left).is_none() {
            self.too_large.push(container.dict.clone());
            return Ok(());
        }
        let data = stream.decoded_data().unwrap_or_default();
        few_names_in_container(&data, stream.dict().get::<usize>(keys::FIRST).unwrap_or(0))?;
        self.left = self.left.saturating_sub(data.len());
        // An object has two numbers at the start of the stream, each with a space behind it.
        survey.count_objects(container.count.min(data.len() / 4))
    }
}

/// Takes everything out of these dictionaries.
fn blank(bytes: &mut [u8], dicts: &[Range<usize>]) {
    for dict in dicts {
        match bytes.get_mut(dict.clone()) {
            Some([b'<', b'<', inside @ .., b'>', b'>']) => inside.fill(b' '),
            Some(start) => start.fill(b' '),
            None => {}
        }
    }
}

/// Whether a dictionary says that it is of this type.
pub(super) fn is_type(dict: &Dict<'_>, name: &[u8]) -> bool {
    dict.get::<Name<'_>>(keys::TYPE).is_some_and(|found| found.as_ref() == name)
}
