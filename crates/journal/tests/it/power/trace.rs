//! What a process did to files, read from the record that `strace` made of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The system calls to record, with the paths of handles and all bytes in full.
pub(super) const OPTIONS: &[&str] = &[
    "-y",
    "-xx",
    "-s100000000",
    "-etrace=openat,linkat,mkdirat,write,pwrite64,fsync,fdatasync,renameat,renameat2,unlinkat,ftruncate,fchmod,statx",
];

/// Something that happened to the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Create {
        path: PathBuf,
        mode: u32,
    },
    /// A file that has no name yet. Its path is the kernel's word for it.
    CreateUnnamed {
        path: PathBuf,
        mode: u32,
    },
    /// It gets one.
    Name {
        unnamed: PathBuf,
        path: PathBuf,
    },
    /// A file gets a second name.
    Link {
        from: PathBuf,
        path: PathBuf,
    },
    MakeDirectory {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Exchange {
        one: PathBuf,
        other: PathBuf,
    },
    Unlink {
        path: PathBuf,
    },
    /// At an offset, or at the end.
    Write {
        path: PathBuf,
        offset: Option<u64>,
        bytes: Vec<u8>,
    },
    Truncate {
        path: PathBuf,
        length: u64,
    },
    Mode {
        path: PathBuf,
        mode: u32,
    },
    Sync {
        path: PathBuf,
    },
}

/// The events between two marks, of calls that succeeded, in their order.
pub(super) fn events(trace: &str, from: &str, to: &str) -> Vec<Event> {
    let mut unfinished: BTreeMap<String, String> = BTreeMap::new();
    let mut unnamed: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut begun = false;
    let mut events = Vec::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let mut call = call.trim_start().to_owned();
        if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            unfinished.insert(thread.to_owned(), start.to_owned());
            continue;
        }
        if let Some((_, rest)) = call.split_once(" resumed>") {
            call = unfinished.remove(thread).unwrap_or_default() + rest;
        }
        let Some(parsed) = parse(&call) else { continue };
        let names =
            parsed.arguments.iter().any(|argument| argument.text().as_deref() == Some(Path::new(from)));
        if names {
            begun = true;
            continue;
        }
        if begun
            && parsed.arguments.iter().any(|argument| argument.text().is_some_and(|text| text.ends_with(to)))
        {
            break;
        }
        if !begun {
            continue;
        }
        if let Some((number, path, mode)) = parsed.unnamed() {
            unnamed.insert(number, path.clone());
            events.push(Event::CreateUnnamed { path, mode });
        } else if let Some((number, path)) = parsed.names() {
            events.extend(unnamed.remove(&number).map(|unnamed| Event::Name { unnamed, path }));
        } else {
            events.extend(parsed.event());
        }
    }
    events
}

struct Parsed {
    name: String,
    arguments: Vec<Argument>,
    result: Argument,
}

/// An argument as it is shown: `3</path>`, `"text"`, `O_CREAT|O_EXCL`, `0600`.
struct Argument(String);

fn parse(call: &str) -> Option<Parsed> {
    let (name, rest) = call.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let arguments = arguments.trim_end().strip_suffix(')')?;
    // A mark need not exist; what failed has done nothing.
    if result.starts_with('-') && name != "statx" {
        return None;
    }
    let arguments = arguments.split(", ").map(|argument| Argument(argument.to_owned())).collect();
    Some(Parsed { name: name.to_owned(), arguments, result: Argument(result.to_owned()) })
}

impl Parsed {
    /// A file without a name was made: the number of its handle, the kernel's word for it, and its mode.
    fn unnamed(&self) -> Option<(String, PathBuf, u32)> {
        let made = self.name == "openat" && self.arguments.get(2)?.0.contains("O_TMPFILE");
        let (number, _) = self.result.0.split_once('<')?;
        made.then_some((number.to_owned(), self.result.handle()?, self.arguments.get(3)?.octal()?))
    }

    /// A file gets a name through the number of its handle.
    fn names(&self) -> Option<(String, PathBuf)> {
        let [_, from, directory, name, _] = &self.arguments[..] else { return None };
        let from = from.text().filter(|from| self.name == "linkat" && from.starts_with("thread-self/fd"))?;
        Some((from.file_name()?.to_str()?.to_owned(), directory.handle()?.join(name.text()?)))
    }

    fn event(&self) -> Option<Event> {
        let argument = |index: usize| self.arguments.get(index);
        let handle = |index: usize| argument(index)?.handle();
        let at = |directory: usize, name: usize| Some(handle(directory)?.join(argument(name)?.text()?));
        Some(match self.name.as_str() {
            "openat" if argument(2)?.0.contains("O_CREAT") => {
                Event::Create { path: at(0, 1)?, mode: argument(3)?.octal()? }
            }
            "linkat" => Event::Link { from: at(0, 1)?, path: at(2, 3)? },
            "mkdirat" => Event::MakeDirectory { path: at(0, 1)? },
            "write" => Event::Write { path: handle(0)?, offset: None, bytes: argument(1)?.bytes()? },
            "pwrite64" => {
                let offset = argument(3)?.0.parse().ok()?;
                Event::Write { path: handle(0)?, offset: Some(offset), bytes: argument(1)?.bytes()? }
            }
            "fsync" | "fdatasync" => Event::Sync { path: handle(0)? },
            "renameat" => Event::Rename { from: at(0, 1)?, to: at(2, 3)? },
            "renameat2" if argument(4)?.0 == "RENAME_EXCHANGE" => {
                Event::Exchange { one: at(0, 1)?, other: at(2, 3)? }
            }
            "renameat2" => Event::Rename { from: at(0, 1)?, to: at(2, 3)? },
            "unlinkat" => Event::Unlink { path: at(0, 1)? },
            "ftruncate" => Event::Truncate { path: handle(0)?, length: argument(1)?.0.parse().ok()? },
            "fchmod" => Event::Mode { path: handle(0)?, mode: argument(1)?.octal()? },
            _ => return None,
        })
    }
}

impl Argument {
    fn handle(&self) -> Option<PathBuf> {
        let (_, path) = self.0.split_once('<')?;
        // What has no name is marked as deleted.
        Some(path_of(unescape(path.strip_suffix("(deleted)").unwrap_or(path).strip_suffix('>')?)?))
    }

    fn text(&self) -> Option<PathBuf> {
        self.bytes().map(path_of)
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        unescape(self.0.strip_prefix('"')?.strip_suffix('"')?)
    }

    fn octal(&self) -> Option<u32> {
        u32::from_str_radix(&self.0, 8).ok()
    }
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let digits = text.split("\\x").skip(1);
    digits.map(|byte| u8::from_str_radix(byte, 16).ok()).collect()
}
