//! A look at the raw bytes before hayro reads them: what they would make it keep, and where the document starts.
//!
//! hayro holds an entry for every object in a table and finds objects by the words `obj` and `xref`; both are counted
//! here, with its own parser for what stands behind them. Cross-reference streams are never encrypted, so they are
//! measured and read here. Object streams may be, so here only their places are noted; `open.rs` measures them.

use std::collections::BTreeSet;
use std::ops::Range;

use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{
    Array, Dict, FromBytes as _, MaybeRef, Name, ObjRef, Object, ObjectIdentifier, Stream,
};
use memchr::memmem;

use super::scan::{dict_at, id_before, integer, skip_blank};
use super::{Error, filter, go_on};
use crate::Stop;

/// How many objects a document may have. One takes about 50 bytes in hayro's table.
const MAX_OBJECTS: usize = 1_000_000;
/// How many bytes all cross-reference streams together may have.
const MAX_REFERENCES: usize = 16 * 1024 * 1024;
/// How many names one object may have. hayro keeps a dictionary's keys in a map.
const MAX_NAMES: usize = 500_000;

/// What the raw bytes show.
#[derive(Default)]
pub(super) struct Survey {
    /// Where to look for the pages: the most trustworthy first.
    pub(super) starts: Vec<Start>,
    /// Where the last cross-reference section is, if the file says.
    pub(super) references: Option<usize>,
    /// The object streams.
    pub(super) containers: Vec<Container>,
    /// Dictionaries of streams that hayro must not unpack, and the starts of those that have no end.
    pub(super) harmful: Vec<Range<usize>>,
    /// The numbers of object streams, as the cross-reference streams say.
    named: BTreeSet<u32>,
    /// How many objects there are, in object streams or not.
    objects: usize,
    /// How many entries all cross-reference tables and streams have.
    entries: usize,
    /// How many bytes of cross-reference streams there are.
    unpacked: usize,
}

/// What a trailer says.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) root: ObjRef,
    /// The entries that decryption needs, as they are written. Empty if nothing is encrypted.
    pub(super) encryption: Vec<u8>,
}

/// An object stream.
pub(super) struct Container {
    pub(super) id: ObjectIdentifier,
    /// Where its dictionary is.
    pub(super) dict: Range<usize>,
    /// Where the letters `ObjStm` of its type are.
    pub(super) type_at: usize,
    /// Whether its length stands in it, and not in another object.
    pub(super) length_stated: bool,
    /// How many objects it says it holds.
    pub(super) count: usize,
}

