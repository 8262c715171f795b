//! What a file may hold besides plain text: images, PDF documents, notebooks.
//!
//! Bytes come in, values go out. This crate must not know files, paths, tools or how an answer is shown; who calls it
//! reads the bytes, bounds how many there are, and words the answer.
//!
//! The bytes are hostile until shown otherwise. So every answer has a bound in time and memory, the decoders of others
//! run where a fault of theirs stays (see [`pdf`] and [`image`]), and work that takes long asks a
//! [`Stop`] whether it is still wanted.
//!
//! Without the feature `decoders` (on by default) the decoders of others are left out: kinds are still recognised and
//! notebooks still read, but an image or a PDF document is `Error::NotInThisBuild`.

pub mod base64;
pub mod image;
#[cfg(feature = "decoders")]
mod isolate;
pub mod notebook;
pub mod pdf;
mod range;
mod sniff;

pub use range::{RangeError, Ranges, Selection};
pub use sniff::{HEAD, Kind, sniff};
pub use toolcrib_text::Stop;
