//! Text in memory: encodings, lines, and changes that touch nothing but what they mean.
//!
//! - [`detect`] tells text from other data and finds its [`Encoding`]: a [`Charset`], with or without a byte order mark.
//! - [`Collector`] takes a range of lines out of bytes that arrive in pieces; [`LineIndex`] remembers where lines are in
//!   a large text, and [`tail`] finds the last ones from the end. They work on [`Breaks`], on bytes, and decode only
//!   what is shown.
//! - [`Document`] is a text with the bytes it came from: a change of a span leaves every other byte as it was.
//! - [`LineEndings`] counts what ends the lines.
//! - [`is_ignorable`] names the characters that are not seen.
//! - [`Reserved`] makes sure of memory before it is used.
//! - [`Stop`] ends work that no caller waits for any more; whatever can take long asks it through a [`Meter`].
//!
//! This crate must not know files, paths, JSON or tools. Bytes come in, values go out, so everything here can be
//! tested without a disk.
//!
//! A line ends with `\n` or `\r\n`; in a text that has no `\n` at all, with `\r`. Nothing else ends a line.

mod breaks;
mod charset;
mod decode;
mod detect;
mod document;
mod encode;
mod encoding;
mod endings;
mod index;
mod invisible;
mod lines;
mod memory;
mod stop;
mod tail;
mod units;

pub use breaks::{Breaks, Newline, line_count};
pub use charset::{Charset, UnknownCharset};
pub use detect::{Binary, Content, Sample, detect, detect_sample};
pub use document::{Change, ChangeError, Document};
pub use encode::Unencodable;
pub use encoding::Encoding;
pub use endings::{LineEnding, LineEndings};
pub use index::{LineIndex, Start};
pub use invisible::is_ignorable;
pub use lines::{Collector, Line, LineRange, Lines};
pub use memory::{NoMemory, Reserved, grow_stack, is_memory_short, room_for_threads};
pub use stop::{Meter, Stop, Stopped};
pub use tail::{Tail, tail};