impl Survey {
    pub(super) fn of(bytes: &[u8], stop: &dyn Stop) -> Result<Self, Error> {
        let mut survey = Self::default();
        let mut in_streams = None;
        let mut catalog = None;
        // Unless there are too many names in all, no object can have too many.
        let many_names = few_names(bytes).is_err();
        for (id, dict, place) in objects(bytes, stop) {
            survey.count_objects(1)?;
            let Some(dict) = dict? else {
                // hayro keeps the names of a dictionary that does not end until it finds out.
                if many_names && bytes[place.start..].starts_with(b"<<") {
                    survey.harmful.push(place.start..place.start + 2);
                }
                continue;
            };
            if dict.contains_key(keys::W) {
                survey.read_references(&bytes[place.start..], &dict, &place, stop)?;
            }
            match dict.get::<Name<'_>>(keys::TYPE).as_deref() {
                Some(b"ObjStm") => survey.note_container(bytes, id, &dict, place),
                Some(b"Catalog") => catalog = id.map(ObjRef::from).or(catalog),
                _ => {}
            }
            in_streams = start(&dict).or(in_streams);
        }
        survey.read_tables(bytes)?;
        survey.shun_strays(bytes, stop)?;
        survey.references = last_references(bytes);
        survey.starts = survey.references.and_then(|at| start_at(bytes, at)).into_iter().collect();
        survey.starts.extend(trailers(bytes));
        survey.starts.extend(in_streams);
        survey.starts.extend(catalog.map(|root| Start { root, encryption: Vec::new() }));
        Ok(survey)
    }

    /// Counts objects, for which hayro's table gets an entry if it makes the table itself.
    pub(super) fn count_objects(&mut self, more: usize) -> Result<(), Error> {
        self.objects = self.objects.saturating_add(more);
        if self.objects > MAX_OBJECTS { Err(Error::TooLarge("it has too many objects")) } else { Ok(()) }
    }

    /// Counts entries of the file's own tables.
    fn count_entries(&mut self, more: usize) -> Result<(), Error> {
        self.entries = self.entries.saturating_add(more);
        if self.entries > MAX_OBJECTS {
            Err(Error::TooLarge("it refers to too many objects"))
        } else {
            Ok(())
        }
    }

    /// Counts the entries of the classic tables. Tables may lie in each other, so each counts.
    fn read_tables(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for at in memmem::find_iter(bytes, b"xref") {
            let mut at = skip_blank(bytes, at + 4);
            while let Some((_, after)) = integer(bytes, at) {
                let Some((count, after)) = integer(bytes, skip_blank(bytes, after)) else { break };
                let first = skip_blank(bytes, after);
                let room = (bytes.len() - first) / 20;
                let entries = usize::try_from(count).unwrap_or(usize::MAX);
                // A table that goes over the end of the file counts up to there.
                self.count_entries(entries.min(room))?;
                if entries > room {
                    break;
                }
                at = skip_blank(bytes, first + entries * 20);
            }
        }
        Ok(())
    }

    /// Reads a cross-reference stream as hayro does. One that is too large is kept from it; it then looks for the
    /// objects itself.
    fn read_references(
        &mut self,
        bytes: &[u8],
        dict: &Dict<'_>,
        place: &Range<usize>,
        stop: &dyn Stop,
    ) -> Result<(), Error> {
        let (Some(stream), Some(widths)) = (Stream::from_bytes(bytes), dict.get::<[u8; 3]>(keys::W)) else {
            return Ok(());
        };
        if filter::measure(&stream, MAX_REFERENCES - self.unpacked).is_none() {
            self.harmful.push(place.clone());
            return Ok(());
        }
        let Ok(data) = stream.decoded_data() else { return Ok(()) };
        self.unpacked += data.len();
        let [kind, second, third] = widths.map(usize::from);
        if second == 0 {
            return Ok(());
        }
        // hayro reads one byte of the first field, whatever its width.
        let width = kind.min(1) + second + third;
        self.count_entries(data.len() / width)?;
        if kind == 0 {
            return Ok(());
        }
        for (at, entry) in data.chunks_exact(width).enumerate() {
            if at.is_multiple_of(4096) {
                go_on(stop)?;
            }
            if entry[0] == 2 {
                let container = entry[1..=second].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                self.named.extend(u32::try_from(container).ok());
            }
        }
        Ok(())
    }

    fn note_container(
        &mut self,
        bytes: &[u8],
        id: Option<ObjectIdentifier>,
        dict: &Dict<'_>,
        place: Range<usize>,
    ) {
        let type_at = memmem::find(&bytes[place.clone()], b"ObjStm").map(|at| place.start + at);
        // What is not stated here could be in another object stream, and be anything. Only a length may be: Flate knows
        // its own end.
        let stated =
            |key: &[u8]| dict.get_raw::<Object<'_>>(key).is_none_or(|value| value.as_obj_ref().is_none());
        let keys = [keys::FILTER, keys::F, keys::DECODE_PARMS, keys::DP, keys::N, keys::FIRST];
        let filters = dict.get::<Array<'_>>(keys::FILTER);
        let listed =
            filters.is_none_or(|filters| filters.raw_iter().all(|filter| filter.as_obj_ref().is_none()));
        let length_stated = stated(keys::LENGTH);
        let flate =
            dict.get::<Name<'_>>(keys::FILTER).is_some_and(|filter| filter.as_ref() == keys::FLATE_DECODE);
        let plain = listed && keys.into_iter().all(stated) && (length_stated || flate);
        let count = dict.get::<usize>(keys::N).unwrap_or(0);
        match (id, type_at) {
            (Some(id), Some(type_at)) if plain => {
                self.containers.push(Container { id, dict: place, type_at, length_stated, count });
            }
            _ => self.harmful.push(place),
        }
    }

    /// A cross-reference stream can call any stream an object stream, and hayro would unpack it as one.
    fn shun_strays(&mut self, bytes: &[u8], stop: &dyn Stop) -> Result<(), Error> {
        for container in &self.containers {
            self.named.remove(&container.id.obj_number);
        }
        if self.named.is_empty() {
            return Ok(());
        }
        for (id, dict, place) in objects(bytes, stop) {
            let stray = id.is_none_or(|id| self.named.contains(&id.obj_number));
            if dict?.is_some() && stray && bytes[skip_blank(bytes, place.end)..].starts_with(b"stream") {
                self.harmful.push(place);
            }
        }
        Ok(())
    }
}

type Found<'a> = (Option<ObjectIdentifier>, Result<Option<Dict<'a>>, Error>, Range<usize>);

/// Everything that hayro could take for an object: its number, if it is written as usual, its dictionary, if it has
/// one, and where that is.
fn objects<'a>(bytes: &'a [u8], stop: &dyn Stop) -> impl Iterator<Item = Found<'a>> {
    let starts = memmem::find_iter(bytes, b"obj").filter(|at| !bytes[..*at].ends_with(b"end"));
    starts.enumerate().map(move |(count, at)| {
        let wanted = if count.is_multiple_of(1024) { go_on(stop) } else { Ok(()) };
        let start = skip_blank(bytes, at + 3);
        let written = dict_at(bytes, start);
        let dict = wanted.and_then(|()| few_names(written)).map(|()| Dict::from_bytes(written));
        (id_before(bytes, at), dict, start..start + written.len())
    })
}

fn few_names(dict: &[u8]) -> Result<(), Error> {
    if dict.len() > MAX_NAMES && memchr::memchr_iter(b'/', dict).count() > MAX_NAMES {
        return Err(Error::TooLarge("one of its objects has too many names"));
    }
    Ok(())
}

/// Whether no object of an object stream has too many names. The numbers and places of the objects come first.
pub(super) fn few_names_in_container(data: &[u8], first: usize) -> Result<(), Error> {
    if few_names(data).is_ok() {
        return Ok(());
    }
    // Objects could lie in each other; those of a writer do not.
    let mut work = data.len().saturating_mul(4);
    let mut at = 0;
    while let Some((_, after)) = integer(data, skip_blank(data, at)) {
        let Some((place, after)) = integer(data, skip_blank(data, after)) else { break };
        at = after;
        let place = usize::try_from(place).unwrap_or(usize::MAX).saturating_add(first).min(data.len());
        let start = skip_blank(data, place);
        let mut dict = dict_at(data, start);
        if dict.is_empty() && data[start..].starts_with(b"<<") {
            dict = &data[start..];
        }
        few_names(dict)?;
        work = work.checked_sub(dict.len()).ok_or(Error::TooLarge("its objects lie in each other"))?;
    }
    Ok(())
}

/// The trailer of the section at `at`: a table with a dictionary behind it, or a stream.
fn start_at(bytes: &[u8], at: usize) -> Option<Start> {
    let rest = bytes.get(skip_blank(bytes, at)..)?;
    let marker: &[u8] = if rest.starts_with(b"xref") { b"trailer" } else { b"obj" };
    let behind = memmem::find(rest, marker)? + marker.len();
    start(&Dict::from_bytes(&rest[skip_blank(rest, behind)..])?)
}

/// The trailers of classic tables, the last first.
fn trailers(bytes: &[u8]) -> impl Iterator<Item = Start> {
    let marker = b"trailer";
    memmem::rfind_iter(bytes, marker)
        .take(64)
        .filter_map(|at| start(&Dict::from_bytes(&bytes[skip_blank(bytes, at + marker.len())..])?))
}

fn start(trailer: &Dict<'_>) -> Option<Start> {
    let root = trailer.get_ref(keys::ROOT)?;
    let mut encryption = Vec::new();
    match trailer.get_raw::<Dict<'_>>(keys::ENCRYPT) {
        Some(MaybeRef::Ref(at)) => encryption.extend_from_slice(format!("/Encrypt {at} ").as_bytes()),
        Some(MaybeRef::NotRef(dict)) => {
            encryption.extend_from_slice(b"/Encrypt ");
            encryption.extend_from_slice(dict.data());
        }
        None => return Some(Start { root, encryption }),
    }
    match trailer.get_raw::<Array<'_>>(keys::ID) {
        Some(MaybeRef::Ref(at)) => encryption.extend_from_slice(format!("/ID {at} ").as_bytes()),
        Some(MaybeRef::NotRef(array)) => {
            encryption.extend_from_slice(b"/ID [");
            encryption.extend_from_slice(array.data());
            encryption.push(b']');
        }
        None => {}
    }
    Some(Start { root, encryption })
}

fn last_references(bytes: &[u8]) -> Option<usize> {
    let marker = b"startxref";
    let at = memmem::rfind(bytes, marker)? + marker.len();
    let (number, _) = integer(bytes, skip_blank(bytes, at))?;
    usize::try_from(number).ok().filter(|at| *at < bytes.len())
}
